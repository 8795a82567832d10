// Whether an answer of the S3 surface has a receipt: who may know what a request cost, and who asks to. Pure.
import type { BucketRecord } from '../../ports/domain.ts';
import { RECEIPT, RECEIPT_PARAMETER } from '../receipt-header.ts';
import type { S3Call } from './call.ts';

type Asking = Pick<S3Call, 'principal' | 'isPresigned' | 'form' | 'query' | 'request'>;

/**
 * Whether a caller who proved to be an account asks for a receipt. Who has a presigned URL or a signed form is not the
 * account that signed it: such a URL has a receipt where the signer wrote the wish into it.
 */
export function asksForReceipt({ principal, isPresigned, form, query, request }: Asking): boolean {
  if (principal.kind === 'anonymous' || form !== null) return false;
  if (query.get(RECEIPT_PARAMETER) === '1') return true;
  return !isPresigned && request.header(RECEIPT) === '1';
}

/**
 * Whether the answer has a receipt. What a bucket costs is its owner's to know, and everyone's where the owner says so.
 * `record` null: no bucket, so the caller pays.
 */
export function hasReceipt(call: Asking, record: Pick<BucketRecord, 'ownerId' | 'settings'> | null): boolean {
  if (record?.settings.receipts === 'everyone') return true;
  const { principal, isPresigned, form } = call;
  if (principal.kind === 'anonymous' || (record !== null && principal.account.id !== record.ownerId)) return false;
  if (asksForReceipt(call)) return true;
  return record?.settings.receipts === 'owner' && !isPresigned && form === null;
}
