// Requests of one process that lease of a cap while the ledger says nothing: how long each waits
// for another's call, and how many calls there are.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { createCapLeases } from '../../../src/core/caps/cap-leases.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import type { AccountId, BucketId } from '../../../src/domain/nouns.ts';
import type { Ledger } from '../../../src/ports/ledger.ts';
import type { LeaseDecision } from '../../../src/ports/ledger-calls/cap-calls.ts';
import { createTestCore } from '../memory-core.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const NO_CAPS: LeaseDecision = { standings: [], crossings: [] };
/** How long the ledger may take: far longer than a request waits for another's call. */
const LIMIT_MS = 60_000;
/** Longer than a request waits for another's call. */
const LONGER_MS = 1_500;

/** The leases of a process whose ledger responds when the test says so. */
function createWorld() {
  const calls: PromiseWithResolvers<LeaseDecision>[] = [];
  const ledger: Ledger = {
    call(): never {
      const call = Promise.withResolvers<LeaseDecision>();
      calls.push(call);
      return call.promise as never;
    },
  };
  const clock = { nowMs: () => Date.now() };
  const shared = createTestCore(
    { ledger, clock, background: { run: () => undefined } },
    { tierLimitMs: LIMIT_MS },
  );
  const core = { ...shared, ports: { ...shared.ports, meter: createUsageMeter(clock) } };
  const reportCrossing = () => undefined;
  const flusher = createUsageFlusher(core, { source: 'p', intervalMs: 1, reportCrossing });
  const leases = createCapLeases(core, flusher, 'p', reportCrossing);

  /** Asks for a lease; gives how that ended, once it has. */
  async function renew(account = 'alice') {
    const owner = {
      accountId: account as AccountId,
      bucketId: 'b~1' as BucketId,
      accessKeyId: null,
    };
    const request = { end: 'waits' };
    leases.renew({ owner, operationClass: 'B', bytesOut: 1 }).then(
      () => (request.end = 'leased'),
      () => (request.end = 'failed'),
    );
    await vi.advanceTimersByTimeAsync(0);
    return request;
  }
  return { calls, renew };
}

it('requests of one account share a call of the ledger, of two accounts none', async () => {
  const { calls, renew } = createWorld();
  const requests = [await renew(), await renew(), await renew()];
  expect(calls).toHaveLength(1);
  const other = await renew('bob');
  expect(calls).toHaveLength(2);
  calls[0]?.resolve(NO_CAPS);
  await vi.advanceTimersByTimeAsync(10);
  expect(requests.map(({ end }) => end)).toEqual(['leased', 'leased', 'leased']);
  expect(other.end).toBe('waits');
});

it("a request waits for another's call for a second, however long that may hang", async () => {
  const { calls, renew } = createWorld();
  const first = await renew();
  const second = await renew();
  await vi.advanceTimersByTimeAsync(LONGER_MS);
  expect([first.end, second.end]).toEqual(['waits', 'leased']);
  expect(calls).toHaveLength(1);
});

it('a call that hangs gives way to one other, which later requests wait for', async () => {
  const { calls, renew } = createWorld();
  await renew();
  await vi.advanceTimersByTimeAsync(LONGER_MS);
  const next = await renew();
  expect(calls).toHaveLength(2);
  // The end of the call that hung is not the end of the one that took its place.
  calls[0]?.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(10);
  const later = await renew();
  expect([calls.length, next.end, later.end]).toEqual([2, 'waits', 'waits']);
  calls[1]?.resolve(NO_CAPS);
  await vi.advanceTimersByTimeAsync(10);
  expect([next.end, later.end]).toEqual(['leased', 'leased']);
});

it('a call that fails at once may be repeated at once', async () => {
  const { calls, renew } = createWorld();
  const first = await renew();
  calls[0]?.reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(10);
  expect(first.end).toBe('failed');
  await renew();
  expect(calls).toHaveLength(2);
});

it('a ledger that said nothing to the end of its time is left alone for some seconds', async () => {
  const { calls, renew } = createWorld();
  const first = await renew();
  await vi.advanceTimersByTimeAsync(LIMIT_MS + 1);
  expect(first.end).toBe('failed');
  expect((await renew()).end).toBe('failed');
  expect(calls).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(2_500);
  expect((await renew()).end).toBe('waits');
  expect(calls).toHaveLength(2);
});
