// The calls of the bucket index about share links: the links with their labels and
// history, exact counts of those with limits, and statistics. Part of the vocabulary
// in metadata-index.ts. Visitors' calls name the incarnation of the bucket alone: a
// link does not depend on the bucket's record.
import type { LinkId, LinkName } from '../../domain/links/link-ids.ts';
import type { ShareLabel, ShareLink } from '../../domain/links/share-links.ts';
import type {
  FoundShare,
  ListedShare,
  ShareChanger,
  ShareDay,
  ShareHistoryEntry,
  SharePermitOutcome,
  SharePermitProgress,
  SharePermitRequest,
  ShareSettlement,
  ShareSum,
  StoredShare,
} from '../../domain/links/share-records.ts';
import type { BucketAddress, BucketRecord, BucketRef } from '../../domain/nouns.ts';

/** Where a link stands in the list of its bucket. */
export type SharePosition = Pick<ShareLink, 'id' | 'createdAtMs'>;

export type ShareLinkQueries = {
  /** A link with its labels and use; null: the bucket, or the link, is gone. */
  getShareLink(input: { bucket: BucketAddress; id: LinkId }): StoredShare | null;
  /**
   * A link as one of its visitors needs it, with the label of the address that named
   * it, beside its bucket as `resolve` gives it; null: one of them is gone. Reads
   * three rows.
   */
  findShareLink(
    input: { bucket: BucketAddress } & LinkName,
  ): (FoundShare & { readonly bucket: BucketRecord }) | null;
  /** A link with its use; null: the bucket, or the link, is gone. */
  getShareUsage(input: {
    bucket: BucketAddress;
    id: LinkId;
  }): Pick<StoredShare, 'link' | 'usage'> | null;
  /**
   * Lists the links of a bucket, newest first; `before` is the last of the page
   * before, null for the first. BucketChanged.
   */
  listShareLinks(input: {
    bucket: BucketRef;
    before: SharePosition | null;
    limit: number;
  }): readonly ListedShare[];
  /** The history of a link, newest first, at most LINK_HISTORY_MAX. BucketChanged. */
  listShareHistory(input: { bucket: BucketRef; id: LinkId }): readonly ShareHistoryEntry[];
  /**
   * The statistics of a link from a day on, newest first; `before` is the last of the
   * page before, null for the first. BucketChanged.
   */
  listShareDays(input: {
    bucket: BucketRef;
    id: LinkId;
    fromDayMs: number;
    before: Pick<ShareDay, 'dayMs' | 'labelId'> | null;
    limit: number;
  }): readonly ShareDay[];
  /** The counts of a link since it was made, by label. BucketChanged. */
  listShareSums(input: { bucket: BucketRef; id: LinkId }): readonly ShareSum[];
};

export type ShareLinkCommands = {
  /**
   * Stores a new link with its first entry of history. QuotaExceeded beyond
   * LINKS_PER_BUCKET_MAX. Idempotent. BucketChanged.
   */
  addShareLink(input: { bucket: BucketRef; link: ShareLink; entry: ShareHistoryEntry }): void;
  /**
   * Replaces a link whose revision is one below that of `link`, and notes the
   * change. NoSuchResource, PreconditionFailed. BucketChanged.
   */
  changeShareLink(input: { bucket: BucketRef; link: ShareLink; entry: ShareHistoryEntry }): void;
  /**
   * Revokes the links of one page of `listShareLinks` whose targets lie below a prefix,
   * and notes it. Gives those that were revoked at `atMs`, and the last of the page:
   * null behind the last page. Idempotent. BucketChanged.
   */
  revokeShareLinks(input: {
    bucket: BucketRef;
    prefix: string;
    changer: ShareChanger;
    atMs: number;
    before: SharePosition | null;
    limit: number;
  }): { readonly revoked: readonly LinkId[]; readonly last: SharePosition | null };
  /** Forgets a link with all that is stored of it. Idempotent. BucketChanged. */
  deleteShareLink(input: { bucket: BucketRef; id: LinkId }): void;
  /**
   * Stores a label, new or changed, and notes it. NoSuchResource; QuotaExceeded
   * beyond LABELS_PER_LINK_MAX. Idempotent but for the note. BucketChanged.
   */
  putShareLabel(input: {
    bucket: BucketRef;
    linkId: LinkId;
    label: ShareLabel;
    entry: ShareHistoryEntry;
  }): void;
  /**
   * Takes a permit for one response of a download of a limited link, and reserves
   * its bytes until `untilMs`. Idempotent.
   */
  beginShareDownload(input: {
    bucket: BucketAddress;
    request: SharePermitRequest;
    nowMs: number;
    untilMs: number;
  }): SharePermitOutcome;
  /**
   * Reports how far responses came and prolongs their permits. Gives those that are
   * gone, by their time or with their link. Idempotent.
   */
  renewShareDownloads(input: {
    bucket: BucketAddress;
    permits: readonly (SharePermitProgress & { linkId: LinkId })[];
    untilMs: number;
  }): readonly string[];
  /**
   * Ends a permit by what was really sent. Null: there is none of that id (any
   * more). Idempotent.
   */
  settleShareDownload(input: {
    bucket: BucketAddress;
    linkId: LinkId;
    progress: SharePermitProgress;
    nowMs: number;
  }): ShareSettlement | null;
  /**
   * Adds counts of visitors; links that are gone are passed over. Gives the links
   * that were used for the first time.
   */
  addShareCounts(input: {
    bucket: BucketAddress;
    days: readonly ShareDay[];
    nowMs: number;
  }): readonly LinkId[];
};
