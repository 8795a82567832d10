// Prices one request: the bill of its month after it, less the bill before it. Such
// differences add up, so receipts and usage without any come to the month's bill to
// the last micro-unit, whatever the card's allowances, tiers and rounding. The
// ledgers of both platforms call it inside their command, where nothing can come in
// between.
import type { PriceReceipt } from '../../../domain/billing/receipts.ts';
import { toUsage } from '../../metering/query-usage.ts';
import { type Invoice, makeInvoice } from '../invoices/invoice.ts';
import { monthOf } from '../month.ts';

/**
 * The sum of a bill's lines. A card's minimum, credits and late usage of other
 * months belong to no request.
 */
export function lineTotal({
  totalMicro,
  minimumMicro,
  late,
  credits,
}: Pick<Invoice, 'totalMicro' | 'minimumMicro' | 'late' | 'credits'>) {
  const lateMicro = late.reduce((sum, { amountMicro }) => sum + amountMicro, 0n);
  return credits.reduce(
    (sum, { amountMicro }) => sum + amountMicro,
    totalMicro - minimumMicro - lateMicro,
  );
}

/**
 * Prices the meters of a request one after the other, so that each has its own
 * part, also where several share a line.
 */
export const priceReceipt: PriceReceipt = ({ card, monthMs, before, used }) => {
  const period = monthOf(monthMs);
  const sums = new Map(before.map(({ meter, quantity }) => [meter, quantity]));
  const costOf = () => {
    const quantities = [...sums].map(([meter, quantity]) => ({ meter, quantity }));
    return lineTotal(makeInvoice(toUsage(quantities), card, period));
  };

  let costMicro = costOf();
  return used.map(({ meter, quantity }) => {
    sums.set(meter, (sums.get(meter) ?? 0n) + quantity);
    const costBeforeMicro = costMicro;
    costMicro = costOf();
    return { meter, quantity, amountMicro: costMicro - costBeforeMicro };
  });
};
