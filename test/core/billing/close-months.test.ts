// Bills over the ledger: the open month, closing once and for good, crashes and races in between,
// credits, forecasts.
import { describe, expect, it } from 'vitest';
import { addCredit, leftOf } from '../../../src/core/billing/invoices/account-credits.ts';
import { closeMonth } from '../../../src/core/billing/invoices/close-month.ts';
import { closeMonths } from '../../../src/core/billing/invoices/close-months.ts';
import { forecastMonth } from '../../../src/core/billing/invoices/forecast-month.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import { recompute } from '../../../src/core/billing/invoices/invoice-document.ts';
import {
  findAccountCard,
  findRateCard,
  putRateCard,
  setAccountCard,
} from '../../../src/core/billing/prices/account-card.ts';
import { rateCardJson } from '../../../src/core/billing/prices/rate-card-json.ts';
import { createTariffFinder } from '../../../src/core/billing/receipts/tariffs.ts';
import { runBilling } from '../../../src/core/billing/scheduled/run-billing.ts';
import { simulateMonth } from '../../../src/core/billing/simulation/simulate-month.ts';
import type { Account } from '../../../src/domain/nouns.ts';
import { accountQueueId } from '../../../src/ports/outbox.ts';
import { addAccount, type BillingCore, createBillingCore, dyingAtCall } from './billing-core.ts';
import { card, GB, usageOf } from './billing-samples.ts';

const DAY_SECONDS = 86_400;
const OCTOBER = { year: 2026, month: 10 };
const NOVEMBER = { year: 2026, month: 11 };
const inNovember = (day: number, hour = 0) => Date.UTC(2026, 10, day, hour);
const december = (core: BillingCore, day: number, hour = 0) =>
  core.advanceSeconds((Date.UTC(2026, 11, day, hour) - core.ports.clock.nowMs()) / 1000);
const totalOf = async (core: BillingCore, account: Account, period = NOVEMBER) =>
  (await getInvoice(core, account, period))?.invoice.totalMicro;

async function withUsage() {
  const core = createBillingCore();
  const ann = await addAccount(core, 'ann');
  await core.use(ann, inNovember(3), 'class-a/STANDARD', 3_000_000n);
  await core.use(ann, inNovember(4), 'storage/STANDARD', 20n * GB);
  return { core, ann };
}

describe('the bill of the open month', () => {
  it('is what was used so far, by the account’s card', async () => {
    const { core, ann } = await withUsage();
    const bill = await getInvoice(core, ann, NOVEMBER);
    expect(bill).toMatchObject({
      closedAtMs: null,
      accountName: 'ann & Co',
      invoice: { totalMicro: 9_000_000n },
    });
    expect(bill?.usage).toEqual(
      usageOf({ 'class-a/STANDARD': 3_000_000n, 'storage/STANDARD': 20n * GB }),
    );
    await setAccountCard(core, ann.id, 'aws-s3-us-east-1');
    expect(await totalOf(core, ann)).toBe(15_000_595n);
    expect(await getInvoice(core, ann, { year: 2026, month: 12 })).toBe(null);
  });

  it('loses the parts of an hour and a byte that are none, for the whole month once', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    const row = {
      bucketId: 'b' as never,
      accessKeyId: null,
      meter: 'storage/STANDARD' as const,
      quantity: 3_599_999n,
    };
    const rows = [1, 2].map((day) => ({ ...row, hourMs: inNovember(day) }));
    await core.ports.ledger.call('record', {
      accountId: ann.id,
      batches: [{ source: 's', sequence: 1, rows }],
      nowMs: 0,
    });
    expect((await getInvoice(core, ann, NOVEMBER))?.usage).toEqual(
      usageOf({ 'storage/STANDARD': 1n }),
    );
  });
});

describe('closing', () => {
  it('waits until the ledger has heard of everything', async () => {
    const { core, ann } = await withUsage();
    await expect(closeMonth(core, ann, NOVEMBER)).rejects.toMatchObject({ code: 'InvalidInput' });
    december(core, 1, 23);
    await expect(closeMonth(core, ann, NOVEMBER)).rejects.toMatchObject({ code: 'InvalidInput' });
    december(core, 2);
    const closed = await closeMonth(core, ann, NOVEMBER);
    expect(closed).toMatchObject({
      closedAtMs: Date.UTC(2026, 11, 2),
      invoice: { totalMicro: 9_000_000n },
    });
  });

  it('happens once: later usage, another card and another closing change nothing', async () => {
    const { core, ann } = await withUsage();
    december(core, 2);
    const [one, two] = await Promise.all([
      closeMonth(core, ann, NOVEMBER),
      closeMonth(core, ann, NOVEMBER),
    ]);
    expect(one).toEqual(two);
    await core.use(ann, inNovember(30), 'class-a/STANDARD', 50_000_000n);
    await setAccountCard(core, ann.id, 'aws-s3-us-east-1');
    core.advanceSeconds(DAY_SECONDS);
    expect(await closeMonth(core, ann, NOVEMBER)).toEqual(one);
    const kept = await getInvoice(core, ann, NOVEMBER);
    expect(kept).toEqual(one);
    if (kept !== null) expect(recompute(kept)).toEqual(kept.invoice);
  });

  it('makes no bill of a month without usage', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await setAccountCard(core, ann.id, 'bunny-storage');
    december(core, 2);
    expect(await closeMonth(core, ann, NOVEMBER)).toBe(null);
    expect(
      await core.ports.directory.call('listInvoices', { accountId: ann.id, before: '', limit: 9 }),
    ).toEqual([]);
  });

  it.each(['free/blocked', 'errors/4xx', 'errors/5xx'] as const)(
    'makes no bill of a month that has %s alone',
    async (meter) => {
      const core = createBillingCore();
      const ann = await addAccount(core, 'ann');
      await setAccountCard(core, ann.id, 'bunny-storage');
      await core.use(ann, inNovember(3), meter, 500n);
      expect(await totalOf(core, ann)).toBe(0n);
      december(core, 2);
      expect(await closeMonth(core, ann, NOVEMBER)).toBe(null);
    },
  );

  it('takes credits once, over the months', async () => {
    const { core, ann } = await withUsage();
    await core.use(ann, Date.UTC(2026, 11, 5), 'class-a/STANDARD', 3_000_000n);
    const credit = {
      id: 'w',
      label: 'w',
      currency: 'USD',
      amountMicro: '10000000',
      grantedAtMs: 0,
      expiresAtMs: null,
    };
    await addCredit(core, ann.id, credit);
    expect(await totalOf(core, ann)).toBe(0n);
    expect(
      leftOf(await core.ports.directory.call('getAccountBilling', { accountId: ann.id }), credit),
    ).toBe(10_000_000n);
    december(core, 2);
    expect((await closeMonth(core, ann, NOVEMBER))?.invoice.totalMicro).toBe(0n);
    expect(
      leftOf(await core.ports.directory.call('getAccountBilling', { accountId: ann.id }), credit),
    ).toBe(1_000_000n);
    december(core, 10);
    expect(await totalOf(core, ann, { year: 2026, month: 12 })).toBe(8_000_000n);
  });
});

describe('closing by the clock', () => {
  it('closes what is due for all accounts, and then has nothing to do', async () => {
    const { core, ann } = await withUsage();
    const bob = await addAccount(core, 'bob');
    await core.use(bob, Date.UTC(2026, 9, 9), 'class-a/STANDARD', 2_000_000n);
    expect(await closeMonths(core)).toBe(1);
    expect([
      (await getInvoice(core, bob, OCTOBER))?.closedAtMs,
      (await getInvoice(core, ann, NOVEMBER))?.closedAtMs,
    ]).toEqual([core.ports.clock.nowMs(), null]);
    december(core, 2);
    expect(await closeMonths(core)).toBe(1);
    expect(await closeMonths(core)).toBe(0);
    expect(await core.ports.directory.call('getClosing', {})).toEqual({
      period: '2026-12',
      after: '',
    });
  });

  it('tells the account’s webhooks of a new bill, and not again for ever', async () => {
    const { core, ann } = await withUsage();
    const webhook = {
      id: 'wh',
      accountId: ann.id,
      url: 'https://example.com/',
      description: '',
      secrets: [],
    };
    const enabled = { ...webhook, types: ['invoice.*'], isEnabled: true, createdAtMs: 0 };
    await core.ports.directory.call('putWebhook', { webhook: enabled, known: null, max: 9 });
    await closeMonths(core);
    december(core, 2);
    await closeMonths(core);
    const list = {
      queueId: accountQueueId(ann.id),
      endpointId: 'wh',
      state: 'waiting',
      before: null,
      limit: 9,
    } as const;
    const { deliveries } = await core.ports.directory.call('listDeliveries', list);
    expect(deliveries.map(({ type, payload }) => [type, JSON.parse(payload ?? '').data])).toEqual([
      [
        'invoice.closed',
        expect.objectContaining({ period: '2026-11', totalMicro: '9000000', payable: '9.00' }),
      ],
    ]);
    core.advanceSeconds(3 * 3600);
    await core.ports.directory.call('setClosing', { period: '2026-11', after: '' });
    await closeMonths(core);
    expect((await core.ports.directory.call('listDeliveries', list)).deliveries).toHaveLength(1);
  });

  it('catches up with months in their order after a long pause', async () => {
    const { core, ann } = await withUsage();
    await core.use(ann, Date.UTC(2026, 11, 9), 'class-a/STANDARD', 2_000_000n);
    await closeMonths(core);
    core.advanceSeconds(90 * DAY_SECONDS);
    expect(await closeMonths(core)).toBe(2);
    const heads = await core.ports.directory.call('listInvoices', {
      accountId: ann.id,
      before: '',
      limit: 9,
    });
    expect(heads.map(({ period }) => period)).toEqual(['2026-12', '2026-11']);
  });

  it('goes on where it ended, by its bound or when it was stopped', async () => {
    const core = createBillingCore();
    const accounts = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((name) => addAccount(core, name)),
    );
    for (const account of accounts)
      await core.use(account, inNovember(3), 'class-a/STANDARD', 3_000_000n);
    await closeMonths(core);
    december(core, 2);
    // The root account comes first, and has used nothing.
    expect(await closeMonths(core, { accountsMax: 3 })).toBe(2);
    expect(await core.ports.directory.call('getClosing', {})).toEqual({
      period: '2026-11',
      after: 'b',
    });
    expect(await closeMonths(core, { stopping: AbortSignal.abort() })).toBe(0);
    expect(await closeMonths(core)).toBe(3);
  });

  it('leaves nobody out whose bill failed, and bills the others', async () => {
    const { core, ann } = await withUsage();
    const bob = await addAccount(core, 'bob');
    await core.use(bob, inNovember(3), 'class-a/STANDARD', 3_000_000n);
    await closeMonths(core);
    december(core, 2);
    const { ledger } = core.ports;
    let isBroken = true;
    const failing: typeof ledger = {
      async call(name, input) {
        if (isBroken && input.accountId === ann.id) throw new Error('broken');
        return ledger.call(name, input);
      },
    };
    const broken = { ...core, ports: { ...core.ports, ledger: failing } };
    expect(await closeMonths(broken)).toBe(1);
    expect((await getInvoice(core, bob, NOVEMBER))?.closedAtMs).toBe(core.ports.clock.nowMs());
    expect((await core.ports.directory.call('getClosing', {}))?.period).toBe('2026-11');
    isBroken = false;
    expect(await closeMonths(broken)).toBe(2);
    expect((await getInvoice(core, ann, NOVEMBER))?.closedAtMs).toBe(core.ports.clock.nowMs());
  });

  it('bills other accounts while one fails, and that one in the order of its months', async () => {
    const { core, ann } = await withUsage();
    const bob = await addAccount(core, 'bob');
    await closeMonths(core);
    for (const account of [ann, bob])
      await core.use(account, Date.UTC(2026, 11, 5), 'class-a/STANDARD', 3_000_000n);
    core.advanceSeconds(60 * DAY_SECONDS);
    const { ledger } = core.ports;
    let isBroken = true;
    const call: typeof ledger.call = async (name, input) => {
      // The ledger has lost November of one account.
      const isNovember = 'fromMs' in input && input.fromMs === inNovember(1);
      if (isBroken && isNovember && input.accountId === ann.id) throw new Error('broken');
      return ledger.call(name, input);
    };
    const broken = { ...core, ports: { ...core.ports, ledger: { call } } };
    const billed = async ({ id: accountId }: Account) => {
      const heads = await core.ports.directory.call('listInvoices', {
        accountId,
        before: '',
        limit: 9,
      });
      return heads.map(({ period }) => period).toReversed();
    };
    for (const _ of [1, 2]) {
      await closeMonths(broken);
      expect([await billed(ann), await billed(bob)]).toEqual([[], ['2026-12']]);
    }
    expect((await core.ports.directory.call('getClosing', {}))?.period).toBe('2026-11');
    isBroken = false;
    await closeMonths(broken);
    expect([await billed(ann), await billed(bob)]).toEqual([['2026-11', '2026-12'], ['2026-12']]);
    expect((await core.ports.directory.call('getClosing', {}))?.period).toBe('2027-01');
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'makes the same bills after a crash at call %i of the directory',
    async (dies) => {
      const { core, ann } = await withUsage();
      await closeMonths(core);
      december(core, 2);
      const { directory } = core.ports;
      await closeMonths(dyingAtCall(core, dies)).catch(() => undefined);
      core.advanceSeconds(60);
      await closeMonths(core);
      const heads = await directory.call('listInvoices', {
        accountId: ann.id,
        before: '',
        limit: 9,
      });
      expect(heads.map(({ period, totalMicro }) => [period, totalMicro])).toEqual([
        ['2026-11', '9000000'],
      ]);
      expect((await directory.call('getClosing', {}))?.period).toBe('2026-12');
    },
  );
});

describe('cards of accounts', () => {
  it('are the default, a shipped one, or one of the operator', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    expect(await findAccountCard(core, ann.id)).toBe(card('cloudflare-r2'));
    const own = { ...(rateCardJson(card('cloudflare-r2')) as object), id: 'own', name: 'ours' };
    const kept = { ...card('cloudflare-r2'), id: 'own', name: 'ours', validFrom: '2026-11' };
    expect(await putRateCard(core, 'own', own)).toEqual(kept);
    await setAccountCard(core, ann.id, 'own');
    expect(await findAccountCard(core, ann.id)).toEqual(await findRateCard(core, 'own'));
    await setAccountCard(core, ann.id, null);
    expect(await findAccountCard(core, ann.id)).toBe(card('cloudflare-r2'));
  });

  it('must exist, be cards, and not pretend to be shipped ones', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await expect(setAccountCard(core, ann.id, 'none')).rejects.toMatchObject({
      code: 'NoSuchRateCard',
    });
    await expect(putRateCard(core, 'own', { id: 'own' })).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    const shipped = rateCardJson(card('cloudflare-r2'));
    await expect(putRateCard(core, 'cloudflare-r2', shipped)).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    await expect(putRateCard(core, 'own', shipped)).rejects.toMatchObject({ code: 'InvalidInput' });
    const unit = { name: 'request', size: 1 };
    const line = {
      label: 'refused',
      meters: ['free/blocked', 'free/STANDARD'],
      unit,
      tiers: [{ price: '1' }],
    };
    const pricing = { ...(shipped as object), id: 'own', lines: [line] };
    await expect(putRateCard(core, 'own', pricing)).rejects.toMatchObject({ code: 'InvalidInput' });
    const wrong = { ...core, settings: { ...core.settings, rateCardId: 'gone' } };
    await expect(findAccountCard(wrong, ann.id)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: expect.stringContaining('QUAYSIDE_RATE_CARD'),
    });
  });
});

describe('prices with a beginning', () => {
  const dearer = (times: number) => ({
    ...(rateCardJson(card('aws-s3-us-east-1')) as object),
    ...{ id: 'own', name: `${times}`, lines: [classA(`${times}`)] },
  });
  const classA = (price: string) => ({
    ...{
      label: 'A',
      meters: ['class-a/STANDARD'],
      unit: { name: 'million', size: 1_000_000 },
      tiers: [{ price }],
    },
  });
  async function withOwnCard() {
    const { core, ann } = await withUsage();
    await putRateCard(core, 'own', dearer(1));
    await setAccountCard(core, ann.id, 'own');
    return { core, ann };
  }

  it('leave a past month as it was, when a card changes before it is closed', async () => {
    const { core, ann } = await withOwnCard();
    december(core, 1, 1);
    await core.use(ann, Date.UTC(2026, 11, 1), 'class-a/STANDARD', 1_000_000n);
    expect((await putRateCard(core, 'own', dearer(7))).validFrom).toBe('2026-12');
    expect(await totalOf(core, ann)).toBe(3_000_000n);
    expect((await getInvoice(core, ann, { year: 2026, month: 12 }))?.invoice.totalMicro).toBe(
      7_000_000n,
    );
    december(core, 2);
    const closed = await closeMonth(core, ann, NOVEMBER);
    expect([closed?.invoice.totalMicro, closed?.card.validFrom]).toEqual([3_000_000n, '2026-11']);
    const replayed = await simulateMonth(core, ann, {
      ...{ period: NOVEMBER, cardIds: ['own'], whatIfs: [], objectCount: 0n },
    });
    expect(replayed.others.map(({ invoice }) => invoice.totalMicro)).toEqual([
      3_000_000n,
      3_000_000n,
    ]);
  });

  it('leave it too when the account is given another card', async () => {
    const { core, ann } = await withOwnCard();
    december(core, 1, 1);
    await setAccountCard(core, ann.id, 'bunny-storage');
    december(core, 2);
    expect((await closeMonth(core, ann, NOVEMBER))?.card.id).toBe('own');
    expect((await findAccountCard(core, ann.id)).id).toBe('bunny-storage');
  });

  it('leave it too when the default card or a shipped card changes with a restart', async () => {
    const { core, ann } = await withUsage();
    await runBilling(core);
    december(core, 1, 1);
    const restarted = { ...core, settings: { ...core.settings, rateCardId: 'aws-s3-us-east-1' } };
    // A release with other prices has noted those of the month that runs; so it would be noted of
    // the one before.
    const prices = [
      { name: 'cloudflare-r2', value: JSON.stringify({ ...dearer(9), id: 'cloudflare-r2' }) },
    ];
    await core.ports.directory.call('notePrices', { period: '2026-12', prices });
    await runBilling(restarted);
    december(core, 2);
    const closed = await closeMonth(restarted, ann, NOVEMBER);
    expect([closed?.card.id, closed?.invoice.totalMicro]).toEqual(['cloudflare-r2', 9_000_000n]);
    expect((await findAccountCard(restarted, ann.id)).id).toBe('aws-s3-us-east-1');
  });

  it('can be set for a month to come, and for none that is over', async () => {
    const { core, ann } = await withOwnCard();
    await putRateCard(core, 'own', { ...dearer(7), validFrom: '2027-01' });
    await setAccountCard(core, ann.id, null, { validFrom: '2027-02' });
    const pricing = async (period: string) => (await findAccountCard(core, ann.id, period)).name;
    const months = ['2026-10', '2026-11', '2026-12', '2027-01', '2027-02'];
    expect(await Promise.all(months.map(pricing))).toEqual([
      'Cloudflare R2',
      '1',
      '1',
      '7',
      'Cloudflare R2',
    ]);
    for (const late of [
      () => putRateCard(core, 'own', { ...dearer(9), validFrom: '2026-10' }),
      () => setAccountCard(core, ann.id, 'bunny-storage', { validFrom: '2026-10' }),
    ]) {
      await expect(late()).rejects.toMatchObject({ code: 'InvalidInput' });
    }
    await expect(
      putRateCard(core, 'own', { ...dearer(9), validFrom: 'soon' }),
    ).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    december(core, 5);
    // What is there already can be put again, as it was read.
    const kept = await findRateCard(core, 'own');
    if (kept !== null) expect(await putRateCard(core, 'own', rateCardJson(kept))).toEqual(kept);
  });

  it('price a receipt by the month of the use', async () => {
    const { core, ann } = await withOwnCard();
    const findTariff = createTariffFinder(core);
    december(core, 1);
    await putRateCard(core, 'own', dearer(7));
    const names = [NOVEMBER, { year: 2026, month: 12 }].map(
      async (month) => (await findTariff(ann.id, month)).card.name,
    );
    expect(await Promise.all(names)).toEqual(['1', '7']);
  });
});

describe('a forecast', () => {
  it('goes on with the last week, and with what the last hours stored', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await core.use(ann, inNovember(19), 'class-a/STANDARD', 700_000n);
    await core.use(ann, inNovember(1), 'class-a/STANDARD', 900_000n);
    await core.use(ann, inNovember(18, 20), 'storage/STANDARD', 90n * GB);
    await core.use(ann, inNovember(19, 20), 'storage/STANDARD', 40n * GB);
    const { soFar, atEnd } = await forecastMonth(core, ann);
    expect(soFar.usage).toEqual(
      usageOf({ 'class-a/STANDARD': 1_600_000n, 'storage/STANDARD': 130n * GB }),
    );
    // It is the 20th: 11 days are left.
    expect(atEnd.usage).toEqual(
      usageOf({
        'class-a/STANDARD': 2_700_000n,
        'storage/STANDARD': 130n * GB + 40n * GB * 11n * 24n,
      }),
    );
  });
});

describe('a forecast of a new account', () => {
  it('goes by the time that the account has', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await core.use(ann, inNovember(19, 23), 'class-a/STANDARD', 1_000n);
    // It is the 20th, and 264 hours are left.
    const { atEnd } = await forecastMonth(core, ann);
    expect(atEnd.usage).toEqual(usageOf({ 'class-a/STANDARD': 1_000n + 264_000n }));
    core.advanceSeconds(DAY_SECONDS);
    expect((await forecastMonth(core, ann)).atEnd.usage).toEqual(
      usageOf({ 'class-a/STANDARD': 1_000n + (1_000n * 240n) / 25n }),
    );
  });

  it('has nothing to go on with before its first hour is over', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await core.use(ann, inNovember(20), 'class-a/STANDARD', 1_000n);
    expect((await forecastMonth(core, ann)).atEnd.usage).toEqual(usageOf({}));
  });
});

describe('a simulation', () => {
  it('replays the ledger’s month against other cards', async () => {
    const { core, ann } = await withUsage();
    for (let hour = 0; hour < 72; hour += 1)
      await core.use(ann, inNovember(10, hour), 'storage/STANDARD', 720n * GB);
    const input = { period: NOVEMBER, cardIds: ['aws-s3-us-east-1'], whatIfs: [], objectCount: 0n };
    const { own, others } = await simulateMonth(core, ann, input);
    expect(own.invoice.totalMicro).toBe(await totalOf(core, ann));
    expect(others.map(({ card: { id } }) => id)).toEqual(['cloudflare-r2', 'aws-s3-us-east-1']);
    expect(others[0]).toEqual(own);
    const lifecycle = await simulateMonth(core, ann, {
      ...input,
      whatIfs: [{ kind: 'lifecycle', days: 1 }],
    });
    const cold = lifecycle.others[0]?.invoice.lines.find(({ meters }) =>
      meters.includes('storage/STANDARD_IA'),
    );
    // All but the first 24 hours of three days were there for a day: 48 hours of 720 GB are 48
    // GB-months.
    expect(cold?.units).toBe(48n * 10n ** 12n);
    await expect(simulateMonth(core, ann, { ...input, cardIds: ['none'] })).rejects.toMatchObject({
      code: 'NoSuchRateCard',
    });
  });
});
