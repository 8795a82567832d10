// For work on a bucket that decides once for many commits: what was decided on one record must not
// be done to another. When the owner changes the bucket meanwhile the work ends, and the next sweep
// begins with what is then.

import { StorageError } from '../../domain/errors.ts';
import type { BucketName } from '../../domain/nouns.ts';
import type { Core } from '../core.ts';
import { type BucketHandle, openBucket } from './bucket-handle.ts';

const STOPPED: ReadonlySet<string> = new Set(['ConditionalRequestConflict', 'NoSuchBucket']);

/**
 * A handle that never decides on a second record: ConditionalRequestConflict then. NoSuchBucket.
 */
export async function openUnchanging(core: Core, name: BucketName): Promise<BucketHandle> {
  let revision: number | null = null;
  return openBucket(core, name, (record) => {
    if (revision !== null && record.revision !== revision)
      throw new StorageError('ConditionalRequestConflict');
    revision = record.revision;
  });
}

/** Does the work; that the bucket changed or went meanwhile is no failure. */
export async function whileUnchanged(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isChange(error)) throw error;
  }
}

/** Whether a failure only says that the bucket changed or went meanwhile. */
export function isChange(error: unknown): boolean {
  return error instanceof StorageError && STOPPED.has(error.code);
}
