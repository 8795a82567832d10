// What routes.ts asks of the cap guard for one request to a capped bucket: before anything is done,
// and again for the bytes of the answer, as often as others may have used what was left.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { OperationClass, UsageOwner } from '../../../ports/metering.ts';
import type { S3Answer } from '../call/call.ts';

export type CapCheck = {
  /**
   * Before the operation runs, which stores so many bytes, as far as is known. UsageCapReached,
   * SpendingCapReached, ServiceUnavailable.
   */
  before(storedBytes?: number): Promise<void>;
  /** For the bytes of the answer. As above; the body was let go then. */
  answer(given: S3Answer): Promise<void>;
  /**
   * In the turn in which the answer is counted. As above. Writes have happened by then: they go
   * through.
   */
  last(given: S3Answer): void;
};

export function createCapCheck(
  caps: CapGuard,
  payer: UsageOwner,
  operationClass: OperationClass,
): CapCheck {
  const wanted = (bytesOut: number) => ({ operationClass, bytesOut, fromMemory: false });
  // A ZIP counts as class A, because it lists, and is a read all the same.
  const isRead = ({ body }: S3Answer) => operationClass === 'B' || body instanceof ReadableStream;
  return {
    async before(storedBytes = 0) {
      await caps.require(payer, wanted(0));
      await caps.requireStorage(payer, storedBytes);
    },
    async answer(given) {
      if (!isRead(given)) return;
      try {
        await caps.require(payer, wanted(lengthOf(given)));
      } catch (error) {
        letGo(given);
        throw error;
      }
    },
    last(given) {
      const refusal = isRead(given) ? caps.refusalNow(payer, wanted(lengthOf(given))) : null;
      if (refusal === null) return;
      letGo(given);
      throw refusal;
    },
  };
}

function lengthOf({ body, headers }: S3Answer): number {
  if (body === null) return 0;
  return body instanceof ReadableStream ? Number(headers['content-length']) : body.length;
}

function letGo({ body }: S3Answer): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
}
