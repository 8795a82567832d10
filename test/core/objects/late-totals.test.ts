// PUTs whose totals are counted late: bills and totals are those of a core that counts them at
// once, and a release goes on with what the other one left.
import { describe, expect, it } from 'vitest';
import { collectStorage } from '../../../src/core/metering/collect-storage.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import type { PutTotals } from '../../../src/domain/billing/put-totals.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
} from '../memory-core.ts';

const counting = (core: MemoryCore, putTotals: PutTotals): MemoryCore => ({
  ...core,
  settings: { ...core.settings, putTotals },
});
const bytes = sampleBytes(50_000);
const totalsOf = (bucket: BucketHandle) => bucket.call('getStorageTotals', {});

/** The life of a bucket, by a core for each half of it; gives its totals and its hours. */
async function liveOf(first: PutTotals, second: PutTotals) {
  const base = createMemoryCore();
  const bucket = await openTestBucket(base);
  const totals: unknown[] = [];
  for (const [half, putTotals] of [first, second].entries()) {
    const core = counting(base, putTotals);
    const pass = async (seconds: number) => {
      base.advanceSeconds(seconds);
      totals.push(await totalsOf(bucket));
    };
    for (let at = 0; at < 60; at++) {
      await putBytes(core, bucket, `${half}/${at}`, bytes.subarray(at));
      await pass(1);
    }
    await putBytes(core, bucket, `${half}/closed`, bytes, { encryption: { kind: 'server' } });
    await pass(60);
    await putBytes(core, bucket, `${half}/3`, bytes.subarray(100));
    await pass(60);
    const gone = [4, 59].map((at) => ({ key: key(`${half}/${at}`) }));
    await deleteObjects(core, bucket, gone);
    await pass(60);
    for (let at = 0; at < 5; at++) await putBytes(core, bucket, `${half}/last${at}`, bytes);
    await pass(HOUR_MS / 1000 - 60 - 180);
  }
  const { name, ownerId: accountId } = bucket.record();
  await collectStorage(base, name);
  const all = { accountId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] };
  return { totals, usage: await base.ports.ledger.call('query', all) };
}

describe('late totals', () => {
  it('bill and report what totals do that count at once, in any order of releases', async () => {
    const expected = await liveOf('at-once', 'at-once');
    expect(expected.usage.length).toBeGreaterThan(0);
    expect(await liveOf('late', 'late')).toEqual(expected);
    expect(await liveOf('late', 'at-once')).toEqual(expected);
    expect(await liveOf('at-once', 'late')).toEqual(expected);
  });
});
