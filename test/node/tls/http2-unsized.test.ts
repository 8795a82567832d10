// Responses of HTTP/2 whose length nobody knows: their end, their failure, and clients that leave.
import { once } from 'node:events';
import { constants, type ServerHttp2Stream } from 'node:http2';
import { expect, it } from 'vitest';
import { refuseSlow } from '../../../src/adapters/node/http2/http2-limits.ts';
import { type ByteChunks, ChunkStream } from '../../../src/ports/chunk-stream.ts';
import { endOf, serverStreams } from './http2-streams.ts';
import { connectSession, createTestLog, requestOn, startAsking } from './tls-kit.ts';

type Source = Pick<ByteChunks, 'next'> & { closes: number };

const sourceOf = (next: ByteChunks['next']): Source => ({ next, closes: 0 });

/** Serves one source without a length. */
async function serve(source: Source) {
  const { log, lines } = createTestLog();
  const body = new ChunkStream({
    next: source.next,
    close() {
      source.closes += 1;
    },
  });
  const { port } = await startAsking(
    (request) => request.respond?.({ status: 200, headers: {}, body }) ?? new Response(),
    { log },
  );
  return { session: connectSession(port), failures: () => lines.map(({ event }) => event) };
}

const chunkOf = (text: string) => ({ bytes: Buffer.from(text), isBorrowed: false });

it('a body without a length ends with its last chunk, and closes its source once', async () => {
  const texts = ['a', 'b', 'c'];
  const source = sourceOf(async () => {
    const text = texts.shift();
    return text === undefined ? null : chunkOf(text);
  });
  const { session, failures } = await serve(source);
  const reply = await requestOn(session, { ':path': '/' });
  expect([reply.status, reply.body.toString()]).toEqual([200, 'abc']);
  expect(reply.headers['content-length']).toBeUndefined();
  expect([source.closes, failures()]).toEqual([1, []]);
});

it('a body is cut where its source fails, which is said and closed once', async () => {
  let calls = 0;
  const source = sourceOf(async () => {
    calls += 1;
    if (calls === 2) throw new Error('a disk');
    return chunkOf('first');
  });
  const { session, failures } = await serve(source);
  await expect(requestOn(session, { ':path': '/' })).rejects.toMatchObject({
    code: 'ERR_HTTP2_STREAM_ERROR',
  });
  await expect.poll(() => source.closes).toBe(1);
  expect([calls, failures()]).toEqual([2, ['body-failed']]);
});

it.each(['a chunk', 'the end', 'a failure'])(
  'a body closes its source when its client leaves, and takes no %s that comes then',
  async (late) => {
    const pending = Promise.withResolvers<Awaited<ReturnType<ByteChunks['next']>>>();
    let calls = 0;
    const source = sourceOf(async () => {
      calls += 1;
      return calls === 1 ? chunkOf('first') : pending.promise;
    });
    const { session, failures } = await serve(source);
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => {});
    await once(stream, 'data');
    await expect.poll(() => calls).toBe(2);
    stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => source.closes).toBe(1);

    if (late === 'a failure') pending.reject(new Error('a disk'));
    else pending.resolve(late === 'the end' ? null : chunkOf('second'));
    await pending.promise.catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    expect([calls, source.closes, failures()]).toEqual([2, 1, []]);
  },
);

it.each([
  ['its client moves nothing for too long', (stream: ServerHttp2Stream) => stream.emit('timeout')],
  ["its request's body comes too slowly", refuseSlow],
])('a body without a length is cut with an error where %s', async (_, interrupt) => {
  const started = serverStreams();
  let calls = 0;
  const source = sourceOf(async () => {
    calls += 1;
    return calls === 1 ? chunkOf('first') : new Promise(() => {});
  });
  const { session } = await serve(source);
  const stream = session.request({ ':path': '/', ':method': 'GET' });
  const end = endOf(stream);
  await once(stream, 'data');
  expect(started).toHaveLength(1);
  for (const each of started) interrupt(each);
  expect(await end).toBe('cut: ERR_HTTP2_STREAM_ERROR');
  await expect.poll(() => source.closes).toBe(1);
});
