// A drop link opened for one request of a stranger: the bucket's handle and the
// link as it is now. Its owner made it with the right to write there, so what it
// takes is the owner's.
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { LinkEntry } from '../../../domain/links/link-ids.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { Core } from '../../core.ts';
import { type BucketHandle, type Changer, openBucket } from '../../opened-bucket/bucket-handle.ts';

/** A link of an opened bucket. */
export type OpenedDropLink = DropLinkState & { readonly bucket: BucketHandle };

/**
 * Opens the link that the directory knows. Exact on both platforms, as the index is
 * asked. NoSuchResource where the bucket has none, or is another by now.
 */
export async function openDropLink(
  core: Core,
  entry: LinkEntry,
  changer: Changer,
): Promise<OpenedDropLink> {
  try {
    const bucket = await openBucket(
      core,
      entry.bucket.name,
      (record) => {
        if (record.id !== entry.bucket.id) throw new StorageError('NoSuchResource');
      },
      changer,
    );
    const nowMs = core.ports.clock.nowMs();
    const state: DropLinkState | null = await bucket.call('getDropLink', { id: entry.id, nowMs });
    if (state === null) throw new StorageError('NoSuchResource');
    return { ...state, bucket };
  } catch (error) {
    if (hasCode(error, 'NoSuchBucket')) throw new StorageError('NoSuchResource', { cause: error });
    throw error;
  }
}
