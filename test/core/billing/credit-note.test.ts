// Numbers without a gap, credit notes within what is left, void bills and those in their place.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creditNoteSheet, invoiceSheet } from '../../../src/core/billing/exports/sheet.ts';
import { sheetHtml } from '../../../src/core/billing/exports/sheet-html.ts';
import { closeMonth } from '../../../src/core/billing/invoices/close-month.ts';
import { closeMonths } from '../../../src/core/billing/invoices/close-months.ts';
import { creditInvoice, voidInvoice } from '../../../src/core/billing/invoices/credit-note.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import { recompute } from '../../../src/core/billing/invoices/invoice-document.ts';
import {
  amountsOf,
  makeTerms,
  NO_TAX_OF_ITS_OWN,
  readParties,
} from '../../../src/core/billing/invoices/terms.ts';
import type { Account } from '../../../src/domain/nouns.ts';
import { addAccount, type BillingCore, createBillingCore, dyingAtCall } from './billing-core.ts';

const NOVEMBER = { year: 2026, month: 11 };
const ISSUER = {
  ...{ name: 'Hosting GmbH', address: 'Weg 1\n10115 Berlin', country: 'DE', taxId: 'DE123456789' },
  ...{ paymentNote: 'IBAN DE00', dueDays: 10, invoicePrefix: 'INV-', creditNotePrefix: 'CN-' },
  ...{
    taxPercent: '0',
    taxPercentByCountry: { DE: '19', US: '8.875' },
    reverseChargeNote: 'Reverse charge.',
  },
};
const BUYER = { name: '王小明', address: '', country: 'DE', taxId: 'DE999' };

const setParty = async (
  core: BillingCore,
  id: 'issuer' | 'buyer/ann' | 'tax/ann',
  value: object,
) => {
  const { stored } = await readParties(core, 'ann' as Account['id']);
  const known = id === 'issuer' ? stored.issuer : id === 'tax/ann' ? stored.tax : stored.buyer;
  await core.ports.directory.call('setParty', {
    id: id as 'issuer',
    json: JSON.stringify(value),
    known,
  });
};

/** Ann's November comes to 9.00 USD and 1.71 of tax. */
async function closedBill() {
  const core = createBillingCore();
  const ann = await addAccount(core, 'ann');
  await setParty(core, 'issuer', ISSUER);
  await setParty(core, 'buyer/ann', BUYER);
  await core.use(ann, Date.UTC(2026, 10, 3), 'class-a/STANDARD', 3_000_000n);
  core.advanceSeconds((Date.UTC(2026, 11, 2) - core.ports.clock.nowMs()) / 1000);
  const bill = await closeMonth(core, ann, NOVEMBER);
  if (bill === null) throw new Error('no bill');
  return { core, ann, bill };
}

const notesOf = (core: BillingCore, { id: accountId }: Account) =>
  core.ports.directory.call('listCreditNotes', { accountId, before: null, limit: 99 });
const amount = (netMicro: bigint) => ({ reason: 'x', part: { netMicro } });

describe('the terms of a bill', () => {
  it('are those of the moment in which it was closed', async () => {
    const { core, ann, bill } = await closedBill();
    await setParty(core, 'buyer/ann', { ...BUYER, name: 'Other' });
    expect(await getInvoice(core, ann, NOVEMBER)).toEqual(bill);
    expect(bill).toMatchObject({
      number: 'INV-000001',
      terms: {
        seller: { taxId: 'DE123456789' },
        buyer: BUYER,
        taxPercent: '19',
        dueOn: '2026-12-12',
      },
    });
    const { facts, sums, notes } = invoiceSheet(bill, 'x');
    expect(facts).toContainEqual(['To', '王小明\nDE\nTax id DE999']);
    expect(sums.slice(1)).toEqual([
      ['Net, rounded down to a coin', '9.00'],
      ['Tax, 19 %', '1.71'],
      ['To pay', '10.71'],
    ]);
    expect(notes[0]).toBe('IBAN DE00');
  });

  it('charge no tax while the buyer has the tax id that the operator checked', () => {
    const account = { id: 'ann' as Account['id'], displayName: 'Ann' };
    const reverse = { ...NO_TAX_OF_ITS_OWN, reverseChargeTaxId: 'DE999' };
    const termsOf = (buyer: typeof BUYER, tax = reverse) =>
      makeTerms(account, { issuer: ISSUER, buyer, tax }, Date.UTC(2026, 11, 2));
    expect(termsOf(BUYER)).toMatchObject({ taxPercent: '0', reverseChargeNote: 'Reverse charge.' });
    expect(termsOf({ ...BUYER, taxId: 'DE998' })).toMatchObject({
      taxPercent: '19',
      reverseChargeNote: null,
    });
    expect(termsOf({ ...BUYER, country: 'FR', taxId: '' }).taxPercent).toBe('0');
    const { taxPercent } = termsOf({ ...BUYER, taxId: '' }, { ...reverse, percent: '7.50' });
    expect(taxPercent).toBe('7.5');
    const unset = makeTerms(account, { issuer: ISSUER, buyer: null, tax: reverse }, null);
    expect(unset).toMatchObject({ buyer: { name: 'Ann' }, dueOn: null });
  });

  it('round the net down to a coin, and the tax of it to the nearest', () => {
    const terms = {
      ...makeTerms(
        { id: 'a' as never, displayName: 'a' },
        { issuer: ISSUER, buyer: { ...BUYER, country: 'US' }, tax: NO_TAX_OF_ITS_OWN },
        null,
      ),
    };
    expect(terms.taxPercent).toBe('8.875');
    expect(amountsOf(10_009_999n, 'USD', terms)).toEqual({
      ...{ netMicro: 10_000_000n, taxMicro: 890_000n, payableMicro: 10_890_000n },
    });
    expect(amountsOf(10_999_999n, 'JPY', terms).taxMicro).toBe(1_000_000n);
    expect(amountsOf(10_999_999n, 'JPY', null).payableMicro).toBe(10_000_000n);
  });
});

describe('numbers', () => {
  it('have no gap and no twin, wherever closings are killed and repeated', async () => {
    for (let dies = 1; ; dies += 1) {
      const core = createBillingCore();
      const accounts = await Promise.all(['a', 'b', 'c'].map((name) => addAccount(core, name)));
      for (const account of accounts)
        await core.use(account, Date.UTC(2026, 10, 3), 'class-a/STANDARD', 9_000_000n);
      core.advanceSeconds((Date.UTC(2026, 11, 2) - core.ports.clock.nowMs()) / 1000);
      await core.ports.directory.call('setClosing', { period: '2026-11', after: '' });
      const ended = await closeMonths(dyingAtCall(core, dies)).then(
        () => true,
        () => false,
      );
      await Promise.all([
        closeMonths(core),
        closeMonths(core),
        ...accounts.map((each) => closeMonth(core, each, NOVEMBER)),
      ]);
      const bills = await Promise.all(accounts.map((each) => getInvoice(core, each, NOVEMBER)));
      const numbers = bills.map((bill) => bill?.number).sort();
      expect(numbers).toEqual(['QS-000001', 'QS-000002', 'QS-000003']);
      if (ended && dies > 30) break;
    }
  });

  it('begin anew with another prefix', async () => {
    const { core, ann } = await closedBill();
    await setParty(core, 'issuer', { ...ISSUER, invoicePrefix: 'INV-2027-' });
    const { invoice } = await voidInvoice(core, ann, NOVEMBER, { reason: 'x', isReissued: true });
    expect(invoice?.number).toBe('INV-2027-000001');
  });
});

describe('a credit note', () => {
  it('takes back a part by amount or lines, then the rest, never more than is left', async () => {
    const { core, ann } = await closedBill();
    const first = await creditInvoice(core, ann, NOVEMBER, amount(4_000_000n));
    expect(first).toMatchObject({
      number: 'CN-000001',
      invoiceNumber: 'INV-000001',
      taxMicro: 760_000n,
    });
    for (const netMicro of [5_010_000n, 5n, 0n, -1_000_000n]) {
      await expect(creditInvoice(core, ann, NOVEMBER, amount(netMicro))).rejects.toMatchObject({
        code: 'InvalidInput',
      });
    }
    for (const lines of [[0], [1], [99]]) {
      const request = creditInvoice(core, ann, NOVEMBER, { reason: 'x', part: { lines } });
      await expect(request).rejects.toMatchObject({ code: 'InvalidInput' });
    }
    const rest = await creditInvoice(core, ann, NOVEMBER, { reason: 'x', part: null });
    expect(rest).toMatchObject({ number: 'CN-000002', netMicro: 5_000_000n, taxMicro: 950_000n });
    await expect(creditInvoice(core, ann, NOVEMBER, amount(10_000n))).rejects.toMatchObject({
      code: 'InvalidInput',
    });
    const missing = creditInvoice(core, ann, { year: 2026, month: 10 }, amount(10_000n));
    await expect(missing).rejects.toMatchObject({ code: 'NoSuchInvoice' });
  });

  it('names the lines that it takes back', async () => {
    const { core, ann, bill } = await closedBill();
    const at = bill.invoice.lines.findIndex(({ amountMicro }) => amountMicro > 0n);
    const note = await creditInvoice(core, ann, NOVEMBER, { reason: 'x', part: { lines: [at] } });
    expect(note).toMatchObject({ netMicro: 9_000_000n, lines: [{ label: 'Class A operations' }] });
    const { rows, sums } = creditNoteSheet(note, 'x');
    expect(rows.map(({ label, amount }) => [label, amount])).toEqual([
      ['Class A operations', '-9.000000'],
    ]);
    expect(sums.at(-1)).toEqual(['In your favour', '-10.71']);
    expect(sheetHtml(creditNoteSheet(note, 'x'))).toContain('<bdi>王小明</bdi><br><bdi>DE</bdi>');
  });

  it('in whatever parts takes back the whole tax, to the coin', async () => {
    const parts = fc.array(fc.bigInt({ min: 1n, max: 300n }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(parts, async (coins) => {
        const { core, ann } = await closedBill();
        for (const each of coins) {
          await creditInvoice(core, ann, NOVEMBER, amount(each * 10_000n)).catch(() => null);
        }
        await voidInvoice(core, ann, NOVEMBER, { reason: 'x', isReissued: false });
        const notes = await notesOf(core, ann);
        const sum = (name: 'netMicro' | 'taxMicro') =>
          notes.reduce((total, note) => total + BigInt(note[name]), 0n);
        expect([sum('netMicro'), sum('taxMicro')]).toEqual([9_000_000n, 1_710_000n]);
        expect(notes.every(({ taxMicro }) => BigInt(taxMicro) >= 0n)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('never takes back more with others at once, and numbers them without a gap', async () => {
    const { core, ann } = await closedBill();
    const writing = Array.from({ length: 4 }, () =>
      creditInvoice(core, ann, NOVEMBER, amount(4_000_000n)),
    );
    const results = await Promise.allSettled(writing);
    const notes = await notesOf(core, ann);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(notes.map(({ number }) => number)).toEqual(['CN-000002', 'CN-000001']);
  });
});

describe('a void bill', () => {
  it('is replaced in the same commit, by the terms of now and of the same usage', async () => {
    const { core, ann, bill } = await closedBill();
    await setParty(core, 'buyer/ann', { ...BUYER, name: 'Right name' });
    await setParty(core, 'tax/ann', { percent: '7', reverseChargeTaxId: null });
    const { note, invoice } = await voidInvoice(core, ann, NOVEMBER, {
      reason: 'wrong name',
      isReissued: true,
    });
    expect(note).toMatchObject({
      isVoid: true,
      netMicro: 9_000_000n,
      taxMicro: 1_710_000n,
      terms: bill.terms,
    });
    expect(invoice).toMatchObject({
      number: 'INV-000002',
      issue: 1,
      terms: { taxPercent: '7', buyer: { name: 'Right name' } },
    });
    expect(invoice?.invoice).toEqual(bill.invoice);
    if (invoice !== null) expect(recompute(invoice)).toEqual(invoice.invoice);
    expect(await getInvoice(core, ann, NOVEMBER)).toEqual(invoice);
    const old = await getInvoice(core, ann, NOVEMBER, 0);
    expect(old).toEqual({ ...bill, isVoid: true });
    expect(old && invoiceSheet(old, 'x').title).toBe('Void invoice INV-000001');
    expect(await closeMonth(core, ann, NOVEMBER)).toEqual(invoice);
  });

  it('without another is void once, and gives credits back', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    const credit = {
      ...{ id: 'w', label: 'w', currency: 'USD' },
      amountMicro: '4000000',
      grantedAtMs: 0,
      expiresAtMs: null,
    };
    await core.ports.directory.call('addCredit', { accountId: ann.id, credit });
    await core.use(ann, Date.UTC(2026, 10, 3), 'class-a/STANDARD', 3_000_000n);
    await closeMonth(core, ann, NOVEMBER, { isLast: true });
    const usesOf = async () =>
      (await core.ports.directory.call('getAccountBilling', { accountId: ann.id })).uses;
    expect(await usesOf()).toHaveLength(1);
    const again = await voidInvoice(core, ann, NOVEMBER, { reason: 'x', isReissued: true });
    expect([again.note.netMicro, (await usesOf()).length]).toEqual([5_000_000n, 1]);
    await voidInvoice(core, ann, NOVEMBER, { reason: 'x', isReissued: false });
    expect(await usesOf()).toEqual([]);
    const twice = voidInvoice(core, ann, NOVEMBER, { reason: 'x', isReissued: false });
    await expect(twice).rejects.toMatchObject({ code: 'InvalidInput' });
    expect(await notesOf(core, ann)).toHaveLength(2);
  });
});
