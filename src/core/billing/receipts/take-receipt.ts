// Records one answer in the ledger at once and gives its receipt: for requests that want one, and
// only these. An answer never fails for it: where the ledger does, the use goes the way of all
// others (flush-usage.ts), counted once, and has no price.

import type { ReceiptPart, Tariff } from '../../../domain/billing/receipts.ts';
import type { UsageBatch } from '../../../domain/billing/usage.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { createSemaphore, type Permit } from '../../../domain/semaphore.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { UsageOwner, Use } from '../../../ports/metering.ts';
import { within } from '../../../ports/with-timeout.ts';
import type { Core } from '../../core.ts';
import type { UsageFlusher } from '../../metering/flush-usage.ts';
import { usageRows } from '../../metering/usage-rows.ts';
import { monthOf, monthText } from '../month.ts';
import { createTariffFinder } from './tariffs.ts';

/** What an answer cost. */
export type Price = {
  /** The month whose bill it is part of: `2026-11`. */
  readonly period: string;
  readonly parts: readonly ReceiptPart[];
  readonly tariff: Tariff;
};
/** `price` null: counted, but the ledger could not be asked what it costs. */
export type Receipt = {
  readonly operationClass: Use['operationClass'];
  readonly price: Price | null;
};

/**
 * Counts the use in the turn in which it is called, and never rejects. Cost: one call to the
 * ledger.
 */
export type TakeReceipt = (owner: UsageOwner, use: Use) => Promise<Receipt>;

/** An answer waits so long for its receipt, milliseconds. */
const LIMIT_MS = 2_000;
/**
 * After a failure an account's receipts are not tried for so long, milliseconds; then one of them
 * is.
 */
const PAUSE_MS = 2_000;
/** Receipts under way at once in a process; those above have no price. */
const UNDER_WAY_MAX = 256;
/** One that the runtime ended in the middle counts as over after so long, milliseconds. */
const LOST_MS = 60_000;

/**
 * Makes the taking. `source` is a name that no other process has had. Each receipt under way has a
 * source of its own in the ledger, by which a batch that comes twice or late is known; there are as
 * many as were ever under way at once.
 */
export function createReceipts(
  core: Core,
  flusher: Pick<UsageFlusher, 'adopt'>,
  source: string,
): TakeReceipt {
  const { background, clock, ledger, log, meter } = core.ports;
  const findTariff = createTariffFinder(core);
  const limitMs = Math.min(core.settings.tierLimitMs, LIMIT_MS);
  const breaker = createCircuitBreaker(clock, PAUSE_MS);
  const underWay = createSemaphore({
    max: UNDER_WAY_MAX,
    idleMs: LOST_MS,
    nowMs: () => clock.nowMs(),
  });
  const idle: Lane[] = [];
  let made = 0;

  function takeLane(): Lane {
    const lane = idle.pop() ?? { source: `${source} receipts ${made}`, sequence: 0 };
    if (lane.sequence === 0) made += 1;
    lane.sequence += 1;
    return lane;
  }

  async function priceOf(accountId: AccountId, use: UsageBatch, atMs: number): Promise<Price> {
    const month = monthOf(atMs);
    const tariff = await findTariff(accountId, month);
    const parts = await ledger.call('takeReceipt', {
      accountId,
      use,
      tariff,
      nowMs: clock.nowMs(),
    });
    if (parts === null) throw new Error('Recorded before, without a receipt.');
    return { period: monthText(month), parts, tariff };
  }

  function countPlainly(
    owner: UsageOwner,
    { operationClass, bytesOut, tier, storageClass, alsoRead }: Use,
  ): void {
    const counter = meter.of(owner);
    counter.count(operationClass, bytesOut, tier, storageClass);
    for (const read of alsoRead) counter.alsoRead(read);
  }

  async function take(owner: UsageOwner, use: Use, permit: Permit): Promise<Receipt> {
    const { accountId } = owner;
    const { operationClass } = use;
    const { usage, settle } = meter.of(owner).countApart(use);
    const lane = takeLane();
    const batch = {
      source: lane.source,
      sequence: lane.sequence,
      rows: usageRows({ ...usage, operations: new Map(), unnamedReads: 0 }),
    };
    try {
      const price = await within(limitMs, 'the ledger', () =>
        priceOf(accountId, batch, usage.usedFromMs),
      );
      idle.push(lane);
      breaker.end(accountId);
      return { operationClass, price };
    } catch (cause) {
      log.error('receipt-not-taken', { accountId, cause });
      breaker.begin(accountId);
      // It may have been recorded, or may be yet: the same batch again is counted once. Its lane is
      // not used any more.
      flusher.adopt(accountId, batch);
      return { operationClass, price: null };
    } finally {
      settle();
      permit.release();
    }
  }

  return (owner, use) => {
    const isPaused = breaker.isOn(owner.accountId);
    // Of those that come when it is over the first is let through, to see.
    if (!isPaused) breaker.renew(owner.accountId);
    const permit = isPaused ? null : underWay.tryTake({ tenant: owner.accountId, shares: [] });
    if (permit === null) {
      countPlainly(owner, use);
      return Promise.resolve({ operationClass: use.operationClass, price: null });
    }
    const taken = take(owner, use, permit);
    // A client that leaves ends its request on Cloudflare; what was begun here goes on.
    background.run('receipt', () => taken);
    return taken;
  };
}

/** A source of batches that come one after the other. */
type Lane = { readonly source: string; sequence: number };
