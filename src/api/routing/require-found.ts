// Turns a record that is missing into its 404. Routes call it with what they read.
import { type ErrorCode, StorageError } from '../../domain/errors.ts';

/**
 * The record that was read; throws the code, one of the 404s, where there is none.
 */
export function requireFound<Value extends object>(
  value: Value | null | undefined,
  code: ErrorCode,
): Value {
  if (value === null || value === undefined) throw new StorageError(code);
  return value;
}
