import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  createFsBlobStore,
  type FsBlobStore,
} from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { type Fetch, type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import { respondWithChunks } from '../../../src/adapters/node/server/chunk-responses.ts';
import { readRequest } from '../../../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { createIds } from '../../../src/adapters/shared/ids.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId, BucketId } from '../../../src/domain/nouns.ts';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import { ChunkStream } from '../../../src/ports/chunk-stream.ts';
import { identityOf } from '../../contract/bodies.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { openRawClient } from '../kit/raw-socket.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const log = createConsoleLog(systemClock, 'off');
const ids = createIds(systemClock);
const ownerBucket = 'photos~01' as BucketId;
const identity = identityOf();

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

async function start(fetch: Fetch): Promise<RunningServer> {
  const server = await serve(fetch, { host: '127.0.0.1', port: 0, log });
  servers.push(server);
  return server;
}

const text = (body: string, status = 200) =>
  new Response(body, { status, headers: { 'Content-Type': 'text/plain' } });

/** A server that keeps what is PUT as a blob, and what it knows of it. */
async function startBlobServer() {
  const dataDir = temporaryFolder();
  const store = createFsBlobStore(dataDir);
  const outcomes: string[] = [];
  const blobIds: BlobId[] = [];
  let settled = () => {};
  const fetch: Fetch = async (_request, bindings) => {
    const id = ids.blobId(ownerBucket);
    try {
      const { sizeBytes } = await store.write(id, readRequest(bindings).body(), identity);
      blobIds.push(id);
      outcomes.push('stored');
      return text(`stored ${sizeBytes}`);
    } catch (error) {
      outcomes.push(error instanceof StorageError ? error.code : String(error));
      return text('failed', 400);
    } finally {
      settled();
    }
  };
  const server = await start(fetch);
  const nextOutcome = () => new Promise<void>((resolve) => (settled = resolve));
  return { dataDir, store, server, outcomes, blobIds, nextOutcome };
}

describe('serve', () => {
  it.each([
    ['nonsense\r\n\r\n', '400'],
    ['GET / HTTP/1.1\r\n\r\n', '400'],
    ['GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', '400'],
    [`GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`, '431'],
    ['GET / HTTP/1.1\r\nHost: a b\r\n\r\n', '400'],
    ['GET /a\\b HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n', '400'],
  ])('refuses %j and goes on', async (request, status) => {
    const server = await start(() => text('fine'));
    const client = await openRawClient(server.url);
    client.send(request);
    expect(await client.until(/^HTTP\/1\.1 \d+/)).toMatch(new RegExp(`^HTTP/1.1 ${status}`));
    client.socket.destroy();
    expect(await (await fetch(server.url)).text()).toBe('fine');
  });

  it('responds to HTTP/1.0 without a host, as health checks of load balancers', async () => {
    const server = await start((_request, bindings) => text(`host ${readRequest(bindings).host}`));
    const host = new URL(server.url).host;
    for (const [header, wanted] of [
      ['', 'localhost'],
      ['Host:\r\n', 'localhost'],
      [`Host: ${host}\r\n`, host],
    ] as const) {
      const client = await openRawClient(server.url);
      client.send(`GET /-/health HTTP/1.0\r\n${header}\r\n`);
      const answer = await client.closed();
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer).toMatch(new RegExp(`\r\n\r\nhost ${wanted}$`));
    }
  });

  it('responds to OPTIONS * with its methods, and goes on', async () => {
    const server = await start(() => text('fine'));
    const client = await openRawClient(server.url);
    client.send('OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n');
    const head = await client.until(/\r\n\r\n/);
    expect(head).toMatch(/^HTTP\/1\.1 204 /);
    expect(head).toMatch(/\r\nAllow: GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS\r\n/);
    client.send('GET * HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.until(/HTTP\/1\.1 400 /);
    client.send('GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n');
    expect(await client.closed()).toMatch(/fine$/);
  });

  it('responds with 500 to an error that slips through the app, and goes on', async () => {
    let calls = 0;
    const server = await start(async () => {
      calls += 1;
      if (calls === 1) throw new Error('a bug');
      return text('fine');
    });
    const answer = await fetch(server.url);
    expect([answer.status, await answer.text()]).toEqual([500, 'Internal Server Error\n']);
    expect(await (await fetch(server.url)).text()).toBe('fine');
  });

  it('rejects when the port is taken', async () => {
    const server = await start(() => text(''));
    const port = Number(new URL(server.url).port);
    await expect(serve(() => text(''), { host: '127.0.0.1', port, log })).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
  });

  it('cuts a response off, rather than end it short, when its body fails midway', async () => {
    const server = await start(() => {
      const body = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            controller.enqueue(new Uint8Array(1000));
            controller.error(new StorageError('InternalError'));
          },
        },
        { highWaterMark: 0 },
      );
      return new Response(body, { status: 200, headers: { 'Content-Length': '5000' } });
    });
    const answer = fetch(server.url).then((response) => response.arrayBuffer());
    await expect(answer).rejects.toThrow();
    // The failure of one response harms no other.
    await expect(fetch(server.url).then((response) => response.status)).resolves.toBe(200);
  });
});

describe('a body in chunks', () => {
  it('is cut off when it fails midway, and the next request gets its response', async () => {
    const answers = [
      { failAt: 1, status: 200 },
      { failAt: 2, status: 200 },
    ];
    const server = await start(() => {
      const { failAt, status } = answers.shift() ?? { failAt: 9, status: 500 };
      let given = 0;
      const next = async () => {
        given += 1;
        if (given > failAt) throw new StorageError('InternalError');
        return { bytes: new Uint8Array(1000), isBorrowed: false };
      };
      const stream = new ChunkStream({ next, close: () => undefined });
      return respondWithChunks({ status, headers: { 'content-length': '2000' }, body: stream });
    });
    const read = () => fetch(server.url).then((response) => response.arrayBuffer());
    await expect(read()).rejects.toThrow();
    expect((await read()).byteLength).toBe(2000);
  });

  it('is a stream to code that reads the Response itself', async () => {
    const bytes = [Uint8Array.of(1), Uint8Array.of(2)];
    const next = async () => {
      const chunk = bytes.shift();
      return chunk === undefined ? null : { bytes: chunk, isBorrowed: false };
    };
    const stream = new ChunkStream({ next, close: () => undefined });
    const response = respondWithChunks({
      status: 206,
      headers: { 'content-length': '2', x: 'y' },
      body: stream,
    });
    expect([response.status, response.headers.get('x')]).toEqual([206, 'y']);
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([1, 2]);
  });
});

describe('a refusal before the body has come', () => {
  it.each(['close', 'keep-alive'])(
    'is there for a client that first sends all, connection: %s',
    async (connection) => {
      const server = await start(() => text('refused', 403));
      const client = await openRawClient(server.url);
      client.socket.pause();
      client.send(
        `PUT /a HTTP/1.1\r\nHost: h\r\nConnection: ${connection}\r\n` +
          'Content-Length: 20000000\r\n\r\n',
      );
      await new Promise((sent) => client.socket.write(new Uint8Array(20_000_000), sent));
      client.socket.resume();
      expect(await client.until(/refused/)).toMatch(/^HTTP\/1\.1 403/);
    },
  );

  it('does not keep a connection of a client that sends nothing more', async () => {
    const server = await start(() => text('refused', 403));
    const client = await openRawClient(server.url);
    client.send(
      'PUT /a HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 20000000\r\n\r\nabc',
    );
    expect(await client.closed()).toContain('refused');
    expect(await server.close(10_000)).toBe(0);
  });
});

describe('uploads', () => {
  it('an upload that breaks off leaves no file behind', async () => {
    const { dataDir, server, outcomes, nextOutcome, store } = await startBlobServer();
    const over = nextOutcome();
    const client = await openRawClient(server.url);
    client.send('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 10000000\r\n\r\n');
    client.send(new Uint8Array(3_000_000));
    client.socket.end();
    await over;
    expect(outcomes).toEqual(['IncompleteBody']);
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([]);
    expect(await store.list({ prefix: '', after: '', limit: 10 })).toEqual({
      blobIds: [],
      isTruncated: false,
    });
  });

  it('take the body of a slow client byte by byte', async () => {
    const { server, nextOutcome, outcomes } = await startBlobServer();
    const over = nextOutcome();
    const client = await openRawClient(server.url);
    client.socket.setNoDelay(true);
    client.send('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 20\r\nConnection: close\r\n\r\n');
    for (let sent = 0; sent < 20; sent++) {
      client.send('x');
      await new Promise((resolve) => setImmediate(resolve));
    }
    await over;
    expect(outcomes).toEqual(['stored']);
    expect(await client.closed()).toContain('stored 20');
  });
});

describe.each(['stream', 'chunks'] as const)('downloads, sent as a %s', (way) => {
  /** A server that streams one stored blob of 8 MiB. */
  async function startDownload(): Promise<{
    store: FsBlobStore;
    server: RunningServer;
    lengthBytes: number;
  }> {
    const store = createFsBlobStore(temporaryFolder());
    const lengthBytes = 8 * 1024 * 1024;
    const id = ids.blobId(ownerBucket);
    const source = {
      lengthBytes,
      async pump(onChunk: (chunk: Uint8Array) => void | Promise<void>) {
        for (let at = 0; at < 8; at++) await onChunk(new Uint8Array(lengthBytes / 8));
      },
    };
    await store.write(id, source, identity);
    const server = await start(async () => {
      const body = await store.open(id, { offsetBytes: 0, lengthBytes });
      const headers = { 'content-length': `${lengthBytes}` };
      if (way === 'stream') return new Response(body, { status: 200, headers });
      if (!(body instanceof ChunkStream)) throw new Error('The store gives chunks.');
      return respondWithChunks({ status: 200, headers, body });
    });
    return { store, server, lengthBytes };
  }

  it('a reader that leaves midway releases the file', async () => {
    const { store, server } = await startDownload();
    const client = await openRawClient(server.url);
    client.send('GET /a HTTP/1.1\r\nHost: h\r\n\r\n');
    await client.until(/\r\n\r\n/);
    client.socket.pause();
    expect(store.openFileCounts().inUse).toBe(1);
    client.socket.resetAndDestroy();
    await expect.poll(() => store.openFileCounts().inUse).toBe(0);
    expect(store.bufferCounts().outBytes).toBe(0);
  });

  it('a slow reader gets everything', async () => {
    const { store, server, lengthBytes } = await startDownload();
    const response = await fetch(server.url);
    let received = 0;
    for await (const chunk of response.body ?? []) {
      received += chunk.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(received).toBe(lengthBytes);
    await expect.poll(() => store.openFileCounts().inUse).toBe(0);
    await expect.poll(() => store.bufferCounts().outBytes).toBe(0);
  });
});

describe('close', () => {
  it('lets a running upload finish, refuses new connections, and closes idle ones', async () => {
    const { server, outcomes, nextOutcome, dataDir } = await startBlobServer();
    const idle = await openRawClient(server.url);
    const first = nextOutcome();
    idle.send('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx');
    await idle.until(/stored 1/);
    await first;
    const uploading = await openRawClient(server.url);
    uploading.send('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
    // The server has the request when its temporary file is there.
    await expect.poll(() => readdirSync(join(dataDir, 'tmp')).length).toBe(1);
    const closed = server.close(10_000);
    await idle.closed();
    await expect(fetch(server.url)).rejects.toThrow();
    uploading.send('def');
    expect(await uploading.closed()).toContain('stored 6');
    expect(await closed).toBe(0);
    expect(outcomes).toEqual(['stored', 'stored']);
  });

  it('cuts off what does not finish in time, and leaves nothing of it', async () => {
    const { server, outcomes, nextOutcome, dataDir } = await startBlobServer();
    const over = nextOutcome();
    const stuck = await openRawClient(server.url);
    stuck.send('PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc');
    await expect.poll(() => readdirSync(join(dataDir, 'tmp')).length).toBe(1);
    expect(await server.close(20)).toBe(1);
    await over;
    expect(outcomes).toEqual(['IncompleteBody']);
    expect(existsSync(join(dataDir, 'tmp'))).toBe(true);
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([]);
  });
});

describe('the numbers of a server', () => {
  it('count responses under way, those cut short, and malformed requests', async () => {
    const readPolicy = Promise.withResolvers<void>();
    const server = await start(async (request) => {
      if (request.url.endsWith('/wait')) await readPolicy.promise;
      return text('done');
    });
    const numbers = async () => {
      const { value } = parseMetricsPage(renderMetrics(await server.families()));
      const names = [
        'responses_open',
        'responses_cut_short_total',
        'malformed_requests_total',
        'connections',
      ];
      return names.map((name) => value(`quayside_${name}`));
    };
    const patient = await openRawClient(server.url);
    const leaving = await openRawClient(server.url);
    for (const client of [patient, leaving]) client.send('GET /wait HTTP/1.1\r\nHost: h\r\n\r\n');
    await expect.poll(numbers).toEqual([2, 0, 0, 2]);
    // An end alone would say that nothing more is asked: such a client still gets its answer.
    leaving.socket.resetAndDestroy();
    await expect.poll(numbers).toEqual([1, 1, 0, 1]);
    for (const nonsense of [
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    ]) {
      const odd = await openRawClient(server.url);
      odd.send(nonsense);
      expect(await odd.closed()).toMatch(/^HTTP\/1\.1 400 /);
    }
    readPolicy.resolve();
    await patient.until(/done/);
    await expect.poll(numbers).toEqual([0, 1, 2, 1]);
  });
});
