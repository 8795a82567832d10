// The promise that a change can ask for: a time from which no tier anywhere, nor the
// cache of a browser, shows the past any more. Request and response have it in one
// header, on the S3 surface and in the JSON API. Each of them knows which of its
// requests are changes; what these have changed the bucket handles note.
import { freshByMs, type MadeChange } from '../core/buckets/fresh-by.ts';
import type { Core } from '../core/core.ts';
import type { BucketName, BucketRecord } from '../domain/nouns.ts';
import type { ReaderChange } from '../ports/index-calls/index-changes.ts';
import type { HttpRequest } from './request.ts';

/** `1` in the request; in the response a time, ISO 8601, UTC. */
export const FRESH_BY_HEADER = 'x-quayside-fresh-by';

/**
 * Notes what the request has changed, if it asks when that will be seen. `bucket`: as
 * it was before.
 */
export function noteChange(request: HttpRequest, bucket: BucketRecord, change: ReaderChange): void {
  if (request.header(FRESH_BY_HEADER) === '1') request.notes.changes.push({ bucket, change });
}

/**
 * The header of the response to a change of this bucket, or of what is in it; null
 * when the request did not ask for it. A request that has noted nothing may repeat
 * what another process did a moment ago: it gets the longest time.
 */
export function freshByAnswer(core: Core, request: HttpRequest, bucket: BucketName): string | null {
  if (request.header(FRESH_BY_HEADER) !== '1') return null;
  const { changes } = request.notes;
  const made: readonly MadeChange[] =
    changes.length === 0 ? [{ bucket, change: 'unknown' }] : changes;
  return new Date(Math.max(...made.map((change) => freshByMs(core, change)))).toISOString();
}
