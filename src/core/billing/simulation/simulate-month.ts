// Replays a month of an account against other cards, with what-ifs
// (simulate-bill.ts). Called by the JSON API; it reads the ledger and the cards
// that the reader may see, and stores nothing.

import { StorageError } from '../../../domain/errors.ts';
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { withoutSavings } from '../../metering/usage.ts';
import { type BillingMonth, monthBounds, monthText } from '../month.ts';
import { findAccountCard, findReadableCard } from '../prices/account-card.ts';
import { RATE_CARDS } from '../prices/rate-cards.ts';
import { readStoredByHour, readUsage } from '../read-usage.ts';
import { type Simulation, simulateBill, type WhatIf } from './simulate-bill.ts';

export type MonthSimulation = {
  /** The month as it was, by the account's own card as it was then. */
  readonly own: Simulation;
  /** With the what-ifs, by its own card and then by each of the others. */
  readonly others: readonly Simulation[];
};

export type SimulateInput = {
  readonly period: BillingMonth;
  readonly cardIds: readonly string[];
  readonly whatIfs: readonly WhatIf[];
  readonly objectCount: bigint;
  /** Who reads the result, and may see these cards; absent: the account itself. */
  readonly readerId?: AccountId;
};

/**
 * Simulates a month by other cards. NoSuchRateCard. Cost: one query of the ledger;
 * with a lifecycle one more, for the hours of the month and of as many days before.
 * A read of the directory for the account, and one for each card that does not
 * ship.
 */
export async function simulateMonth(
  core: Core,
  account: Account,
  input: SimulateInput,
): Promise<MonthSimulation> {
  const { period, cardIds, whatIfs, objectCount, readerId = account.id } = input;
  const month = monthText(period);
  const ownCard = await findAccountCard(core, account.id, month);
  const cards = await Promise.all(cardIds.map((id) => findReadableCard(core, readerId, id, month)));

  const { startMs, endMs } = monthBounds(period);
  const usage = await readUsage(core, account.id, startMs, endMs);
  const lifecycleDays = Math.max(
    0,
    ...whatIfs.map((whatIf) => (whatIf.kind === 'lifecycle' ? whatIf.days : 0)),
  );
  const hours = {
    meter: 'storage/STANDARD' as const,
    fromMs: startMs - lifecycleDays * DAY_MS,
    toMs: endMs,
  };
  const standardBytesByHour =
    lifecycleDays === 0 ? [] : await readStoredByHour(core, account.id, hours);

  const replayed = { period, usage, standardBytesByHour, objectCount };
  const [own] = simulateBill(replayed, [ownCard]);
  // Other providers neither deduplicate nor compress what is stored there.
  const gross = { ...replayed, usage: withoutSavings(usage) };
  const others = cards.map((card) => card ?? missing());
  const simulations = [ownCard, ...others].flatMap((card) => {
    const isElsewhere = card.id !== ownCard.id && RATE_CARDS.some(({ id }) => id === card.id);
    return simulateBill(isElsewhere ? gross : replayed, [card], whatIfs);
  });
  return { own: own ?? missing(), others: simulations };
}

function missing(): never {
  throw new StorageError('NoSuchRateCard');
}
