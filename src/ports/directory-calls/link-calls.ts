// The calls of the directory about links: which bucket has the link of an id, and
// the links of an account over all its buckets. The links themselves are the bucket
// index's.
import type { LinkEntry, LinkId, LinkKind } from '../../domain/links/link-ids.ts';
import type { AccountId, BucketId } from '../../domain/nouns.ts';

export type LinkIdsApi = {
  /** The entry of a link's id, or null. It never changes while it is there. */
  getLinkId(input: { id: LinkId }): LinkEntry | null;
  /** Notes a link before its bucket has it. Idempotent. */
  addLinkId(input: { entry: LinkEntry }): void;
  /** Forgets a link of that bucket, after the bucket has; no other's. Idempotent. */
  removeLinkId(input: { id: LinkId; bucketId: BucketId }): void;
  /** Forgets all links of a bucket that is gone. Idempotent. */
  removeLinkIds(input: { bucketId: BucketId }): void;
  /**
   * Lists the links of an account, newest first. `before` is the entry that the page
   * before ended with, null for the first page; `kind` null: both.
   */
  listLinkIds(input: {
    accountId: AccountId;
    kind: LinkKind | null;
    before: Pick<LinkEntry, 'id' | 'createdAtMs'> | null;
    limit: number;
  }): readonly LinkEntry[];
};
