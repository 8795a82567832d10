// Reconciles the receipts of a month with its bill: how much of each line had
// receipts, how much had none, and what is the month's alone. Whoever collects
// receipts can check the bill by it, and the other way round.

import type { ReceiptPart, ReceiptSums } from '../../../domain/billing/receipts.ts';
import type { MeterName } from '../../../domain/billing/usage.ts';
import type { Account } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import { toUsage } from '../../metering/query-usage.ts';
import { readClosed } from '../invoices/close-month.ts';
import { openInvoice } from '../invoices/get-invoice.ts';
import type { InvoiceDocument } from '../invoices/invoice-document.ts';
import { type BillingMonth, monthBounds } from '../month.ts';
import { lineTotal } from './price-receipt.ts';
import { tariffOf } from './tariffs.ts';

/**
 * A line of the bill. `receiptsMicro` and `restMicro` add up to `amountMicro`; what
 * was stored never has receipts.
 */
export type StatementLine = {
  readonly label: string;
  readonly meters: readonly MeterName[];
  readonly amountMicro: bigint;
  readonly receiptsMicro: bigint;
  readonly restMicro: bigint;
};

export type ReceiptStatement = {
  readonly document: InvoiceDocument;
  readonly lines: readonly StatementLine[];
  /** Receipts, rest, minimum, late usage, less credits: the bill's total. */
  readonly receiptsMicro: bigint;
  readonly restMicro: bigint;
  readonly lateMicro: bigint;
  readonly creditsMicro: bigint;
  /**
   * Receipts by the version of the card that priced them; `isCurrent`: the bill's
   * version.
   */
  readonly cards: readonly (Omit<ReceiptSums, 'parts'> & {
    readonly amountMicro: bigint;
    readonly isCurrent: boolean;
  })[];
  readonly meters: readonly ReceiptPart[];
};

/**
 * Reads the statement of a month; null for a month to come. Usage and receipts are
 * of one moment. Cost: a call to the ledger, and the bill's look-ups.
 */
export async function receiptStatement(
  core: Core,
  account: Account,
  period: BillingMonth,
): Promise<ReceiptStatement | null> {
  const { startMs } = monthBounds(period);
  if (startMs > core.ports.clock.nowMs()) return null;
  const { usage, receipts } = await core.ports.ledger.call('readReceipts', {
    accountId: account.id,
    monthMs: startMs,
  });
  const document =
    (await readClosed(core, account, period)) ??
    (await openInvoice(core, account, period, toUsage(usage)));
  return statementOf(document, receipts);
}

/** Makes the statement of a bill and its receipts. Pure. */
export function statementOf(
  document: InvoiceDocument,
  receipts: readonly ReceiptSums[],
): ReceiptStatement {
  const { invoice, card } = document;
  const meters = [...sumMeters(receipts).values()];
  const receiptsMicro = sumOf(meters);
  const { version } = tariffOf(card);
  return {
    document,
    lines: invoice.lines.map(({ label, meters: own, amountMicro, saving }) => {
      const ofLine = saving === null ? meters.filter(({ meter }) => own.includes(meter)) : [];
      const lineReceiptsMicro = sumOf(ofLine);
      return {
        label,
        meters: own,
        amountMicro,
        receiptsMicro: lineReceiptsMicro,
        restMicro: amountMicro - lineReceiptsMicro,
      };
    }),
    receiptsMicro,
    restMicro: lineTotal(invoice) - receiptsMicro,
    lateMicro: invoice.late.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
    creditsMicro: invoice.credits.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
    cards: receipts.map(({ parts, ...priced }) => ({
      ...priced,
      amountMicro: sumOf(parts),
      isCurrent: priced.cardId === card.id && priced.version === version,
    })),
    meters,
  };
}

const sumOf = (parts: readonly ReceiptPart[]): bigint =>
  parts.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);

function sumMeters(receipts: readonly ReceiptSums[]): ReadonlyMap<MeterName, ReceiptPart> {
  const sums = new Map<MeterName, ReceiptPart>();
  for (const { meter, quantity, amountMicro } of receipts.flatMap(({ parts }) => parts)) {
    const sum = sums.get(meter) ?? { meter, quantity: 0n, amountMicro: 0n };
    sums.set(meter, {
      meter,
      quantity: sum.quantity + quantity,
      amountMicro: sum.amountMicro + amountMicro,
    });
  }
  return sums;
}
