// Caps that tests set.
import type { Cap } from '../../../src/domain/billing/caps.ts';

/** A cap on what an account sends in a month, unless `changes` say otherwise. `limit` in bytes. */
export const bytesCap = (limit: bigint, changes: Partial<Cap> = {}): Cap => ({
  id: 'cap',
  scope: { kind: 'account' },
  unit: 'bytes',
  limit,
  period: 'month',
  alertPercents: [],
  cachedFromPercent: null,
  cardId: null,
  liftedUntilMs: null,
  ...changes,
});
