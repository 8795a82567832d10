// Drop links as plain data: what they take, from whom, how much, and what a sender
// has sent. Pure. The index stores them, core makes and changes them, http/links/drop
// answers for them.
import { StorageError } from '../errors.ts';
import type { ObjectKey, UploadId } from '../nouns.ts';
import type { LinkId } from './link-ids.ts';
import { LINK_NEAR_PERCENT } from './link-limits.ts';

/** Whether a sender says something of himself. */
export type DropFieldUse = 'required' | 'optional' | 'none';

/** What a link takes at most; null: no limit of that kind. */
export type DropLimits = {
  readonly fileBytes: number | null;
  readonly files: number;
  readonly totalBytes: number | null;
  readonly senderFiles: number | null;
  readonly senderBytes: number | null;
  /** Media types: `image/png`, or `image/*` for all of a kind. */
  readonly types: readonly string[] | null;
};

/** How its page looks, and what it asks for. */
export type DropPage = {
  readonly title: string | null;
  readonly text: string | null;
  /** `#rrggbb` */
  readonly colour: string | null;
  readonly name: DropFieldUse;
  readonly mail: DropFieldUse;
  readonly note: DropFieldUse;
};

/** The part of a drop link that its owner sets. */
export type DropSettings = {
  /** What the keys of its files begin with; '' or it ends in a slash. */
  readonly prefix: string;
  /** Where files wait for their release; null: they come below `prefix` at once. */
  readonly quarantine: string | null;
  /** Names of files below the prefix: `{date}/{sender}/{name}`. */
  readonly template: string;
  readonly limits: DropLimits;
  readonly page: DropPage;
  /** The owner's own note, which no page shows. */
  readonly note: string;
  /** Null: it has no end. */
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
};

/** A drop link as its bucket's index stores it. */
export type DropLink = DropSettings & {
  readonly id: LinkId;
  readonly createdAtMs: number;
  /** Grows with each change. */
  readonly revision: number;
};

/** What has come by a link, unfinished files counted with all that they announced. */
export type DropUsage = {
  readonly files: number;
  readonly bytes: number;
  readonly senders: number;
};

/** What a sender says of himself; '' where he says nothing. */
export type DropFields = { readonly name: string; readonly mail: string; readonly note: string };

/** A sender of one link. */
export type DropSender = {
  /** Digest of link and code, hex. */
  readonly id: string;
  readonly fields: DropFields;
  readonly createdAtMs: number;
  readonly files: number;
  readonly bytes: number;
};

/** How far a file has come, for digests that go on with the next piece. */
export type DropProgress = {
  /** State of the running SHA-256, hex; null before the first piece. */
  readonly sha256State: string | null;
  /** First bytes of the file, base64: what its type is known by. */
  readonly head: string;
};

/** The progress of a file before its first piece, and after its end. */
export const NO_PROGRESS: DropProgress = { sha256State: null, head: '' };

/** A file that is being sent, or was. */
export type DropFile = {
  readonly id: string;
  readonly linkId: LinkId;
  readonly senderId: string;
  /** The name that its sender gave, with its folders. */
  readonly path: string;
  readonly key: ObjectKey;
  readonly uploadId: UploadId;
  readonly contentType: string;
  readonly lengthBytes: number;
  readonly offsetBytes: number;
  readonly pieces: number;
  readonly progress: DropProgress;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Null: it is not complete. */
  readonly finishedAtMs: number | null;
  /** The digest of all bytes, hex; null before the end. */
  readonly sha256: string | null;
};

/** A file with what is known of its object. */
export type ListedDropFile = DropFile & {
  /** Whether its key still has the object that the file became. */
  readonly isStored: boolean;
};

/** Where a file stands: it comes, waits in quarantine, is where it belongs, or is there no more. */
export type DropFileState = 'coming' | 'waiting' | 'stored' | 'gone';

export function dropFileStateOf(
  { prefix, quarantine }: Pick<DropSettings, 'prefix' | 'quarantine'>,
  { key, finishedAtMs, isStored }: Pick<ListedDropFile, 'key' | 'finishedAtMs' | 'isStored'>,
): DropFileState {
  if (finishedAtMs === null) return 'coming';
  if (!isStored) return 'gone';
  if (quarantine === null || !key.startsWith(quarantine)) return 'stored';
  // Where files belong may lie in the quarantine itself.
  return prefix.startsWith(quarantine) && key.startsWith(prefix) ? 'stored' : 'waiting';
}

/** Whether a link takes files now, and why not. */
export type DropState = 'open' | 'full' | ClosedState;
export type ClosedState = 'revoked' | 'expired';

export function dropStateOf(
  link: Pick<DropSettings, 'expiresAtMs' | 'revokedAtMs' | 'limits'>,
  usage: Pick<DropUsage, 'files' | 'bytes'>,
  nowMs: number,
): DropState {
  const closed = closedStateOf(link, nowMs);
  if (closed !== null) return closed;
  const { files, totalBytes } = link.limits;
  const isFull = usage.files >= files || (totalBytes !== null && usage.bytes >= totalBytes);
  return isFull ? 'full' : 'open';
}

/** Why a link takes no files, whatever room it has; null: it is open, or full. */
export function closedStateOf(
  { revokedAtMs, expiresAtMs }: Pick<DropSettings, 'expiresAtMs' | 'revokedAtMs'>,
  nowMs: number,
): ClosedState | null {
  if (revokedAtMs !== null) return 'revoked';
  return expiresAtMs !== null && expiresAtMs <= nowMs ? 'expired' : null;
}

/** AccessDenied with the reason for a link that takes no files any more. */
export function requireNotClosed(
  link: Pick<DropSettings, 'expiresAtMs' | 'revokedAtMs'>,
  nowMs: number,
): void {
  const reason = closedStateOf(link, nowMs);
  if (reason !== null) throw closedError(reason);
}

/** The error for a link that takes no files any more. */
export function closedError(reason: ClosedState): StorageError {
  return new StorageError('AccessDenied', {
    detail: 'This link takes no files any more.',
    fields: { Reason: reason },
  });
}

/** Whether so much of a limit is used that its owner hears of it. */
export function isNearLimit({ limits }: Pick<DropSettings, 'limits'>, usage: DropUsage): boolean {
  const share = (used: number, max: number | null) =>
    max !== null && used * 100 >= max * LINK_NEAR_PERCENT;
  return share(usage.files, limits.files) || share(usage.bytes, limits.totalBytes);
}

/** What the keys of new files begin with. */
export function landingPrefix({ prefix, quarantine }: DropSettings): string {
  return quarantine ?? prefix;
}

/** When an unfinished file expires: at `untilMs`, or with its link where that ends sooner. */
export function fileEndMs({ expiresAtMs }: Pick<DropSettings, 'expiresAtMs'>, untilMs: number) {
  return Math.min(untilMs, expiresAtMs ?? Number.MAX_SAFE_INTEGER);
}
