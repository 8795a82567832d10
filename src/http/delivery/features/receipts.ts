// Receipts of public reads, as a feature of reads: of buckets whose owner shows
// everyone what requests cost. Such a read is counted with its receipt, all others
// by the meter alone. A receipt is waited for, so the fast path has none.
import type { TakeReceipt } from '../../../core/billing/receipts/take-receipt.ts';
import { FREE_RECEIPT, RECEIPT, receiptHeader } from '../../receipt-header.ts';
import { noteRead, payerOfRead, tierOf } from '../count-read.ts';
import type { ReadFeature } from './read-feature.ts';

/**
 * `takeReceipt` null: there are no receipts, but errors and 304 still say that they
 * are free.
 */
export function receiptsFeature(takeReceipt: TakeReceipt | null): ReadFeature {
  const feature: ReadFeature = {
    isIn: ({ settings }) => settings.receipts === 'everyone',
    freeHeaders: { [RECEIPT]: FREE_RECEIPT },
    atOnce: { leavesAll: true },
  };
  if (takeReceipt === null) return feature;

  return {
    ...feature,
    async count({ request, requestId }, readPolicy, { origin, ...used }) {
      const { bytesOut } = used;
      noteRead(request.notes, bytesOut, origin);
      const use = { ...used, tier: tierOf(origin, bytesOut), alsoRead: [] };
      const receipt = await takeReceipt(payerOfRead(readPolicy), use);
      return { [RECEIPT]: receiptHeader(receipt, requestId) };
    },
  };
}
