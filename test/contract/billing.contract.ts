// What every directory must keep of bills. Part of directory.contract.ts.
import { describe, expect } from 'vitest';
import type { CardChoice, CreditRow, PushProgress } from '../../src/domain/billing/billing.ts';
import type { AccountId, BucketName } from '../../src/domain/nouns.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { fresh } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

const CREDIT: CreditRow = {
  id: 'welcome',
  label: 'ä😀',
  currency: 'USD',
  amountMicro: '98765432109876543210',
  grantedAtMs: 5,
  expiresAtMs: null,
};
const headOf = (period: string) => ({
  period,
  currency: 'USD',
  totalMicro: '98765432109876543210',
  closedAtMs: 7,
});

export function billingContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);
  const account = () => fresh('account') as AccountId;
  const keep = (
    directory: Directory,
    accountId: AccountId,
    period: string,
    invoiceCount: number,
    { json = period, prefix = `${accountId}-` } = {},
  ) =>
    directory.call('keepInvoice', {
      accountId,
      head: headOf(period),
      json,
      prefix,
      uses: [{ creditId: 'welcome', amountMicro: '5' }],
      invoiceCount,
    });
  const stateOf = (directory: Directory, accountId: AccountId) =>
    directory.call('getAccountBilling', { accountId });

  describe(`billing: ${subject.name}`, () => {
    test('keeps custom cards, and lists them in order', async (directory) => {
      const prefix = `${fresh('card')}-`;
      const period = '2026-11';
      const put = (name: string, json: string, known: string | null = null) =>
        directory.call('putRateCard', { id: prefix + name, validFrom: period, json, known });
      for (const name of ['b', 'a', 'b']) await put(name, `{"${name}":1}`);
      for (const known of [null, '{"b":2}']) {
        await expect(put('b', '{"b":3}', known)).rejects.toMatchObject({
          code: 'PreconditionFailed',
        });
      }
      await expect(put('c', '{"c":1}', '{"c":0}')).rejects.toMatchObject({
        code: 'PreconditionFailed',
      });
      for (const _ of [1, 2]) await put('b', '{"b":2}', '{"b":1}');
      await put('b', '{"b":1}', '{"b":2}');
      expect(await directory.call('getRateCard', { id: `${prefix}a`, period })).toBe('{"a":1}');
      expect(await directory.call('getRateCard', { id: `${prefix}c`, period })).toBe(null);
      expect(await directory.call('listRateCards', { after: prefix, limit: 2, period })).toEqual([
        '{"a":1}',
        '{"b":1}',
      ]);
      expect(
        await directory.call('listRateCards', { after: `${prefix}a`, limit: 1, period }),
      ).toEqual(['{"b":1}']);
    });

    test('keeps the versions of a card, each from its month on', async (directory) => {
      const prefix = `${fresh('card')}-`;
      const id = `${prefix}x`;
      const put = (validFrom: string, known: string | null, json = `"${validFrom}"`) =>
        directory.call('putRateCard', { id, validFrom, json, known });
      await put('2026-11', null);
      await put('2027-02', '"2026-11"');
      await put('2026-12', '"2026-11"');
      const pricing = (period: string) => directory.call('getRateCard', { id, period });
      const months = ['2026-10', '2026-11', '2026-12', '2027-01', '2027-02', '2030-01'];
      const versions = ['2026-11', '2026-11', '2026-12', '2026-12', '2027-02', '2027-02'].map(
        (month) => `"${month}"`,
      );
      expect(await Promise.all(months.map(pricing))).toEqual(versions);
      for (const [at, period] of months.entries()) {
        const listed = await directory.call('listRateCards', { after: prefix, limit: 1, period });
        expect(listed).toEqual([versions[at]]);
      }
      await expect(put('2027-01', '"2026-11"')).rejects.toMatchObject({
        code: 'PreconditionFailed',
      });
      await put('2026-12', '"2026-12"', '"other"');
      expect(await pricing('2027-01')).toBe('"other"');
    });

    test('knows which card an account has, and from when on', async (directory) => {
      const accountId = account();
      expect(await stateOf(directory, accountId)).toEqual({
        cards: [],
        credits: [],
        uses: [],
        invoiceCount: 0,
      });
      const set = (choice: CardChoice, known: readonly CardChoice[]) =>
        directory.call('setAccountCard', { accountId, choice, known });
      const [one, two] = ['one', 'two'].map((cardId) => ({ validFrom: '2026-11', cardId })) as [
        CardChoice,
        CardChoice,
      ];
      await set(one, []);
      for (const _ of [1, 2]) expect(await set(two, [one])).toEqual([two]);
      const later = { validFrom: '2027-01', cardId: null };
      for (const known of [[], [one]]) {
        await expect(set(later, known)).rejects.toMatchObject({ code: 'PreconditionFailed' });
      }
      for (const _ of [1, 2]) expect(await set(later, [two])).toEqual([two, later]);
      expect((await stateOf(directory, accountId)).cards).toEqual([two, later]);
    });

    test('notes what no call changes, the first from the beginning', async (directory) => {
      const name = fresh('noted');
      const note = (period: string, value: string) =>
        directory.call('notePrices', { period, prices: [{ name, value }] });
      const at = (period: string) => directory.call('getNotedPrice', { name, period });
      expect(await at('2026-11')).toBe(null);
      for (const month of ['2026-11', '2026-11', '2026-12']) await note(month, 'one');
      for (const _ of [1, 2]) await note('2027-01', 'two');
      expect(await Promise.all(['2020-01', '2026-12', '2027-01'].map(at))).toEqual([
        'one',
        'one',
        'two',
      ]);
      await note('2026-11', 'three');
      expect(await Promise.all(['2026-12', '2027-01'].map(at))).toEqual(['one', 'three']);
    });

    test('adds a credit once, whatever comes later under its id', async (directory) => {
      const accountId = account();
      const end = { ...CREDIT, id: 'ends', expiresAtMs: 9 };
      for (const credit of [CREDIT, end])
        expect(await directory.call('addCredit', { accountId, credit })).toEqual(credit);
      expect(
        await directory.call('addCredit', { accountId, credit: { ...CREDIT, amountMicro: '1' } }),
      ).toEqual(CREDIT);
      expect((await stateOf(directory, accountId)).credits).toEqual([end, CREDIT]);
      expect((await stateOf(directory, account())).credits).toEqual([]);
    });

    test('keeps the first bill of a month and its credit uses for good', async (directory) => {
      const accountId = account();
      const first = {
        json: 'first',
        number: `${accountId}-000001`,
        period: '2026-10',
        issue: 0,
        isVoid: false,
      };
      expect(await keep(directory, accountId, '2026-10', 0, { json: 'first' })).toEqual(first);
      expect(await keep(directory, accountId, '2026-10', 1, { json: 'second' })).toEqual(first);
      expect(await directory.call('getInvoice', { accountId, period: '2026-10' })).toEqual(first);
      expect(await directory.call('getInvoice', { accountId, period: '2026-10', issue: 1 })).toBe(
        null,
      );
      expect(await directory.call('getInvoice', { accountId: account(), period: '2026-10' })).toBe(
        null,
      );
      expect(await stateOf(directory, accountId)).toMatchObject({
        uses: [{ creditId: 'welcome', amountMicro: '5' }],
        invoiceCount: 1,
      });
    });

    test('keeps no bill of somebody who did not see the others', async (directory) => {
      const accountId = account();
      const both = await Promise.all(
        ['2026-09', '2026-10'].map((period) => keep(directory, accountId, period, 0)),
      );
      expect(both.filter((json) => json === null)).toHaveLength(1);
      expect((await stateOf(directory, accountId)).invoiceCount).toBe(1);
    });

    test('lists bills, the newest first', async (directory) => {
      const accountId = account();
      for (const [count, period] of ['2026-09', '2026-11', '2026-10'].entries()) {
        await keep(directory, accountId, period, count);
      }
      const list = (before: string, limit: number) =>
        directory.call('listInvoices', { accountId, before, limit });
      const listed = (period: string, count: number) => ({
        ...{ ...headOf(period), issue: 0, isVoid: false, number: `${accountId}-00000${count}` },
      });
      expect(await list('', 2)).toEqual([listed('2026-11', 2), listed('2026-10', 3)]);
      expect(await list('2026-10/0', 2)).toEqual([listed('2026-09', 1)]);
      const read = { accountId, from: '2026-10', to: '2026-11' };
      const range = await directory.call('readInvoices', read);
      expect(range.map(({ json }) => json)).toEqual(['2026-10']);
    });

    test('numbers bills of all accounts without a gap, also after refusals', async (directory) => {
      const prefix = `${fresh('series')}-`;
      const accounts = [account(), account(), account()];
      await Promise.all(accounts.map((id) => keep(directory, id, '2026-10', 0, { prefix })));
      for (const id of accounts) {
        expect(await keep(directory, id, '2026-11', 7, { prefix })).toBe(null);
        await keep(directory, id, '2026-10', 0, { prefix });
      }
      const last = await keep(directory, account(), '2026-10', 0, { prefix });
      const bills = await Promise.all(
        accounts.map((id) => keep(directory, id, '2026-10', 1, { prefix })),
      );
      const numbers = [...bills, last].map((bill) => bill?.number).sort();
      expect(numbers).toEqual([1, 2, 3, 4].map((at) => `${prefix}00000${at}`));
    });

    test('stores a credit note once, and a bill in place of a void one', async (directory) => {
      const accountId = account();
      const prefix = `${accountId}-CN-`;
      await directory.call('addCredit', { accountId, credit: CREDIT });
      await keep(directory, accountId, '2026-10', 0);
      const noteOf = (id: string, isVoid: boolean) => ({
        ...{ id: `${accountId} ${id}`, period: '2026-10', issue: 0, isVoid, currency: 'USD' },
        ...{ netMicro: '5', taxMicro: '1', issuedAtMs: 3, json: id },
      });
      const write = (id: string, noteCount: number, { isVoid = false, reissue = false } = {}) =>
        directory.call('keepCreditNote', {
          ...{ accountId, note: noteOf(id, isVoid), prefix, noteCount },
          reissue: reissue
            ? { head: headOf('2026-10'), json: 'again', prefix: `${accountId}-` }
            : null,
        });
      const first = { ...noteOf('one', false), number: `${prefix}000001` };
      for (const _ of [1, 2]) expect(await write('one', 0)).toEqual({ note: first, invoice: null });
      expect(await write('two', 0)).toBe(null);
      const again = {
        json: 'again',
        number: `${accountId}-000002`,
        period: '2026-10',
        issue: 1,
        isVoid: false,
      };
      const second = { ...noteOf('two', true), number: `${prefix}000002` };
      for (const _ of [1, 2]) {
        expect(await write('two', 1, { isVoid: true, reissue: true })).toEqual({
          note: second,
          invoice: again,
        });
      }
      expect(await write('three', 2)).toBe(null);
      expect(await directory.call('getInvoice', { accountId, period: '2026-10' })).toEqual(again);
      expect(
        await directory.call('getInvoice', { accountId, period: '2026-10', issue: 0 }),
      ).toMatchObject({
        isVoid: true,
        json: '2026-10',
      });
      const heads = await directory.call('listInvoices', { accountId, before: '', limit: 9 });
      expect(heads.map(({ issue, isVoid }) => [issue, isVoid])).toEqual([
        [1, false],
        [0, true],
      ]);
      expect(
        await directory.call('listInvoices', { accountId, before: '2026-10/1', limit: 9 }),
      ).toHaveLength(1);
      const listed = await directory.call('listCreditNotes', { accountId, before: null, limit: 9 });
      expect(listed.map(({ order: _, ...note }) => note)).toEqual([second, first]);
      const before = listed[0]?.order ?? 0;
      expect(await directory.call('listCreditNotes', { accountId, before, limit: 9 })).toHaveLength(
        1,
      );
      expect(
        await directory.call('listNotesOf', { accountId, period: '2026-10', issue: 0 }),
      ).toEqual([first, second]);
      expect(await directory.call('getCreditNote', { accountId, number: first.number })).toEqual(
        first,
      );
      expect(
        await directory.call('getCreditNote', { accountId: account(), number: first.number }),
      ).toBe(null);
      expect((await stateOf(directory, accountId)).uses).toHaveLength(1);
    });

    test('gives back what a void bill took of credits', async (directory) => {
      const accountId = account();
      await keep(directory, accountId, '2026-10', 0);
      const note = {
        ...{ id: fresh('note'), period: '2026-10', issue: 0, isVoid: true, currency: 'USD' },
        ...{ netMicro: '5', taxMicro: '1', issuedAtMs: 3, json: '' },
      };
      const input = { accountId, note, prefix: `${accountId}-CN-`, noteCount: 0, reissue: null };
      await directory.call('keepCreditNote', input);
      expect((await stateOf(directory, accountId)).uses).toEqual([]);
    });

    test('keeps parties, and changes none that its changer did not see', async (directory) => {
      const accountId = account();
      const set = (json: string | null, known: string | null) =>
        directory.call('setParty', { id: `buyer/${accountId}`, json, known });
      for (const _ of [1, 2]) await set('"a"', null);
      await expect(set('"b"', null)).rejects.toMatchObject({ code: 'PreconditionFailed' });
      expect(await directory.call('getParties', { accountId })).toMatchObject({
        buyer: '"a"',
        tax: null,
      });
      await set('"b"', '"a"');
      await set(null, '"b"');
      expect(await directory.call('getParties', { accountId })).toMatchObject({ buyer: null });
    });

    test('lists accounts that may have bills, owners of buckets too', async (directory) => {
      const prefix = `${fresh('billed')}-`;
      const [known, owner] = [`${prefix}b`, `${prefix}a`] as [AccountId, AccountId];
      await directory.call('putAccount', { account: { id: known, displayName: 'x' }, keys: [] });
      for (const ownerId of [owner, known]) {
        await directory.call('addBucket', {
          ownerId,
          name: fresh('bucket') as BucketName,
          createdAtMs: 1,
        });
      }
      const list = async (after: string, limit: number) =>
        directory.call('listBilledAccounts', { after: prefix + after, limit });
      expect(await list('', 2)).toEqual([owner, known]);
      expect(await list('a', 1)).toEqual([known]);
    });

    test('knows whose usage is reported elsewhere, and how far', async (directory) => {
      const accountId = account();
      const read = () => directory.call('getPushTarget', { accountId });
      await directory.call('notePush', {
        accountId,
        dayMs: 9,
        reportedMeter: '',
        attemptedMeter: '',
        attemptedAtMs: 0,
      });
      expect(await read()).toBe(null);
      const unreported: PushProgress = {
        dayMs: 5,
        reportedMeter: '',
        attemptedMeter: '',
        attemptedAtMs: 0,
      };
      const begun = { accountId, customerId: 'cus_1', ...unreported };
      await directory.call('setPushTarget', { accountId, customerId: 'cus_1', dayMs: 5 });
      expect(await read()).toEqual(begun);
      const progress: PushProgress = {
        dayMs: 6,
        reportedMeter: 'a',
        attemptedMeter: 'b',
        attemptedAtMs: 7,
      };
      for (const _ of [1, 2]) await directory.call('notePush', { accountId, ...progress });
      await directory.call('setPushTarget', { accountId, customerId: 'cus_2', dayMs: 1 });
      expect(await read()).toEqual({ accountId, customerId: 'cus_2', ...progress });
      const after = accountId.slice(0, -1);
      const listed = await directory.call('listPushTargets', { after, limit: 1000 });
      expect(listed.filter((target) => target.accountId === accountId)).toEqual([await read()]);
      for (const _ of [1, 2])
        await directory.call('setPushTarget', { accountId, customerId: null, dayMs: 1 });
      expect(await read()).toBe(null);
    });

    test('remembers how far closing has come', async (directory) => {
      for (const state of [
        { period: '2026-09', after: '' },
        { period: '2026-09', after: 'x' },
      ]) {
        await directory.call('setClosing', state);
        expect(await directory.call('getClosing', {})).toEqual(state);
      }
    });

    test('knows what work on bills an account has, and how far it is', async (directory) => {
      const [accountId, other] = [account(), account()];
      const duties = async () => {
        const { closing, reported, ...own } = await directory.call('getBillingDuties', {
          accountId,
        });
        expect(closing).toEqual(await directory.call('getClosing', {}));
        expect(reported).toEqual(await directory.call('getUsageReported', {}));
        return own;
      };
      const none = { isBilled: false, webhooksSinceMs: null, progress: null };
      expect(await duties()).toEqual(none);

      const name = fresh('bucket') as BucketName;
      await directory.call('addBucket', { ownerId: accountId, name, createdAtMs: 0 });
      expect(await duties()).toEqual({ ...none, isBilled: true });

      const unclosed = (period: string) =>
        directory.call('listUnclosedAccounts', { period, accountIds: [accountId, other] });
      for (const [closedBefore, reportedBeforeMs] of [
        ['2026-10', 5],
        ['2026-11', 86_400_000],
      ] as const) {
        const progress = { closedBefore, reportedBeforeMs };
        await directory.call('setBillingProgress', { accountId, ...progress });
        expect(await duties()).toEqual({ ...none, isBilled: true, progress });
      }
      expect(await unclosed('2026-10')).toEqual([other]);
      expect(await unclosed('2026-11')).toEqual([accountId, other]);
    });

    test('stores how far usage was reported, and knows who has webhooks', async (directory) => {
      for (const state of [
        { dayMs: 86_400_000, after: 'x' },
        { dayMs: 2 * 86_400_000, after: '' },
      ]) {
        await directory.call('setUsageReported', state);
        expect(await directory.call('getUsageReported', {})).toEqual(state);
      }
      const start = fresh('hooks-');
      const webhook = {
        url: 'u',
        description: '',
        types: [],
        secrets: [],
        isEnabled: true,
        createdAtMs: 0,
      };
      for (const [id, of] of [
        ['1', 'b'],
        ['2', 'a'],
        ['3', 'b'],
        ['4', 'c'],
      ] as const) {
        const accountId = `${start}${of}` as AccountId;
        await directory.call('putWebhook', {
          webhook: { ...webhook, id: `${start}${id}`, accountId },
          known: null,
          max: 9,
        });
      }
      const all = ['a', 'b', 'c'].map((of) => `${start}${of}`);
      expect(await directory.call('listWebhookAccounts', { after: start, limit: 3 })).toEqual(all);
      expect(await directory.call('listWebhookAccounts', { after: `${start}a`, limit: 1 })).toEqual(
        [all[1]],
      );
    });
  });
}
