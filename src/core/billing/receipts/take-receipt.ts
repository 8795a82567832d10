// Records one response in the ledger at once and returns its receipt, for requests
// that want one. A response never fails for it: where the ledger fails, the use
// goes the way of all others (metering/flush-usage.ts), is counted once, and has no
// price.

import type { ReceiptPart, Tariff } from '../../../domain/billing/receipts.ts';
import type { UsageBatch } from '../../../domain/billing/usage.ts';
import { createSemaphore, type Permit } from '../../../domain/concurrency/semaphore.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { UsageOwner, Use } from '../../../ports/metering.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { Core } from '../../core.ts';
import type { UsageFlusher } from '../../metering/flush-usage.ts';
import { usageRows } from '../../metering/usage-rows.ts';
import { monthOf, monthText } from '../month.ts';
import { createTariffFinder } from './tariffs.ts';

/** The price of a response. */
export type Price = {
  /** The month whose bill has it: `2026-11`. */
  readonly period: string;
  readonly parts: readonly ReceiptPart[];
  readonly tariff: Tariff;
};
/** A receipt. `price` null: counted, but the ledger could not say what it costs. */
export type Receipt = {
  readonly operationClass: Use['operationClass'];
  readonly price: Price | null;
};

/**
 * Counts a use within the tick of the call, and returns its receipt; never rejects.
 * Cost: one call to the ledger.
 */
export type TakeReceipt = (owner: UsageOwner, use: Use) => Promise<Receipt>;

/** Timeout of a receipt, milliseconds: so long a response waits for it. */
const TIMEOUT_MS = 2_000;
/**
 * Cooldown of the circuit breaker of an account whose receipt failed, milliseconds.
 */
const COOLDOWN_MS = 2_000;
/** Receipts under way at once in a process; those above have no price. */
const UNDER_WAY_MAX = 256;
/**
 * Time after which a receipt that the runtime has ended gives its permit back,
 * milliseconds.
 */
const LOST_MS = 60_000;

/**
 * Makes `TakeReceipt`. `source` is a name that no other process has had. Each
 * receipt under way has a source slot of its own in the ledger, by which a batch
 * that comes twice or late is recognised. There are as many slots as were ever
 * under way at once.
 */
export function createReceipts(
  core: Core,
  flusher: Pick<UsageFlusher, 'adopt' | 'lookForAlerts'>,
  source: string,
): TakeReceipt {
  const { background, clock, ledger, log, meter } = core.ports;
  const findTariff = createTariffFinder(core);
  const timeoutMs = Math.min(core.settings.tierLimitMs, TIMEOUT_MS);
  const breaker = createCircuitBreaker(clock, COOLDOWN_MS);
  const underWay = createSemaphore({
    max: UNDER_WAY_MAX,
    idleMs: LOST_MS,
    nowMs: () => clock.nowMs(),
  });
  const idleSlots: SourceSlot[] = [];
  let slotCount = 0;

  function takeSlot(): SourceSlot {
    const slot = idleSlots.pop() ?? { source: `${source} receipts ${slotCount}`, sequence: 0 };
    if (slot.sequence === 0) slotCount += 1;
    slot.sequence += 1;
    return slot;
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

  /** Whether caps hold for an owner, by what memory knows. */
  const isCapped = (owner: UsageOwner) => (meter.of(owner).allowances ?? []).length > 0;

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
    const slot = takeSlot();
    const batch = {
      source: slot.source,
      sequence: slot.sequence,
      rows: usageRows({ ...usage, operations: new Map(), unnamedReads: 0 }),
    };
    try {
      const price = await withTimeout(timeoutMs, 'the ledger', () =>
        priceOf(accountId, batch, usage.usedFromMs),
      );
      idleSlots.push(slot);
      if (isCapped(owner)) flusher.lookForAlerts(accountId);
      breaker.end(accountId);
      return { operationClass, price };
    } catch (cause) {
      log.error('receipt-not-taken', { accountId, cause });
      breaker.begin(accountId);
      // It may have been recorded, or may be yet: a batch that is sent again is
      // counted once. Its slot is not used any more.
      flusher.adopt(accountId, batch);
      return { operationClass, price: null };
    } finally {
      settle();
      permit.release();
    }
  }

  return (owner, use) => {
    const isOpen = breaker.isOn(owner.accountId);
    // After the cooldown the first receipt is let through, as a probe.
    if (!isOpen) breaker.renew(owner.accountId);
    const permit = isOpen ? null : underWay.tryTake({ tenant: owner.accountId, shares: [] });
    if (permit === null) {
      countPlainly(owner, use);
      return Promise.resolve({ operationClass: use.operationClass, price: null });
    }

    const receipt = take(owner, use, permit);
    // A client that leaves ends its request on Cloudflare; what was begun here goes
    // on.
    background.run('receipt', () => receipt);
    return receipt;
  };
}

/**
 * A source slot: a name in the ledger under which batches come one after the other.
 */
type SourceSlot = { readonly source: string; sequence: number };
