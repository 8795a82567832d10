// Caps of a bucket. What a request may still use is checked before anything is
// done. It is checked again for the bytes of the response, because others may have
// used the rest meanwhile.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { OperationClass, UsageOwner } from '../../../ports/metering.ts';
import { payerOf, type S3Response } from '../call/call.ts';
import { OPERATIONS } from '../operations/table/operations.ts';
import type { AuthorizedCall, Feature } from './feature.ts';

/**
 * Checks of one request. Each throws UsageCapReached, SpendingCapReached or
 * ServiceUnavailable.
 */
export type CapCheck = {
  /** Before the operation runs; it stores so many bytes, as far as is known. */
  before(storedBytes?: number): Promise<void>;
  /** For the bytes of the response, whose body is let go when they are refused. */
  answer(response: S3Response): Promise<void>;
  /**
   * Runs in the tick in which the response is counted, and lets its body go when it
   * refuses. A write has happened by then, and goes through.
   */
  last(response: S3Response): void;
};

/** `caps` absent: there are none. */
export function createCaps(caps: CapGuard | undefined): Feature {
  if (caps === undefined) return {};

  /** Null: the bucket is not capped. */
  const checkOf = ({ call, record }: AuthorizedCall): CapCheck | null => {
    if (record?.settings.isCapped !== true) return null;
    const { meter } = OPERATIONS[call.operation];
    return createCapCheck(caps, payerOf(record, call.principal), meter);
  };

  return {
    triggers: [{ kind: 'setting', name: 'isCapped' }],

    wrap(authorized, handle) {
      const check = checkOf(authorized);
      if (check === null) return handle;
      return async () => {
        await check.before(storedBytesOf(authorized));
        const response = await handle();
        await check.answer(response);
        return response;
      };
    },

    finish(authorized, response) {
      checkOf(authorized)?.last(response);
      return response;
    },
  };
}

/** Length of a body that is stored, as far as the request says it. */
function storedBytesOf({ call }: AuthorizedCall): number {
  const isStored = OPERATIONS[call.operation].body === 'stream';
  return isStored ? (call.body.source.lengthBytes ?? 0) : 0;
}

export function createCapCheck(
  caps: CapGuard,
  payer: UsageOwner,
  operationClass: OperationClass,
): CapCheck {
  const usageOf = (bytesOut: number) => ({ operationClass, bytesOut, fromMemory: false });
  // A ZIP counts as class A, because it lists, and is a read all the same.
  const isRead = ({ body }: S3Response) => operationClass === 'B' || body instanceof ReadableStream;
  return {
    async before(storedBytes = 0) {
      await caps.require(payer, usageOf(0));
      await caps.requireStorage(payer, storedBytes);
    },
    async answer(response) {
      if (!isRead(response)) return;
      try {
        await caps.require(payer, usageOf(lengthOf(response)));
      } catch (error) {
        letGo(response);
        throw error;
      }
    },
    last(response) {
      const refusal = isRead(response) ? caps.refusalNow(payer, usageOf(lengthOf(response))) : null;
      if (refusal === null) return;
      letGo(response);
      throw refusal;
    },
  };
}

function lengthOf({ body, headers }: S3Response): number {
  if (body === null) return 0;
  return body instanceof ReadableStream ? Number(headers['content-length']) : body.length;
}

function letGo({ body }: S3Response): void {
  if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
}
