// A closed invoice of an account, for routes that need one.
import { closeMonth } from '../../src/core/billing/invoices/close-month.ts';
import { monthOf } from '../../src/core/billing/month.ts';
import type { Core } from '../../src/core/core.ts';
import type { AccountId } from '../../src/domain/nouns.ts';

/** Closes the month that runs, with 36 USD of requests; gives it. */
export async function closeBill(core: Core, accountId: AccountId) {
  const { ledger, clock } = core.ports;
  const nowMs = clock.nowMs();
  const meter = 'class-a/STANDARD' as const;
  const row = { hourMs: nowMs, bucketId: null, accessKeyId: null, meter, quantity: 9_000_000n };
  await ledger.call('record', {
    accountId,
    batches: [{ source: 'bill', sequence: 1, rows: [row] }],
    nowMs,
  });
  const month = monthOf(nowMs);
  await closeMonth(core, { id: accountId, displayName: 'x' }, month, { isLast: true });
  return month;
}
