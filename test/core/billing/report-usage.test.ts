// Daily usage for webhooks: each day once, a cursor over accounts, and one id for a repetition.
import { beforeEach, describe, expect, it } from 'vitest';
import { reportUsage } from '../../../src/core/billing/scheduled/report-usage.ts';
import type { Account } from '../../../src/domain/nouns.ts';
import { accountQueueId } from '../../../src/ports/outbox.ts';
import { withPorts } from '../memory-core.ts';
import { addAccount, type BillingCore, createBillingCore } from './billing-core.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
/** The core's clock begins with the 20th. */
const on = (day: number, hour = 0) => Date.UTC(2026, 10, day, hour);

let core: BillingCore;
let ann: Account;
beforeEach(async () => {
  core = createBillingCore();
  ann = await withWebhook('ann');
});

async function withWebhook(
  name: string,
  types: readonly string[] = ['usage.daily'],
): Promise<Account> {
  const account = await addAccount(core, name);
  const webhook = {
    id: `wh-${name}`,
    accountId: account.id,
    url: 'https://example.com/',
    description: '',
    secrets: [],
  };
  const enabled = { ...webhook, types, isEnabled: true, createdAtMs: 0 };
  await core.ports.directory.call('putWebhook', { webhook: enabled, known: null, max: 9 });
  return account;
}

/** The oldest first. */
async function heard({ id }: Account) {
  const list = {
    queueId: accountQueueId(id),
    endpointId: `wh-${id}`,
    state: 'waiting',
    before: null,
    limit: 99,
  } as const;
  const { deliveries } = await core.ports.directory.call('listDeliveries', list);
  return deliveries
    .map(({ messageId, type, payload }) => ({
      messageId,
      type,
      ...JSON.parse(payload ?? '{}').data,
    }))
    .reverse();
}
const daysOf = async (account: Account) => (await heard(account)).map(({ day }) => day);

describe('usage.daily', () => {
  it('reports the sums of a day six hours after its end, once', async () => {
    await core.use(ann, on(19, 23), 'class-a/STANDARD', 5n);
    await core.use(ann, on(20, 0), 'class-a/STANDARD', 3n);
    await core.use(ann, on(20, 23), 'class-a/STANDARD', 4n);
    await core.use(ann, on(20, 7), 'storage/STANDARD', 1000n);
    await core.use(ann, on(21, 0), 'egress/edge', 9n);
    await reportUsage(core);
    core.advanceSeconds(DAY + 6 * HOUR - 1);
    await reportUsage(core);
    expect(await daysOf(ann)).toEqual(['2026-11-19']);
    core.advanceSeconds(1);
    for (const _ of [1, 2, 3]) await reportUsage(core);
    const [, second, ...more] = await heard(ann);
    expect(more).toEqual([]);
    expect(second).toEqual({
      ...{
        messageId: expect.stringMatching(/^msg_usage-2026-11-20-[0-9a-f]{20}$/),
        type: 'usage.daily',
      },
      ...{
        accountId: 'ann',
        day: '2026-11-20',
        usage: { 'class-a/STANDARD': '7', 'storage/STANDARD': '1000' },
      },
    });
  });

  it('leaves out a day without use, and accounts without such a webhook', async () => {
    const bob = await withWebhook('bob', ['invoice.*']);
    const eve = await withWebhook('eve', ['*']);
    for (const account of [bob, eve]) await core.use(account, on(20), 'egress/edge', 9n);
    core.advanceSeconds(DAY + 6 * HOUR);
    expect(await reportUsage(core)).toBe(1);
    expect([await heard(ann), await heard(bob), await daysOf(eve)]).toEqual([
      [],
      [],
      ['2026-11-20'],
    ]);
  });

  it('goes on where a run was cut short, and a failing account holds nobody up', async () => {
    const all = [ann, await withWebhook('bob'), await withWebhook('eve')];
    for (const account of all) await core.use(account, on(20), 'egress/edge', 9n);
    core.advanceSeconds(DAY + 6 * HOUR);
    expect(await reportUsage(core, { accountsMax: 1 })).toBe(1);
    expect(await daysOf(ann)).toEqual(['2026-11-20']);
    const { ledger } = core.ports;
    const failing: typeof ledger = {
      call: (name, input) =>
        input.accountId === 'bob' ? Promise.reject(new Error('away')) : ledger.call(name, input),
    };
    expect(await reportUsage(withPorts(core, { ledger: failing }))).toBe(1);
    expect([
      await daysOf(ann),
      await heard({ id: 'bob' } as Account),
      await daysOf(all[2] as Account),
    ]).toEqual([['2026-11-20'], [], ['2026-11-20']]);
  });

  it('has the same message id when it is reported again after a crash', async () => {
    await core.use(ann, on(20), 'egress/edge', 9n);
    core.advanceSeconds(DAY + 6 * HOUR);
    const { directory } = core.ports;
    const dying: typeof directory = {
      ...directory,
      call: (name, input) =>
        name === 'setUsageReported'
          ? Promise.reject(new Error('died'))
          : directory.call(name, input),
    };
    await expect(reportUsage(withPorts(core, { directory: dying }))).rejects.toThrow('died');
    await reportUsage(core);
    expect(new Set((await heard(ann)).map(({ messageId }) => messageId)).size).toBe(1);
  });

  it('catches up with a week at most', async () => {
    await reportUsage(core);
    for (let day = 19; day <= 30; day += 1) await core.use(ann, on(day), 'egress/edge', 9n);
    core.advanceSeconds(10 * DAY + 6 * HOUR);
    await reportUsage(core);
    expect(await daysOf(ann)).toEqual(
      [22, 23, 24, 25, 26, 27, 28, 29].map((day) => `2026-11-${day}`),
    );
  });
});
