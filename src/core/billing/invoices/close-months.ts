// Closes the months that are due for all accounts, one after the other, and stores
// a cursor: a run that ends in the middle, by its bound or by a crash, goes on in
// the next one. The timers of both platforms call it, by scheduled/run-billing.ts.
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { enqueue } from '../../outbox/deliveries.ts';
import { type BillingMonth, monthOf, monthsLater, monthText, parseMonth } from '../month.ts';
import { readAccounts } from './billed-accounts.ts';
import { closeMonth, isDue } from './close-month.ts';
import { type InvoiceDocument, payable } from './invoice-document.ts';

/** Accounts in one page of the directory. */
const PAGE = 100;
/** Accounts that one run looks at; the rest waits for the next. */
const ACCOUNTS_PER_RUN = 100_000;
/**
 * Accounts whose bills may fail while a run still goes on to the next month. Where
 * more fail, the fault is not theirs.
 */
const FAILED_MAX = 100;
/**
 * How long after its closing a bill is reported, milliseconds: two runs of the
 * timer.
 */
const REPORT_MS = 2 * HOUR_MS;

export type CloseOptions = {
  /** Accounts looked at in this run; the rest waits for the next. 100,000. */
  readonly accountsMax?: number;
  readonly stopping?: AbortSignal;
};

/**
 * Closes all due months and returns how many bills there are of them. An account
 * whose bill fails is logged and retried in the next run; until then its later
 * months stay open too. Other accounts are not held up by it.
 */
export async function closeMonths(core: Core, options: CloseOptions = {}): Promise<number> {
  const { directory, clock } = core.ports;
  const run: Run = {
    left: options.accountsMax ?? ACCOUNTS_PER_RUN,
    stopping: options.stopping ?? null,
    failed: new Set(),
  };
  const cursor = await directory.call('getClosing', {});
  let period = cursor === null ? null : parseMonth(cursor.period);
  let after = cursor?.after ?? '';
  if (period === null) {
    period = monthsLater(monthOf(clock.nowMs()), -1);
    after = '';
  }

  let closed = 0;
  while (isDue(core, period, clock.nowMs())) {
    const result = await closeForAll(core, period, after, run);
    closed += result.closed;
    if (!result.isDone) break;
    period = monthsLater(period, 1);
    after = '';
    if (run.failed.size === 0)
      await directory.call('setClosing', { period: monthText(period), after });
  }
  if (closed > 0) core.ports.log.info('months-closed', { closed });
  return closed;
}

type Run = {
  left: number;
  readonly stopping: AbortSignal | null;
  /**
   * Whose bill of this or an earlier month failed; one more than FAILED_MAX at
   * most.
   */
  readonly failed: Set<AccountId>;
};

/**
 * Closes one month for the accounts after `start`; `isDone`: all of them were
 * looked at.
 */
async function closeForAll(core: Core, period: BillingMonth, start: string, run: Run) {
  const { directory, log } = core.ports;
  const { failed } = run;
  let closed = 0;
  for (let after = start; ; ) {
    const page = await readAccounts(core, after, PAGE);
    for (const account of page) {
      if (run.left <= 0 || run.stopping?.aborted === true) return { closed, isDone: false };
      run.left -= 1;
      after = account.id;
      // The bills of an account are made in the order of its months: credits go to
      // the older one.
      if (failed.has(account.id)) continue;
      try {
        if (await closeAndReport(core, account, period)) closed += 1;
      } catch (cause) {
        if (failed.size <= FAILED_MAX) failed.add(account.id);
        log.error('closing-failed', { accountId: account.id, period: monthText(period), cause });
      }
      // The cursor stays before the first failure, so that the next run comes by it
      // again.
      if (failed.size === 0)
        await directory.call('setClosing', { period: monthText(period), after });
    }
    if (page.length < PAGE) return { closed, isDone: failed.size <= FAILED_MAX };
  }
}

/**
 * Closes a due month of one account and reports its bill; false when it has none.
 * Idempotent.
 */
export async function closeAndReport(
  core: Core,
  account: Account,
  period: BillingMonth,
): Promise<boolean> {
  const bill = await closeMonth(core, account, period);
  if (bill !== null) await reportBill(core, account, bill);
  return bill !== null;
}

/**
 * Reports a new bill to the account's webhooks. A run that was cut short between
 * closing and reporting reports in the next one, within REPORT_MS; a repetition has
 * the same message id.
 */
async function reportBill(
  core: Core,
  { id: accountId }: Account,
  bill: InvoiceDocument,
): Promise<void> {
  const { number, closedAtMs, invoice } = bill;
  if (closedAtMs === null || closedAtMs < core.ports.clock.nowMs() - REPORT_MS) return;
  const { currency, totalMicro, period } = invoice;
  const data = {
    number,
    accountId,
    period: monthText(period),
    currency,
    totalMicro: String(totalMicro),
    payable: payable(bill),
    closedAt: new Date(closedAtMs).toISOString(),
  };
  await enqueue(core, accountId, 'invoice.closed', data, number);
}
