// Reports to the webhooks of accounts what was used on each day, once it is over:
// `usage.daily`. The timers of both platforms call it. It walks over the accounts
// that have webhooks and stores a cursor; a message that is repeated after a crash
// has the same id.
import { sha256Hex } from '../../../crypto/hash.ts';
import { DAY_GRACE_MS } from '../../../domain/billing/alarm-times.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { DAY_MS, startOfDay } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { enqueue } from '../../outbox/deliveries.ts';
import type { CloseOptions } from '../invoices/close-months.ts';
import { dayText } from '../month.ts';
import { readUsage } from '../read-usage.ts';

/** Accounts in one page of the directory. */
const PAGE = 100;
/** Accounts that one run looks at; the rest waits for the next. */
const ACCOUNTS_PER_RUN = 100_000;
/**
 * Days that are reported late, when the server stood still; older ones are left
 * out.
 */
export const DAYS_LATE = 7;

/**
 * Reports the days that are over and returns how many messages went to webhooks. An
 * account whose message fails is logged and left out. Cost: for each account with a
 * webhook, once a day, a query of the ledger and three directory calls; else one
 * directory call.
 */
export async function reportUsage(core: Core, options: CloseOptions = {}): Promise<number> {
  const { directory, clock } = core.ports;
  const run = { left: options.accountsMax ?? ACCOUNTS_PER_RUN, stopping: options.stopping ?? null };
  const dueMs = lastDueDay(clock.nowMs());
  const earliestMs = dueMs - DAYS_LATE * DAY_MS;

  const cursor = await directory.call('getUsageReported', {});
  let { dayMs, after } = cursor ?? { dayMs: dueMs, after: '' };
  if (dayMs < earliestMs) {
    dayMs = earliestMs;
    after = '';
  }

  let messages = 0;
  while (dayMs <= dueMs) {
    const day = await reportDay(core, dayMs, after, run);
    messages += day.messages;
    if (!day.isDone) break;
    dayMs += DAY_MS;
    after = '';
    await directory.call('setUsageReported', { dayMs, after });
  }
  return messages;
}

/** The start of the last day that is to be reported at a time. */
export const lastDueDay = (nowMs: number): number => startOfDay(nowMs - DAY_GRACE_MS) - DAY_MS;

type Run = { left: number; readonly stopping: AbortSignal | null };

/**
 * Reports one day to the accounts after `start`; `isDone`: all of them were looked
 * at.
 */
async function reportDay(core: Core, dayMs: number, start: string, run: Run) {
  const { directory, log } = core.ports;
  let messages = 0;
  for (let after = start; ; ) {
    const accounts = await directory.call('listWebhookAccounts', { after, limit: PAGE });
    for (const accountId of accounts) {
      if (run.left <= 0 || run.stopping?.aborted === true) return { messages, isDone: false };
      run.left -= 1;
      try {
        messages += await reportAccount(core, accountId, dayMs);
      } catch (cause) {
        log.error('usage-not-told', { accountId, dayMs, cause });
      }
      after = accountId;
      await directory.call('setUsageReported', { dayMs, after });
    }
    if (accounts.length < PAGE) return { messages, isDone: true };
  }
}

/**
 * Reports a day to one account's webhooks; a day without any use is not reported.
 */
export async function reportAccount(
  core: Core,
  accountId: AccountId,
  dayMs: number,
): Promise<number> {
  const usage = await readUsage(core, accountId, dayMs, dayMs + DAY_MS);
  const used = [...usage]
    .filter(([, quantity]) => quantity > 0n)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (used.length === 0) return 0;

  const day = dayText(dayMs);
  const quantities = Object.fromEntries(used.map(([meter, quantity]) => [meter, String(quantity)]));
  const messageId = `usage-${day}-${sha256Hex(accountId).slice(0, 20)}`;
  return enqueue(core, accountId, 'usage.daily', { accountId, day, usage: quantities }, messageId);
}
