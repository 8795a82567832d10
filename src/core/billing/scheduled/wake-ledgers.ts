// The net below the alarms of ledgers on Cloudflare. Each closes the months of its own
// account (account-run.ts); a ledger that has not been opened since a release without
// alarms has none yet. So, once a month is long due, a walk looks for accounts that
// have not closed it, and opens their ledgers, which sets their alarms. It notes in
// the cursor of all accounts which months are closed.
import type { AccountId } from '../../../domain/nouns.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { readAccounts } from '../invoices/billed-accounts.ts';
import { isDue } from '../invoices/close-month.ts';
import {
  type BillingMonth,
  monthBounds,
  monthOf,
  monthsLater,
  monthText,
  parseMonth,
} from '../month.ts';

/** Accounts in one page of the directory. */
const PAGE = 500;
/** Ledgers that are opened at once. */
const CONCURRENCY = 20;
/**
 * How long after a month is due its accounts are looked at, milliseconds: by then
 * every alarm has gone off.
 */
const WAKE_AFTER_MS = DAY_MS / 2;

/**
 * Wakes the ledgers whose months are long due and open, `ledgersMax` in one run. Cost:
 * three directory calls for 500 accounts, and a call for each such ledger.
 */
export async function wakeLedgers(
  core: Core,
  { ledgersMax }: { readonly ledgersMax: number },
): Promise<void> {
  const { clock, directory } = core.ports;
  const cursor = await directory.call('getClosing', {});
  const known = parseMonth(cursor?.period ?? '');
  const period = known ?? monthsLater(monthOf(clock.nowMs()), -1);
  if (!isDue(core, period, clock.nowMs() - WAKE_AFTER_MS)) return;

  const run = { left: ledgersMax };
  const isClosed = await wakeUnclosed(
    core,
    period,
    known === null ? '' : (cursor?.after ?? ''),
    run,
  );
  if (isClosed)
    await directory.call('setClosing', { period: monthText(monthsLater(period, 1)), after: '' });
}

/**
 * Wakes the ledgers of accounts after `start` that have not closed a month; `true`: all
 * accounts have. The cursor stays before the first that has not.
 */
async function wakeUnclosed(
  core: Core,
  period: BillingMonth,
  start: string,
  run: { left: number },
): Promise<boolean> {
  const { directory } = core.ports;
  let isClosed = true;
  for (let after = start; run.left > 0; ) {
    const ids = (await readAccounts(core, after, PAGE)).map(({ id }) => id);
    const unclosed = await directory.call('listUnclosedAccounts', {
      period: monthText(period),
      accountIds: ids,
    });
    const open = await openLedgers(core, unclosed.slice(0, run.left), period);
    isClosed &&= open.length === 0 && unclosed.length <= run.left;
    run.left -= unclosed.length;

    after = ids.at(-1) ?? after;
    if (isClosed) await directory.call('setClosing', { period: monthText(period), after });
    if (ids.length < PAGE) return isClosed;
  }
  return false;
}

/** Opens ledgers, and returns whose month has a bill to be made. */
async function openLedgers(
  core: Core,
  accountIds: readonly AccountId[],
  period: BillingMonth,
): Promise<readonly AccountId[]> {
  const { ledger } = core.ports;
  const { endMs } = monthBounds(period);
  const open: AccountId[] = [];
  for (let at = 0; at < accountIds.length; at += CONCURRENCY) {
    const ids = accountIds.slice(at, at + CONCURRENCY);
    const firstHours = await Promise.all(
      ids.map((accountId) => ledger.call('getFirstHour', { accountId })),
    );
    open.push(...ids.filter((_, index) => (firstHours[index] ?? Number.POSITIVE_INFINITY) < endMs));
  }
  return open;
}
