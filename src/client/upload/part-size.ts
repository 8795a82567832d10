// How large the parts of an upload are: large enough for 10,000 of them to hold the
// object, and otherwise so small that a lost one costs little.
import { QuaysideError } from '../errors.ts';
import type { StoredPart } from '../objects/backend.ts';

const MiB = 1024 * 1024;
/** Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html */
export const PART_MIN_BYTES = 5 * MiB;
const PARTS_MAX = 10_000;
const OBJECT_MAX_BYTES = 5 * 1024 * 1024 * MiB;
/** What a line of 10 Mbit/s sends in seven seconds. */
const PART_USUAL_BYTES = 8 * MiB;
/** Up to here one request is enough. */
export const SINGLE_MAX_BYTES = 16 * MiB;
/**
 * Parts of a stream after which the next ones are twice as large: 10,000 then hold
 * 5 TiB.
 */
const DOUBLE_AFTER_PARTS = 1000;

/** Size of each part, by its number from 1. */
export type PartSize = (partNumber: number) => number;

/**
 * EntityTooLarge; EntityTooSmall and TooManyParts for a size that was chosen badly.
 */
export function partSizeFor(sizeBytes: number | null, chosenBytes?: number): PartSize {
  if (sizeBytes !== null && sizeBytes > OBJECT_MAX_BYTES) {
    throw new QuaysideError('EntityTooLarge', 'An object has 5 TiB at most.');
  }
  if (chosenBytes !== undefined) {
    if (chosenBytes < PART_MIN_BYTES) {
      throw new QuaysideError('EntityTooSmall', 'A part has 5 MiB at least.');
    }
    if (sizeBytes !== null && sizeBytes > chosenBytes * PARTS_MAX) {
      throw new QuaysideError('TooManyParts', 'An upload has 10,000 parts at most.');
    }
    return () => chosenBytes;
  }
  if (sizeBytes === null) {
    return (number) => PART_USUAL_BYTES * 2 ** Math.floor((number - 1) / DOUBLE_AFTER_PARTS);
  }
  const least = Math.ceil(sizeBytes / PARTS_MAX / MiB) * MiB;
  return () => Math.max(PART_USUAL_BYTES, least);
}

/**
 * The layout that the parts of an interrupted upload were cut by; `otherwise` where
 * none fits.
 */
export function partSizeOfStored(
  stored: readonly StoredPart[],
  sizeBytes: number | null,
  otherwise: PartSize,
): PartSize {
  const largest = Math.max(0, ...stored.map((part) => part.sizeBytes));
  if (sizeBytes === null || largest < PART_MIN_BYTES || sizeBytes > largest * PARTS_MAX) {
    return otherwise;
  }
  const fits = stored.every(
    ({ partNumber, sizeBytes: size }) =>
      size === Math.min(largest, sizeBytes - (partNumber - 1) * largest),
  );
  return fits ? () => largest : otherwise;
}
