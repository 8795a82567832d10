// What one request adds to the bill of its month: the bill after it less the bill before it.
// Differences of the same sums add up, so the receipts of a month and what had none are its bill,
// to the last micro-unit, whatever the card's allowances, tiers and rounding. The ledgers of both
// homes call it inside their command, where nothing can come in between.
import type { PriceReceipt } from '../../../domain/billing/receipts.ts';
import { toUsage } from '../../metering/query-usage.ts';
import { type Invoice, makeInvoice } from '../invoices/invoice.ts';
import { monthOf } from '../month.ts';

/**
 * What a bill's lines come to. A card's minimum, credits and late usage of other months are no
 * request's.
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
 * The meters of a request come one after the other, so each has its own part, also where several
 * share a line.
 */
export const priceReceipt: PriceReceipt = ({ card, monthMs, before, used }) => {
  const period = monthOf(monthMs);
  const sums = new Map(before.map(({ meter, quantity }) => [meter, quantity]));
  const costOf = () => {
    const quantities = [...sums].map(([meter, quantity]) => ({ meter, quantity }));
    return lineTotal(makeInvoice(toUsage(quantities), card, period));
  };
  let cost = costOf();
  return used.map(({ meter, quantity }) => {
    sums.set(meter, (sums.get(meter) ?? 0n) + quantity);
    const known = cost;
    cost = costOf();
    return { meter, quantity, amountMicro: cost - known };
  });
};
