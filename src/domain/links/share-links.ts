// Share links as plain data: what they show, to whom, how often, and which state
// they are in. Pure. The index stores them, core makes and changes them, http/links
// answers for them.
import type { ObjectKey, VersionName } from '../nouns.ts';
import type { LabelId, LinkId } from './link-ids.ts';

/** What a link gives. */
export type ShareTarget =
  /** `versionId` null: whatever the key stands for when somebody reads it. */
  | { readonly kind: 'object'; readonly key: ObjectKey; readonly versionId: VersionName | null }
  /** All objects whose keys begin with the prefix, which is '' or ends in `/`. */
  | { readonly kind: 'folder'; readonly prefix: string }
  /** These objects; names on the page are what follows the prefix that all have. */
  | { readonly kind: 'keys'; readonly keys: readonly ObjectKey[]; readonly prefix: string };

/**
 * What its page offers: preview and download; download alone; or a view without a
 * download, which nobody can prevent who can see.
 */
export type ShareMode = 'preview' | 'download' | 'view';

/** What may be taken in all; null: no limit of that kind. */
export type ShareLimits = {
  /** Downloads that are completed. */
  readonly downloads: number | null;
  /** Bytes that are sent. */
  readonly bytes: number | null;
  /** What these bytes may cost by the rate card of the account, millionths of its currency. */
  readonly moneyMicro: number | null;
  /** The bytes that it allows, by the price when it was set; null: no limit of money. */
  readonly moneyBytes: number | null;
};

export const NO_SHARE_LIMITS: ShareLimits = {
  downloads: null,
  bytes: null,
  moneyMicro: null,
  moneyBytes: null,
};

/** Whom a link lets in; null: everybody. */
export type ShareAudience = {
  /** IP addresses and CIDR ranges. */
  readonly addresses: readonly string[] | null;
  /** Two capital letters each. Source: ISO 3166-1 alpha-2 */
  readonly countries: readonly string[] | null;
};

export const WHOLE_AUDIENCE: ShareAudience = { addresses: null, countries: null };

/** How a link looks; null: as every link. */
export type SharePage = {
  readonly title: string | null;
  /** Markdown. */
  readonly text: string | null;
  /** An image of the bucket. */
  readonly logoKey: ObjectKey | null;
  /** `#rrggbb` */
  readonly colour: string | null;
  readonly mode: ShareMode;
  /** The name under which the one object of a link is stored by whoever takes it. */
  readonly fileName: string | null;
};

export const PLAIN_SHARE_PAGE: SharePage = {
  title: null,
  text: null,
  logoKey: null,
  colour: null,
  mode: 'preview',
  fileName: null,
};

/** The times of a link; null: none. */
export type ShareTimes = {
  readonly notBeforeMs: number | null;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
};

/** A share link as its bucket's index stores it. */
export type ShareLink = ShareTimes & {
  readonly id: LinkId;
  readonly createdAtMs: number;
  /** Grows with each change. */
  readonly revision: number;
  readonly target: ShareTarget;
  /** Hash of the password; null: everybody who has the address may come in. */
  readonly passwordHash: string | null;
  /** Grows with each change of the password: tickets of the one before are no good. */
  readonly passwordRevision: number;
  readonly limits: ShareLimits;
  readonly audience: ShareAudience;
  readonly page: SharePage;
  /** The owner's own note. */
  readonly note: string;
  /** Whether downloads under way are cut when the link is revoked. */
  readonly cutsRunning: boolean;
};

/** A recipient of a link. */
export type ShareLabel = {
  readonly id: LabelId;
  readonly name: string;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
};

/** What was taken of a link, or of one of its labels. */
export type ShareUsage = {
  /** Downloads that count: completed ones, and whole objects' worth of aborted bytes. */
  readonly downloads: number;
  readonly bytes: number;
};

/** What a link does for a visitor now. */
export type ShareState =
  | 'open'
  | 'password'
  | 'revoked'
  | 'expired'
  | 'used-up'
  | 'not-yet'
  | 'not-for-you';

/** The one key whose current version a link gives; null: it gives others, or an older one. */
export function currentKeyOf(target: ShareTarget): ObjectKey | null {
  return target.kind === 'object' && target.versionId === null ? target.key : null;
}

/** Whether what a link gives, or one key of its set, lies below a prefix. */
export function isTargetBelow(target: ShareTarget, prefix: string): boolean {
  if (target.kind === 'object') return target.key.startsWith(prefix);
  if (target.kind === 'folder') return target.prefix.startsWith(prefix);
  return target.keys.some((key) => key.startsWith(prefix));
}

/** Whether a link has a limit that must be counted exactly. */
export function isLimited({ limits }: Pick<ShareLink, 'limits'>): boolean {
  return limits.downloads !== null || limits.bytes !== null || limits.moneyMicro !== null;
}

/** Whether nothing about a visitor matters, so that its bytes are as public ones. */
export function isPlainShare(link: ShareLink): boolean {
  const { addresses, countries } = link.audience;
  return !isLimited(link) && link.passwordHash === null && addresses === null && countries === null;
}

/** Bytes that a link may send in all, by its limits of bytes and money; null: any. */
export function bytesMaxOf({ limits }: Pick<ShareLink, 'limits'>): number | null {
  const { bytes, moneyBytes } = limits;
  if (bytes === null || moneyBytes === null) return bytes ?? moneyBytes;
  return Math.min(bytes, moneyBytes);
}

/** The state of a link that its times alone decide; null: they let everybody in. */
export function stateByTime(
  times: ShareTimes,
  nowMs: number,
): 'revoked' | 'expired' | 'not-yet' | null {
  if (times.revokedAtMs !== null) return 'revoked';
  if (times.expiresAtMs !== null && times.expiresAtMs <= nowMs) return 'expired';
  return times.notBeforeMs !== null && times.notBeforeMs > nowMs ? 'not-yet' : null;
}

/** Whether nothing is left of a limit. `bytesMax`: the lesser of bytes and money, null: none. */
export function isUsedUp(
  limits: Pick<ShareLimits, 'downloads'>,
  bytesMax: number | null,
  usage: ShareUsage,
): boolean {
  return (
    (limits.downloads !== null && usage.downloads >= limits.downloads) ||
    (bytesMax !== null && usage.bytes >= bytesMax)
  );
}

/** What every key of a set begins with, up to its last slash. */
export function commonFolder(keys: readonly string[]): string {
  const [first = ''] = keys;
  let end = first.lastIndexOf('/') + 1;
  while (end > 0 && !keys.every((key) => key.startsWith(first.slice(0, end))))
    // From a negative position it would find the first slash again, for ever.
    end = end === 1 ? 0 : first.lastIndexOf('/', end - 2) + 1;
  return first.slice(0, end);
}
