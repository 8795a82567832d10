// What the index tells of share links besides the links: their use, downloads under
// way, statistics by day and history. Plain data.
import type { LabelId, LinkId } from './link-ids.ts';
import type { ShareLabel, ShareLink, ShareState, ShareUsage } from './share-links.ts';

/** A link with its recipients and what was taken of it. */
export type StoredShare = {
  readonly link: ShareLink;
  readonly labels: readonly ShareLabel[];
  readonly usage: ShareUsage;
};

/** A link as a visitor needs it. `label`: of its address; null: that names nobody. */
export type FoundShare = { readonly link: ShareLink; readonly label: ShareLabel | null };

/** A link in a list. */
export type ListedShare = {
  readonly link: ShareLink;
  readonly labelCount: number;
  readonly usage: ShareUsage;
  /** What visitors did since it was made, to the flush of statistics. */
  readonly sums: ShareCounts;
  /** When it was opened or downloaded last, to the flush of statistics; null: never. */
  readonly lastUsedMs: number | null;
};

/** Who changed something, as the account knows it. */
export type ShareChanger = {
  readonly memberId: string | null;
  readonly accessKeyId: string | null;
};

/** An entry of the history of a link: what was changed, from what to what. */
export type ShareHistoryEntry = ShareChanger & {
  readonly atMs: number;
  readonly action:
    | 'created'
    | 'changed'
    | 'revoked'
    | 'revived'
    | 'label-added'
    | 'label-revoked'
    | 'label-revived';
  /** Names of the fields that were changed, with the old and the new value as JSON. */
  readonly changes: Readonly<Record<string, readonly [before: unknown, after: unknown]>>;
};

/** What visitors did with a link, or a label of it, in a while. */
export type ShareCounts = {
  /** Pages shown. */
  readonly opened: number;
  readonly started: number;
  readonly completed: number;
  readonly aborted: number;
  readonly bytes: number;
};

/** Counts since a link was made, for one label or (null) those without one. */
export type ShareSum = ShareCounts & { readonly labelId: LabelId | null };

/** The counts of one day, for one label or (null) those without one. */
export type ShareDay = ShareCounts & {
  readonly linkId: LinkId;
  readonly labelId: LabelId | null;
  /** Midnight in UTC. */
  readonly dayMs: number;
  /** How many visits came from which host; the most frequent ones. */
  readonly referrers: Readonly<Record<string, number>>;
  readonly countries: Readonly<Record<string, number>>;
};

export const NO_COUNTS: ShareCounts = { opened: 0, started: 0, completed: 0, aborted: 0, bytes: 0 };

/** What a limited download is, so that its requests are one. */
export type ShareDownload = {
  readonly linkId: LinkId;
  readonly labelId: LabelId | null;
  /** A digest of label, object version and visitor. */
  readonly downloadId: string;
  /** All bytes of what is downloaded. */
  readonly sizeBytes: number;
};

/** A request for a permit: one response of a download. */
export type SharePermitRequest = ShareDownload & {
  /** Random; a repeated call with the same one takes no second permit. */
  readonly permitId: string;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
};

export type SharePermitOutcome =
  | { readonly kind: 'permitted' }
  /** The link lets nobody in now. */
  | { readonly kind: 'closed'; readonly state: ShareState }
  /** All that is left is being downloaded: a place may become free. */
  | { readonly kind: 'busy' };

/** How far a response came. */
export type SharePermitProgress = { readonly permitId: string; readonly sentBytes: number };

export type ShareSettlement = {
  readonly completed: boolean;
  /** Counts of the link before it, and after it. */
  readonly before: ShareUsage;
  readonly usage: ShareUsage;
};
