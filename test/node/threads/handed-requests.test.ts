// Requests below `/-/` that come to another thread than the first: a client that vanishes in the
// middle of one has vanished for the first thread too, at once, and what it had taken is known.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeShare } from '../../../src/core/links/share/change-share.ts';
import { parseObjectKey } from '../../../src/core/parse-names.ts';
import { NOBODY, SHARE_INPUT } from '../../core/links/share-kit.ts';
import { openTestBucket, putBytes } from '../../core/memory-core.ts';
import { connectionClient } from '../kit/connection-client.ts';
import { startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';

// It starts two threads, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** More than the buffers of both ends and of everything between them. */
const BODY = Buffer.alloc(24 * 1024 * 1024, 'quayside');
const HALF = BODY.length / 2;
/** "At once", milliseconds, on a machine that is busy with other tests. */
const AT_ONCE = { timeout: 20_000 };

let platform: ThreadedPlatform;
let bucket: Awaited<ReturnType<typeof openTestBucket>>;

beforeAll(async () => {
  platform = await startThreadedPlatform();
  bucket = await openTestBucket(platform.core, 'handed');
  await putBytes(platform.core, bucket, 'file', BODY);
});
afterAll(() => platform.close());

/** A link that lets one download run at a time; its path. */
async function makeLink(): Promise<string> {
  const { id } = await makeShare(
    platform.core,
    bucket,
    {
      ...SHARE_INPUT,
      target: { kind: 'object', key: parseObjectKey('file'), versionId: null },
      limits: { ...SHARE_INPUT.limits, downloads: 1 },
    },
    NOBODY,
  );
  return `/-/s/${id}`;
}

/** Asks over a connection, and reads that many bytes of the response. */
async function readSome(socket: Socket, path: string, wantedBytes: number): Promise<Buffer> {
  const host = `127.0.0.1:${platform.port}`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: wget/1\r\n\r\n`);
  let received = Buffer.alloc(0);
  while (received.length < wantedBytes)
    received = Buffer.concat([received, (await once(socket, 'data'))[0]]);
  socket.pause();
  return received;
}

/** A range of the link over a connection of its own to a thread. */
async function readRange(thread: number, path: string, range: string) {
  const client = connectionClient(await platform.connectTo(thread));
  try {
    return await client.send('GET', path, { range, 'user-agent': 'wget/1' });
  } finally {
    client.close();
  }
}

describe('a client of another thread that vanishes in the middle of a response', () => {
  it.each([
    ['resets its connection', (socket: Socket) => socket.resetAndDestroy()],
    ['closes it', (socket: Socket) => socket.destroy()],
  ])('gives its place back when it %s', async (_how, vanish) => {
    const path = await makeLink();
    const socket = await platform.connectTo(1);
    const received = await readSome(socket, path, 64 * 1024);
    expect(received.subarray(0, 15).toString()).toBe('HTTP/1.1 200 OK');
    expect((await readRange(0, path, `bytes=${HALF}-`)).status).toBe(429);
    vanish(socket);

    const tail = await vi.waitFor(async () => {
      const reply = await readRange(1, path, `bytes=${HALF}-`);
      expect(reply.status).toBe(206);
      return reply;
    }, AT_ONCE);
    expect(tail.body.equals(BODY.subarray(HALF))).toBe(true);
    const head = await readRange(0, path, `bytes=0-${HALF - 1}`);
    expect([head.status, head.body.equals(BODY.subarray(0, HALF))]).toEqual([206, true]);
    await vi.waitFor(async () => {
      expect((await readRange(1, path, 'bytes=0-9')).status).toBe(410);
    }, AT_ONCE);
  });
});
