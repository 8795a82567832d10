// Receipts against the bill of their month, as the API shows them: also where the card was changed
// in between, where what is stored makes traffic free afterwards, and where a minimum and credits
// are the month's.
import { describe, expect, it } from 'vitest';
import { makeDocument } from '../../../src/core/billing/invoices/invoice-document.ts';
import { parseRateCard } from '../../../src/core/billing/prices/rate-card.ts';
import { statementOf } from '../../../src/core/billing/receipts/receipt-statement.ts';
import { tariffOf } from '../../../src/core/billing/receipts/tariffs.ts';
import type { Usage } from '../../../src/core/metering/usage.ts';
import type { ReceiptSums } from '../../../src/domain/billing/receipts.ts';

const card = (price: string, more: object = {}) =>
  parseRateCard({
    ...{
      id: 'ours',
      name: 'Ours',
      currency: 'EUR',
      source: 'https://example.com',
      asOf: '2026-11-21',
      monthHours: 720,
    },
    lines: [
      {
        label: 'Storage',
        meters: ['storage/STANDARD'],
        unit: { name: 'B-month', size: 1, perMonth: true },
        tiers: [{ price: '0.000001' }],
      },
      {
        label: 'Traffic',
        meters: ['egress/bucket', 'egress/made'],
        unit: { name: 'B', size: 1 },
        freePerStored: { meters: ['storage/STANDARD'], times: '1' },
        tiers: [{ price }],
      },
    ],
    ...more,
  });

const documentOf = (usage: Usage, ofCard = card('0.000002'), credits: readonly bigint[] = []) =>
  makeDocument({
    account: { id: 'a', displayName: 'A' },
    period: { year: 2026, month: 11 },
    usage,
    card: ofCard,
    credits: credits.map((amountMicro, at) => ({ id: `${at}`, label: 'Gift', amountMicro })),
    closedAtMs: null,
  });

const sums = (
  ofCard: ReturnType<typeof card>,
  bytes: bigint,
  amountMicro: bigint,
): ReceiptSums => ({
  cardId: ofCard.id,
  version: tariffOf(ofCard).version,
  receipts: 2,
  parts: [
    { meter: 'class-b/STANDARD', quantity: 2n, amountMicro: 0n },
    { meter: 'egress/bucket', quantity: bytes, amountMicro },
  ],
});

const USED: Usage = new Map([
  ['storage/STANDARD', 720n * 10n],
  ['egress/bucket', 100n],
  ['class-b/STANDARD', 2n],
]);

describe('a statement of receipts', () => {
  it('shows what of each line had receipts, and what storage made free afterwards', () => {
    const statement = statementOf(documentOf(USED, undefined, [50n]), [
      sums(card('0.000002'), 100n, 200n),
    ]);
    expect(
      statement.lines.map(({ label, amountMicro, receiptsMicro, restMicro }) => [
        label,
        amountMicro,
        receiptsMicro,
        restMicro,
      ]),
    ).toEqual([
      ['Storage', 10n, 0n, 10n],
      ['Traffic', 180n, 200n, -20n],
    ]);
    const { receiptsMicro, restMicro, creditsMicro, document } = statement;
    expect([receiptsMicro, restMicro, creditsMicro, document.invoice.totalMicro]).toEqual([
      200n,
      -10n,
      50n,
      140n,
    ]);
    expect(statement.cards).toMatchObject([{ receipts: 2, amountMicro: 200n, isCurrent: true }]);
  });

  it('tells receipts of a card that was changed from those of the bill', () => {
    const before = sums(card('0.000003'), 60n, 180n);
    const statement = statementOf(documentOf(USED), [before, sums(card('0.000002'), 40n, 80n)]);
    expect(statement.cards.map(({ isCurrent, amountMicro }) => [isCurrent, amountMicro])).toEqual([
      [false, 180n],
      [true, 80n],
    ]);
    expect(statement.meters.at(-1)).toEqual({
      meter: 'egress/bucket',
      quantity: 100n,
      amountMicro: 260n,
    });
    expect(statement.receiptsMicro + statement.restMicro).toBe(190n);
  });

  it('leaves the minimum to the month, and savings to the rest', () => {
    const least = card('0.000002', { minimum: '0.001' });
    const used = new Map([...USED, ['compressed/STANDARD', 720n * 4n]] as const);
    const statement = statementOf(documentOf(used, least), [sums(least, 100n, 200n)]);
    const { receiptsMicro, restMicro, document } = statement;
    const { minimumMicro, totalMicro } = document.invoice;
    expect(receiptsMicro + restMicro + minimumMicro).toBe(totalMicro);
    expect(totalMicro).toBe(1_000n);
    expect(statement.lines.map((line) => line.restMicro)).toEqual([10n, -4n, -20n]);
    expect(statement.lines.reduce((sum, line) => sum + line.restMicro, 0n)).toBe(restMicro);
  });
});
