// A bucket in several Durable Objects: what isolates list, read and are billed does not show it.
import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { AwsClient } from 'aws4fetch';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDoDirectory } from '../../src/adapters/cloudflare/clients/do-directory.ts';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import { createShardAlarm } from '../../src/adapters/cloudflare/durable-objects/shard-alarm.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { nameOfShard, readShardMap, shardsWithKeys } from '../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../src/index/router/shard-router.ts';
import { createShardSplitter } from '../../src/index/router/split-shards.ts';
import { patternBytes } from '../contract/bodies.ts';
import { bucketObject, freshBucketName, PUBLIC, recordOf } from './kit/bucket.ts';
import { createIsolate, type Isolate } from './kit/isolate.ts';
import { sweepFrom } from './kit/sweep-from.ts';

const KEY = { id: 'shards', secret: 'shards-secret' };
const SETTINGS = {
  QUAYSIDE_ROOT_ACCESS_KEY: KEY.id,
  QUAYSIDE_ROOT_SECRET_KEY: KEY.secret,
};
/** Rows from which a shard of these tests is split. */
const ROWS = 10;
const FRESH_MS = 5000;
/** Larger than what stands in the index. */
const BODY = patternBytes(20_000);

const aws = new AwsClient({
  accessKeyId: KEY.id,
  secretAccessKey: KEY.secret,
  service: 's3',
  region: 'us-east-1',
});

const keysFrom = (count: number) =>
  Array.from({ length: count }, (_, at) => `key-${String(at).padStart(3, '0')}`);

async function createWorld() {
  const bucket = freshBucketName();
  const record = { ...recordOf(bucket, PUBLIC), ownerId: ROOT_ACCOUNT.id };
  await bucketObject(bucket).call('createBucket', { bucket: record });
  const [here, elsewhere] = [
    createIsolate({ settings: SETTINGS }),
    createIsolate({ settings: SETTINGS }),
  ];
  const url = (path: string) => `https://files.example/${bucket}${path}`;

  async function signed(
    method: string,
    path: string,
    body: Uint8Array | string | null = null,
    isolate: Isolate = here,
  ) {
    const headers = { 'content-length': `${body?.length ?? 0}` };
    const init = { method, headers, body: body as BodyInit | null };
    const request = await aws.sign(url(path), init);
    return isolate.fetch(request.url, { ...init, headers: request.headers });
  }

  const put = async (key: string, body: Uint8Array | string = BODY) =>
    expect((await signed('PUT', `/${key}`, body)).status).toBe(200);
  const read = async (key: string, isolate: Isolate) => {
    const response = await isolate.fetch(url(`/${key}`));
    return response.status === 200 ? response.text() : response.status;
  };
  const list = async (isolate: Isolate = here) => {
    const response = await signed('GET', '?list-type=2&max-keys=7', null, isolate);
    let text = await response.text();
    const keys: string[] = [];
    for (;;) {
      keys.push(...[...text.matchAll(/<Key>([^<]+)</g)].map(([, key]) => key ?? ''));
      const token = /<NextContinuationToken>([^<]+)</.exec(text)?.[1];
      if (token === undefined) return keys;
      const next = `?list-type=2&max-keys=7&continuation-token=${encodeURIComponent(token)}`;
      text = await (await signed('GET', next, null, isolate)).text();
    }
  };

  const index = here.core.ports.metadataIndex;
  const splitter = createShardSplitter({
    index,
    clock: systemClock,
    background: { run: () => undefined },
    rows: ROWS,
  });
  const shards = async () => {
    const map = await readShardMap(index, bucket);
    return map === null ? [] : shardsWithKeys(map);
  };
  const split = () => splitter.balance(bucket);
  return { bucket, record, here, elsewhere, url, signed, put, read, list, index, split, shards };
}

/** Lets the test set the time, which the directory believes from then on. */
function useTime(): (nowMs: number) => Promise<void> {
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
  const directory = createDoDirectory(env.DIRECTORY, {
    clock: systemClock,
    background: { run: () => undefined },
    hostFreshSeconds: 0,
  });
  const setTime = async (nowMs: number) => {
    vi.setSystemTime(nowMs);
    await directory.call('setSeenTime', { atMs: nowMs, steady: null });
  };
  onTestFinished(async () => {
    vi.useRealTimers();
    await directory.call('setSeenTime', { atMs: Date.now(), steady: null });
  });
  return setTime;
}

it('a split bucket lists and reads as one, in every isolate', async () => {
  const { put, split, shards, list, read, elsewhere, here } = await createWorld();
  const keys = keysFrom(45);
  for (const key of keys) await put(key, `body of ${key}`);
  await split();
  expect((await shards()).length).toBeGreaterThan(4);
  expect(await list()).toEqual(keys);
  expect(await list(elsewhere)).toEqual(keys);
  for (const isolate of [here, elsewhere]) {
    for (const key of keys) expect(await read(key, isolate)).toBe(`body of ${key}`);
    expect(await read('none', isolate)).toBe(404);
  }
});

it('a read of a split bucket calls the object of its key alone', async () => {
  const { put, split, elsewhere, url } = await createWorld();
  for (const key of keysFrom(45)) await put(key, key);
  await split();
  // The isolate reads the record and the map.
  expect((await elsewhere.count(url('/key-001'))).status).toBe(200);
  expect((await elsewhere.count(url('/key-030'))).index.get).toBe(1);
  expect((await elsewhere.count(url('/key-040'))).index.get).toBe(1);
  expect((await elsewhere.count(url('/key-040'))).index.get ?? 0).toBe(0);
});

it('changes of a split bucket are seen by other isolates within five seconds', async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const { put, split, read, signed, elsewhere, here } = await createWorld();
  for (const key of keysFrom(45)) await put(key, 'old');
  for (const key of ['key-003', 'key-043']) expect(await read(key, elsewhere)).toBe('old');
  await split();

  await put('key-003', 'new');
  await put('key-043', 'new');
  expect((await signed('DELETE', '/key-020')).status).toBe(204);
  expect(await read('key-043', here)).toBe('new');
  vi.setSystemTime(Date.now() + FRESH_MS);
  for (const key of ['key-003', 'key-043']) expect(await read(key, elsewhere)).toBe('new');
  expect(await read('key-020', elsewhere)).toBe(404);

  expect(await read('key-030', elsewhere)).toBe('old');
  const access = '<PublicAccessBlockConfiguration><IgnorePublicAcls>true</IgnorePublicAcls>';
  const rest =
    '<RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>';
  expect((await signed('PUT', '?publicAccessBlock', `${access}${rest}`)).status).toBe(200);
  expect((await signed('DELETE', '?policy')).status).toBe(204);
  vi.setSystemTime(Date.now() + FRESH_MS);
  for (const key of ['key-003', 'key-030', 'key-043']) expect(await read(key, elsewhere)).toBe(403);
});

it('hours of all shards come to the ledger, once, under the id of the bucket', async () => {
  const setTime = useTime();
  const startMs = Date.UTC(2031, 2, 3);
  await setTime(startMs);
  const { put, split, shards, record, bucket } = await createWorld();
  for (const key of keysFrom(45)) await put(key);
  await setTime(startMs + HOUR_MS / 2);
  await split();
  const names = (await shards()).map(({ bucket: { name } }) => name);
  expect(names.length).toBeGreaterThan(4);

  await setTime(startMs + 30 * HOUR_MS);
  const numbers = Array.from({ length: 9 }, (_, at) => at + 1);
  const objects = [bucket, ...numbers.map((number) => nameOfShard(bucket, number))];
  const wake = async () => {
    for (const name of objects)
      await runDurableObjectAlarm(env.BUCKETS.get(env.BUCKETS.idFromName(name)));
  };
  await wake();
  await wake();
  const query = { accountId: record.ownerId, bucketId: record.id, fromMs: 0 };
  const all = { ...query, toMs: Date.UTC(2100, 0), groupBy: [] };
  const used = await createDoLedger(env.LEDGER).call('query', all);
  const stored = used.find(({ meter }) => meter === 'storage/STANDARD')?.quantity ?? 0n;
  expect(Number(stored) / HOUR_MS).toBe(45 * BODY.length * 30);
});

it('the sweep deletes what no shard knows, and nothing else', async () => {
  const setTime = useTime();
  const { put, split, list, read, elsewhere, bucket, record } = await createWorld();
  const keys = keysFrom(30);
  for (const key of keys) await put(key);
  await split();
  for (const key of keysFrom(30)) await put(`later-${key}`);
  const prefix = `b/${record.id}/`;
  const orphan = `${prefix}${'0'.repeat(27)}`;
  await env.BLOBS.put(orphan, 'left by a crash');
  await setTime(Date.now() + 120_000);
  await sweepFrom(bucket, { ...SETTINGS, QUAYSIDE_GRACE_SECONDS: '60' });
  expect(await env.BLOBS.head(orphan)).toBeNull();
  expect((await env.BLOBS.list({ prefix })).objects).toHaveLength(60);
  for (const key of await list()) expect(await read(key, elsewhere)).not.toBe(404);
});

it('small bodies of each shard move into packs of its own, and go with their keys', async () => {
  const setTime = useTime();
  const { put, split, shards, list, read, signed, elsewhere, bucket, record } = await createWorld();
  for (const key of keysFrom(25)) await put(key, 'x');
  await split();
  expect((await shards()).length).toBeGreaterThan(2);
  const small = 'y'.repeat(16_000);
  const keys = keysFrom(25).flatMap((key) => [0, 1, 2, 3].map((number) => `${key}-${number}`));
  for (const key of keys) await put(key, small);
  const packs = async () => (await env.BLOBS.list({ prefix: `b/${record.id}/` })).objects;
  expect(await packs()).toEqual([]);

  const nextSweep = async (ms: number) => {
    await setTime(Date.now() + ms);
    await sweepFrom(bucket, { ...SETTINGS, QUAYSIDE_GRACE_SECONDS: '60' });
  };
  await nextSweep(25 * HOUR_MS);
  expect((await packs()).length).toBeGreaterThan(1);
  for (const key of keys) expect(await read(key, elsewhere)).toBe(small);
  await nextSweep(HOUR_MS);
  expect((await packs()).length).toBeGreaterThan(1);

  for (const key of await list()) expect((await signed('DELETE', `/${key}`)).status).toBe(204);
  await nextSweep(2 * HOUR_MS);
  expect(await packs()).toEqual([]);
});

it('what needs all keys in one index is refused where there are too many', async () => {
  const { put, split, index, record } = await createWorld();
  for (const key of keysFrom(25)) await put(key, 'x');
  await split();
  const router = createShardRouter(index, systemClock, null, 20);
  const bucket = await router.call(record.name, 'getBucket', { name: record.name });
  if (bucket === null) throw new Error('There is no bucket.');
  const page = { bucket, prefix: '', text: 'key', limit: 10, after: null };
  const search = router.call(bucket.name, 'searchKeys', page as never);
  await expect(search).rejects.toMatchObject({ code: 'NotImplemented' });
  const quota = { maxBytes: 1_000_000, maxObjects: null };
  const settings = { quota } as never;
  const set = router.call(bucket.name, 'setBucketSettings', { bucket, settings });
  await expect(set).rejects.toMatchObject({ code: 'NotImplemented' });
});

it('an object splits its bucket by its alarm, in several runs', async () => {
  const { put, list, shards, bucket, index } = await createWorld();
  const keys = keysFrom(60);
  for (const key of keys) await put(key, key);
  let atMs: number | null = null;
  const alarm = createShardAlarm({
    name: bucket,
    rows: ROWS,
    slot: {
      set(nextMs) {
        atMs = nextMs;
      },
      atMs: () => atMs,
    },
    openIndex: () => index,
    clock: systemClock,
    log: { info: () => undefined, error: () => undefined },
    callsMax: 100,
  });
  let runs = 0;
  do {
    atMs = null;
    await alarm.run();
    runs += 1;
  } while (atMs !== null && runs < 50);
  expect(runs).toBeGreaterThan(1);
  expect((await shards()).length).toBeGreaterThan(6);
  expect(await list()).toEqual(keys);
});
