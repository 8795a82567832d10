// Credits: money that accounts need not pay, granted until an end and used up by
// invoices in their order. What was taken of a grant is recorded in the invoices
// alone, so that nothing is taken twice and no second sum has to be kept in step.
// Pure.

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
 * What is left of each grant for a month, the one that expires first at the front.
 * A month that ended before the grant gets none of it.
 */
export function creditsFor(
  period: BillingMonth,
  currency: string,
  grants: readonly CreditGrant[],
  invoices: readonly Pick<Invoice, 'credits'>[],
): readonly Credit[] {
  const { startMs, endMs } = monthBounds(period);
  const takenMicro = new Map<string, bigint>();
  for (const { id, amountMicro } of invoices.flatMap(({ credits }) => credits)) {
    takenMicro.set(id, (takenMicro.get(id) ?? 0n) + amountMicro);
  }

  return grants
    .filter((grant) => grant.currency === currency && grant.grantedAtMs < endMs)
    .filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > startMs)
    .sort(compareExpiry)
    .map(({ id, label, amountMicro }) => ({
      id,
      label,
      amountMicro: amountMicro - (takenMicro.get(id) ?? 0n),
    }))
    .filter(({ amountMicro }) => amountMicro > 0n);
}

function compareExpiry(a: CreditGrant, b: CreditGrant): number {
  const expiryOf = ({ expiresAtMs }: CreditGrant) => expiresAtMs ?? Number.MAX_SAFE_INTEGER;
  return expiryOf(a) - expiryOf(b) || a.grantedAtMs - b.grantedAtMs || (a.id < b.id ? -1 : 1);
}
