// What R2 says when something goes wrong, in our words. Only r2-blob-store.ts calls
// it; nobody else reads R2's texts.
import { StorageError } from '../../../domain/errors.ts';

/**
 * R2 puts its code in parentheses at the end of the message: `get: … (10001)`.
 * Source: https://developers.cloudflare.com/r2/api/error-codes/
 */
const CODE = /\((\d{5})\)\s*$/;
const INTERNAL_ERROR = 10001;
const SERVICE_UNAVAILABLE = 10043;
const TOO_MANY_REQUESTS = 10058;
const PASSING: ReadonlySet<number> = new Set([
  INTERNAL_ERROR,
  SERVICE_UNAVAILABLE,
  TOO_MANY_REQUESTS,
]);

function codeOf(error: unknown): number | null {
  const found = error instanceof Error ? CODE.exec(error.message)?.[1] : undefined;
  return found === undefined ? null : Number(found);
}

/** Whether the same call may succeed a moment later. */
export function isPassingR2Error(error: unknown): boolean {
  if (error instanceof StorageError) return false;
  const code = codeOf(error);
  if (code !== null) return PASSING.has(code);
  return (
    error instanceof Error &&
    ('retryable' in error || /network connection lost/i.test(error.message))
  );
}

/**
 * SlowDown, ServiceUnavailable or InternalError; a StorageError stays what it is.
 */
export function translateR2Error(error: unknown, call: string): StorageError {
  if (error instanceof StorageError) return error;
  const detail = `R2 could not ${call}.`;
  const code = codeOf(error);
  if (code === TOO_MANY_REQUESTS) return new StorageError('SlowDown', { cause: error });
  if (code === SERVICE_UNAVAILABLE)
    return new StorageError('ServiceUnavailable', { detail, cause: error });
  return new StorageError('InternalError', { detail, cause: error });
}
