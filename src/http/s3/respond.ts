// From the response of an operation to the Response: it is metered, waits for its
// receipt where it has one, and reports where its time went. routes.ts calls it for
// operations and preflights; failures are errors.ts's.
import type { TakeReceipt } from '../../core/billing/receipts/take-receipt.ts';
import type { Meter, UsageOwner, Use } from '../../ports/metering.ts';
import { operationTiming, SERVER_TIMING } from '../observe/server-timing.ts';
import { countSent, makeResponse, type OutgoingBody } from '../outgoing-body.ts';
import { RECEIPT, receiptHeader } from '../receipt-header.ts';
import type { HttpRequest } from '../request.ts';
import { addCommonHeaders, type S3Response } from './call/call.ts';
import type { OperationName } from './call/detect.ts';
import { OPERATIONS } from './operations/table/operations.ts';

export type Answered = {
  readonly request: HttpRequest;
  readonly requestId: string;
  /** Null: nobody pays. */
  readonly payer: UsageOwner | null;
  /** Null: a preflight. */
  readonly operation: OperationName | null;
};

/**
 * Cost beyond the operation's own: two look-ups of the meter; with a receipt one
 * call to the ledger.
 */
export type Respond = (answered: Answered, response: S3Response) => Response | Promise<Response>;

const STORAGE_CLASS = 'x-amz-storage-class';
const encoder = new TextEncoder();

/** Makes it for one surface; it keeps nothing of a request. */
export function createRespond(
  meter: Pick<Meter, 'of'>,
  {
    isServerTimingOn,
    takeReceipt,
  }: { readonly isServerTimingOn: boolean; readonly takeReceipt: TakeReceipt },
): Respond {
  return ({ request, requestId, payer, operation }, response) => {
    const { status, headers, body, isReceipted = false } = response;
    const sent =
      request.method === 'HEAD' ? null : typeof body === 'string' ? encoder.encode(body) : body;
    const bytesOut =
      sent instanceof Uint8Array
        ? sent.length
        : sent === null
          ? 0
          : Number(headers['content-length']);
    request.notes.bodyBytes = bytesOut;
    request.notes.bodyTier = response.tier ?? null;
    const finish = (outgoing: OutgoingBody = sent): Response => {
      if (isServerTimingOn)
        headers[SERVER_TIMING] = operationTiming(request.notes, performance.now());
      return makeResponse(request, status, addCommonHeaders(headers, requestId), outgoing);
    };
    if (payer === null) return finish();
    const use = useOfResponse(operation, response, bytesOut);
    if (operation !== null)
      meter.of(payer).note(operation, !isReceipted && use.operationClass === 'B');
    if (isReceipted) {
      return takeReceipt(payer, use).then((receipt) => {
        headers[RECEIPT] = receiptHeader(receipt, requestId);
        return finish();
      });
    }
    const { operationClass, tier, storageClass } = use;
    return finish(
      countSent(meter.of(payer), { operationClass, bytesOut, tier, storageClass }, sent),
    );
  };
}

/** The usage of a response, for the meter and for receipts. `operation` null: a preflight. */
function useOfResponse(
  operation: OperationName | null,
  { status, headers, tier = 'none', alsoRead = [], storageClass }: S3Response,
  bytesOut: number,
): Use {
  const isFree = operation === null || status === 304;
  return {
    operationClass: isFree ? 'free' : OPERATIONS[operation].meter,
    bytesOut,
    tier: tier === 'index' ? 'memory' : tier,
    // The class of the object that was made or read; STANDARD also where a response
    // has none.
    storageClass: storageClass ?? headers[STORAGE_CLASS] ?? 'STANDARD',
    alsoRead,
  };
}
