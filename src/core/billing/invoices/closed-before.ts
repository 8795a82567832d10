// How far the months of one account are closed: by the walk over all accounts, or by
// its own progress where its ledger closes them.
import type { BillingDuties } from '../../../domain/billing/billing.ts';

/**
 * The first month, as text, that may be open: all before it are closed. Null: none was
 * ever closed.
 */
export function closedBefore({ closing, progress }: BillingDuties): string | null {
  const periods = [closing?.period, progress?.closedBefore].filter(
    (period) => period !== undefined,
  );
  return periods.sort().at(-1) ?? null;
}
