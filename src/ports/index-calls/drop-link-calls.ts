// The calls of the bucket index about drop links, their senders and their files.
// Part of the vocabulary in metadata-index.ts. A file that is being sent is a
// multipart upload of the same index: one transaction knows both.
import type {
  DropFields,
  DropFile,
  DropLink,
  DropProgress,
  DropSender,
  DropSettings,
  DropUsage,
  ListedDropFile,
} from '../../domain/links/drop-link.ts';
import type { LinkId } from '../../domain/links/link-ids.ts';
import type { ShareChanger, ShareHistoryEntry } from '../../domain/links/share-records.ts';
import type { BucketAddress, BucketRef, ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import type { NewBlobReference, StoredAs } from '../metadata-index.ts';
import type { NewDelivery } from '../outbox.ts';
import type { Upload, UploadCommands, UploadedPart } from './upload-calls.ts';

type Completion = Parameters<UploadCommands['completeUpload']>[0];

/** A link with what came by it. */
export type DropLinkState = { readonly link: DropLink; readonly usage: DropUsage };

/** A file of a link, as a call names it. */
export type DropFileName = {
  readonly bucket: BucketRef;
  readonly linkId: LinkId;
  readonly fileId: string;
};

export type DropLinkQueries = {
  /**
   * Null: the bucket has no such link. Unfinished files whose time is over are not
   * counted. BucketChanged.
   */
  getDropLink(input: { bucket: BucketRef; id: LinkId; nowMs: number }): DropLinkState | null;
  /** Links with greater ids than `after`, by id, counted as one is. BucketChanged. */
  listDropLinks(input: {
    bucket: BucketRef;
    after: string;
    limit: number;
    nowMs: number;
  }): readonly DropLinkState[];
  /** Null: the link has no such sender. BucketChanged. */
  getDropSender(input: { bucket: BucketRef; linkId: LinkId; id: string }): DropSender | null;
  /** Senders with greater ids than `after`, by id. BucketChanged. */
  listDropSenders(input: {
    bucket: BucketRef;
    linkId: LinkId;
    after: string;
    limit: number;
  }): readonly DropSender[];
  /** Null: the link has no such file. BucketChanged. */
  getDropFile(input: DropFileName): DropFile | null;
  /**
   * Files with greater ids than `after`, by id; of one sender or of all. A file whose
   * object a job moved within the bucket has its new key. BucketChanged.
   */
  listDropFiles(input: {
    bucket: BucketRef;
    linkId: LinkId;
    senderId: string | null;
    after: string;
    limit: number;
  }): readonly ListedDropFile[];
};

export type DropLinkCommands = {
  /**
   * Stores a new link with its first entry of history. InvalidRequest where the bucket
   * has `max` links. Idempotent. BucketChanged.
   */
  addDropLink(input: {
    bucket: BucketRef;
    link: DropLink;
    max: number;
    entry: ShareHistoryEntry;
  }): void;
  /**
   * Puts other settings in place of those of a revision, and notes the change.
   * PreconditionFailed for another revision, NoSuchResource. BucketChanged.
   */
  changeDropLink(input: {
    bucket: BucketRef;
    id: LinkId;
    revision: number;
    settings: DropSettings;
    entry: ShareHistoryEntry;
  }): DropLinkState;
  /**
   * Revokes those links that are not revoked and whose files come to, or wait at,
   * something below a prefix, with an entry of history each; gives how many. Cost: a
   * look at each link of the bucket. Idempotent but for the number. BucketChanged.
   */
  revokeDropLinks(input: {
    bucket: BucketRef;
    prefix: string;
    changer: ShareChanger;
    nowMs: number;
  }): number;
  /**
   * Removes a link with its senders, its unfinished files and the names of the
   * others, some at a time; go on until `isDone`. Objects stay. Idempotent.
   * BucketChanged.
   */
  removeDropLink(input: { bucket: BucketRef; id: LinkId; nowMs: number }): { isDone: boolean };
  /**
   * Adds a sender; where the link has DROP_SENDERS_MAX, older ones without a file go
   * first. AccessDenied (the link is closed, or has no room),
   * TooManyRequests beyond DROP_SENDERS_PER_SOURCE of the source, NoSuchResource.
   * BucketChanged.
   */
  addDropSender(input: {
    bucket: BucketRef;
    linkId: LinkId;
    id: string;
    fields: DropFields;
    source: string;
    nowMs: number;
  }): void;
  /**
   * Begins a file and its upload, and counts all that it announces; unfinished ones
   * whose time is over are removed first. AccessDenied (closed, no such sender),
   * EntityTooLarge, QuotaExceeded (a limit of the link or of its sender). Gives the
   * link with the file counted; null: there was no room, but some were removed, and
   * another call may find room. `nearReport`: what webhooks hear, in this commit, where
   * the file brings the link near its limits for the first time; null: nobody has read
   * it yet, so that then no file is begun and `near` is the link as it would be. Absent:
   * nothing is reported. BucketChanged.
   */
  addDropFile(input: {
    bucket: BucketRef;
    file: DropFile;
    upload: Upload;
    nowMs: number;
    nearReport?: readonly NewDelivery[] | null;
  }): DropLinkState | { readonly near: DropLinkState } | null;
  /**
   * Adds a piece at `offsetBytes`. NoSuchResource (no such unfinished file),
   * AccessDenied (closed), ConditionalRequestConflict (another offset),
   * EntityTooLarge, NoSuchUpload. BucketChanged.
   */
  commitDropPiece(
    input: DropFileName & {
      offsetBytes: number;
      part: UploadedPart;
      newReferences: readonly NewBlobReference[];
      progress: DropProgress;
      nowMs: number;
    },
  ): StoredAs;
  /**
   * Ends a file whose length was announced too great at the bytes that came, and
   * counts no more than those. NoSuchResource. BucketChanged.
   */
  settleDropLength(input: DropFileName & { nowMs: number }): DropFile;
  /**
   * Makes an object of the pieces under a key that nothing has: PreconditionFailed
   * where something has. A file that is finished already gives the key that it
   * got, and nothing happens. `deliveries`: what webhooks hear of it, enqueued in this
   * commit. NoSuchResource, AccessDenied, NoSuchUpload, BucketChanged.
   */
  finishDropFile(
    input: DropFileName & {
      toKey: ObjectKey;
      parts: Completion['parts'];
      object: Completion['object'];
      sha256: string;
      deliveries: readonly NewDelivery[];
    },
  ): {
    readonly version: ObjectVersion | null;
    readonly file: DropFile;
    readonly state: DropLinkState;
  };
  /**
   * Removes an unfinished file with its pieces, and no longer counts it.
   * NoSuchResource. BucketChanged.
   */
  removeDropFile(input: DropFileName & { nowMs: number }): void;
  /**
   * Removes unfinished files whose time is over, and senders without a file after
   * DROP_EMPTY_SENDER_LIFE_MS, of all links of the bucket and some at a time; go on
   * until `isDone`. Idempotent.
   */
  forgetDropRows(input: { bucket: BucketAddress; nowMs: number }): { isDone: boolean };
};
