// Failures that must be answered with headers of their own, as a browser's script
// is shown none without the bucket's CORS.
import type { HeaderRecord } from './semantics/object-headers.ts';

/**
 * A failure together with headers that its response must have, whoever renders it: a
 * surface that knows the bucket's CORS rules throws it, and errors.ts puts the
 * headers on what becomes of `failure`.
 */
export class FailureWithHeaders extends Error {
  override readonly name = 'FailureWithHeaders';
  readonly failure: unknown;
  readonly headers: Readonly<HeaderRecord>;

  constructor(failure: unknown, headers: Readonly<HeaderRecord>) {
    super('A failure with headers of its own.', { cause: failure });
    this.failure = failure;
    this.headers = headers;
  }
}

/**
 * The failure with those headers besides what it has already; as it is when there
 * are none.
 */
export function withFailureHeaders(
  failure: unknown,
  headers: Readonly<HeaderRecord> | null,
): unknown {
  if (headers === null) return failure;
  return failure instanceof FailureWithHeaders
    ? new FailureWithHeaders(failure.failure, { ...headers, ...failure.headers })
    : new FailureWithHeaders(failure, headers);
}
