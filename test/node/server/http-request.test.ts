import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type NodeBindings, type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import {
  DIRECT,
  type ReadSettings,
  readRequest,
} from '../../../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { openRawClient } from '../kit/raw-socket.ts';

const log = createConsoleLog(systemClock, 'off');
const servers: RunningServer[] = [];

/** Serves with `answer`; returns the address. */
async function serving(
  answer: (request: HttpRequest, bindings: NodeBindings) => Response | Promise<Response>,
  settings: Partial<ReadSettings> = {},
): Promise<string> {
  const reading = { ...DIRECT, ...settings };
  const server = await serve(
    (_request, bindings) => answer(readRequest(bindings, reading), bindings),
    {
      host: '127.0.0.1',
      port: 0,
      log,
    },
  );
  servers.push(server);
  return server.url;
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

const text = (body: string, status = 200) =>
  new Response(body, { status, headers: { 'Content-Type': 'text/plain' } });

function listenersOf(incoming: IncomingMessage): number[] {
  return ['data', 'end', 'error', 'close'].map((name) => incoming.listenerCount(name));
}

describe('readRequest', () => {
  it.each([
    [
      '/bucket//a/../b/./c%2F+%20x?list-type=2&prefix=a%2Fb',
      '/bucket//a/../b/./c%2F+%20x',
      'list-type=2&prefix=a%2Fb',
    ],
    ['/?', '/', ''],
    ['/a?b?c', '/a', 'b?c'],
    ['http://other.example:81/a/../b?c', '/a/../b', 'c'],
    ['http://other.example?c', '/', 'c'],
    ['http://other.example', '/', ''],
  ])('keeps the target %s as it came', async (target, rawPath, rawQuery) => {
    const url = await serving((request) =>
      text(JSON.stringify([request.rawPath, request.rawQuery, request.host])),
    );
    const client = await openRawClient(url);
    client.send(`GET ${target} HTTP/1.1\r\nHost: bucket.example:9000\r\nConnection: close\r\n\r\n`);
    const host = target.startsWith('http')
      ? target.includes(':81')
        ? 'other.example:81'
        : 'other.example'
      : 'bucket.example:9000';
    expect(await client.closed()).toContain(JSON.stringify([rawPath, rawQuery, host]));
  });

  it('returns headers by lower-case name, repeated ones joined', async () => {
    const url = await serving((request) =>
      text(
        JSON.stringify([
          request.header('x-amz-meta-a'),
          request.header('content-type'),
          request.header('missing'),
          request.header('__proto__'),
          [...request.headerNames()].includes('x-amz-meta-a'),
          request.isSecure,
          request.remoteAddress,
          request.method,
        ]),
      ),
    );
    const client = await openRawClient(url);
    client.send('GET / HTTP/1.1\r\nHost: h\r\nX-Amz-Meta-A: 1\r\nx-amz-meta-a: 2\r\n');
    client.send('Content-Type: a\r\nContent-Type: b\r\nConnection: close\r\n\r\n');
    expect(await client.closed()).toContain(
      '["1, 2","a, b",null,null,true,false,"127.0.0.1","GET"]',
    );
  });
});

describe('body', () => {
  it('delivers in order, one chunk at a time, and waits for the receiver', async () => {
    let busy = 0;
    let greatest = 0;
    const url = await serving(async (request) => {
      const body = request.body();
      let sizeBytes = 0;
      await body.pump(async (chunk) => {
        busy += 1;
        greatest = Math.max(greatest, busy);
        await new Promise((resolve) => setImmediate(resolve));
        sizeBytes += chunk.length;
        busy -= 1;
      });
      return text(`${body.lengthBytes} ${sizeBytes}`);
    });
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(3_000_000) });
    expect(await answer.text()).toBe('3000000 3000000');
    expect(greatest).toBe(1);
  });

  it.each([
    [true, 'frees the memory of a chunk once a receiver that keeps none is done with it'],
    [false, 'leaves its chunks to a receiver that did not say so'],
  ])('%s: %s', async (isBorrowed) => {
    const url = await serving(async (request) => {
      const chunks: Uint8Array[] = [];
      let isWholeMeanwhile = true;
      await request.body().pump(async (chunk) => {
        const { length } = chunk;
        chunks.push(chunk);
        await new Promise((resolve) => setImmediate(resolve));
        isWholeMeanwhile &&= length > 0 && chunk.length === length;
      }, isBorrowed);
      const leftBytes = chunks.reduce((sum, { length }) => sum + length, 0);
      return text(`${isWholeMeanwhile} ${leftBytes}`);
    });
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(3_000_000) });
    expect(await answer.text()).toBe(`true ${isBorrowed ? 0 : 3_000_000}`);
  });

  it('knows no length of a chunked body, and 0 where there is none', async () => {
    const url = await serving(async (request) => {
      const body = request.body();
      let received = '';
      await body.pump((chunk) => {
        received += Buffer.from(chunk).toString();
      });
      return text(`[${body.lengthBytes} ${received}]`);
    });
    const client = await openRawClient(url);
    client.send(
      'PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n' +
        '3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n',
    );
    await client.until(/\[null abcde\]/);
    client.send('DELETE / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await client.closed()).toContain('[0 ]');
  });

  it('rejects once with IncompleteBody when the client leaves, without a listener', async () => {
    const outcome = Promise.withResolvers<unknown>();
    let before: number[] = [];
    let after: number[] = [];
    const url = await serving(async (request, { incoming }) => {
      before = listenersOf(incoming);
      const rejections: unknown[] = [];
      await request
        .body()
        .pump(() => {})
        .catch((error) => rejections.push(error));
      after = listenersOf(incoming);
      outcome.resolve(rejections);
      return text('');
    });
    const client = await openRawClient(url);
    client.send('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc');
    client.socket.end();
    expect(await outcome.promise).toMatchObject([{ code: 'IncompleteBody' }]);
    expect(after).toEqual(before);
  });

  it('rejects with IncompleteBody when the client resets while the receiver is busy', async () => {
    const outcome = Promise.withResolvers<unknown>();
    const chunkCame = Promise.withResolvers<void>();
    const url = await serving(async (request, { incoming }) => {
      const gone = new Promise((resolve) => incoming.once('close', resolve));
      await request
        .body()
        .pump(async () => {
          chunkCame.resolve();
          await gone;
        })
        .then(outcome.resolve, outcome.resolve);
      return text('');
    });
    const client = await openRawClient(url);
    client.send('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc');
    await chunkCame.promise;
    client.socket.resetAndDestroy();
    expect(await outcome.promise).toMatchObject({ code: 'IncompleteBody' });
  });

  it('stops when the receiver throws, and the next request on the connection is read', async () => {
    const url = await serving(async (request) => {
      if (request.method === 'GET') return text('next');
      let chunks = 0;
      const failed = await request
        .body()
        .pump(() => {
          chunks += 1;
          throw new Error('no');
        })
        .catch((error: Error) => error.message);
      return text(`${failed} ${chunks}`, 400);
    });
    const client = await openRawClient(url);
    client.send('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n');
    client.send(new Uint8Array(200_000));
    await client.until(/no 1/);
    client.send('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await client.closed()).toContain('next');
  });

  it('gives up an upload that stalls, with RequestTimeout', async () => {
    const outcome = Promise.withResolvers<unknown>();
    const url = await serving(
      async (request) => {
        await request
          .body()
          .pump(() => {})
          .then(outcome.resolve, outcome.resolve);
        return text('', 400);
      },
      { idleMs: 30 },
    );
    const client = await openRawClient(url);
    client.send('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\nabc');
    expect(await outcome.promise).toMatchObject({ code: 'RequestTimeout' });
  });

  it('does not count the time that the receiver takes against the client', async () => {
    const url = await serving(
      async (request) => {
        let isFirst = true;
        await request.body().pump(async () => {
          if (isFirst) await new Promise((resolve) => setTimeout(resolve, 500));
          isFirst = false;
        });
        return text('whole');
      },
      // The client is in this process, which may be busy for a while.
      { idleMs: 250 },
    );
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(500_000) });
    expect(await answer.text()).toBe('whole');
  });
});

describe('Expect: 100-continue', () => {
  const head = 'PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nExpect: 100-continue\r\n';

  it('is sent when the body is pumped, and the connection goes on', async () => {
    const url = await serving(async (request) => {
      if (request.method === 'GET') return text('next');
      let received = '';
      await request.body().pump((chunk) => {
        received += Buffer.from(chunk).toString();
      });
      return text(`got ${received}`);
    });
    const client = await openRawClient(url);
    client.send(`${head}\r\n`);
    expect(await client.until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    client.send('abc');
    expect(await client.until(/got abc/)).toMatch(/connection: keep-alive/i);
    client.send('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await client.closed()).toContain('next');
  });

  it('closes afterwards when the client asked for that', async () => {
    const url = await serving(async (request) => {
      await request.body().pump(() => {});
      return text('done');
    });
    const client = await openRawClient(url);
    client.send(`${head}Connection: close\r\n\r\n`);
    await client.until(/100 Continue/);
    client.send('abc');
    expect(await client.closed()).toContain('done');
  });

  it('is never sent before a refusal, which closes the connection', async () => {
    const url = await serving(() => text('refused', 403));
    const client = await openRawClient(url);
    client.send(`${head}\r\n`);
    const answer = await client.closed();
    expect(answer).toMatch(/^HTTP\/1\.1 403/);
    expect(answer).toMatch(/connection: close/i);
    expect(answer).not.toContain('100 Continue');
  });
});
