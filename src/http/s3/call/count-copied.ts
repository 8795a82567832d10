// Retrieval by copies: on S3 and R2 bytes of a colder class are retrieved by a copy
// as by a read. Source:
// https://developers.cloudflare.com/r2/pricing/#data-retrieval ("any time objects
// are read or copied")
import type { Core } from '../../../core/core.ts';
import type { AlsoRead } from '../../../ports/metering.ts';
import { hasReceipt } from '../headers/receipt-request.ts';
import { type ObjectCall, payerOf } from './call.ts';
import type { OpenedSource } from './open-copy-source.ts';

/**
 * Counts the bytes that were copied, for the owner of the source's bucket. Gives
 * what the receipt of the copy counts in its place: all of it when that owner has
 * the receipt. A body in its index row is not retrieved, by reads neither.
 */
export function countCopied(
  call: ObjectCall,
  core: Core,
  { record, version }: OpenedSource,
  lengthBytes: number,
): readonly AlsoRead[] {
  const { storageClass, inlineBytes } = version;
  if (storageClass === 'STANDARD' || inlineBytes !== null) return [];
  const read = { storageClass, reads: 0, retrievedBytes: lengthBytes };
  const target = call.bucket.record();
  if (hasReceipt(call, target) && record.ownerId === target.ownerId) return [read];
  core.ports.meter.of(payerOf(record, call.principal)).alsoRead(read);
  return [];
}
