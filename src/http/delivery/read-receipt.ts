// Receipts of public reads: of buckets whose owner shows everyone what requests cost. Such reads
// are counted with their receipt, all others by count-read.ts; the hot door leaves these buckets
// alone.
import type { TakeReceipt } from '../../core/billing/receipts/take-receipt.ts';
import type { BucketReadPolicy } from '../../domain/nouns.ts';
import type { OperationClass } from '../../ports/metering.ts';
import { FREE_RECEIPT, RECEIPT, receiptHeader } from '../receipt-header.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import type { BodyOrigin } from './cache-status.ts';
import { noteRead, readerOf, tierOf } from './count-read.ts';

/** A read that was answered with an object, or with what was made for it. */
export type Read = {
  readonly operationClass: OperationClass;
  readonly bytesOut: number;
  readonly origin: BodyOrigin;
  readonly storageClass: string;
};
type Visitor = { readonly request: HttpRequest; readonly requestId: string };

/**
 * Counts the read and gives the header of its receipt. Null: nothing was counted, for it has none.
 */
export type ReceiptOfRead = (
  visitor: Visitor,
  readPolicy: BucketReadPolicy | null,
  read: Read,
) => Promise<HeaderRecord> | null;

/** `takeReceipt` null: there are no receipts. */
export function createReadReceipts(takeReceipt: TakeReceipt | null): ReceiptOfRead {
  return (
    { request, requestId },
    readPolicy,
    { operationClass, bytesOut, origin, storageClass },
  ) => {
    if (takeReceipt === null || readPolicy?.settings.receipts !== 'everyone') return null;
    noteRead(request.notes, bytesOut, origin);
    const use = {
      operationClass,
      bytesOut,
      tier: tierOf(origin, bytesOut),
      storageClass,
      alsoRead: [],
    };
    return takeReceipt(readerOf(readPolicy), use).then((receipt) => ({
      [RECEIPT]: receiptHeader(receipt, requestId),
    }));
  };
}

/** What is added to answers of such buckets that cost nothing: errors, and 304. */
export function freeReceiptOf(readPolicy: BucketReadPolicy | null): HeaderRecord | null {
  return readPolicy?.settings.receipts === 'everyone' ? { [RECEIPT]: FREE_RECEIPT } : null;
}
