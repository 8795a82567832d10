// Whether a response of the S3 surface has a receipt: who may know the cost of a
// request, and who requests it. Pure.
import type { BucketRecord, Principal } from '../../../domain/nouns.ts';
import { FREE_RECEIPT, RECEIPT, RECEIPT_PARAMETER } from '../../receipt-header.ts';
import type { HttpRequest } from '../../request.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { Query } from '../../semantics/raw-path.ts';

/** A call, as far as it decides about a receipt. */
type ReceiptRequest = {
  readonly principal: Principal;
  readonly isPresigned: boolean;
  readonly isQuerySigned: boolean;
  readonly form: ReadonlyMap<string, string> | null;
  readonly query: Query;
  readonly request: Pick<HttpRequest, 'header'>;
};

/**
 * Whether the response has a receipt. The cost of a bucket is its owner's to know,
 * and everyone's where the owner says so. Who has a presigned URL or a signed form
 * is not the account that signed it: such a URL has a receipt where the signer
 * wrote and signed the parameter in it. `record` null: no bucket, so the caller
 * pays. Cost: 30 ns.
 */
export function hasReceipt(
  call: ReceiptRequest,
  record: Pick<BucketRecord, 'ownerId' | 'settings'> | null,
): boolean {
  const shownTo = record?.settings.receipts ?? null;
  if (shownTo === 'everyone') return true;
  const { principal, isPresigned, isQuerySigned, form, query, request } = call;
  if (principal.kind === 'anonymous' || form !== null) return false;
  if (record !== null && principal.account.id !== record.ownerId) return false;
  if (isQuerySigned && query.get(RECEIPT_PARAMETER) === '1') return true;
  return !isPresigned && (shownTo === 'owner' || request.header(RECEIPT) === '1');
}

/**
 * The receipt of an error, for a request that wants one: it is nobody's secret that
 * errors are free. Null: the request wants none.
 */
export function freeReceiptOfFailure(
  request: Pick<HttpRequest, 'header'>,
  query: Query,
): HeaderRecord | null {
  const isAsked = query.get(RECEIPT_PARAMETER) === '1' || request.header(RECEIPT) === '1';
  return isAsked ? { [RECEIPT]: FREE_RECEIPT } : null;
}
