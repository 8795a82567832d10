// Bodies of HTTP/2 whose length nobody knows, on a stream whose client this test plays: what ends
// them, what becomes of their source, and what is reported. http2.test.ts has real connections.
import { Writable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createHttp2FullPath } from '../../../src/adapters/node/http2/http2-full-path.ts';
import type { Http2Exchange } from '../../../src/adapters/node/http2/http2-request.ts';
import { createClientReader } from '../../../src/adapters/node/server/trusted-proxies.ts';
import type { SentAnswer } from '../../../src/http/request.ts';
import { type Chunk, ChunkStream } from '../../../src/ports/chunk-stream.ts';
import { createTestLog } from './tls-kit.ts';

type Ended = (error?: Error | null) => void;

/** A stream that takes a chunk when the test says so. */
function openStream() {
  const taken: string[] = [];
  const heads: unknown[] = [];
  const codes: number[] = [];
  let waiting: Ended | null = null;
  const stream = Object.assign(
    new Writable({
      // Nothing waits in it, so that each write waits for the client.
      highWaterMark: 1,
      write(chunk: Buffer, _encoding, done) {
        taken.push(chunk.toString());
        waiting = done;
      },
    }),
    {
      endAfterHeaders: true,
      readableEnded: true,
      headersSent: false,
      setTimeout: () => undefined,
      respond(head: unknown, options: unknown = {}) {
        heads.push([head, options]);
      },
      close(code: number) {
        codes.push(code);
        stream.destroy();
      },
    },
  );
  stream.on('error', () => undefined);
  const answerWrite = (error: Error | null) => {
    const done = waiting;
    waiting = null;
    done?.(error);
  };
  return {
    stream,
    taken,
    heads,
    codes,
    isWaiting: () => waiting !== null,
    take: () => answerWrite(null),
    refuse: () => answerWrite(new Error('The connection is gone.')),
  };
}

/** A body that gives its next chunk when the test has one. */
function openBody() {
  const calls: PromiseWithResolvers<Chunk | null>[] = [];
  let closes = 0;
  const body = new ChunkStream({
    next() {
      const call = Promise.withResolvers<Chunk | null>();
      calls.push(call);
      return call.promise;
    },
    close() {
      closes += 1;
    },
  });
  return {
    body,
    calls: () => calls.length,
    closes: () => closes,
    give: (text: string) => calls.at(-1)?.resolve({ bytes: Buffer.from(text), isBorrowed: false }),
    end: () => calls.at(-1)?.resolve(null),
    fail: (cause: Error) => calls.at(-1)?.reject(cause),
  };
}

/** Lets everything happen that waits for nothing but promises and ticks. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

function answerWith(makeBody = openBody) {
  const source = makeBody();
  const client = openStream();
  const { log, lines } = createTestLog();
  const reports: SentAnswer[] = [];
  let movedBytes = 0;
  const exchange: Http2Exchange = {
    stream: client.stream as never,
    headers: { ':method': 'GET', ':path': '/a', ':authority': 'h.test' },
    rawHeaders: [':method', 'GET', ':path', '/a', ':authority', 'h.test'],
    socket: { remoteAddress: '192.0.2.1' } as TLSSocket,
    moved(lengthBytes) {
      movedBytes += lengthBytes;
    },
    waitingBytes: 0,
  };
  const ended: boolean[] = [];
  const counts = {
    begun: () => undefined,
    ended: (isWhole: boolean) => void ended.push(isWhole),
    refused: () => expect.fail('It was refused.'),
  };
  const respond = createHttp2FullPath({
    answerFully(request) {
      request.onSent((sent) => void reports.push(sent));
      return request.respond?.({ status: 200, headers: {}, body: source.body }) as Response;
    },
    readClient: createClientReader([]),
    counts,
    log,
  });
  respond(exchange);
  return { source, client, lines, reports, ended, exchange, movedBytes: () => movedBytes };
}

describe('a body of unknown length', () => {
  it('is sent chunk by chunk, each when the client has taken the one before', async () => {
    const { source, client, reports, ended, exchange, movedBytes } = answerWith();
    expect(client.heads).toEqual([[{ ':status': 200 }, {}]]);
    expect(source.calls()).toBe(1);
    source.give('one');
    await settle();
    expect([client.taken, source.calls()]).toEqual([['one'], 1]);
    client.take();
    await settle();
    expect(source.calls()).toBe(2);
    source.give('three');
    await settle();
    expect([exchange.waitingBytes, movedBytes()]).toEqual([5, 8]);
    client.take();
    await settle();
    expect([source.closes(), reports, client.stream.writableEnded]).toEqual([0, [], false]);

    source.end();
    await expect.poll(() => ended).toEqual([true]);
    expect(client.taken).toEqual(['one', 'three']);
    expect(client.codes).toEqual([]);
    expect([source.closes(), source.calls()]).toEqual([1, 3]);
    expect(reports).toEqual([{ protocol: 'HTTP/2.0', bodyBytes: 8, isWhole: true }]);
  });

  it('that fails midway is cut off, told to the log and never whole', async () => {
    const { source, client, reports, lines, ended } = answerWith();
    source.give('one');
    await settle();
    client.take();
    await settle();
    const cause = new Error('a disk');
    source.fail(cause);
    await expect.poll(() => ended).toEqual([false]);
    // Ended, it would look whole; http2-unsized.test.ts has what a real client gets.
    expect([client.stream.errored, client.codes]).toEqual([cause, []]);
    expect(lines).toEqual([{ event: 'body-failed', fields: { cause } }]);
    expect([source.closes(), source.calls()]).toEqual([1, 2]);
    expect(reports).toMatchObject([{ isWhole: false }]);
    expect(client.stream.writableFinished).toBe(false);
  });

  it.each([
    ['while a chunk is read', 0],
    ['while the client takes a chunk', 1],
  ])('is given up when its client leaves %s', async (_, chunks) => {
    const { source, client, reports, lines, ended } = answerWith();
    if (chunks === 1) {
      source.give('one');
      await settle();
      expect(client.isWaiting()).toBe(true);
    }
    client.stream.destroy();
    await expect.poll(() => ended).toEqual([false]);
    expect(source.closes()).toBe(1);
    // What waited comes to its end after all.
    client.take();
    source.give('late');
    await settle();
    expect([client.taken.length, source.calls(), source.closes()]).toEqual([chunks, 1, 1]);
    expect(reports).toEqual([{ protocol: 'HTTP/2.0', bodyBytes: 0, isWhole: false }]);
    expect([lines, client.codes]).toEqual([[], []]);
  });

  it.each([
    ['fails', (source: ReturnType<typeof openBody>) => source.fail(new Error('closed'))],
    ['ends', (source: ReturnType<typeof openBody>) => source.end()],
  ])('is reported once when its source %s after the client left', async (_, finish) => {
    const { source, client, reports, lines, ended } = answerWith();
    client.stream.destroy();
    await expect.poll(() => ended).toEqual([false]);
    finish(source);
    await settle();
    expect([reports.length, lines, client.codes, source.closes()]).toEqual([1, [], [], 1]);
  });

  it('is read no further when a write failed', async () => {
    const { source, client, ended } = answerWith();
    source.give('one');
    await settle();
    client.refuse();
    await expect.poll(() => ended).toEqual([false]);
    expect([source.calls(), source.closes()]).toEqual([1, 1]);
  });
});
