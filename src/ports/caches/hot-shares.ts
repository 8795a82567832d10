// Share links near the reader, so that a hot link needs no call of the index.
import type { LabelId, LinkId } from '../../domain/links/link-ids.ts';
import type { ShareLabel, ShareLink } from '../../domain/links/share-links.ts';

/** A link with its labels, as a reader needs them: the same object until it changes. */
export type HotShare = {
  readonly link: ShareLink;
  readonly labels: ReadonlyMap<LabelId, ShareLabel>;
};

/**
 * Share links in memory. On Node it is exact: what is changed is blocked before the
 * change is sent, and found anew after it. On Cloudflare an entry is at most 5
 * seconds old.
 */
export type HotShares = {
  /** The fresh entry that memory has; null: there is no such link; undefined: ask. */
  peek(id: LinkId): HotShare | null | undefined;
  /**
   * The entry, else what `load` gives, which is cached. Where the platform allows it,
   * calls for a link at the same time share one `load` (request coalescing). Rejects
   * with what `load` rejects with.
   */
  find(
    id: LinkId,
    load: () => Promise<HotShare | null>,
  ): HotShare | null | Promise<HotShare | null>;
  /** Drops a link and caches nothing of it, until it was unblocked as often. */
  block(id: LinkId): void;
  unblock(id: LinkId): void;
};
