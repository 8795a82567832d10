// An account's credits as the directory stores them, in the terms of credits.ts.
// Called when bills are made and by the JSON API; which credit pays what is decided
// there.

import type { AccountBilling, CreditRow } from '../../../domain/billing/billing.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import type { BillingMonth } from '../month.ts';
import { type CreditGrant, creditsFor } from './credits.ts';
import type { Credit } from './invoice.ts';

/**
 * What is left of the account's credits for a month in that currency, in the order
 * in which bills take it.
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
  return uses
    .filter(({ creditId }) => creditId === id)
    .reduce((left, use) => left - BigInt(use.amountMicro), BigInt(amountMicro));
}

/**
 * Adds a credit, once for its id (idempotent). The caller has checked its id, label
 * and amount.
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
