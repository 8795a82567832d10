// Usage that the ledger hears of after its month was closed: on the next bill, once, by the card of
// then.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { focusRows } from '../../../src/core/billing/exports/focus.ts';
import { invoiceRows } from '../../../src/core/billing/exports/invoice-rows.ts';
import { closeMonth } from '../../../src/core/billing/invoices/close-month.ts';
import { closeMonths } from '../../../src/core/billing/invoices/close-months.ts';
import { getInvoice } from '../../../src/core/billing/invoices/get-invoice.ts';
import { makeInvoice } from '../../../src/core/billing/invoices/invoice.ts';
import { recompute } from '../../../src/core/billing/invoices/invoice-document.ts';
import { priceLateUsage } from '../../../src/core/billing/invoices/price-late-usage.ts';
import { putRateCard, setAccountCard } from '../../../src/core/billing/prices/account-card.ts';
import { rateCardJson } from '../../../src/core/billing/prices/rate-card-json.ts';
import { receiptStatement } from '../../../src/core/billing/receipts/receipt-statement.ts';
import { addUsage } from '../../../src/core/metering/usage.ts';
import { addAccount, type BillingCore, createBillingCore, dyingAtCall } from './billing-core.ts';
import { anyCard, anySavedUsage, card, GB, MARCH } from './billing-samples.ts';

const NOVEMBER = { year: 2026, month: 11 };
const DECEMBER = { year: 2026, month: 12 };
const JANUARY = { year: 2027, month: 1 };
const until = (core: BillingCore, year: number, month: number, day: number) =>
  core.advanceSeconds((Date.UTC(year, month - 1, day) - core.ports.clock.nowMs()) / 1000);
const inNovember = Date.UTC(2026, 10, 3);

/** November is closed with 3 million writes: 1 million free, 9 USD. */
async function closedNovember() {
  const core = createBillingCore();
  const ann = await addAccount(core, 'ann');
  await core.use(ann, inNovember, 'class-a/STANDARD', 3_000_000n);
  until(core, 2026, 12, 2);
  await closeMonths(core);
  return { core, ann };
}

describe('late usage', () => {
  it('stands on the next bill, by the allowance and the card of its month, and once', async () => {
    const { core, ann } = await closedNovember();
    const dear = { ...rateCardJson(card('cloudflare-r2')), id: 'dear', minimum: '100' };
    await putRateCard(core, 'dear', dear);
    await setAccountCard(core, ann.id, 'dear');
    await core.use(ann, inNovember, 'class-a/STANDARD', 2_000_000n);
    await core.use(ann, Date.UTC(2026, 11, 5), 'class-a/STANDARD', 1_000_000n);
    until(core, 2027, 1, 2);
    const bill = await closeMonth(core, ann, DECEMBER);
    expect(bill?.invoice.late).toMatchObject([{ period: NOVEMBER, amountMicro: 9_000_000n }]);
    expect(bill?.invoice.totalMicro).toBe(109_000_000n);
    if (bill !== null) expect(recompute(bill)).toEqual(bill.invoice);
    expect(await getInvoice(core, ann, DECEMBER)).toEqual(bill);

    await core.use(ann, Date.UTC(2027, 0, 5), 'class-a/STANDARD', 1n);
    await core.use(ann, inNovember, 'class-a/STANDARD', 1_000_000n);
    until(core, 2027, 2, 2);
    const next = await closeMonth(core, ann, JANUARY);
    expect(next?.invoice.late.map(({ amountMicro }) => amountMicro)).toEqual([4_500_000n]);
  });

  it('is shown on the open bill, the statement of receipts and every file, in words', async () => {
    const { core, ann } = await closedNovember();
    await core.use(ann, inNovember, 'class-a/STANDARD', 1_000_000n);
    const open = await getInvoice(core, ann, DECEMBER);
    if (open === null) throw new Error('no bill');
    expect(invoiceRows(open)).toContainEqual({
      ...{ kind: 'late', label: 'Class A operations, late usage of 2026-11' },
      ...{ quantity: '1', unit: 'million', price: '', amount: '4.500000' },
    });
    const [row] = focusRows(open, 'x');
    expect(row).toMatchObject({
      ...{ ChargeClass: 'Correction', BilledCost: '4.500000' },
      ChargePeriodStart: '2026-11-01T00:00:00Z',
    });
    const statement = await receiptStatement(core, ann, DECEMBER);
    expect(statement).toMatchObject({ lateMicro: 4_500_000n, restMicro: 0n });
  });

  it('makes a bill of a month without usage, and of a month that had no bill', async () => {
    const { core, ann } = await closedNovember();
    const bob = await addAccount(core, 'bob');
    for (const account of [ann, bob])
      await core.use(account, inNovember, 'class-a/STANDARD', 2_000_000n);
    until(core, 2027, 1, 2);
    const amounts = await Promise.all(
      [ann, bob].map((account) => closeMonth(core, account, DECEMBER)),
    );
    expect(amounts.map((bill) => bill?.invoice.totalMicro)).toEqual([9_000_000n, 4_500_000n]);
  });

  it('leaves a month that is not closed to its own bill', async () => {
    const core = createBillingCore();
    const ann = await addAccount(core, 'ann');
    await core.use(ann, inNovember, 'class-a/STANDARD', 3_000_000n);
    until(core, 2026, 12, 1);
    expect((await getInvoice(core, ann, DECEMBER))?.invoice.late).toEqual([]);
  });

  it('is billed once by closings that are killed and repeated, and by two at once', async () => {
    for (let dies = 1; ; dies += 1) {
      const { core, ann } = await closedNovember();
      await core.use(ann, inNovember, 'class-a/STANDARD', 1_000_000n);
      until(core, 2027, 1, 2);
      const isKilled = await closeMonth(dyingAtCall(core, dies), ann, DECEMBER).then(
        () => false,
        () => true,
      );
      const both = await Promise.all([
        closeMonth(core, ann, DECEMBER),
        closeMonth(core, ann, DECEMBER),
      ]);
      expect(both[0]).toEqual(both[1]);
      expect([both[0]?.number, both[0]?.invoice.totalMicro]).toEqual(['QS-000002', 4_500_000n]);
      until(core, 2027, 2, 2);
      expect(await closeMonth(core, ann, JANUARY)).toBe(null);
      if (!isKilled) break;
    }
  });

  it('comes to what the month would have cost at once, whatever comes in how many parts', () => {
    fc.assert(
      fc.property(
        fc.array(anySavedUsage, { minLength: 2, maxLength: 4 }),
        anyCard,
        (parts, ofCard) => {
          let before = parts[0] ?? new Map();
          let sum = totalOf(before);
          for (const part of parts.slice(1)) {
            const after = addUsage(before, part);
            const late = priceLateUsage({ period: MARCH, card: ofCard, before, after });
            sum += late.amountMicro;
            for (const line of late.lines) {
              const ofParts = line.parts.reduce(
                (total, { amountMicro }) => total + amountMicro,
                0n,
              );
              expect(ofParts).toBe(line.amountMicro);
            }
            before = after;
          }
          expect(sum).toBe(totalOf(before));

          function totalOf(usage: typeof before): bigint {
            return makeInvoice(usage, ofCard, MARCH).totalMicro;
          }
        },
      ),
    );
  });

  it('takes no bill below nothing: what is to be given back waits', () => {
    const ofCard = card('aws-s3-us-east-1');
    const before = new Map([['storage/STANDARD', 720n * 1000n * GB]] as const);
    const after = new Map([...before, ['deduplicated/STANDARD', 720n * 900n * GB]] as const);
    const late = [priceLateUsage({ period: MARCH, card: ofCard, before, after })];
    expect(late[0]?.amountMicro).toBeLessThan(0n);
    expect(makeInvoice(new Map(), ofCard, MARCH, [], late)).toMatchObject({
      late: [],
      totalMicro: 0n,
    });
    expect(makeInvoice(before, ofCard, MARCH, [], late).late).toEqual(late);
  });
});
