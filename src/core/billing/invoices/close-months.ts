// Closes the months that are due for all accounts, one after the other, and remembers how far it
// came: a run that ends in the middle, by its bound or by a crash, goes on in the next one. Both
// homes call it by their clock.
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import { ROOT_ACCOUNT } from '../../auth/root-account.ts';
import type { Core } from '../../core.ts';
import { enqueue } from '../../outbox/deliveries.ts';
import { type BillingMonth, monthOf, monthsLater, monthText, parseMonth } from '../month.ts';
import { closeMonth, isDue } from './close-month.ts';
import { type InvoiceDocument, payable } from './invoice-document.ts';

/** Accounts read at once. */
const PAGE = 100;
const ACCOUNTS_PER_RUN = 100_000;
/**
 * Accounts whose bills may fail for a run to go on with the next month: where more do, it is not
 * they who are broken.
 */
const FAILED_MAX = 100;
/** How long after its closing a bill is told of: two runs of the clock. Milliseconds. */
const TELL_MS = 2 * HOUR_MS;

export type CloseOptions = {
  /** Accounts looked at in this run; the rest waits for the next. 100,000. */
  readonly accountsMax?: number;
  readonly stopping?: AbortSignal;
};

/**
 * How many bills were made or found. An account whose bill fails is logged, and looked at again in
 * the next run; its month stays open until then, and its later months too. Others' bills of it are
 * made all the same, and those of later months.
 */
export async function closeMonths(core: Core, options: CloseOptions = {}): Promise<number> {
  const { directory, clock } = core.ports;
  const run: Run = {
    left: options.accountsMax ?? ACCOUNTS_PER_RUN,
    stopping: options.stopping ?? null,
    failed: new Set(),
  };
  const begun = await directory.call('getClosing', {});
  let period = begun === null ? null : parseMonth(begun.period);
  let after = begun?.after ?? '';
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
  /** Whose bill of this or an earlier month failed; one more than FAILED_MAX at most. */
  readonly failed: Set<AccountId>;
};

async function closeForAll(core: Core, period: BillingMonth, start: string, run: Run) {
  const { directory, log } = core.ports;
  const { failed } = run;
  let closed = 0;
  for (let after = start; ; ) {
    const page = await readPage(core, after);
    for (const account of page) {
      if (run.left <= 0 || run.stopping?.aborted === true) return { closed, isDone: false };
      run.left -= 1;
      after = account.id;
      // The bills of an account are made in the order of its months: credits go to the older one.
      if (failed.has(account.id)) continue;
      try {
        const bill = await closeMonth(core, account, period);
        if (bill !== null) closed += 1;
        if (bill !== null) await reportBill(core, account, bill);
      } catch (cause) {
        if (failed.size <= FAILED_MAX) failed.add(account.id);
        log.error('closing-failed', { accountId: account.id, period: monthText(period), cause });
      }
      // The place stays before the first failure, so that the next run comes by it again.
      if (failed.size === 0)
        await directory.call('setClosing', { period: monthText(period), after });
    }
    if (page.length < PAGE) return { closed, isDone: failed.size <= FAILED_MAX };
  }
}

/**
 * Tells the account's webhooks of a bill that is new. A run that was cut short between closing and
 * telling tells in the next one, within TELL_MS; who hears of it twice sees the same message id.
 */
async function reportBill(
  core: Core,
  { id: accountId }: Account,
  bill: InvoiceDocument,
): Promise<void> {
  const { number, closedAtMs, invoice } = bill;
  if (closedAtMs === null || closedAtMs < core.ports.clock.nowMs() - TELL_MS) return;
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

/**
 * Accounts after one in the order of their ids: those of the settings, those of the directory,
 * owners of buckets.
 */
async function readPage(core: Core, after: string): Promise<readonly Account[]> {
  const { directory } = core.ports;
  const ids = await directory.call('listBilledAccounts', { after, limit: PAGE });
  const last = ids.length < PAGE ? null : (ids.at(-1) ?? null);
  const fixed = [ROOT_ACCOUNT, ...core.settings.seed.map(({ account }) => account)];
  const known = new Map(fixed.map((account) => [account.id, account]));
  const here = [...known.keys()].filter((id) => id > after && (last === null || id < last));
  const named = await directory.call('getAccounts', { ids: ids.filter((id) => !known.has(id)) });
  for (const account of named) known.set(account.id, account);
  const all = [...new Set<AccountId>([...ids, ...here])].sort();
  return all.slice(0, PAGE).map((id) => known.get(id) ?? { id, displayName: id });
}
