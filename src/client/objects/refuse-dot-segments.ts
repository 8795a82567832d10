// Keys that no URL can name.
import { QuaysideError } from '../errors.ts';

/**
 * Refuses keys with a segment `.` or `..` before a byte is sent. Every fetch folds
 * these in a path, written as `%2e` too: the server would see another key than the
 * one that was signed.
 */
export function refuseDotSegments(key: string): void {
  if (!/(?:^|\/)\.\.?(?:\/|$)/.test(key)) return;
  const message = 'No URL can name a key with a segment “.” or “..”.';
  throw new QuaysideError('InvalidInput', message, { fields: [{ field: 'key', message }] });
}
