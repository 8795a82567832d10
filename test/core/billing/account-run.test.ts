// Bills that the ledger of each account makes by itself are those of the walk over all accounts, to
// the byte. A run that dies is repeated; and what has no alarm is woken.
import { describe, expect, it } from 'vitest';
import { addCredit } from '../../../src/core/billing/invoices/account-credits.ts';
import { closeMonths } from '../../../src/core/billing/invoices/close-months.ts';
import { runAccount } from '../../../src/core/billing/scheduled/account-run.ts';
import { reportUsage } from '../../../src/core/billing/scheduled/report-usage.ts';
import { wakeLedgers } from '../../../src/core/billing/scheduled/wake-ledgers.ts';
import { accountRunTime } from '../../../src/domain/billing/alarm-times.ts';
import type { Account, AccountId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { accountQueueId } from '../../../src/ports/outbox.ts';
import { withPorts } from '../memory-core.ts';
import { addAccount, type BillingCore, createBillingCore, dyingAtCall } from './billing-core.ts';
import { GB } from './billing-samples.ts';

const DAY_MS = 86_400_000;
const at = (month: number, day: number, hour = 0) => Date.UTC(2026, month - 1, day, hour);

function goTo(core: BillingCore, atMs: number): void {
  core.advanceSeconds((atMs - core.ports.clock.nowMs()) / 1000);
}

/** Believes the clock, as the cron of the sweeper does. */
const believe = (core: BillingCore) =>
  core.ports.directory.call('setSeenTime', { atMs: core.ports.clock.nowMs(), steady: null });

async function addWebhook(core: BillingCore, { id: accountId }: Account): Promise<void> {
  const webhook = { id: accountId, accountId, url: 'https://example.com/', description: '' };
  const enabled = { types: ['*'], secrets: [], isEnabled: true, createdAtMs: at(11, 1) };
  await core.ports.directory.call('putWebhook', {
    webhook: { ...webhook, ...enabled },
    known: null,
    max: 9,
  });
}

/** All that came of an account's usage: its bills, and the messages about it. */
async function resultOf(core: BillingCore, { id: accountId }: Account) {
  const bills = await core.ports.directory.call('readInvoices', {
    accountId,
    from: '2026-01',
    to: '2028-01',
  });
  const { deliveries } = await core.ports.directory.call('listDeliveries', {
    queueId: accountQueueId(accountId),
    endpointId: accountId,
    state: 'waiting',
    before: null,
    limit: 999,
  });
  // A repetition has the same id, by which receivers know it.
  const messages = new Map(
    deliveries.map(({ messageId, payload }) => [messageId, JSON.parse(payload ?? '').data]),
  );
  return { bills, messages: [...messages].sort() };
}

type Bill = (core: BillingCore, accounts: readonly Account[]) => Promise<void>;

/** Four months of three accounts: usage, credit, usage that comes late, a month without any. */
async function liveThrough(bill: Bill) {
  const core = createBillingCore();
  const accounts = [ROOT_ACCOUNT, await addAccount(core, 'ann'), await addAccount(core, 'bob')];
  const [root, ann, bob] = accounts as [Account, Account, Account];
  for (const account of accounts) await addWebhook(core, account);
  await addCredit(core, ann.id, {
    id: 'welcome',
    label: '5 USD',
    currency: 'USD',
    amountMicro: '5000000',
    grantedAtMs: 0,
    expiresAtMs: null,
  });
  for (let dayMs = at(11, 20); dayMs < at(15, 10); dayMs += DAY_MS) {
    goTo(core, dayMs + 12 * 3_600_000);
    await believe(core);
    const nowMs = core.ports.clock.nowMs();
    const day = (dayMs - at(11, 20)) / DAY_MS;
    if (day % 3 === 0) await core.use(ann, nowMs, 'class-a/STANDARD', 1_500_000n);
    if (day < 50) await core.use(root, nowMs, 'storage/STANDARD', BigInt(day) * 100n * GB);
    if (day === 40) await core.use(bob, at(11, 25), 'class-a/STANDARD', 7_000_000n);
    if (day === 41) await core.use(bob, nowMs, 'class-b/STANDARD', 90_000_000n);
    await bill(core, accounts);
  }
  return Promise.all(accounts.map((account) => resultOf(core, account)));
}

const walk: Bill = async (core) => {
  await closeMonths(core);
  await reportUsage(core);
};

const wake = (core: BillingCore, { id }: Account, lastUsedMs = core.ports.clock.nowMs()) =>
  runAccount(core, id, lastUsedMs);

describe('the run of one account', () => {
  it('makes the bills and messages of the walk over all accounts, to the byte', async () => {
    const walked = await liveThrough(walk);
    const alone = await liveThrough(async (core, accounts) => {
      for (const account of [...accounts].sort((a, b) => (a.id < b.id ? -1 : 1)))
        await wake(core, account);
    });
    expect(walked.map(({ bills }) => bills.length)).toEqual([3, 4, 1]);
    expect(walked.every(({ messages }) => messages.length > 1)).toBe(true);
    expect(alone).toEqual(walked);
  });

  it('is made whole by the next when it dies at any call', async () => {
    const expected = await liveThrough(walk);
    let dies = 1;
    const alone = await liveThrough(async (core, accounts) => {
      for (const account of [...accounts].sort((a, b) => (a.id < b.id ? -1 : 1))) {
        dies = (dies % 17) + 1;
        await runAccount(dyingAtCall(core, dies), account.id, core.ports.clock.nowMs()).catch(
          () => undefined,
        );
        await wake(core, account);
      }
    });
    expect(alone).toEqual(expected);
  });

  it('is due on the day behind usage, else when the month is', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await core.use(ann, at(11, 20, 1), 'class-a/STANDARD', 1n);
    goTo(core, at(11, 20, 9));
    await believe(core);
    expect(await wake(core, ann, at(11, 20, 1))).toBe(accountRunTime('ann', at(11, 21)));
    goTo(core, at(11, 21, 9));
    await believe(core);
    expect(await wake(core, ann, at(11, 20, 1))).toBe(accountRunTime('ann', at(12, 2)));
    expect(await runAccount(core, ann.id, null)).toBe(null);
    // An account that is nobody's any more has no bills to come.
    expect(await runAccount(core, 'gone' as AccountId, at(11, 20, 1))).toBe(null);
  });

  it('does nothing while the clock is in doubt', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await believe(core);
    goTo(core, at(12, 15));
    await expect(wake(core, ann)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(
      await core.ports.directory.call('getBillingDuties', { accountId: ann.id }),
    ).toMatchObject({ progress: null });
  });
});

describe('the net below the alarms', () => {
  /** The ledgers that a run wakes. */
  async function wokenBy(core: BillingCore, ledgersMax = 100): Promise<readonly string[]> {
    const woken: string[] = [];
    const { ledger } = core.ports;
    const watched: typeof ledger = {
      call(name, input) {
        woken.push(input.accountId);
        return ledger.call(name, input);
      },
    };
    await wakeLedgers(withPorts(core, { ledger: watched }), { ledgersMax });
    return woken;
  }

  it('wakes whoever has not closed a month half a day after it is due', async () => {
    const core = createBillingCore();
    const [ann, bob] = [await addAccount(core, 'ann'), await addAccount(core, 'bob')];
    await addAccount(core, 'idle');
    for (const account of [ann, bob])
      await core.use(account, at(11, 3), 'class-a/STANDARD', 3_000_000n);
    await core.ports.directory.call('setClosing', { period: '2026-11', after: '' });

    goTo(core, at(12, 2, 11));
    await believe(core);
    expect(await wokenBy(core)).toEqual([]);
    await wake(core, ann);
    goTo(core, at(12, 2, 13));
    expect([...(await wokenBy(core))].sort()).toEqual(['bob', 'idle', ROOT_ACCOUNT.id].sort());
    expect(await core.ports.directory.call('getClosing', {})).toMatchObject({ period: '2026-11' });
    expect(await wokenBy(core, 1)).toHaveLength(1);

    await wake(core, bob);
    expect([...(await wokenBy(core))].sort()).toEqual(['idle', ROOT_ACCOUNT.id].sort());
    expect(await core.ports.directory.call('getClosing', {})).toEqual({
      period: '2026-12',
      after: '',
    });
    expect(await wokenBy(core)).toEqual([]);
  });
});
