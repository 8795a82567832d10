// The promise that a change can ask for: a time from which no tier anywhere shows the past any more. Wish and answer are
// one header, on the S3 surface and in the JSON API. Each of them knows which of its requests are changes.
import { freshByMs } from '../core/buckets/fresh-by.ts';
import type { Core } from '../core/core.ts';
import type { BucketName, ObjectKey } from '../ports/domain.ts';
import type { HttpRequest } from './request.ts';

/** Wish (`1`) and answer (a time, ISO 8601, UTC). */
export const FRESH_BY_HEADER = 'x-quayside-fresh-by';

/**
 * The header of the answer to a change that was just made, of these keys or with null of the bucket; null when the request
 * did not ask for it.
 */
export function freshByAnswer(
  core: Core,
  request: HttpRequest,
  changed: { readonly bucket: BucketName; readonly keys: readonly ObjectKey[] | null },
): string | null {
  if (request.header(FRESH_BY_HEADER) !== '1') return null;
  return new Date(freshByMs(core, changed.bucket, changed.keys)).toISOString();
}
