import { describe, expect, it } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import type {
  AccessKeyId,
  AccountId,
  BucketId,
  BucketReadPolicy,
} from '../../../src/domain/nouns.ts';
import { countSent } from '../../../src/http/outgoing-body.ts';
import { ChunkStream } from '../../../src/ports/chunk-stream.ts';
import type { Allowance, UsageOwner } from '../../../src/ports/metering.ts';

const alice = 'alice' as AccountId;
const owner = (bucket = 'photos~1', key: string | null = null, accountId = alice): UsageOwner => ({
  accountId,
  bucketId: bucket as BucketId,
  accessKeyId: key as AccessKeyId | null,
});
const all = () => true;
const open = () => {
  let nowMs = 1000;
  const meter = createUsageMeter({ nowMs: () => nowMs });
  const setNow = (ms: number) => {
    nowMs = ms;
  };
  return { meter, setNow };
};

describe('usage meter', () => {
  it('adds up per owner, class, tier and storage class, and returns each sum once', () => {
    const { meter, setNow } = open();
    meter.of(owner()).count('B', 10, 'memory', 'STANDARD');
    setNow(2000);
    meter.of(owner()).count('B', 5, 'bucket', 'STANDARD_IA');
    meter.of(owner('photos~1', 'key')).count('A', 7, 'none', 'STANDARD');
    meter.of(owner()).block();
    for (const fault of ['client', 'server', 'client'] as const) meter.of(owner()).fail(fault);
    expect(meter.ofBucket('photos~1' as BucketId)?.operations).toEqual({ A: 1, B: 2, free: 0 });
    const [read, write] = meter.drain(all);
    expect(read?.owner.accessKeyId).toBeNull();
    expect(read?.usedFromMs).toBe(1000);
    expect(read?.blocked).toBe(1);
    expect(read?.clientErrors).toBe(2);
    expect(read?.serverErrors).toBe(1);
    expect(read?.counts.get('STANDARD')).toMatchObject({
      classB: 1,
      memoryBytes: 10,
      bucketBytes: 0,
    });
    expect(read?.counts.get('STANDARD_IA')).toMatchObject({ classB: 1, bucketBytes: 5 });
    expect(write?.counts.get('STANDARD')).toMatchObject({ classA: 1, madeBytes: 7 });
    expect(meter.drain(all)).toEqual([]);
    expect(meter.totals()).toEqual({
      operations: { A: 1, B: 2, free: 0 },
      bytesOut: { memory: 10, edge: 0, bucket: 5, none: 7 },
    });
  });

  it('leaves accounts alone that are not wanted', () => {
    const { meter } = open();
    meter.of(owner()).count('A', 0, 'none', 'STANDARD');
    meter.of(owner('b~1', null, 'bob' as AccountId)).count('A', 0, 'none', 'STANDARD');
    expect(meter.drain((id) => id === alice).map((usage) => usage.owner.accountId)).toEqual([
      'alice',
    ]);
    expect(meter.drain(all).map((usage) => usage.owner.accountId)).toEqual(['bob']);
  });

  it('reports the first use of each owner after each drain', () => {
    const { meter } = open();
    let reports = 0;
    meter.whenUsed(() => {
      reports += 1;
    });
    for (let round = 1; round <= 3; round++) {
      for (let at = 0; at < 10; at++)
        meter.of(owner(`b~${at % 5}`)).count('B', 1, 'memory', 'STANDARD');
      expect(reports).toBe(5 * round);
      expect(meter.hasUses()).toBe(true);
      expect(meter.drain(all)).toHaveLength(5);
      expect(meter.hasUses()).toBe(false);
    }
  });

  it('reports it also after a drain that left its owner alone, with its time unchanged', () => {
    const { meter, setNow } = open();
    let reports = 0;
    meter.whenUsed(() => {
      reports += 1;
    });
    meter.of(owner()).count('B', 1, 'memory', 'STANDARD');
    expect(meter.drain(() => false)).toEqual([]);
    setNow(2000);
    meter.of(owner()).count('B', 1, 'memory', 'STANDARD');
    expect(reports).toBe(2);
    const [usage, ...others] = meter.drain(all);
    expect(others).toEqual([]);
    expect(usage?.usedFromMs).toBe(1000);
    expect(usage?.counts.get('STANDARD')?.classB).toBe(2);
  });

  it('loses nothing of counters that it forgot because there were too many', () => {
    const { meter } = open();
    const readPolicy = { ownerId: alice, bucketId: 'hot~1' } as BucketReadPolicy;
    const held = meter.ofReadPolicy(readPolicy);
    expect(meter.ofReadPolicy(readPolicy)).toBe(held);
    for (let at = 0; at < 20_050; at++)
      meter.of(owner(`b~${at}`)).count('A', 0, 'none', 'STANDARD');
    expect(meter.ofReadPolicy(readPolicy)).not.toBe(held);
    held.count('B', 3, 'memory', 'STANDARD');
    meter.ofReadPolicy(readPolicy).count('B', 4, 'memory', 'STANDARD');
    expect(meter.ofBucket('hot~1' as BucketId)?.bytesOut.memory).toBe(7);
    expect(meter.drain(all)).toHaveLength(20_052);
  });

  it('counts bytes of a long response as they leave, and returns the others to caps', () => {
    const { meter } = open();
    const counter = meter.of(owner());
    const allowance: Allowance = {
      capId: 'cap',
      scope: { kind: 'account' },
      used: 0,
      upTo: 1000,
      underWay: 0,
      reachable: 1000,
      expiresAtMs: 9000,
      level: 'open',
      perA: 0,
      perB: 1,
      perByte: 2,
    };
    counter.allowances = [allowance];
    const long = counter.countOpen('B', 100, 'bucket', 'STANDARD_IA');
    expect([allowance.used, allowance.underWay]).toEqual([201, 200]);
    long.sent(30);
    expect(meter.drain(all)[0]?.counts.get('STANDARD_IA')).toMatchObject({
      classB: 1,
      bucketBytes: 30,
    });
    long.sent(20);
    expect([allowance.used, allowance.underWay]).toEqual([201, 100]);
    long.end();
    long.end();
    long.sent(50);
    expect([allowance.used, allowance.underWay]).toEqual([101, 0]);
    expect(meter.drain(all)[0]?.counts.get('STANDARD_IA')).toMatchObject({
      classB: 0,
      bucketBytes: 20,
    });
    expect(meter.totals().bytesOut.bucket).toBe(50);
  });

  it('returns the quota reservation of a response that stalled for a minute', async () => {
    const { meter, setNow } = open();
    const counter = meter.of(owner());
    const allowance: Allowance = {
      capId: 'cap',
      scope: { kind: 'account' },
      used: 0,
      upTo: 150,
      underWay: 0,
      reachable: 1000,
      expiresAtMs: 9000,
      level: 'open',
      perA: 0,
      perB: 0,
      perByte: 1,
    };
    counter.allowances = [allowance];
    const body = countSent(
      counter,
      { operationClass: 'B', bytesOut: 100, tier: 'bucket', storageClass: 'STANDARD' },
      new ChunkStream({
        next: async () => ({ bytes: new Uint8Array(10), isBorrowed: false }),
        close: () => {
          isClosed = true;
        },
      }),
    ) as ChunkStream;
    let isClosed = false;
    const standing = () => [allowance.used, allowance.underWay];
    const vanished = counter.countOpen('B', 40, 'bucket', 'STANDARD');
    await body.chunks.next(10);
    expect(standing()).toEqual([140, 130]);
    setNow(50_000);
    await body.chunks.next(10);
    // The one that moved is held on.
    setNow(61_000);
    meter.releaseIdleReservations();
    expect(standing()).toEqual([100, 80]);
    vanished.end();
    expect(standing()).toEqual([100, 80]);
    setNow(110_000);
    meter.releaseIdleReservations();
    expect(standing()).toEqual([20, 0]);
    // There is room for all that is left of it.
    await body.chunks.next(10);
    expect(standing()).toEqual([100, 70]);
    setNow(170_000);
    meter.releaseIdleReservations();
    counter.count('B', 60, 'memory', 'STANDARD');
    expect(standing()).toEqual([90, 0]);
    await expect(body.chunks.next(10)).rejects.toMatchObject({ code: 'UsageCapReached' });
    expect([isClosed, standing()]).toEqual([true, [90, 0]]);
    const [usage] = meter.drain(all);
    expect(usage?.counts.get('STANDARD')).toMatchObject({
      classB: 3,
      bucketBytes: 30,
      memoryBytes: 60,
    });
  });
});
