// Which blobs a folder has: a merge of one walk over its names with ids in the same
// order. copy-blobs.ts asks it.
import type { BlobId } from '../../../domain/nouns.ts';
import { walkBlobs } from '../blobs/blob-list.ts';

export type Presence = {
  /** Whether the folder has the blob; to be called in the order of ids. */
  has(blobId: BlobId): boolean;
  /** Ends the walk: the rest of the folder was not asked for. */
  finish(): void;
};

/**
 * `others` gets the ids that the folder below `root` has and that were not asked
 * for.
 */
export function createPresence(root: string, others: BlobId[]): Presence {
  const folders = walkBlobs(root);
  let ids: readonly BlobId[] = [];
  let at = 0;

  /** The next id that is there; undefined behind the last. */
  function peek(): BlobId | undefined {
    while (at === ids.length) {
      const next = folders.next();
      if (next.done === true) return undefined;
      ids = next.value;
      at = 0;
    }
    return ids[at];
  }

  return {
    has(blobId) {
      for (let id = peek(); id !== undefined && id <= blobId; id = peek()) {
        at += 1;
        if (id === blobId) return true;
        others.push(id);
      }
      return false;
    },

    finish() {
      for (let id = peek(); id !== undefined; id = peek()) {
        others.push(id);
        at += 1;
      }
    },
  };
}
