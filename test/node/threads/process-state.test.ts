// What a process has one of, over two threads: usage, caps, limits, metrics, the API, and an end
// that cuts nobody off. And a thread that dies takes its own connections along, and nothing else.
import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { afterEach, expect, it, vi } from 'vitest';
import { setCap } from '../../../src/core/caps/set-cap.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { bytesCap } from '../../core/caps/cap-samples.ts';
import { openTestBucket, putBytes } from '../../core/memory-core.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { type ConnectionClient, connectionClient } from '../kit/connection-client.ts';
import { readRecordedUsage } from '../kit/recorded-usage.ts';
import { ROOT, startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';

// Each test starts two threads, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const BUCKET = 'two-threads';
const OBJECT_BYTES = 1000;
const METRICS_TOKEN = 'metrics-token-of-two-threads';
const PATH = `/${BUCKET}/object`;

let platform: ThreadedPlatform;
let bucket: Awaited<ReturnType<typeof openTestBucket>>;
const opened = new Set<ConnectionClient>();

afterEach(async () => {
  for (const client of opened) client.close();
  opened.clear();
  await platform.close();
});

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  platform = await startThreadedPlatform({ QUAYSIDE_METRICS_TOKEN: METRICS_TOKEN, ...env });
  bucket = await openTestBucket(platform.core, BUCKET);
  await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
  await putBytes(platform.core, bucket, 'object', new Uint8Array(OBJECT_BYTES));
}

async function connect(thread: number): Promise<ConnectionClient> {
  const client = connectionClient(await platform.connectTo(thread));
  opened.add(client);
  return client;
}

const bothThreads = () => Promise.all([connect(0), connect(1)]);

/** Reads the object; its status. */
async function read(client: ConnectionClient): Promise<number> {
  const { status, body } = await client.send('GET', PATH);
  if (status === 200) expect(body.length).toBe(OBJECT_BYTES);
  return status;
}

it('a process records the usage of both threads to the byte, each use once', async () => {
  await start({ QUAYSIDE_METER_FLUSH_SECONDS: '1' });
  const [one, other] = await bothThreads();
  for (let at = 0; at < 20; at++) expect(await read(at % 3 === 0 ? one : other)).toBe(200);
  const recorded = (meter: string) =>
    readRecordedUsage(join(platform.dataDir, 'index.sqlite'))
      .filter((row) => row.meter.startsWith(meter) && row.accountId === bucket.record().ownerId)
      .reduce((sum, { quantity }) => sum + Number(quantity), 0);
  await expect.poll(() => recorded('class-b/')).toBe(20);
  expect(recorded('egress')).toBe(20 * OBJECT_BYTES);
});

it('a process lets no more through than a cap has, and has a changed one at once', async () => {
  await start();
  const [one, other] = await bothThreads();
  const { ownerId } = bucket.record();
  await setCap(platform.core, ownerId, bytesCap(BigInt(10 * OBJECT_BYTES)));
  const statuses = [];
  for (let at = 0; at < 16; at++) statuses.push(await read(at % 2 === 0 ? one : other));
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);

  await setCap(platform.core, ownerId, bytesCap(BigInt(12 * OBJECT_BYTES)));
  expect(await read(other)).toBe(200);
  expect(await read(one)).toBe(200);
  expect(await read(other)).not.toBe(200);
  await setCap(platform.core, ownerId, bytesCap(BigInt(100 * OBJECT_BYTES)));
  expect(await read(one)).toBe(200);
  await setCap(platform.core, ownerId, bytesCap(1n));
  expect(await read(other)).not.toBe(200);
  expect(await read(one)).not.toBe(200);
});

it('a process answers the API by its first thread: one session, one request limit', async () => {
  await start({ QUAYSIDE_API_REQUESTS_PER_MINUTE: '6' });
  const clients = await bothThreads();
  const body = Buffer.from(JSON.stringify(ROOT));
  const json = { 'content-type': 'application/json' };
  const session = await clients[1].send('POST', '/-/api/v1/sessions', json, body);
  expect(session.status).toBe(201);
  const [setCookie = ''] = session.headers['set-cookie'] as string[];
  const cookie = setCookie.split(';')[0] ?? '';
  const statuses = [];
  for (let at = 0; at < 10; at++) {
    const client = clients[at % 2] as ConnectionClient;
    statuses.push((await client.send('GET', '/-/api/v1/me', { cookie })).status);
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(6);
  expect(statuses.filter((status) => status === 429)).toHaveLength(4);
});

it('a process hands over heads, bodies of chunks and expectations as they are', async () => {
  await start();
  const { url } = platform;
  const replies = [];
  for (const client of await bothThreads()) {
    const { status, headers, body } = await client.send('HEAD', '/-/health?verbose');
    const names = Object.keys(headers).sort();
    replies.push({ status, names, keepAlive: headers['keep-alive'], bytes: body.length });
  }
  expect(replies[1]).toEqual(replies[0]);

  const socket = await platform.connectTo(1);
  socket.setEncoding('latin1');
  const until = async (pattern: RegExp) => {
    let text = '';
    while (!pattern.test(text)) text += (await once(socket, 'data'))[0];
    return text;
  };
  const body = JSON.stringify(ROOT);
  const head = `POST ${url}/-/api/v1/sessions HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`;
  socket.write(
    `${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n` +
      `Expect: 100-continue\r\n\r\n`,
  );
  expect(await until(/\r\n\r\n/)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`);
  expect(await until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 201 /);
  socket.destroy();
});

it('a process counts connections of all threads by one limit, and adds metrics up', async () => {
  await start({ QUAYSIDE_CONNECTIONS_PER_ADDRESS: '6' });
  const clients = await bothThreads();
  for (const client of clients) for (const _ of [1, 2, 3]) expect(await read(client)).toBe(200);
  const metrics = async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const { body } = await clients[1].send('GET', '/-/metrics', headers);
    return parseMetricsPage(body.toString());
  };
  const page = await metrics();
  const labels = { surface: 'delivery', operation: 'GetObject', status: '2xx' };
  expect(page.value('quayside_requests_total', labels)).toBe(6);
  expect(page.value('quayside_sent_bytes_total')).toBe(6 * OBJECT_BYTES);

  const more = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => fetchAlone(PATH)));
  expect(more.filter((status) => status === 200)).toHaveLength(4);
  expect(more.filter((status) => status === 503)).toHaveLength(4);
  expect((await metrics()).value('quayside_connections_crowded_total')).toBe(4);
});

/** A read over a connection of its own that stays open until the test ends. */
async function fetchAlone(path: string): Promise<number> {
  const socket = createConnection({ host: '127.0.0.1', port: platform.port });
  await once(socket, 'connect');
  const client = connectionClient(socket);
  opened.add(client);
  return (await client.send('GET', path)).status;
}

it('a process replaces a thread that dies, and only its connections end', async () => {
  await start();
  const [one, other] = await bothThreads();
  const socket = await platform.connectTo(1);
  const gone = once(socket, 'close');
  await platform.workers.get(1)?.terminate();
  await gone;
  await expect(other.send('GET', PATH)).rejects.toThrow();
  expect(await read(one)).toBe(200);
  expect(platform.events).toContain('thread-died');

  const replaced = await connect(1);
  expect(platform.connections()[1]).toBe(1);
  expect(await read(replaced)).toBe(200);
  await putBytes(platform.core, bucket, 'object', new Uint8Array(7));
  expect((await replaced.send('GET', PATH)).body.length).toBe(7);
});

it('a process finishes the requests of all threads when it ends, uploads too', async () => {
  await start();
  const aws = new AwsClient({ ...ROOT, service: 's3', region: 'auto' });
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const uploads = await Promise.all(
    [0, 1].map(async (thread) => {
      const path = `/${BUCKET}/upload-${thread}`;
      const signed = await aws.sign(`${platform.url}${path}`, { method: 'PUT', headers });
      const lines = [...signed.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
      const socket = await platform.connectTo(thread);
      const host = `127.0.0.1:${platform.port}`;
      const framing = `${lines}Content-Length: 200000\r\nExpect: 100-continue\r\n\r\n`;
      socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${host}\r\n${framing}`);
      // Its head is read now: a connection without a request would be closed at once.
      expect(`${(await once(socket, 'data'))[0]}`).toMatch(/^HTTP\/1\.1 100 /);
      socket.write(Buffer.alloc(100_000));
      const response = once(socket, 'data');
      return { socket, response };
    }),
  );
  const closing = platform.close(10_000);
  for (const { socket } of uploads) socket.write(Buffer.alloc(100_000));
  for (const { response } of uploads) expect(`${(await response)[0]}`).toMatch(/^HTTP\/1\.1 200 /);
  expect(await closing).toBe(0);
});
