// Work on a bucket that decides once for many commits, as lifecycle and compression
// runs do. What was decided on one record must not be done to another. When the
// owner changes the bucket, the work ends, and the next sweep begins with the new
// record.

import { StorageError } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { type BucketHandle, openBucket } from './bucket-handle.ts';

const STOPPED: ReadonlySet<string> = new Set(['ConditionalRequestConflict', 'NoSuchBucket']);

/**
 * Opens a handle that fails with ConditionalRequestConflict once the bucket has
 * changed. NoSuchBucket.
 */
export async function openUnchanging(core: Core, name: BucketName): Promise<BucketHandle> {
  let revision: number | null = null;
  return openBucket(core, name, (record) => {
    if (revision !== null && record.revision !== revision)
      throw new StorageError('ConditionalRequestConflict');
    revision = record.revision;
  });
}

/**
 * Does the work until it ends or the bucket was changed or deleted, which is no
 * failure.
 */
export async function whileUnchanged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isChange(error)) throw error;
  }
}

/** Whether a failure only says that the bucket was changed or deleted meanwhile. */
export function isChange(error: unknown): boolean {
  return error instanceof StorageError && STOPPED.has(error.code);
}
