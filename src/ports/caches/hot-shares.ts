// Share links near the reader, so that a hot link needs no call of the index.
import type { LinkId, LinkName } from '../../domain/links/link-ids.ts';
import type { FoundShare } from '../../domain/links/share-records.ts';
import type { BucketAddress } from '../../domain/nouns.ts';

/** A link with the label of one address: the same object until one of them changes. */
export type HotShare = FoundShare;

/**
 * Share links in memory, by the names in their addresses. On Node it is exact: what is
 * changed is blocked before the change is sent, and found anew after it. On Cloudflare
 * an entry is at most 5 seconds old.
 */
export type HotShares = {
  /** The fresh entry that memory has; null: there is no such name; undefined: ask. */
  peek(name: LinkName): HotShare | null | undefined;
  /**
   * The entry, else what `load` gives, which asks the index of the link's bucket and is
   * cached. Calls for a name at the same time share one `load` (request coalescing): on
   * Node all of them, on Cloudflare as far as a colo's cache can arrange it. Rejects with
   * what `load` rejects with.
   */
  find(
    name: LinkName,
    bucket: BucketAddress,
    load: () => Promise<HotShare | null>,
  ): HotShare | null | Promise<HotShare | null>;
  /** Drops a link with all labels and caches nothing of it, until unblocked as often. */
  block(id: LinkId): void;
  unblock(id: LinkId): void;
};
