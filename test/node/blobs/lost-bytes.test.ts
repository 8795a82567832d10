// An object whose bytes are lost: clients hear so and need not try again, the operator finds it in
// metrics, by both ways in.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { key, sampleBytes } from '../../core/memory-core.ts';
import { startWrappedPlatform, type WrappedPlatform } from '../kit/wrapped-platform.ts';

let platform: WrappedPlatform;
beforeAll(async () => {
  platform = await startWrappedPlatform({ QUAYSIDE_BODY_MEMORY_BYTES: '0' });
});
afterAll(() => platform.close());

async function lose(name: string): Promise<void> {
  const { segments } = await getObject(platform.bucket, key(name));
  await platform.core.ports.blobStore.delete(segments.map(({ blobId }) => blobId));
}

async function lostBlobs(): Promise<number> {
  const families = await platform.core.ports.metrics.collect();
  return (
    families.find(({ name }) => name === 'quayside_missing_blobs_total')?.samples[0]?.value ?? 0
  );
}

describe('an object without its bytes', () => {
  it.each([
    ['small', 100_000],
    ['large', 3_000_000],
  ])('is an error that says so, and is counted: a %s one', async (name, sizeBytes) => {
    await platform.put(name, sampleBytes(sizeBytes));
    await lose(name);
    const before = await lostBlobs();
    const { status, headers, body } = await platform.get(name);
    expect([status, headers['cache-control']]).toEqual([500, 'no-store']);
    expect(`${body}`).toContain('<Code>InternalError</Code>');
    expect(`${body}`).toContain('missing or damaged. Repeating the request will not help');
    expect(`${body}`).not.toContain('try again');
    expect(`${body}`).not.toContain(platform.bucket.record().id);
    expect((await lostBlobs()) - before).toBe(1);
  });

  it('is distinguished from a transient fault', async () => {
    await platform.put('fails', sampleBytes(100_000));
    platform.behave.bucket = 'fails';
    const { status, body } = await platform.get('fails');
    platform.behave.bucket = 'works';
    expect([status, `${body}`.includes('Please try again')]).toEqual([500, true]);
  });
});
