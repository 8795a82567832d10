// Hot metadata as an isolate of Cloudflare has it: what is served while what stands below fails or
// hangs. The clock is the test's own, but for how long a hang is waited for. What a colo shares is
// colo.test.ts's.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createBucketFeeds } from '../../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import { createColoTier } from '../../../src/adapters/cloudflare/pointers/colo-tier.ts';
import { createWorkersHotMetadata } from '../../../src/adapters/cloudflare/pointers/workers-hot-metadata.ts';
import { createMemoryPointers } from '../../../src/adapters/shared/memory-pointers.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import type { KnownMetadata } from '../../../src/ports/caches/hot-metadata.ts';
import type { Log } from '../../../src/ports/system.ts';
import { hotMetadataContract } from '../../contract/hot-metadata.contract.ts';
import { pointerOf, readPolicyOf } from '../../contract/pointer-samples.ts';
import { createColo } from '../kit/colo-isolate.ts';

const log: Log = { info() {}, error() {} };
const FRESH_SECONDS = 5;
/**
 * How long a hang is waited for where a test makes one, and where none is to be: this machine may
 * be busy.
 */
const HANG_MS = 50;
const PATIENT_MS = 15_000;

/** A hot metadata as a new isolate of a new colo has it, with a clock of its own. */
function isolate(options: { revalidate?: number; negative?: number; limitMs?: number } = {}) {
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
  const behind: Promise<unknown>[] = [];
  const hot = createWorkersHotMetadata({
    kv: env.HOT,
    memory,
    feeds: createBucketFeeds(clock),
    colo: createColoTier({
      clock,
      log,
      limitMs: PATIENT_MS,
      idOf: (bucket) => bucket,
      open: createColo(),
    }),
    clock,
    background: { run: (_label, work) => void behind.push(work().catch(() => undefined)) },
    log,
    hungMs: 2 * HANG_MS,
    settings: {
      pointerFreshSeconds: FRESH_SECONDS,
      staleWhileRevalidateSeconds: options.revalidate ?? 0,
      staleIfErrorSeconds: 3600,
      negativeFreshSeconds,
      tierLimitMs: options.limitMs ?? PATIENT_MS,
    },
  });
  const settle = () => Promise.all(behind.splice(0));
  return { hot, clock, settle };
}

hotMetadataContract({
  name: 'memory before the colo',
  make: () => isolate({ limitMs: HANG_MS }).hot,
});

let made = 0;
const freshBucket = () => `hot-${Date.now().toString(36)}-${++made}` as BucketName;
const key = 'ä//../😀' as ObjectKey;

const neverAsk = () => Promise.reject(new Error('must not be asked'));
const failing = () =>
  Promise.reject(new StorageError('InternalError', { detail: 'expected by the test' }));
const hanging = () => new Promise<KnownMetadata>(() => undefined);

it('hot metadata says by the setting for how long readers elsewhere see the past', () => {
  const { hot } = isolate({ revalidate: 2 });
  expect(hot.staleForMs('strict')).toBe(1000);
  expect(hot.staleForMs(null)).toBe(7000);
  expect(hot.staleForMs('kv')).toBe(60_000);
  expect(hot.staleForMs('unknown')).toBe(60_000);
  // "There is none" may be kept for longer than what is there.
  expect(isolate({ revalidate: 2, negative: 90 }).hot.staleForMs(null)).toBe(90_000);
});

it('hot metadata counts the age of an entry from before its look-up, however late', async () => {
  const lateMs = 2900;
  const { hot, clock } = isolate();
  const bucket = freshBucket();
  const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
  const load = async () => {
    clock.ms += lateMs;
    return known;
  };
  expect(await hot.find(bucket, key, load)).toMatchObject({ tier: 'index' });
  clock.ms += FRESH_SECONDS * 1000 - lateMs - 1;
  expect(hot.peek(bucket, key)).toEqual(known);
  clock.ms += 1;
  expect(hot.peek(bucket, key)).toBeNull();
});

describe('hot metadata while the index can not say', () => {
  async function warm(options: Parameters<typeof isolate>[0] = {}) {
    const here = isolate({ limitMs: HANG_MS, ...options });
    const bucket = freshBucket();
    const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
    await here.hot.find(bucket, key, async () => known);
    return { ...here, bucket, known };
  }

  it('gives what memory has when it fails, says so, and asks once in a while', async () => {
    const load = failing;
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

  it('gives what is seconds old when it hangs, and more once it is known to hang', async () => {
    const { hot, bucket, known, clock, settle } = await warm();
    clock.ms += 9999;
    expect(await hot.find(bucket, key, hanging)).toMatchObject({ ...known, tier: 'memory' });
    clock.ms += 1;
    // It may be busy, and what it would say may be another thing by now.
    const old = hot.find(bucket, key, hanging);
    await expect(old).rejects.toMatchObject({ code: 'SlowDown' });
    await settle();
    expect(await hot.find(bucket, key, neverAsk)).toMatchObject({ ...known, tier: 'memory' });
    clock.ms += 55_000;
    expect(await hot.find(bucket, key, hanging)).toMatchObject({ ...known, tier: 'memory' });
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

describe('keys that strangers make up', () => {
  const keyAt = (at: number) => `made-up/${at}` as ObjectKey;

  it('cost the index of a bucket a bounded number of calls, and what is known none', async () => {
    const { hot, clock } = isolate();
    const [bucket, other] = [freshBucket(), freshBucket()];
    const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
    // Who changed a bucket waits for no other look-up of its colo.
    hot.evict(bucket, null);
    await hot.find(bucket, key, async () => known);
    let calls = 0;
    const none = async () => {
      calls += 1;
      return { readPolicy: readPolicyOf(bucket), pointer: null };
    };
    for (let at = 0; at < 200; at++) await hot.find(bucket, keyAt(at), none);
    expect(calls).toBe(200);
    const refused = hot.find(bucket, keyAt(200), none);
    await expect(refused).rejects.toMatchObject({ code: 'SlowDown' });
    expect(calls).toBe(200);

    // What is known is read, and refreshed; and other buckets are.
    expect(hot.find(bucket, key, neverAsk)).toMatchObject({ pointer: { etag: 'e1' } });
    expect(await hot.find(other, key, none)).toMatchObject({ pointer: null });
    clock.ms += 1000;
    for (let at = 300; at < 350; at++) await hot.find(bucket, keyAt(at), none);
    await expect(hot.find(bucket, keyAt(350), none)).rejects.toMatchObject({ code: 'SlowDown' });
    clock.ms += FRESH_SECONDS * 1000;
    expect(await hot.find(bucket, key, async () => known)).toMatchObject({ tier: 'index' });
  });

  it('that are there after all take nothing of it', async () => {
    const { hot } = isolate();
    const bucket = freshBucket();
    hot.evict(bucket, null);
    for (let at = 0; at < 500; at++) {
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(keyAt(at), 'e1') };
      expect(await hot.find(bucket, keyAt(at), async () => known)).toMatchObject(known);
    }
  });
});
