// Closed bills: made again from themselves they are the same, kept as JSON they are the same, and
// credits are used once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CreditGrant, creditsFor } from '../../../src/core/billing/invoices/credits.ts';
import {
  invoiceNumber,
  makeDocument,
  recompute,
} from '../../../src/core/billing/invoices/invoice-document.ts';
import { invoiceJson, parseInvoiceJson } from '../../../src/core/billing/invoices/invoice-json.ts';
import {
  monthBounds,
  monthOf,
  monthsLater,
  monthText,
  parseMonth,
} from '../../../src/core/billing/month.ts';
import { parseRateCard } from '../../../src/core/billing/prices/rate-card.ts';
import { rateCardJson } from '../../../src/core/billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../../../src/core/billing/prices/rate-cards.ts';
import { anyCard, anyUsage, card, MARCH, usageOf } from './billing-samples.ts';

const account = { id: '123', displayName: 'Ann' };
const closedAtMs = Date.UTC(2026, 3, 2);

describe('a closed bill', () => {
  const anyDocument = fc
    .record({
      usage: anyUsage,
      card: anyCard,
      amountMicro: fc.bigInt({ min: 1n, max: 10n ** 12n }),
    })
    .map(({ usage, card: priced, amountMicro }) =>
      makeDocument({
        account,
        period: MARCH,
        usage,
        card: priced,
        credits: [{ id: 'a', label: 'welcome', amountMicro }],
        closedAtMs,
      }),
    );

  it('made again from itself is the same, to the last micro-unit', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        expect(recompute(document)).toEqual(document.invoice);
      }),
    );
  });

  it('is the same after it was kept as JSON', () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        expect(parseInvoiceJson(JSON.parse(JSON.stringify(invoiceJson(document))))).toEqual(
          document,
        );
      }),
    );
  });

  it('reads what was kept without reckoning anew', () => {
    const usage = usageOf({ 'class-a/STANDARD': 310_000n });
    const document = makeDocument({
      account,
      period: MARCH,
      usage,
      card: card('aws-s3-us-east-1'),
      credits: [],
      closedAtMs,
    });
    const kept = { ...invoiceJson(document), totalMicro: '7' };
    expect(parseInvoiceJson(kept).invoice.totalMicro).toBe(7n);
    expect(() => parseInvoiceJson({ ...kept, format: 2 })).toThrow('unknown format');
  });

  it('has one number for an account and month', () => {
    expect(invoiceNumber('123', MARCH)).toBe('QS-2026-03-a665a4592042');
  });
});

describe('a rate card as JSON', () => {
  it.each(RATE_CARDS)('$id is read back as it was', (each) => {
    expect(parseRateCard(JSON.parse(JSON.stringify(rateCardJson(each))))).toEqual(each);
  });
});

describe('credits', () => {
  const grant = (id: string, change: Partial<CreditGrant> = {}): CreditGrant => ({
    id,
    label: id,
    currency: 'USD',
    amountMicro: 100n,
    grantedAtMs: Date.UTC(2026, 2, 10),
    expiresAtMs: null,
    ...change,
  });
  const ids = (grants: readonly CreditGrant[]) =>
    creditsFor(MARCH, 'USD', grants, []).map(({ id }) => id);

  it('are taken in the order of their ends', () => {
    const grants = [
      grant('without end'),
      grant('later', { expiresAtMs: Date.UTC(2026, 8) }),
      grant('sooner', { expiresAtMs: Date.UTC(2026, 3) }),
      grant('old and without end', { grantedAtMs: 0 }),
    ];
    expect(ids(grants)).toEqual(['sooner', 'later', 'old and without end', 'without end']);
  });

  it('count in months of their life and currency', () => {
    const grants = [
      grant('of April', { grantedAtMs: Date.UTC(2026, 3) }),
      grant('of the last moment', { grantedAtMs: Date.UTC(2026, 3) - 1 }),
      grant('over', { expiresAtMs: Date.UTC(2026, 2) }),
      grant('in yuan', { currency: 'CNY' }),
    ];
    expect(ids(grants)).toEqual(['of the last moment']);
  });

  it('are used up by what invoices took', () => {
    const taken = [
      { credits: [{ id: 'a', label: 'a', amountMicro: 60n }] },
      {
        credits: [
          { id: 'a', label: 'a', amountMicro: 15n },
          { id: 'b', label: 'b', amountMicro: 100n },
        ],
      },
    ];
    expect(creditsFor(MARCH, 'USD', [grant('a'), grant('b')], taken)).toEqual([
      { id: 'a', label: 'a', amountMicro: 25n },
    ]);
  });
});

describe('months', () => {
  it('are texts, bounds and neighbours', () => {
    expect([
      parseMonth('2026-03'),
      parseMonth('2026-3'),
      parseMonth('2026-13'),
      parseMonth('x2026-03'),
    ]).toEqual([MARCH, null, null, null]);
    expect(monthText(monthsLater({ year: 2026, month: 1 }, -1))).toBe('2025-12');
    expect(monthBounds(MARCH)).toEqual({
      startMs: Date.UTC(2026, 2, 1),
      endMs: Date.UTC(2026, 3, 1),
    });
    expect(monthOf(Date.UTC(2026, 3, 1) - 1)).toEqual(MARCH);
  });
});
