// Random traffic by HTTP/2, or through two threads, in a bucket that splits and joins shards of
// some rows all the time: every key is one register to look-ups and to pages of lists, whether it
// is put, copied, uploaded in parts or deleted, alone or with others, whatever versions are kept.
import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { readShardMap } from '../../../src/index/router/shard-map.ts';
import { publicPolicy } from '../../access-samples.ts';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { pickOf, randomOf } from '../../index/shards/shard-world.ts';
import { flawOf, type RegisterEvent } from '../../register-history.ts';
import { connectionClient } from '../kit/connection-client.ts';
import { type Http2Client, openHttp2Client } from '../kit/http2-session.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { ROOT, startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';
import { writePair } from '../tls/tls-kit.ts';

// Slices move behind each write, and a machine may be busy.
vi.setConfig({ testTimeout: fuzzRuns(180_000), hookTimeout: 60_000 });

const SETTINGS = { QUAYSIDE_SHARD_ROWS: '3' };
/** Values that each key takes. */
const WRITES = fuzzRuns(24);
const KEYS = Array.from({ length: 6 }, (_, at) => `k/${at * 4}`);
/** Objects that nobody changes, between the keys; each as long as the value that it stands for. */
const SOURCES = Array.from({ length: WRITES }, (_, at) => at + 1);
const sourceOf = (value: number) => `k/${value}/source`;

type Client = Pick<Http2Client, 'send' | 'close'>;

let platform: ThreadedPlatform;
let clients: readonly Client[];
const aws = new AwsClient({ ...ROOT, service: 's3', region: 'auto' });

/** HTTP/2 has one thread; two threads get two connections each. */
const SERVERS = [
  {
    name: 'by HTTP/2',
    async open() {
      const { certFile, keyFile } = writePair(temporaryFolder());
      const tls = { QUAYSIDE_TLS_CERT: certFile, QUAYSIDE_TLS_KEY: keyFile };
      platform = await startThreadedPlatform({ ...SETTINGS, ...tls, QUAYSIDE_THREADS: '1' });
      const connections = [0, 1, 2, 3].map(() => openHttp2Client(platform.port));
      clients = await Promise.all(connections);
    },
  },
  {
    name: 'through two threads',
    async open() {
      platform = await startThreadedPlatform(SETTINGS);
      const connections = [0, 1, 1, 0].map((thread) => platform.connectTo(thread));
      clients = (await Promise.all(connections)).map(connectionClient);
    },
  },
];

type Sent = { readonly body?: string; readonly headers?: Readonly<Record<string, string>> };

/** A signed request; rejects with what the server says when it is a failure, but for 404. */
async function send(client: Client, method: string, path: string, sent: Sent = {}) {
  const unsigned = { ...sent.headers, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const request = await aws.sign(`${platform.url}${path}`, { method, headers: unsigned });
  const headers = Object.fromEntries([...request.headers].filter(([name]) => name !== 'host'));
  const body = sent.body === undefined ? undefined : Buffer.from(sent.body);
  const response = await client.send(method, path, headers, body);
  const { status } = response;
  if (status >= 300 && status !== 404) throw new Error(`${status} ${response.body}`);
  return response;
}

const textsOf = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(
    ([, text = '']) => text,
  );

/** Writes a value of a key: the length of its object, or none for an even one. */
async function write(
  client: Client,
  bucket: string,
  key: string,
  value: number,
  random: () => number,
): Promise<void> {
  const path = `/${bucket}/${key}`;
  const body = 'x'.repeat(value);
  const dice = random();
  if (value % 2 === 0) {
    if (dice < 0.5) return void (await send(client, 'DELETE', path));
    const names = [key, `none/${value}`].map((name) => `<Object><Key>${name}</Key></Object>`);
    const document = `<Delete>${names.join('')}</Delete>`;
    const headers = { 'content-md5': createHash('md5').update(document).digest('base64') };
    const { body: result } = await send(client, 'POST', `/${bucket}?delete`, {
      headers,
      body: document,
    });
    expect(textsOf(result.toString(), 'Code')).toEqual([]);
  } else if (dice < 0.4) await send(client, 'PUT', path, { body });
  else if (dice < 0.7) {
    const headers = { 'x-amz-copy-source': `/${bucket}/${sourceOf(value)}` };
    expect((await send(client, 'PUT', path, { headers })).status).toBe(200);
  } else {
    const { body: begun } = await send(client, 'POST', `${path}?uploads`);
    const [uploadId = ''] = textsOf(begun.toString(), 'UploadId');
    const part = await send(client, 'PUT', `${path}?partNumber=1&uploadId=${uploadId}`, { body });
    const entry = `<Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}</ETag></Part>`;
    const document = `<CompleteMultipartUpload>${entry}</CompleteMultipartUpload>`;
    const end = await send(client, 'POST', `${path}?uploadId=${uploadId}`, { body: document });
    expect(textsOf(end.body.toString(), 'Code')).toEqual([]);
  }
}

/** The lengths of all objects of a bucket by key, in short pages. */
async function listAll(client: Client, bucket: string): Promise<Map<string, number>> {
  const listed = new Map<string, number>();
  let last = '';
  for (let token = ''; ; ) {
    const after = token === '' ? '' : `&continuation-token=${encodeURIComponent(token)}`;
    const { body } = await send(client, 'GET', `/${bucket}?list-type=2&max-keys=11${after}`);
    const xml = body.toString();
    const sizes = textsOf(xml, 'Size');
    for (const [at, key] of textsOf(xml, 'Key').entries()) {
      if (key <= last) throw new Error(`${key} comes behind ${last}`);
      last = key;
      listed.set(key, Number(sizes[at]));
    }
    [token = ''] = textsOf(xml, 'NextContinuationToken');
    if (token === '') return listed;
  }
}

/** Notes a read of one key that begins now; to be ended with the length that it has shown. */
function beginRead(history: RegisterEvent[]) {
  const read = {};
  history.push({ kind: 'read-begun', read });
  return (sizeBytes: number) =>
    history.push({
      kind: 'read-ended',
      read,
      matches: (value) => (value % 2 === 0 ? sizeBytes === 0 : sizeBytes === value),
    });
}

async function runHistory(bucket: string): Promise<{ reads: number; lists: number }> {
  const random = randomOf(FUZZ_SEED);
  const registers = new Map(KEYS.map((key) => [key, [] as RegisterEvent[]]));
  const historyOf = (key: string) => registers.get(key) ?? [];
  let writing = KEYS.length;
  const seen = { reads: 0, lists: 0 };

  const writers = KEYS.map(async (key) => {
    for (let value = 1; value <= WRITES; value++) {
      historyOf(key).push({ kind: 'write-begun', value });
      await write(pickOf(random, clients), bucket, key, value, random);
      historyOf(key).push({ kind: 'write-ended', value });
    }
    writing -= 1;
  });
  const readers = clients.map(async (client) => {
    while (writing > 0) {
      const key = pickOf(random, KEYS);
      const isPublic = random() < 0.5;
      const end = beginRead(historyOf(key));
      const path = `/${bucket}/${key}`;
      const { status, body } = await (isPublic
        ? client.send('GET', path)
        : send(client, 'GET', path));
      expect([200, 404]).toContain(status);
      end(status === 200 ? body.length : 0);
      seen.reads += 1;
    }
  });
  const listers = clients.slice(1, 3).map(async (client) => {
    while (writing > 0) {
      const ends = KEYS.map((key) => [key, beginRead(historyOf(key))] as const);
      const listed = await listAll(client, bucket);
      for (const [key, end] of ends) end(listed.get(key) ?? 0);
      expect(SOURCES.filter((value) => listed.get(sourceOf(value)) !== value)).toEqual([]);
      seen.lists += 1;
    }
  });
  await Promise.all([...writers, ...readers, ...listers]);
  for (const [key, events] of registers) expect(flawOf(events), key).toBeNull();
  return seen;
}

describe.each(SERVERS)('$name', ({ open }) => {
  beforeAll(open);
  afterAll(async () => {
    for (const client of clients) client.close();
    await platform.close();
  });

  it.each(['Off', 'Enabled', 'Suspended'])(
    'every key is one register while versioning is %s',
    async (versioning) => {
      const bucket = `sharded-${versioning.toLowerCase()}`;
      await fillBucket(bucket, versioning);
      const { reads, lists } = await runHistory(bucket);
      expect(reads).toBeGreaterThan(WRITES);
      expect(lists).toBeGreaterThan(1);
      const map = await readShardMap(platform.core.ports.metadataIndex, bucket as BucketName);
      expect(map?.reduce((sum, { revision }) => sum + revision, 0)).toBeGreaterThan(4 * WRITES);
    },
  );
});

/** A public bucket with the sources. */
async function fillBucket(bucket: string, versioning: string): Promise<void> {
  const [client] = clients as [Client];
  await send(client, 'PUT', `/${bucket}`);
  await send(client, 'PUT', `/${bucket}?policy`, { body: publicPolicy(bucket) });
  const status = `<Status>${versioning}</Status>`;
  const document = `<VersioningConfiguration>${status}</VersioningConfiguration>`;
  if (versioning !== 'Off') await send(client, 'PUT', `/${bucket}?versioning`, { body: document });
  for (const value of SOURCES) {
    const body = 'x'.repeat(value);
    await send(client, 'PUT', `/${bucket}/${sourceOf(value)}`, { body });
  }
}
