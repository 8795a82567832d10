// An account's credits as the directory keeps them, in the terms of credits.ts.

import type { AccountBilling, CreditRow } from '../../../domain/billing/billing.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import type { BillingMonth } from '../month.ts';
import { type CreditGrant, creditsFor } from './credits.ts';
import type { Credit } from './invoice.ts';

/**
 * What is left of the account's credits for a month in that currency, in the order in which it is
 * taken.
 */
export function creditsOf(
  { credits, uses }: AccountBilling,
  period: BillingMonth,
  currency: string,
): readonly Credit[] {
  return creditsFor(period, currency, credits.map(toGrant), [{ credits: uses.map(toTaken) }]);
}

/** What is left of one credit, micro-units. */
export function leftOf({ uses }: AccountBilling, { id, amountMicro }: CreditRow): bigint {
  const taken = uses
    .filter(({ creditId }) => creditId === id)
    .map((use) => BigInt(use.amountMicro));
  return taken.reduce((left, each) => left - each, BigInt(amountMicro));
}

/**
 * Adds a credit, once for its id. Whoever gives it answers for id, label and amount being sound.
 */
export function addCredit(core: Core, accountId: AccountId, credit: CreditRow): Promise<CreditRow> {
  return core.ports.directory.call('addCredit', { accountId, credit });
}

const toGrant = ({ amountMicro, ...credit }: CreditRow): CreditGrant => ({
  ...credit,
  amountMicro: BigInt(amountMicro),
});
const toTaken = ({ creditId, amountMicro }: AccountBilling['uses'][number]): Credit => ({
  id: creditId,
  label: '',
  amountMicro: BigInt(amountMicro),
});
