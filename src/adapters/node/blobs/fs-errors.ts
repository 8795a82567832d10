// Translates failures of the file system: the only code that reads errno names. All
// of adapters/node that touches files throws through it.
import { StorageError } from '../../../domain/errors.ts';

/**
 * Makes a StorageError: StorageFull (disk or quota), SlowDown (no file descriptor
 * left), else InternalError. One that is a StorageError already passes as it is.
 */
export function translateError(error: unknown, detail: string): StorageError {
  if (error instanceof StorageError) return error;
  switch (errnoOf(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new StorageError('StorageFull', { cause: error });
    case 'EMFILE':
    case 'ENFILE':
      return new StorageError('SlowDown', { cause: error });
    default:
      return new StorageError('InternalError', { detail, cause: error });
  }
}

/** The errno name of a failed system call, like `ENOENT`; null for other errors. */
export function errnoOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : null;
}
