// Hot metadata as an isolate of Cloudflare has it: when KV is asked and believed, and what is
// served while what stands below fails or hangs. The clock is the test's own, but for how long a
// hang is waited for.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import {
  encodePointer,
  encodeReadPolicy,
  KV_RECORD_TTL_SECONDS,
  pointerName,
  readPolicyName,
} from '../../../src/adapters/cloudflare/kv/hot-records.ts';
import { createKvHotMetadata } from '../../../src/adapters/cloudflare/kv/kv-hot-metadata.ts';
import { createKvRecordTtls } from '../../../src/adapters/cloudflare/kv/kv-record-ttls.ts';
import { createMemoryPointers } from '../../../src/adapters/shared/memory-pointers.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BucketName, BucketReadPolicy, ObjectKey } from '../../../src/domain/nouns.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import { addWatermarks } from '../../../src/domain/purge.ts';
import type { KnownMetadata } from '../../../src/ports/hot-metadata.ts';
import type { Log } from '../../../src/ports/system.ts';
import { hotMetadataContract } from '../../contract/hot-metadata.contract.ts';
import { pointerOf, readPolicyOf } from '../../contract/pointer-samples.ts';
import { PRIVATE } from '../kit/bucket.ts';
import { counting } from '../kit/counting.ts';

const log: Log = { info() {}, error() {} };
const FRESH_SECONDS = 5;
/**
 * How long a hang is waited for where a test makes one, and where none is to be: this machine may
 * be busy.
 */
const HANG_MS = 50;
const PATIENT_MS = 15_000;

/** A hot metadata as a new isolate has it, with a clock of its own and counted calls. */
function isolate(
  options: {
    kv?: KVNamespace;
    revalidate?: number;
    negative?: number;
    random?: () => number;
    limitMs?: number;
  } = {},
) {
  const negativeFreshSeconds = options.negative ?? 2;
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const memory = createMemoryPointers({
    clock,
    maxEntries: 1000,
    maxBytes: 1_000_000,
    negativeFreshSeconds,
    freshSeconds: FRESH_SECONDS,
    staleSeconds: 3600,
  });
  const counted = counting(options.kv ?? env.HOT);
  const ttls = createKvRecordTtls(clock);
  const behind: Promise<unknown>[] = [];
  const hot = createKvHotMetadata({
    kv: counted.target,
    memory,
    ttls,
    clock,
    background: { run: (_label, work) => void behind.push(work().catch(() => undefined)) },
    log,
    settings: {
      pointerFreshSeconds: FRESH_SECONDS,
      staleWhileRevalidateSeconds: options.revalidate ?? 0,
      staleIfErrorSeconds: 3600,
      negativeFreshSeconds,
      tierLimitMs: options.limitMs ?? PATIENT_MS,
    },
    random: options.random ?? (() => 0.99),
  });
  const settle = () => Promise.all(behind.splice(0));
  return { hot, calls: counted.calls, clock, ttls, settle };
}

hotMetadataContract({ name: 'memory before KV', make: () => isolate({ limitMs: HANG_MS }).hot });

let made = 0;
const freshBucket = () => `kv-${Date.now().toString(36)}-${++made}` as BucketName;
const key = 'ä//../😀' as ObjectKey;

const neverAsk = () => Promise.reject(new Error('must not be asked'));
const failing = () =>
  Promise.reject(new StorageError('InternalError', { detail: 'expected by the test' }));
const hanging = () => new Promise<KnownMetadata>(() => undefined);

type Isolate = ReturnType<typeof isolate>;

/** Writes both records as their object would, and tells the isolate that they are there. */
async function publish(
  to: Isolate,
  bucket: BucketName,
  known: KnownMetadata,
  options: {
    sequence?: number;
    reported?: number;
    atMs?: number;
    bucketId?: BucketReadPolicy['bucketId'];
    revision?: number;
  } = {},
): Promise<void> {
  const { sequence = 1, reported = sequence, atMs = to.clock.ms } = options;
  const stamp = { sequence, atMs, untilMs: atMs + KV_RECORD_TTL_SECONDS * 1000 };
  const bucketId = options.bucketId ?? known.readPolicy?.bucketId ?? null;
  const revision = options.revision ?? known.readPolicy?.revision ?? 0;
  await env.HOT.put(
    readPolicyName(bucket),
    encodeReadPolicy({ ...stamp, readPolicy: known.readPolicy }),
  );
  await env.HOT.put(
    pointerName(bucket, key),
    encodePointer({ ...stamp, bucketId, revision, pointer: known.pointer }),
  );
  const ttl = { sequence: reported, untilMs: stamp.untilMs };
  to.ttls.note(bucket, { readPolicy: ttl, keys: [{ key, ttl }] });
}

describe('KV before the index', () => {
  it('is not asked for what nobody published', async () => {
    const { hot, calls } = isolate();
    const bucket = freshBucket();
    const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
    expect(await hot.find(bucket, key, async () => known)).toMatchObject({ tier: 'index' });
    expect(calls).toEqual({});
  });

  it(
    'is asked once for a published key, with one ' +
      'bulk read, and not at all while memory is fresh',
    async () => {
      const here = isolate();
      const bucket = freshBucket();
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      await publish(here, bucket, known);
      expect(await here.hot.find(bucket, key, neverAsk)).toEqual({
        ...known,
        tier: 'kv',
        stale: null,
      });
      here.clock.ms += FRESH_SECONDS * 1000 - 1;
      expect(here.hot.find(bucket, key, neverAsk)).toEqual({
        ...known,
        tier: 'memory',
        stale: null,
      });
      here.clock.ms += 1;
      expect(await here.hot.find(bucket, key, neverAsk)).toMatchObject({ tier: 'kv' });
      expect(here.calls).toEqual({ get: 2 });
    },
  );

  it('leaves one lookup in a few to the index, which so sees how hot the key is', async () => {
    const draws = [0, 0.5];
    const here = isolate({ random: () => draws.shift() ?? 0.5 });
    const bucket = freshBucket();
    await publish(here, bucket, {
      readPolicy: readPolicyOf(bucket),
      pointer: pointerOf(key, 'kv'),
    });
    const fromIndex = async () => ({
      readPolicy: readPolicyOf(bucket),
      pointer: pointerOf(key, 'index'),
    });
    expect(await here.hot.find(bucket, key, fromIndex)).toMatchObject({ tier: 'index' });
    here.clock.ms += FRESH_SECONDS * 1000;
    expect(await here.hot.find(bucket, key, fromIndex)).toMatchObject({ tier: 'kv' });
  });

  it.each<
    [
      string,
      {
        sequence?: number;
        reported?: number;
        atMs?: number;
        bucketId?: BucketReadPolicy['bucketId'];
      },
    ]
  >([
    ['an older record than the one that was promised', { sequence: 6, reported: 7 }],
    [
      'a record whose ttl is over',
      { sequence: 7, atMs: 1_750_000_000_000 - KV_RECORD_TTL_SECONDS * 1000 },
    ],
    [
      'a pointer of another life of the bucket',
      { bucketId: makeBucketId('b' as BucketName, 'life0') },
    ],
  ])('is not believed: %s', async (_what, options) => {
    const here = isolate();
    const bucket = freshBucket();
    await publish(
      here,
      bucket,
      { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'old') },
      options,
    );
    const ttl = {
      sequence: options.reported ?? options.sequence ?? 1,
      untilMs: here.clock.ms + 1000,
    };
    here.ttls.note(bucket, { readPolicy: ttl, keys: [{ key, ttl }] });
    const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'new') };
    expect(await here.hot.find(bucket, key, async () => known)).toEqual({
      ...known,
      tier: 'index',
      stale: null,
    });
    here.clock.ms += FRESH_SECONDS * 1000;
    here.ttls.note(bucket, {
      readPolicy: { ...ttl, untilMs: here.clock.ms + 1000 },
      keys: [{ key, ttl: { ...ttl, untilMs: here.clock.ms + 1000 } }],
    });
    expect(await here.hot.find(bucket, key, async () => known)).toMatchObject({ tier: 'index' });
    expect(here.calls).toEqual({ get: 1 });
  });

  it(
    'shows nobody what a write of this very ' +
      'isolate replaced, not even when old news come in late',
    async () => {
      const here = isolate();
      const bucket = freshBucket();
      await publish(
        here,
        bucket,
        { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'secret') },
        { sequence: 3 },
      );
      here.hot.evict(bucket, [key]);
      const old = { sequence: 3, untilMs: here.clock.ms + KV_RECORD_TTL_SECONDS * 1000 };
      here.ttls.note(bucket, { readPolicy: old, keys: [{ key, ttl: old }] });
      const gone = async () => ({ readPolicy: readPolicyOf(bucket), pointer: null });
      expect(await here.hot.find(bucket, key, gone)).toMatchObject({
        pointer: null,
        tier: 'index',
      });
      here.clock.ms += 30_000;
      expect(await here.hot.find(bucket, key, gone)).toMatchObject({
        pointer: null,
        tier: 'index',
      });
      expect(here.calls).toEqual({});
    },
  );

  it('is read once for several keys, and they are sampled together', async () => {
    const keys = ['a', 'b', 'c', 'd'] as ObjectKey[];
    const draws = [0.5, 0];
    const here = isolate({ random: () => draws.shift() ?? Number.NaN });
    const bucket = freshBucket();
    const known = { readPolicy: readPolicyOf(bucket), pointer: null };
    const ttl = { sequence: 1, untilMs: here.clock.ms + KV_RECORD_TTL_SECONDS * 1000 };
    here.ttls.note(bucket, {
      readPolicy: ttl,
      keys: keys.map((each) => ({ key: each, ttl })),
    });
    let asked = 0;
    const load = async () => {
      asked += 1;
      return keys.map(() => known);
    };
    // Nothing stands there yet.
    expect(await here.hot.findAll(bucket, keys, load)).toMatchObject(
      keys.map(() => ({ ...known, tier: 'index' })),
    );
    expect([here.calls, asked, draws]).toEqual([{ get: 1 }, 1, [0]]);
    here.clock.ms += 31_000;
    const stamp = {
      sequence: 1,
      atMs: here.clock.ms,
      untilMs: here.clock.ms + KV_RECORD_TTL_SECONDS * 1000,
    };
    await env.HOT.put(
      readPolicyName(bucket),
      encodeReadPolicy({ ...stamp, readPolicy: known.readPolicy }),
    );
    const record = {
      ...stamp,
      bucketId: known.readPolicy.bucketId,
      revision: known.readPolicy.revision,
    };
    for (const each of keys) {
      const pointer = each === 'd' ? null : pointerOf(each, `kv ${each}`);
      await env.HOT.put(pointerName(bucket, each), encodePointer({ ...record, pointer }));
    }
    expect(await here.hot.findAll(bucket, keys, load)).toMatchObject(
      keys.map(() => ({ tier: 'index' })),
    );
    expect([here.calls, asked, draws]).toEqual([{ get: 1 }, 2, []]);
    here.clock.ms += 10_000;
    const tags = (await here.hot.findAll(bucket, keys, load)).map(({ tier, pointer }) => [
      tier,
      pointer?.etag,
    ]);
    expect(tags).toEqual([
      ['kv', 'kv a'],
      ['kv', 'kv b'],
      ['kv', 'kv c'],
      ['kv', undefined],
    ]);
    expect([here.calls, asked]).toEqual([{ get: 2 }, 2]);
  });

  it('is not believed where a purge has moved the floor above the record', async () => {
    const here = isolate();
    const bucket = freshBucket();
    const purges = addWatermarks(null, [{ scope: 'prefix', value: 'ä' }], 2);
    const readPolicy = {
      ...readPolicyOf(bucket),
      revision: 2,
      settings: { ...readPolicyOf(bucket).settings, purges },
    };
    await publish(here, bucket, { readPolicy, pointer: pointerOf(key, 'old') }, { revision: 1 });
    const known = { readPolicy, pointer: pointerOf(key, 'new') };
    expect(await here.hot.find(bucket, key, async () => known)).toMatchObject({
      tier: 'index',
      pointer: { etag: 'new' },
    });
    // What a place has read it repeats for 30 s.
    here.clock.ms += 30_000;
    await publish(here, bucket, { readPolicy, pointer: pointerOf(key, 'newer') });
    expect(await here.hot.find(bucket, key, neverAsk)).toMatchObject({
      tier: 'kv',
      pointer: { etag: 'newer' },
    });
  });

  it('tells a writer for how long readers elsewhere can be shown the past', async () => {
    const here = isolate({ revalidate: 2 });
    const [quiet, published] = [freshBucket(), freshBucket()];
    here.hot.evict(quiet, [key]);
    expect(here.hot.staleForMs(quiet, [key])).toBe(7000);
    expect(here.hot.staleForMs(quiet, 'readPolicy')).toBe(7000);
    await publish(here, published, {
      readPolicy: readPolicyOf(published),
      pointer: pointerOf(key, 'e1'),
    });
    here.clock.ms += 20_000;
    // The object's reply to the write: a new number, and until when the old record may be believed.
    const news = { sequence: 2, untilMs: here.clock.ms + 100_000 };
    here.ttls.note(published, { readPolicy: news, keys: [{ key, ttl: news }] });
    here.hot.evict(published, [key]);
    expect(here.hot.staleForMs(published, [key])).toBe(107_000);
    expect(here.hot.staleForMs(published, ['other' as ObjectKey])).toBe(7000);
    expect(here.hot.staleForMs(published, 'readPolicy')).toBe(107_000);
    expect(here.hot.staleForMs(published, ['_redirects' as ObjectKey])).toBe(107_000);
    expect(here.hot.staleForMs(published, 'unknown')).toBe((KV_RECORD_TTL_SECONDS + 7) * 1000);
    here.clock.ms += 100_000;
    expect(here.hot.staleForMs(published, [key])).toBe(7000);
  });

  it('tells him of "there is none" too, where that is kept for longer than records', async () => {
    const here = isolate({ revalidate: 2, negative: 60 });
    const bucket = freshBucket();
    await here.hot.find(bucket, key, async () => ({
      readPolicy: readPolicyOf(bucket),
      pointer: null,
    }));
    for (const change of [[key], 'readPolicy'] as const)
      expect(here.hot.staleForMs(bucket, change)).toBe(60_000);
    here.clock.ms += 59_000;
    const wasThere = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
    await here.hot.find(bucket, 'other' as ObjectKey, async () => wasThere);
    expect(here.hot.peek(bucket, key)).toMatchObject({ pointer: null });
    here.clock.ms += 1000;
    expect(here.hot.peek(bucket, key)).toBeNull();
  });

  it('says so also where the object was restarted and knows no read policy', async () => {
    const here = isolate({ revalidate: 2 });
    const bucket = freshBucket();
    await publish(here, bucket, {
      readPolicy: readPolicyOf(bucket),
      pointer: pointerOf(key, 'e1'),
    });
    here.clock.ms += 5000;
    const ttl = { sequence: 2, untilMs: here.clock.ms + 115_000 };
    here.ttls.note(bucket, { readPolicy: null, keys: [{ key, ttl }] });
    here.hot.evict(bucket, [key]);
    expect(here.hot.staleForMs(bucket, [key])).toBe(122_000);
  });

  it.each(['index', 'kv'] as const)(
    'counts what the %s says from before the lookup, however late it comes',
    async (tier) => {
      const lateMs = 2900;
      const get = async (...given: Parameters<KVNamespace['get']>) => {
        here.clock.ms += lateMs;
        return env.HOT.get(...given);
      };
      const here: Isolate = isolate({ kv: { get } as unknown as KVNamespace });
      const bucket = freshBucket();
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      if (tier === 'kv') await publish(here, bucket, known);
      const load = async () => {
        here.clock.ms += lateMs;
        return known;
      };
      expect(await here.hot.find(bucket, key, load)).toMatchObject({ tier });
      here.clock.ms += FRESH_SECONDS * 1000 - lateMs - 1;
      expect(here.hot.peek(bucket, key)).toEqual(known);
      here.clock.ms += 1;
      expect(here.hot.peek(bucket, key)).toBeNull();
    },
  );

  it('never makes one half younger by reading the other', async () => {
    const here = isolate();
    const bucket = freshBucket();
    const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
    const other = 'other' as ObjectKey;
    await here.hot.find(bucket, other, async () => ({ ...known, pointer: null }));
    here.clock.ms += (FRESH_SECONDS - 1) * 1000;
    await publish(here, bucket, known);
    expect(await here.hot.find(bucket, key, neverAsk)).toMatchObject({ tier: 'kv' });
    here.clock.ms += 1000;
    expect(here.hot.peek(bucket, key)).toBeNull();
  });

  it('knows what is gone or closed', async () => {
    const here = isolate();
    const [deleted, closed] = [freshBucket(), freshBucket()];
    await publish(here, deleted, { readPolicy: readPolicyOf(deleted), pointer: null });
    expect(await here.hot.find(deleted, key, neverAsk)).toMatchObject({
      pointer: null,
      tier: 'kv',
    });
    await publish(here, closed, {
      readPolicy: readPolicyOf(closed, { access: PRIVATE }),
      pointer: null,
    });
    expect(await here.hot.find(closed, key, neverAsk)).toMatchObject({
      readPolicy: { access: PRIVATE },
    });
  });

  it('takes what it cannot read for a miss', async () => {
    for (const text of ['', 'x', '{"v":1,"s":1,"g":null}', '[]', 'null', '7']) {
      const here = isolate();
      const bucket = freshBucket();
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      await publish(here, bucket, known);
      await env.HOT.put(readPolicyName(bucket), text);
      expect(await here.hot.find(bucket, key, async () => known)).toMatchObject({ tier: 'index' });
    }
  });

  it.each([
    ['fails', () => Promise.reject(new Error('expected by the test'))],
    ['hangs', () => new Promise(() => undefined)],
  ])('is a miss when it %s, and is left alone for a moment', async (_what, get) => {
    const here = isolate({ kv: { get } as unknown as KVNamespace, limitMs: HANG_MS });
    const [bucket, other] = [freshBucket(), freshBucket()];
    for (const name of [bucket, other]) {
      const known = { readPolicy: readPolicyOf(name), pointer: pointerOf(key, 'e1') };
      await publish(here, name, known);
      expect(await here.hot.find(name, key, async () => known)).toMatchObject({ tier: 'index' });
    }
    expect(here.calls).toEqual({ get: 1 });
  });
});

describe('while the index can not say', () => {
  async function warm(options: Parameters<typeof isolate>[0] = {}) {
    const here = isolate({ limitMs: HANG_MS, ...options });
    const bucket = freshBucket();
    const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
    await here.hot.find(bucket, key, async () => known);
    return { ...here, bucket, known };
  }

  it.each([
    ['fails', failing],
    ['hangs', hanging],
  ])('gives what memory has when it %s, says so, and asks once in a while', async (_what, load) => {
    const { hot, bucket, known, clock } = await warm();
    clock.ms += 60_000;
    expect(await hot.find(bucket, key, load)).toEqual({
      ...known,
      tier: 'memory',
      stale: { reason: 'error', isForwarded: true, ageSeconds: 60, stalenessSeconds: 55 },
    });
    expect(hot.find(bucket, key, neverAsk)).toMatchObject({
      stale: { reason: 'error', isForwarded: false },
    });
    expect(hot.peek(bucket, key)).toBeNull();
    clock.ms += 5000;
    const second = hot.find(bucket, key, load);
    expect(hot.find(bucket, key, neverAsk)).toMatchObject({
      stale: { reason: 'error', isForwarded: false },
    });
    expect(await second).toMatchObject({ stale: { isForwarded: true } });
    clock.ms += 5000;
    const news = { ...known, pointer: pointerOf(key, 'e2') };
    expect(await hot.find(bucket, key, async () => news)).toMatchObject({
      tier: 'index',
      pointer: { etag: 'e2' },
    });
    clock.ms += FRESH_SECONDS * 1000;
    expect(await hot.find(bucket, key, async () => news)).toMatchObject({ tier: 'index' });
  });

  it('gives it for a bounded time', async () => {
    const { hot, bucket, clock } = await warm();
    clock.ms += (FRESH_SECONDS + 3600) * 1000 - 1;
    expect(await hot.find(bucket, key, failing)).toMatchObject({ stale: { reason: 'error' } });
    clock.ms += 1;
    await expect(hot.find(bucket, key, failing)).rejects.toMatchObject({ code: 'InternalError' });
  });

  it('gives nothing stale for what the index did say', async () => {
    const { hot, bucket, clock } = await warm();
    clock.ms += 60_000;
    const gone = async () => ({ readPolicy: readPolicyOf(bucket), pointer: null });
    expect(await hot.find(bucket, key, gone)).toMatchObject({ pointer: null, stale: null });
    clock.ms += 60_000;
    await expect(hot.find(bucket, key, failing)).rejects.toMatchObject({ code: 'InternalError' });
  });

  it('never gives what this isolate itself changed, neither before nor while it asks', async () => {
    const { hot, bucket, known, clock } = await warm();
    clock.ms += 60_000;
    const asking = hot.find(bucket, key, hanging);
    hot.evict(bucket, [key]);
    await expect(asking).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(hot.find(bucket, key, failing)).rejects.toMatchObject({ code: 'InternalError' });
    await hot.find(bucket, key, async () => known);
    clock.ms += 60_000;
    hot.evict(bucket, null);
    await expect(hot.find(bucket, key, failing)).rejects.toMatchObject({ code: 'InternalError' });
  });

  it('refreshes behind the answer for a moment, one request for all', async () => {
    const { hot, bucket, known, clock, settle } = await warm({ revalidate: 10 });
    clock.ms += 7000;
    let asked = 0;
    const load = async () => {
      asked += 1;
      return { ...known, pointer: pointerOf(key, 'e2') };
    };
    for (let reader = 0; reader < 10; reader++) {
      expect(hot.find(bucket, key, load)).toMatchObject({
        pointer: { etag: 'e1' },
        stale: { reason: 'revalidating', isForwarded: false, ageSeconds: 7, stalenessSeconds: 2 },
      });
    }
    await settle();
    expect(asked).toBe(1);
    expect(hot.peek(bucket, key)?.pointer?.etag).toBe('e2');
    clock.ms += (FRESH_SECONDS + 10) * 1000;
    expect(await hot.find(bucket, key, load)).toMatchObject({ tier: 'index', stale: null });
  });

  it('asks a healthy index for what is old, however lately it failed for another key', async () => {
    const { hot, bucket, known, clock, settle } = await warm({ revalidate: 10 });
    const other = 'other' as ObjectKey;
    clock.ms += 1_800_000;
    await hot.find(bucket, other, async () => known);
    clock.ms += 7000;
    hot.find(bucket, other, failing);
    await settle();
    // Another isolate has deleted the first key long since.
    const gone = { ...known, pointer: null };
    expect(await hot.find(bucket, key, async () => gone)).toEqual({
      ...gone,
      tier: 'index',
      stale: null,
    });
  });

  it(
    'leaves it alone for a moment for what was good ' +
      'when it failed, and asks once for each older key',
    async () => {
      const { hot, bucket, known, clock } = await warm({ revalidate: 10 });
      const [young, failed] = ['young', 'failed'] as ObjectKey[] as [ObjectKey, ObjectKey];
      await hot.find(bucket, failed, async () => known);
      clock.ms += 1_800_000 - 13_000;
      await hot.find(bucket, young, async () => known);
      clock.ms += 13_000;
      expect(await hot.find(bucket, failed, failing)).toMatchObject({
        stale: { reason: 'error', isForwarded: true },
      });
      clock.ms += 4000;
      expect(hot.find(bucket, young, neverAsk)).toMatchObject({
        stale: { reason: 'error', stalenessSeconds: 12 },
      });
      expect(await hot.find(bucket, key, failing)).toMatchObject({
        stale: { reason: 'error', isForwarded: true },
      });
      expect(hot.find(bucket, key, neverAsk)).toMatchObject({
        stale: { reason: 'error', isForwarded: false },
      });
      // The last failure came when this one was too old.
      expect(await hot.find(bucket, young, async () => known)).toMatchObject({ tier: 'index' });
    },
  );

  it('says of a refresh that failed what it is', async () => {
    const { hot, bucket, clock, settle } = await warm({ revalidate: 10 });
    clock.ms += 7000;
    hot.find(bucket, key, failing);
    await settle();
    expect(hot.find(bucket, key, neverAsk)).toMatchObject({
      stale: { reason: 'error', isForwarded: false },
    });
  });
});
