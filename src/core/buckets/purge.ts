// Makes every tier forget what it knows of keys: by key, prefix, tag, or of the whole bucket.
// Bodies need no purge, they never change; what is forgotten are pointers. Called by the S3 surface
// and the JSON API; no list of what is cached exists anywhere.
import type { PurgeScope } from '../../domain/purge.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from './bucket-handle.ts';
import { freshByMs } from './fresh-by.ts';

export type PurgeReceipt = {
  /** For the owner's own records. */
  readonly id: string;
  /**
   * The revision of the bucket: nothing that was read at an earlier one is given for those keys any
   * more.
   */
  readonly floor: number;
  /**
   * From then on no tier anywhere gives what the purge wants forgotten, unless it can't ask the
   * index; 1970, milliseconds.
   */
  readonly freshByMs: number;
};

/** Moves the floors. `scopes` is not empty. Cost: one commit. */
export async function purge(
  core: Core,
  bucket: BucketHandle,
  scopes: readonly PurgeScope[],
): Promise<PurgeReceipt> {
  const { name, revision } = await bucket.call('purgeBucket', { scopes });
  return {
    id: core.ports.ids.requestId(),
    floor: revision,
    freshByMs: freshByMs(core, name, 'readPolicy'),
  };
}
