// A request of HTTP/2 as it is read from its stream: here a stream of node:stream stands for it.
import { constants } from 'node:http2';
import { PassThrough } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { readHttp2Request } from '../../../src/adapters/node/http2/http2-request.ts';
import { createClientReader } from '../../../src/adapters/node/server/trusted-proxies.ts';

type StreamFacts = Partial<{
  endAfterHeaders: boolean;
  aborted: boolean;
  rstCode: number;
  headersSent: boolean;
}>;

/** A stream with these headers, names and values in turn. */
function openStream(lines: readonly string[], facts: StreamFacts = {}) {
  const sent: unknown[] = [];
  const stream = Object.assign(new PassThrough(), {
    endAfterHeaders: false,
    aborted: false,
    rstCode: constants.NGHTTP2_NO_ERROR,
    headersSent: false,
    additionalHeaders: (headers: unknown) => sent.push(headers),
    ...facts,
  });
  const headers: Record<string, string> = {};
  for (let at = 0; at < lines.length; at += 2) headers[lines[at] ?? ''] ??= lines[at + 1] ?? '';
  let movedBytes = 0;
  const request = readHttp2Request(
    {
      stream: stream as never,
      headers,
      rawHeaders: lines,
      socket: { remoteAddress: '192.0.2.1' } as TLSSocket,
      moved: (lengthBytes) => {
        movedBytes += lengthBytes;
      },
      waitingBytes: 0,
    },
    { readClient: createClientReader([]), idleMs: 1000 },
  );
  return { stream, request, sent, movedBytes: () => movedBytes };
}

const PLAIN = [':method', 'GET', ':path', '/a?b=c?d', ':authority', 'h.test'];
function open(more: readonly string[] = [], facts: StreamFacts = {}) {
  const opened = openStream([...PLAIN, ...more], facts);
  if (opened.request === null) throw new Error('It was refused.');
  return { ...opened, read: opened.request };
}

describe('the host and target', () => {
  const isRead = (lines: readonly string[]) => openStream(lines).request !== null;

  it.each([
    [['host', 'a.test'], true],
    [[':authority', 'a.test'], true],
    [[':authority', 'a.test', 'host', 'A.TEST'], true],
    [[':authority', 'a.test', 'host', 'b.test'], false],
    [[], false],
    [[':authority', 'a b'], false],
    [[':authority', 'a.test:port'], false],
    [[':authority', 'a.test/b'], false],
    [[':authority', 'user@a.test'], false],
    [[':authority', '[::1]:8443'], true],
  ])('%j are some: %s', (lines, expected) => {
    expect(isRead([':path', '/', ...lines])).toBe(expected);
    expect(isRead([':path', '/%zz', ...lines])).toBe(expected);
  });

  it.each([
    ['/', true],
    ['/a//../b', true],
    ['/a\\b', false],
    ['/a?b\\c', true],
    ['a', false],
    ['*', false],
    ['http://h.test/', false],
    ['', false],
  ])('%j is a target: %s', (path, expected) => {
    expect(isRead([':path', path, ':authority', 'H.test:8443'])).toBe(expected);
  });

  it('are none without a path', () => {
    expect(isRead([':authority', 'h.test'])).toBe(false);
  });

  it('are split at the first question mark', () => {
    const { request } = open().read;
    expect([request.method, request.rawPath, request.rawQuery]).toEqual(['GET', '/a', 'b=c?d']);
    const plain = openStream([':path', '/a', ':authority', 'h.test']).request?.request;
    expect([plain?.method, plain?.rawPath, plain?.rawQuery]).toEqual(['GET', '/a', '']);
  });
});

it('headers that come twice are joined, and pseudo headers left out', () => {
  const { request } = open(['cookie', 'a=1', 'x-a', '1', 'cookie', 'b=2', 'x-a', '2']).read;
  const names = [...request.headerNames()];
  expect(names.map((name) => [name, request.header(name)])).toEqual([
    ['cookie', 'a=1; b=2'],
    ['x-a', '1, 2'],
    ['host', 'h.test'],
  ]);
  expect(request.header(':path')).toBeNull();
});

describe('the end of a client', () => {
  it('is told once it comes, and at once where it has', () => {
    const { stream, read } = open();
    let ends = 0;
    const note = () => {
      ends += 1;
    };
    read.request.whenGone?.(note);
    expect(ends).toBe(0);
    stream.emit('close');
    expect(ends).toBe(1);
    stream.destroy();
    read.request.whenGone?.(note);
    expect(ends).toBe(2);
  });
});

describe('a response', () => {
  it('stands for the one that the request was given, and for no other', () => {
    const { read } = open();
    expect(read.answerOf(new Response('other'))).toBeNull();
    const answer = { status: 201, headers: {}, body: null };
    const response = read.request.respond?.(answer);
    expect([response?.status, response && read.answerOf(response)]).toEqual([201, answer]);
    expect(read.answerOf(new Response('other'))).toBeNull();
  });

  it('is reported to everybody who wants to know', () => {
    const { read } = open();
    const reports: unknown[] = [];
    for (const who of [1, 2]) read.request.onSent((sent) => reports.push([who, sent]));
    read.sent({ bodyBytes: 3, isWhole: true });
    const sent = { protocol: 'HTTP/2.0', bodyBytes: 3, isWhole: true };
    expect(reports).toEqual([
      [1, sent],
      [2, sent],
    ]);
  });
});

describe('a body', () => {
  async function read(more: readonly string[], facts: StreamFacts, bytes: string | null) {
    const opened = open(more, facts);
    const source = opened.read.request.body();
    const chunks: Uint8Array[] = [];
    const pumped = source.pump((chunk) => void chunks.push(chunk));
    if (bytes !== null) opened.stream.end(bytes);
    await pumped;
    return { ...opened, source, text: Buffer.concat(chunks).toString() };
  }

  it('comes whole, with its length where somebody said it', async () => {
    const known = await read(['content-length', '5'], {}, 'hello');
    expect([known.source.lengthBytes, known.text, known.movedBytes()]).toEqual([5, 'hello', 5]);
    const unknown = await read([], {}, 'hello');
    expect([unknown.source.lengthBytes, unknown.text, unknown.sent]).toEqual([null, 'hello', []]);
  });

  it('is none where the headers end the stream, or say so', async () => {
    for (const [more, facts] of [
      [[], { endAfterHeaders: true }],
      [['content-length', '0', 'expect', '100-continue'], {}],
    ] as const) {
      const { source, text, sent } = await read(more, facts, null);
      expect([source.lengthBytes, text, sent]).toEqual([0, '', []]);
    }
  });

  it('is asked for where its client waits, unless the response has begun', async () => {
    const expecting = ['expect', '100-Continue'];
    expect((await read(expecting, {}, 'x')).sent).toEqual([{ ':status': 100 }]);
    expect((await read(expecting, { headersSent: true }, 'x')).sent).toEqual([]);
  });

  it.each([{ aborted: true }, { rstCode: constants.NGHTTP2_CANCEL }])(
    'of a stream that its client has reset is not whole: %j',
    async (facts) => {
      await expect(read([], facts, 'hello')).rejects.toMatchObject({ code: 'IncompleteBody' });
    },
  );
});
