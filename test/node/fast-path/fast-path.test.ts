// The fast path and what it must respect: freshness, access rules, metering, the app behind it,
// ranges, connections that it lets go. Its connections' lives are connections.test.ts; that its
// answers are node:http's is differential.test.ts.
import type { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import { ChunkStream, chunksOf } from '../../../src/ports/chunk-stream.ts';
import { key, openTestBucket, sampleBytes, withPorts } from '../../core/memory-core.ts';
import { openRawClient } from '../kit/raw-socket.ts';
import {
  connectTo,
  openTestServer,
  PUBLIC_BUCKET,
  put,
  settle,
  type TestServer,
} from './both-paths.ts';
import { request, useWarmConnection } from './warm-connection.ts';

const { core, meter, door, wait, answered, onFastPath, ask, askFastPath, listen } =
  useWarmConnection();

describe('what the lane shows', () => {
  it('is new with the next request after an overwrite, on the same connection', async () => {
    const line = connectTo(door());
    const before = await askFastPath(line, request('a/b.txt'));
    await put(core(), PUBLIC_BUCKET, 'a/b.txt', 4000);
    const after = await ask(line, request('a/b.txt'));
    expect(before).toContain('content-length: 3000');
    expect(after).toContain('content-length: 4000');
  });

  it('ends with the object', async () => {
    const line = connectTo(door());
    await askFastPath(line, request('inline'));
    await deleteObjects(core(), await openTestBucket(core(), PUBLIC_BUCKET), [
      { key: key('inline') },
    ]);
    expect(await ask(line, request('inline'))).toMatch(/^HTTP\/1\.1 404 /);
  });

  it('ends when the bucket is made private', async () => {
    const line = connectTo(door());
    await askFastPath(line, request('inline'));
    const bucket = await openTestBucket(core(), PUBLIC_BUCKET);
    await bucket.call('setBucketAccess', { access: PRIVATE_ACCESS });
    expect(await ask(line, request('inline'))).toMatch(/^HTTP\/1\.1 403 /);
  });

  it('has a fresh date and a fresh id each time', async () => {
    const line = connectTo(door());
    const first = await askFastPath(line, request('inline'));
    wait(1000);
    const second = await askFastPath(line, request('inline'));
    expect(first).toContain('\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n');
    expect(second).toContain('\r\nDate: Sat, 21 Nov 2026 12:00:01 GMT\r\n');
    const idOf = (answer: string) => /x-amz-request-id: (\w{16})\r\n/.exec(answer)?.[1];
    expect(idOf(first)).toBeDefined();
    expect(idOf(first)).not.toBe(idOf(second));
  });

  it.each([
    ['a body', request('a/b.txt')],
    ['HEAD', request('a/b.txt').replace('GET', 'HEAD')],
    ['304', request('a/b.txt', 'If-None-Match: *')],
  ])('is metered as delivery meters it: %s', async (_name, chunk) => {
    const bucketId = (await openTestBucket(core(), PUBLIC_BUCKET)).record().id;
    const used = async (there: TestServer, isLane: boolean) => {
      const before = structuredClone(meter().ofBucket(bucketId));
      const line = connectTo(there);
      await (isLane ? askFastPath(line, chunk) : ask(line, chunk));
      const after = meter().ofBucket(bucketId);
      return [
        (after?.operations.B ?? 0) - (before?.operations.B ?? 0),
        (after?.bytesOut.memory ?? 0) - (before?.bytesOut.memory ?? 0),
      ];
    };
    const [lane, plain] = [
      await used(door(), true),
      await used(openTestServer(core(), { hasFastConnections: false }), false),
    ];
    expect(lane).toEqual(plain);
  });
});

/** A body that the memory core will not keep: longer than a quarter of its tier. */
const LONG_BYTES = 3 * 2 ** 20;

describe('the lane asks the app, and keeps the connection,', () => {
  it.each([
    ['a cold object', request('slices'), /^HTTP\/1\.1 200 OK[\s\S]*content-length: 150000/],
    [
      'a range of several slices',
      request('slices', 'Range: bytes=65000-140000'),
      /^HTTP\/1\.1 206 Partial Content/,
    ],
    [
      'a condition that the fast path does not know',
      request('inline', 'If-Match: "x"'),
      /^HTTP\/1\.1 412 /,
    ],
    [
      'a range that is none',
      request('inline', 'Range: bytes=99-'),
      /^HTTP\/1\.1 416 [\s\S]*bytes \*\/10/,
    ],
    ['what is not there', request('missing'), /^HTTP\/1\.1 404 Not Found[\s\S]*<Code>NoSuchKey/],
    ['what is not public', 'GET /private/inline HTTP/1.1\r\nHost: h\r\n\r\n', /^HTTP\/1\.1 403 /],
    [
      'a signature that is none',
      request('inline', 'Authorization: AWS4-HMAC-SHA256 x'),
      /^HTTP\/1\.1 400 /,
    ],
  ])('for %s', async (_name, chunk, expected) => {
    const line = connectTo(door());
    expect(await ask(line, chunk)).toMatch(expected);
    expect(onFastPath()).toBe(1);
    await askFastPath(line, request('inline'));
  });

  it('for a request that comes while another is being answered, and answers in order', async () => {
    const line = connectTo(door());
    line.client.write(request('slices'));
    line.client.write(request('inline'));
    await settle([line]);
    const lengths = line
      .received()
      .toString('latin1')
      .match(/content-length: \d+/g);
    expect(lengths).toEqual(['content-length: 150000', 'content-length: 10']);
  });

  it('reads a long body no faster than its client, and frees all when that leaves', async () => {
    const opened: { isClosed: boolean; given: number }[] = [];
    const slow = withPorts(core(), { blobStore: watchReads(core().ports.blobStore, opened) });
    const there = openTestServer(slow, { hasFastConnections: true });
    // More than the system takes for a client that reads nothing.
    await put(core(), PUBLIC_BUCKET, 'long', 10 * LONG_BYTES);
    const client = await openRawClient(await listen(there));
    client.socket.pause();
    client.send(request('long'));
    await expect.poll(() => opened.length).toBeGreaterThan(0);
    client.socket.resetAndDestroy();
    await expect.poll(() => there.lane?.counts().connections).toBe(0);
    await expect.poll(() => opened.every(({ isClosed }) => isClosed)).toBe(true);
    expect(opened.reduce((sum, { given }) => sum + given, 0)).toBeLessThan(10 * LONG_BYTES);
    there.server.close();
  });

  it.each([
    ['breaks off', 1, true],
    ['breaks off, without the lane', 1, false],
    ['never begins', 0, true],
    ['never begins, without the lane', 0, false],
  ])(
    'cuts a connection whose body %s, and has answered and counted one request',
    async (_name, failAt, hasFastConnections) => {
      const { blobStore } = core().ports;
      let opened = 0;
      const failing = (): ChunkStream => {
        opened += 1;
        let given = 0;
        const next = async () => {
          given += 1;
          if (given > failAt) throw new StorageError('InternalError');
          return { bytes: new Uint8Array(1000), isBorrowed: false };
        };
        return new ChunkStream({ next, close: () => undefined });
      };
      const broken = withPorts(core(), {
        blobStore: { ...blobStore, open: async () => failing() },
      });
      await put(core(), PUBLIC_BUCKET, 'long', LONG_BYTES);
      const bucketId = (await openTestBucket(core(), PUBLIC_BUCKET)).record().id;
      const used = () => meter().ofBucket(bucketId)?.operations.B ?? 0;
      const before = used();
      const there = openTestServer(broken, { hasFastConnections });
      const cut = connectTo(there);
      const received = await ask(cut, request('long'));
      if (failAt === 0) expect(received).toBe('');
      else expect(received).toMatch(/^HTTP\/1\.1 200 /);
      expect([cut.server.destroyed, opened, used() - before]).toEqual([true, 1, 1]);
      if (hasFastConnections)
        expect(there.lane?.counts()).toMatchObject({ connections: 0, handedOver: 0 });
    },
  );
});

describe('a range that memory has not, of a body that the bucket has at hand,', () => {
  /** A body of which memory holds as much as it can, and a range that is in no slice of these. */
  async function openLong() {
    await put(core(), PUBLIC_BUCKET, 'long', LONG_BYTES);
    const line = connectTo(door());
    for (let at = 0; at < 2 ** 20; at += 2 ** 16)
      await ask(line, request('long', `Range: bytes=${at}-${at + 9}`));
    return line;
  }
  const rangeOf = (start: number, lengthBytes: number) =>
    `Range: bytes=${start}-${start + lengthBytes - 1}`;

  it.each([
    ['of a few bytes', 2 ** 21 + 5, 100],
    ['of many, in two slices', 2 ** 21 + 50_000, 60_000],
  ])(
    '%s, is answered at once, and its bytes are its own until they are sent',
    async (_name, start, lengthBytes) => {
      const line = await openLong();
      const before = door().fastPathResponses();
      const answer = await ask(line, request('long', rangeOf(start, lengthBytes)));
      expect(door().fastPathResponses()).toBe(before + 1);
      const status = 'cache-status: quayside-memory; fwd=uri-miss\r\n';
      expect(answer).toMatch(/^HTTP\/1\.1 206 Partial Content\r\n/);
      expect(answer.slice(0, answer.indexOf('\r\n\r\n') + 2)).toContain(`\r\n${status}`);
      const body = Buffer.from(answer.slice(answer.indexOf('\r\n\r\n') + 4), 'latin1');
      expect(body.equals(sampleBytes(LONG_BYTES).subarray(start, start + lengthBytes))).toBe(true);
    },
  );

  it('is answered whole at once too, with the headers of the full path', async () => {
    await put(core(), PUBLIC_BUCKET, 'whole', 50_000);
    const line = await openLong();
    const bucketId = (await openTestBucket(core(), PUBLIC_BUCKET)).record().id;
    const before = door().fastPathResponses();
    // A header that decides: the app answers, the second time by what memory knows of it.
    await ask(line, request('whole', 'Origin: http://h'));
    const full = await ask(line, request('whole', 'Origin: http://h'));
    expect(door().fastPathResponses()).toBe(before);
    const usedBefore = meter().ofBucket(bucketId)?.bytesOut.bucket ?? 0;
    const hot = await ask(line, request('whole'));
    expect(door().fastPathResponses()).toBe(before + 1);
    expect((meter().ofBucket(bucketId)?.bytesOut.bucket ?? 0) - usedBefore).toBe(50_000);
    const names = (answer: string) => answer.slice(0, answer.indexOf('\r\n\r\n'));
    const timeless = (answer: string) =>
      names(answer)
        .replace(/\r\n(Date|x-amz-request-id): [^\r]*/g, '\r\n$1: ')
        .replace(/dur=[\d.]+/g, 'dur=');
    expect(timeless(hot)).toBe(timeless(full));
    const body = Buffer.from(hot.slice(hot.indexOf('\r\n\r\n') + 4), 'latin1');
    expect(body.equals(sampleBytes(50_000))).toBe(true);
  });

  it('is loaded into memory when it is asked for oftener than what is there', async () => {
    const line = await openLong();
    const statusOf = async () =>
      /cache-status: ([^\r]*)/.exec(
        await ask(line, request('long', rangeOf(2 ** 21, 2 ** 16))),
      )?.[1];
    expect(await statusOf()).toBe('quayside-memory; fwd=uri-miss');
    await expect.poll(statusOf, { interval: 1 }).toBe('quayside-memory; hit');
  });
});

/**
 * A store that tells what was opened, how much was taken of it, and whether it has ended or was
 * closed.
 */
function watchReads(store: BlobStore, opened: { isClosed: boolean; given: number }[]): BlobStore {
  const watched = (stream: ReadableStream<Uint8Array>): ChunkStream => {
    const chunks = chunksOf(stream);
    const seen = { isClosed: false, given: 0 };
    opened.push(seen);
    return new ChunkStream({
      async next(wantedBytes) {
        const chunk = await chunks.next(wantedBytes);
        seen.given += chunk?.bytes.length ?? 0;
        if (chunk === null) seen.isClosed = true;
        return chunk;
      },
      close() {
        seen.isClosed = true;
        chunks.close();
      },
    });
  };
  return {
    ...store,
    open: async (id, range) => watched(await store.open(id, range)),
    openRuns: async (runs) => watched(await store.openRuns(runs)),
  };
}

describe('the lane lets go', () => {
  it.each([
    ['of a query', request('inline?x=y')],
    ['of a page of the service itself', 'GET /-/health HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['of a header that comes twice', request('missing', 'X: y', 'X: z')],
    ['of a request with a body', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi'],
    ['of two at once', request('inline') + request('inline')],
    ['of a part', request('inline').slice(0, 20)],
  ])('%s, for good, after any number of requests', async (_name, chunk) => {
    const line = connectTo(door());
    for (let i = 0; i < 5; i++) await askFastPath(line, request('inline'));
    const before = answered();
    await ask(line, chunk);
    expect([answered(), onFastPath()]).toEqual([before, 0]);
  });

  it('without losing or swapping a byte', async () => {
    const line = connectTo(door());
    await askFastPath(line, request('inline'));
    const answer = await ask(
      line,
      request('inline') + request('a/b.txt') + request('big').slice(0, 30),
    );
    expect(answer.match(/content-length: \d+/g)).toEqual([
      'content-length: 10',
      'content-length: 3000',
    ]);
    expect(await ask(line, request('big').slice(30))).toContain('content-length: 50000');
  });

  it('and leaves no listener behind', async () => {
    const listeners = async (there: TestServer) => {
      const line = connectTo(there);
      await ask(line, request('inline'));
      await ask(line, request('inline?x'));
      const { server } = line as { server: Duplex };
      return Object.fromEntries(
        server.eventNames().map((name) => [String(name), server.listenerCount(name)]),
      );
    };
    expect(await listeners(door())).toEqual(
      await listeners(openTestServer(core(), { hasFastConnections: false })),
    );
  });

  it('over TCP too, in the middle of a busy connection', async () => {
    const client = await openRawClient(await listen(door()));
    client.send(request('inline'));
    await client.until(/content-length: 10\r\n/);
    // Bytes that the lane has read, then such as the parser of node:http reads past the stream,
    // then the stream again.
    client.send(request('a/b.txt', 'Connection: keep-alive', 'Range: bytes=1-2').slice(0, 40));
    await expect.poll(onFastPath).toBe(0);
    client.send(request('a/b.txt', 'Connection: keep-alive', 'Range: bytes=1-2').slice(40));
    await client.until(/content-range: bytes 1-2\/3000/);
    client.send(request('big'));
    await client.until(/content-length: 50000/);
    client.socket.destroy();
  });

  it('of an upload whose body goes past it', async () => {
    const client = await openRawClient(await listen(door()));
    client.send(request('inline'));
    await client.until(/content-length: 10\r\n/);
    client.send(`PUT /${PUBLIC_BUCKET}/up HTTP/1.1\r\nHost: h\r\nContent-Length: 3000000\r\n\r\n`);
    for (let sent = 0; sent < 3; sent++) client.send(new Uint8Array(1_000_000));
    // Unsigned, so refused, after all of it was taken off the connection.
    expect(await client.until(/<\/Error>/)).toMatch(/HTTP\/1\.1 403 Forbidden/);
    client.socket.destroy();
  });
});
