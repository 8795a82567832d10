// The usage of a response of the S3 surface, for the meter and for receipts.
// respond.ts calls it for every response that somebody pays.
import type { Use } from '../../ports/metering.ts';
import type { S3Response } from './call/call.ts';
import type { OperationName } from './call/detect.ts';
import { OPERATIONS } from './operations/table/operations.ts';

const STORAGE_CLASS = 'x-amz-storage-class';

/** `operation` null: a preflight. */
export function useOfResponse(
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
