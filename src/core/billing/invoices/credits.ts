// Money that accounts need not pay: grants with an end, used up by invoices in their order. The sum
// of what invoices took of a grant is kept in the invoices alone, so that nothing is taken twice
// and nothing has to be kept in step.

import { type BillingMonth, monthBounds } from '../month.ts';
import type { Credit, Invoice } from './invoice.ts';

export type CreditGrant = {
  readonly id: string;
  readonly label: string;
  /** ISO 4217; a grant pays invoices of its own currency alone. */
  readonly currency: string;
  readonly amountMicro: bigint;
  readonly grantedAtMs: number;
  /** Months that begin at or after this don't get it; null is without end. */
  readonly expiresAtMs: number | null;
};

/**
 * What is left of each grant for a month, the one that ends first first; a month's end before the
 * grant gets none.
 */
export function creditsFor(
  period: BillingMonth,
  currency: string,
  grants: readonly CreditGrant[],
  invoices: readonly Pick<Invoice, 'credits'>[],
): readonly Credit[] {
  const { startMs, endMs } = monthBounds(period);
  const taken = new Map<string, bigint>();
  for (const { id, amountMicro } of invoices.flatMap(({ credits }) => credits)) {
    taken.set(id, (taken.get(id) ?? 0n) + amountMicro);
  }
  return grants
    .filter((grant) => grant.currency === currency && grant.grantedAtMs < endMs)
    .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > startMs)
    .sort(byEnd)
    .map(({ id, label, amountMicro }) => ({
      id,
      label,
      amountMicro: amountMicro - (taken.get(id) ?? 0n),
    }))
    .filter(({ amountMicro }) => amountMicro > 0n);
}

function byEnd(a: CreditGrant, b: CreditGrant): number {
  const ends =
    (a.expiresAtMs ?? Number.MAX_SAFE_INTEGER) - (b.expiresAtMs ?? Number.MAX_SAFE_INTEGER);
  return ends || a.grantedAtMs - b.grantedAtMs || (a.id < b.id ? -1 : 1);
}
