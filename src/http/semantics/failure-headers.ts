// The header fields that a failure itself asks for, whichever surface shows it.
// Called by the error renderers of all surfaces, which put their own headers (type,
// caching, CORS) around them.
import type { StorageError } from '../../domain/errors.ts';
import { ERROR_STATUS } from './error-status.ts';
import type { HeaderRecord } from './object-headers.ts';
import { unsatisfiedContentRange } from './range.ts';

/**
 * Fields of a failure that are for headers alone; documents leave them out.
 * RetryAfterSeconds: whole seconds.
 */
export const HEADER_FIELDS: ReadonlySet<string> = new Set(['Allow', 'RetryAfterSeconds']);

/** When to come back after a 503, seconds: overload passes quickly. */
const RETRY_SECONDS = '1';

/**
 * A new record. A 405 lists what is allowed, nothing if that is nothing; a 416
 * tells the size; what is refused for some time tells when to come back. Source:
 * RFC 9110 sections 10.2.1, 10.2.3, 14.4, 15.5.6.
 */
export function failureHeaders({ code, fields }: StorageError): HeaderRecord {
  const status = ERROR_STATUS[code];
  const { Allow, ActualObjectSize, RetryAfterSeconds } = fields;
  const headers: HeaderRecord = {};
  if (status === 405) headers.allow = Allow ?? '';
  if (status === 416 && ActualObjectSize !== undefined) {
    headers['content-range'] = unsatisfiedContentRange(Number(ActualObjectSize));
  }
  if (RetryAfterSeconds !== undefined) headers['retry-after'] = RetryAfterSeconds;
  else if (status === 503) headers['retry-after'] = RETRY_SECONDS;
  return headers;
}
