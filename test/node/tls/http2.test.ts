// HTTP/2 over real connections: requests and bodies of every kind, what is refused, floods, and the
// end of a server that clients are told of.
import { once } from 'node:events';
import { constants } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import type { HttpRequest, SentAnswer } from '../../../src/http/request.ts';
import { ChunkStream } from '../../../src/ports/chunk-stream.ts';
import { frame, OPEN_PUT, PREFACE, resetStream } from './http2-frames.ts';
import { connectSession, connectTls, requestOn, startAsking } from './tls-kit.ts';

const MiB = 1024 * 1024;
const text = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { 'content-type': 'text/plain', ...headers } });

async function readBody(request: HttpRequest): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  await request.body().pump((chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks);
}

/** What a test looks at of a request. */
const factsOf = (request: HttpRequest) => ({
  method: request.method,
  rawPath: request.rawPath,
  rawQuery: request.rawQuery,
  host: request.host,
  isSecure: request.isSecure,
  knownProtocol: request.knownProtocol,
  tls: request.tls?.(),
  remoteAddress: request.remoteAddress,
  isFromLoopback: request.isFromLoopback?.(),
  headers: Object.fromEntries(
    [...request.headerNames()].map((name) => [name, request.header(name)]),
  ),
});

describe('a request of HTTP/2', () => {
  it('is what the client sent, and knows that it came by TLS', async () => {
    const { port } = await startAsking((request) => Response.json(factsOf(request)));
    const session = connectSession(port);
    const { body } = await requestOn(session, {
      ':path': '/a//b/%2F?x=1&y',
      ':authority': 'files.test:8443',
      'x-twice': 'one',
      cookie: 'a=1; b=2',
      te: 'trailers',
    });
    expect(JSON.parse(body.toString())).toEqual({
      method: 'GET',
      rawPath: '/a//b/%2F',
      rawQuery: 'x=1&y',
      host: 'files.test:8443',
      isSecure: true,
      knownProtocol: 'https',
      tls: { version: '1.3', cipher: 'TLS_AES_128_GCM_SHA256' },
      remoteAddress: '127.0.0.1',
      isFromLoopback: true,
      headers: {
        host: 'files.test:8443',
        'x-twice': 'one',
        cookie: 'a=1; b=2',
        te: 'trailers',
      },
    });
  });

  it('comes from the client that a trusted proxy names', async () => {
    const { port } = await startAsking((request) => Response.json(factsOf(request)), {
      trustedProxies: ['127.0.0.1'],
    });
    const forwarded = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'http' };
    const { body } = await requestOn(connectSession(port), { ':path': '/', ...forwarded });
    expect(JSON.parse(body.toString())).toMatchObject({
      remoteAddress: '192.0.2.7',
      isSecure: false,
      knownProtocol: 'http',
      tls: null,
      isFromLoopback: false,
    });
  });

  it.each([
    [{ ':path': '/a\\b' }, 400],
    [{ ':path': '/', ':authority': 'a.test', host: 'b.test' }, 400],
    [{ ':path': '/', ':authority': 'a:b:c' }, 400],
    [{ ':path': '*', ':method': 'OPTIONS' }, 204],
    [{ ':path': '/', ':authority': 'a.test', host: 'A.test' }, 200],
    [{ ':path': '/%zz?%' }, 200],
  ])('%j is answered %d', async (headers, status) => {
    const { port } = await startAsking(() => text('fine'));
    const reply = await requestOn(connectSession(port), { ':authority': 'h.test', ...headers });
    expect(reply.status).toBe(status);
  });

  it('is refused when its headers are longer than over HTTP/1.1, and others go on', async () => {
    const { port } = await startAsking(() => text('fine'));
    const session = connectSession(port);
    const long = await requestOn(session, { ':path': '/', 'x-long': 'x'.repeat(40_000) });
    expect(long.status).toBe(431);
    expect((await requestOn(session, { ':path': '/' })).status).toBe(200);
  });
});

describe('a response of HTTP/2', () => {
  it('has a body in bytes, in chunks of a known or an unknown length, or none', async () => {
    const bytes = Buffer.alloc(3 * MiB, 'abc');
    const chunked = () => {
      let at = 0;
      return new ChunkStream({
        async next(wantedBytes) {
          const chunk = bytes.subarray(at, at + wantedBytes);
          at += chunk.length;
          return chunk.length === 0 ? null : { bytes: Buffer.from(chunk), isBorrowed: false };
        },
        close: () => undefined,
      });
    };
    const { port } = await startAsking((request) => {
      const answers: Record<string, () => Response> = {
        '/bytes': () => new Response(bytes),
        '/sized': () =>
          request.respond?.({
            status: 200,
            headers: { 'content-length': `${bytes.length}`, connection: 'close' },
            body: chunked(),
          }) ?? text(''),
        '/unsized': () =>
          request.respond?.({ status: 200, headers: {}, body: chunked() }) ?? text(''),
        '/none': () => new Response(null, { status: 304, headers: { etag: '"a"' } }),
        '/cookies': () =>
          new Response(null, {
            headers: [
              ['set-cookie', 'a=1'],
              ['set-cookie', 'b=2'],
            ],
          }),
      };
      return answers[request.rawPath]?.() ?? text('none', 404);
    });
    const session = connectSession(port);
    const get = (path: string, method = 'GET') =>
      requestOn(session, { ':path': path, ':method': method });
    for (const path of ['/bytes', '/sized', '/unsized']) {
      const reply = await get(path);
      expect([path, reply.status, reply.body.equals(bytes)]).toEqual([path, 200, true]);
      expect(reply.headers.connection).toBeUndefined();
    }
    expect(await get('/none')).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    const head = await get('/sized', 'HEAD');
    expect(head).toMatchObject({ status: 200, body: Buffer.alloc(0) });
    expect(head.headers['content-length']).toBe(`${bytes.length}`);
    expect((await get('/cookies')).headers['set-cookie']).toBe('a=1,b=2');
  });

  it('waits for a client that takes nothing: no more is read than it has taken', async () => {
    let readBytes = 0;
    let isClosed = false;
    const body = new ChunkStream({
      async next(wantedBytes) {
        readBytes += wantedBytes;
        return { bytes: Buffer.alloc(wantedBytes), isBorrowed: false };
      },
      close() {
        isClosed = true;
      },
    });
    const headers = { 'content-length': `${1024 * MiB}` };
    const { port } = await startAsking(
      (request) => request.respond?.({ status: 200, headers, body }) ?? text(''),
    );
    const session = connectSession(port);
    const stream = session.request({ ':path': '/' });
    stream.on('error', () => {});
    await once(stream, 'response');
    await expect.poll(() => readBytes).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(readBytes).toBeLessThan(4 * MiB);
    // Others on the same connection go on.
    stream.close(constants.NGHTTP2_CANCEL);
    await expect.poll(() => isClosed).toBe(true);
  });

  it('is cut where its body fails midway, and is 500 where the app does', async () => {
    const body = () =>
      new ChunkStream({
        async next() {
          throw new Error('a disk');
        },
        close: () => undefined,
      });
    const { port } = await startAsking((request) => {
      if (request.rawPath === '/bug') throw new Error('a bug');
      if (request.rawPath === '/late-bug') return Promise.reject(new Error('a bug'));
      if (request.rawPath === '/value')
        return request.respond?.({ status: 200, headers: { a: 'b\n' }, body: null }) ?? text('');
      return (
        request.respond?.({ status: 200, headers: { 'content-length': '9' }, body: body() }) ??
        text('')
      );
    });
    const session = connectSession(port);
    for (const path of ['/late-bug', '/value'])
      expect((await requestOn(session, { ':path': path })).status).toBe(500);
    const cut = requestOn(session, { ':path': '/cut' });
    await expect(cut).rejects.toMatchObject({ code: 'ERR_HTTP2_STREAM_ERROR' });
    expect((await requestOn(session, { ':path': '/value' })).status).toBe(500);
  });

  it('is reported to the access log with its protocol, whole or not', async () => {
    const reports: SentAnswer[] = [];
    const { port } = await startAsking((request) => {
      request.onSent((sent) => void reports.push(sent));
      return text('fine');
    });
    await requestOn(connectSession(port), { ':path': '/' });
    expect(reports).toEqual([{ protocol: 'HTTP/2.0', bodyBytes: 4, isWhole: true }]);
  });
});

describe('a client of HTTP/2', () => {
  it('may break off as many downloads as it likes', async () => {
    const { port } = await startAsking(
      (request) =>
        request.respond?.({
          status: 200,
          headers: { 'content-length': `${1024 * MiB}` },
          body: new ChunkStream({
            next: async (wantedBytes) => ({ bytes: Buffer.alloc(wantedBytes), isBorrowed: false }),
            close: () => undefined,
          }),
        }) ?? text(''),
    );
    let session = connectSession(port);
    let sessions = 1;
    for (let brokenOff = 0; brokenOff < 300; ) {
      if (session.closed || session.destroyed) {
        session = connectSession(port);
        sessions += 1;
      }
      const stream = session.request({ ':path': '/' });
      const closed = new Promise((resolve) => stream.once('close', resolve));
      stream.on('error', () => {});
      stream.on('response', () => {
        brokenOff += 1;
      });
      stream.on('data', () => stream.close(constants.NGHTTP2_CANCEL));
      await closed;
      // What was never begun, since the session was about to end, may be asked for again.
      expect([constants.NGHTTP2_CANCEL, constants.NGHTTP2_REFUSED_STREAM]).toContain(
        stream.rstCode,
      );
    }
    expect(sessions).toBeGreaterThan(1);
  });
});

describe('a body of HTTP/2', () => {
  it('comes whole, with and without a length, also after 100 Continue', async () => {
    const { port } = await startAsking(async (request) => {
      const { lengthBytes } = request.body();
      return text(`${lengthBytes} ${(await readBody(request)).length}`);
    });
    const session = connectSession(port);
    const body = Buffer.alloc(5 * MiB, 'x');
    const put = { ':method': 'PUT', ':path': '/a' };
    const sized = { ...put, 'content-length': `${body.length}` };
    expect((await requestOn(session, sized, body)).body.toString()).toBe(
      `${body.length} ${body.length}`,
    );
    expect((await requestOn(session, put, body)).body.toString()).toBe(`null ${body.length}`);
    expect((await requestOn(session, put)).body.toString()).toBe('0 0');

    const stream = session.request({ ...sized, expect: '100-continue' });
    await once(stream, 'continue');
    stream.end(body);
    let received = '';
    for await (const chunk of stream) received += chunk;
    expect(received).toBe(`${body.length} ${body.length}`);
  });

  it('that nobody wants is refused without being read', async () => {
    const { port } = await startAsking(() => text('no', 403));
    const session = connectSession(port);
    const stream = session.request({ ':method': 'PUT', ':path': '/a' }, { endStream: false });
    stream.on('error', () => {});
    const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
    expect(head[':status']).toBe(403);
    stream.resume();
    await expect.poll(() => stream.closed).toBe(true);
    expect(stream.rstCode).toBe(constants.NGHTTP2_NO_ERROR);
    expect((await requestOn(session, { ':path': '/' })).status).toBe(403);
  });

  it('waits for its reader: the client can send no more than a window', async () => {
    let resume = () => {};
    let receivedBytes = 0;
    const { port } = await startAsking(async (request) => {
      await request.body().pump((chunk) => {
        receivedBytes += chunk.length;
        return new Promise<void>((resolve) => (resume = resolve));
      });
      return text('fine');
    });
    const stream = connectSession(port).request({ ':method': 'PUT', ':path': '/a' });
    stream.on('error', () => {});
    let takenBytes = 0;
    const part = Buffer.alloc(64 * 1024);
    const send = () =>
      stream.write(part, (error) => {
        if (error == null) takenBytes += part.length;
        if (error == null) send();
      });
    send();
    await expect.poll(() => receivedBytes).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(takenBytes).toBeLessThan(2 * MiB);
    const before = receivedBytes;
    resume();
    await expect.poll(() => receivedBytes).toBeGreaterThan(before);
  });

  it.each([
    ['by a reset', (socket: TLSSocket) => socket.write(resetStream(1))],
    ['with its connection', (socket: TLSSocket) => socket.destroy()],
  ])('that breaks off %s is never whole', async (_how, breakOff) => {
    const outcomes: string[] = [];
    let receivedBytes = 0;
    const { port } = await startAsking(async (request) => {
      await request
        .body()
        .pump((chunk) => {
          receivedBytes += chunk.length;
        })
        .then(
          () => outcomes.push('whole'),
          (error: { code: string }) => outcomes.push(error.code),
        );
      return text('fine');
    });
    const socket = await connectTls(port, { ALPNProtocols: ['h2'] });
    socket.write(Buffer.concat([PREFACE, OPEN_PUT, frame(0, 0, 1, Buffer.from('half'))]));
    await expect.poll(() => receivedBytes).toBe(4);
    breakOff(socket);
    await expect.poll(() => outcomes).toEqual(['IncompleteBody']);
  });
});

describe('the end of a server', () => {
  it('is told to clients of HTTP/2, and what is under way is finished', async () => {
    let finish = () => {};
    const server = await startAsking(async (request) => {
      if (request.rawPath === '/slow') await new Promise<void>((resolve) => (finish = resolve));
      return text('fine');
    });
    const session = connectSession(server.port);
    const idle = connectSession(server.port);
    expect((await requestOn(idle, { ':path': '/' })).status).toBe(200);
    const goaways: number[] = [];
    session.on('goaway', (code: number) => goaways.push(code));
    const slow = requestOn(session, { ':path': '/slow' });
    await expect.poll(() => finish.length).toBe(1);

    const closing = server.close(10_000);
    await expect.poll(() => goaways).toContain(constants.NGHTTP2_NO_ERROR);
    finish();
    expect((await slow).status).toBe(200);
    expect(await closing).toBe(0);
    await expect.poll(() => session.closed && idle.closed).toBe(true);
  });
});
