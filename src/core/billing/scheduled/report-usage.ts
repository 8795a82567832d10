// Tells the webhooks of accounts what was used on each day, once it is over: `usage.daily`. Both
// homes call it by their clock. A walk over the accounts that have webhooks, which notes its place;
// what is repeated after a crash is the same message.
import { sha256Hex } from '../../../crypto/hash.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { DAY_MS, startOfDay } from '../../../domain/time.ts';
import type { Core } from '../../core.ts';
import { enqueue } from '../../outbox/deliveries.ts';
import type { CloseOptions } from '../invoices/close-months.ts';
import { dayText } from '../month.ts';
import { readUsage } from '../read-usage.ts';
import { DAY_GRACE_MS } from './push-usage.ts';

const PAGE = 100;
const ACCOUNTS_PER_RUN = 100_000;
/** Days that are told late, when the server stood still; older ones are left out. */
const DAYS_LATE = 7;

/**
 * How many messages went to webhooks. An account whose message fails is logged and left out. Cost:
 * for each account with a webhook, once a day, a query of the ledger and three directory calls;
 * else one directory call.
 */
export async function reportUsage(core: Core, options: CloseOptions = {}): Promise<number> {
  const { directory, clock } = core.ports;
  const run = { left: options.accountsMax ?? ACCOUNTS_PER_RUN, stopping: options.stopping ?? null };
  const dueMs = startOfDay(clock.nowMs() - DAY_GRACE_MS) - DAY_MS;
  const noted = await directory.call('getUsageReported', {});
  let { dayMs, after } = noted ?? { dayMs: dueMs, after: '' };
  if (dayMs < dueMs - DAYS_LATE * DAY_MS) [dayMs, after] = [dueMs - DAYS_LATE * DAY_MS, ''];
  let told = 0;
  for (; dayMs <= dueMs; [dayMs, after] = [dayMs + DAY_MS, '']) {
    const day = await reportDay(core, dayMs, after, run);
    told += day.told;
    if (!day.isDone) break;
    await directory.call('setUsageReported', { dayMs: dayMs + DAY_MS, after: '' });
  }
  return told;
}

type Run = { left: number; readonly stopping: AbortSignal | null };

async function reportDay(core: Core, dayMs: number, start: string, run: Run) {
  const { directory, log } = core.ports;
  let told = 0;
  for (let after = start; ; ) {
    const accounts = await directory.call('listWebhookAccounts', { after, limit: PAGE });
    for (const accountId of accounts) {
      if (run.left <= 0 || run.stopping?.aborted === true) return { told, isDone: false };
      run.left -= 1;
      try {
        told += await reportAccount(core, accountId, dayMs);
      } catch (cause) {
        log.error('usage-not-told', { accountId, dayMs, cause });
      }
      after = accountId;
      await directory.call('setUsageReported', { dayMs, after });
    }
    if (accounts.length < PAGE) return { told, isDone: true };
  }
}

/** A day without any use is not told. */
async function reportAccount(core: Core, accountId: AccountId, dayMs: number): Promise<number> {
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
