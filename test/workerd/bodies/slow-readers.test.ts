// Clients that take the beginning of a large file and no more: what an isolate of 128 MB has in
// memory for them. Counted are the bytes that came to the Worker from R2 and the Cache API and that
// no client has taken yet.
import { env, exports } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { patternBytes } from '../../contract/bodies.ts';
import { makePublicBucket } from '../kit/public-bucket.ts';

const MiB = 2 ** 20;
const READERS = 96;
/**
 * Four slices for each of eight, and a piece of 256 KiB for each of the others. The rest of the
 * isolate's 128 MB is left to what the runtime reads ahead, and to everything else.
 */
const HELD_MAX_BYTES = 56 * MiB;

/** Some reads of a slice, milliseconds. */
const READ_AHEAD_MS = 300;

/** How bytes come into the Worker's own memory, as methods of the runtime's classes. */
type Door = { readonly owner: object; readonly method: string };

/** Counts the bytes that come by the doors while `work` runs. */
async function countingBytes(
  doors: readonly Door[],
  work: (cameBytes: () => number) => Promise<void>,
): Promise<void> {
  let came = 0;
  const originals = doors.map(({ owner, method }) => {
    const original = Reflect.get(owner, method) as (...values: unknown[]) => Promise<unknown>;
    Reflect.set(owner, method, async function counted(this: unknown, ...values: unknown[]) {
      const result = await original.apply(this, values);
      came += lengthOf(result);
      return result;
    });
    return original;
  });
  try {
    await work(() => came);
  } finally {
    for (const [at, { owner, method }] of doors.entries())
      Reflect.set(owner, method, originals[at]);
  }
}

function lengthOf(result: unknown): number {
  const value = (result as { value?: unknown }).value ?? result;
  return value instanceof ArrayBuffer || value instanceof Uint8Array ? value.byteLength : 0;
}

async function doorsOf(): Promise<readonly Door[]> {
  const key = `slow-readers-${crypto.randomUUID()}`;
  await env.BLOBS.put(key, 'x');
  const stored = await env.BLOBS.get(key);
  if (stored === null) throw new Error('R2 has no object that was put.');
  await stored.text();
  return [
    { owner: Object.getPrototypeOf(stored), method: 'arrayBuffer' },
    { owner: Response.prototype, method: 'arrayBuffer' },
    { owner: ReadableStreamBYOBReader.prototype, method: 'readAtLeast' },
  ];
}

/** Bytes that the isolate has in memory while each of so many clients took a chunk of its file. */
async function heldBySlowReaders(sizesBytes: readonly number[]): Promise<number> {
  const { put, url } = await makePublicBucket();
  for (const sizeBytes of sizesBytes) {
    await put(`${sizeBytes}`, patternBytes(sizeBytes));
    // The first call compiles the Worker, for which a busy machine needs seconds. It also finds
    // that nothing caches the entrypoint of slices, which is left alone then.
    const read = async () => {
      const answer = await exports.default.fetch(url(`${sizeBytes}`));
      return (await answer.arrayBuffer()).byteLength;
    };
    await expect.poll(read).toBe(sizeBytes);
  }

  let held = 0;
  await countingBytes(await doorsOf(), async (cameBytes) => {
    const readers = await Promise.all(
      Array.from({ length: READERS }, async (_, at) => {
        const answer = await exports.default.fetch(url(`${sizesBytes[at % sizesBytes.length]}`));
        const reader = (answer.body as ReadableStream).getReader();
        const { value } = await reader.read();
        expect([answer.status, value.length > 0]).toEqual([200, true]);
        return reader;
      }),
    );
    // What is read ahead comes behind the first chunk.
    await scheduler.wait(READ_AHEAD_MS);
    held = cameBytes();
    for (const reader of readers) await reader.cancel();
  });
  return held;
}

describe('memory for 96 slow readers', () => {
  it.each([
    ['files that come in slices', [8 * MiB]],
    ['files that stream', [24 * MiB]],
    ['files of both kinds', [8 * MiB, 24 * MiB, 2 * MiB]],
  ])('of %s is at most 56 MiB', async (_title, sizesBytes) => {
    const held = await heldBySlowReaders(sizesBytes);
    // Each has at least a piece, or nothing was counted.
    expect(held).toBeGreaterThan(MiB);
    expect(held).toBeLessThanOrEqual(HELD_MAX_BYTES);
  });
});
