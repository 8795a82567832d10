// How the receipts of a month and its bill go together: what of each line had receipts, what had
// none, and what is the month's alone. So that whoever keeps receipts can check the bill, and the
// other way round.

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
 * A line of the bill. `receiptsMicro` and `restMicro` add up to `amountMicro`; what was stored
 * never has receipts.
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
  /** By the version of the card that they were priced by; `isCurrent`: the bill's. */
  readonly cards: readonly (Omit<ReceiptSums, 'parts'> & {
    readonly amountMicro: bigint;
    readonly isCurrent: boolean;
  })[];
  readonly meters: readonly ReceiptPart[];
};

/**
 * Null for a month to come. Usage and receipts are of one moment. Cost: a call to the ledger, and
 * the bill's look-ups.
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

/** Pure. */
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
      const priced =
        saving === null ? sumOf(meters.filter(({ meter }) => own.includes(meter))) : 0n;
      return {
        label,
        meters: own,
        amountMicro,
        receiptsMicro: priced,
        restMicro: amountMicro - priced,
      };
    }),
    receiptsMicro,
    restMicro: lineTotal(invoice) - receiptsMicro,
    lateMicro: invoice.late.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
    creditsMicro: invoice.credits.reduce((sum, { amountMicro }) => sum + amountMicro, 0n),
    cards: receipts.map(({ parts, ...of }) => ({
      ...of,
      amountMicro: sumOf(parts),
      isCurrent: of.cardId === card.id && of.version === version,
    })),
    meters,
  };
}

const sumOf = (parts: readonly ReceiptPart[]): bigint =>
  parts.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);

function sumMeters(receipts: readonly ReceiptSums[]): ReadonlyMap<MeterName, ReceiptPart> {
  const sums = new Map<MeterName, ReceiptPart>();
  for (const { meter, quantity, amountMicro } of receipts.flatMap(({ parts }) => parts)) {
    const known = sums.get(meter) ?? { meter, quantity: 0n, amountMicro: 0n };
    sums.set(meter, {
      meter,
      quantity: known.quantity + quantity,
      amountMicro: known.amountMicro + amountMicro,
    });
  }
  return sums;
}
