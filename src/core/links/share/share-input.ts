// What a caller says of a share link, checked and made into what is stored: its
// target is there, addresses and countries can be read, a limit of money means
// bytes. Called by change-share.ts.
import { hashPassword } from '../../../crypto/password.ts';
import { StorageError } from '../../../domain/errors.ts';
import { parseIpRange } from '../../../domain/ip-range.ts';
import {
  commonFolder,
  type ShareAudience,
  type ShareLimits,
  type ShareLink,
  type SharePage,
  type ShareTarget,
} from '../../../domain/links/share-links.ts';
import type { ObjectKey, VersionName } from '../../../domain/nouns.ts';
import { findAccountCard } from '../../billing/prices/account-card.ts';
import type { Core } from '../../core.ts';
import type { BucketHandle } from '../../opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../../parse-names.ts';

/** A target as a caller names it. */
export type ShareTargetInput =
  | { readonly kind: 'object'; readonly key: string; readonly versionId: string | null }
  | { readonly kind: 'folder'; readonly prefix: string }
  | { readonly kind: 'keys'; readonly keys: readonly string[] };

/** What can be said of a link when it is made, and changed later. */
export type ShareInput = {
  readonly notBeforeMs: number | null;
  readonly expiresAtMs: number | null;
  /** Null: none. */
  readonly password: string | null;
  /** Money in millionths of the currency of the account's rate card. */
  readonly limits: Omit<ShareLimits, 'moneyBytes'>;
  readonly audience: ShareAudience;
  readonly page: Omit<SharePage, 'logoKey'> & { readonly logoKey: string | null };
  readonly note: string;
  readonly cutsRunning: boolean;
};

/** Keys of a set that one call of the index looks up. */
const KEYS_AT_ONCE = 100;
/** A price of the card is in 10^-12 units, a limit in 10^-6. */
const MICRO_PER_SCALED = 1e-6;

/** The target, which is there. NoSuchKey, NoSuchVersion, KeyTooLongError, InvalidInput. */
export async function readTarget(
  bucket: BucketHandle,
  target: ShareTargetInput,
): Promise<ShareTarget> {
  switch (target.kind) {
    case 'object': {
      const key = parseObjectKey(target.key);
      const versionId = target.versionId as VersionName | null;
      const stored = await bucket.call('getVersion', { key, versionId });
      if (stored?.kind !== 'object')
        throw new StorageError(versionId === null ? 'NoSuchKey' : 'NoSuchVersion', {
          fields: { Key: key },
        });
      return { kind: 'object', key, versionId };
    }
    case 'folder':
      if (target.prefix !== '' && !target.prefix.endsWith('/'))
        throw new StorageError('InvalidInput', { detail: 'A folder ends in a slash.' });
      return target;
    case 'keys': {
      const keys = [...new Set(target.keys)].sort().map(parseObjectKey);
      await requireKeys(bucket, keys);
      return { kind: 'keys', keys, prefix: commonFolder(keys) };
    }
  }
}

async function requireKeys(bucket: BucketHandle, keys: readonly ObjectKey[]): Promise<void> {
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const batch = keys.slice(at, at + KEYS_AT_ONCE);
    const found = await bucket.call('getObjects', { keys: batch });
    const missing = batch.find((_, i) => (found[i] ?? null) === null);
    if (missing !== undefined) throw new StorageError('NoSuchKey', { fields: { Key: missing } });
  }
}

/** Whom a link lets in. InvalidInput for what is no address or no country. */
export function readAudience({ addresses, countries }: ShareAudience): ShareAudience {
  const wrong = addresses?.find((text) => parseIpRange(text) === null);
  if (wrong !== undefined)
    throw new StorageError('InvalidInput', { detail: `${wrong} is no address and no range.` });
  return {
    addresses: addresses === null ? null : [...new Set(addresses)],
    countries: countries === null ? null : [...new Set(countries)].sort(),
  };
}

/**
 * The limits, with the bytes that a limit of money allows: by the dearest price of
 * traffic that the account's card has today. InvalidInput where traffic is free.
 */
export async function readLimits(
  core: Core,
  bucket: BucketHandle,
  limits: ShareInput['limits'],
): Promise<ShareLimits> {
  if (limits.moneyMicro === null) return { ...limits, moneyBytes: null };
  const card = await findAccountCard(core, bucket.record().ownerId);
  const prices = card.lines
    .filter(({ meters }) => meters.some((meter) => meter.startsWith('egress/')))
    .flatMap(({ unit, tiers }) => tiers.map(({ price }) => Number(price) / Number(unit.size)));
  const perByte = Math.max(0, ...prices) * MICRO_PER_SCALED;
  if (perByte === 0)
    throw new StorageError('InvalidInput', {
      detail: 'Traffic costs nothing by the rate card: a limit of money would never be reached.',
    });
  return { ...limits, moneyBytes: Math.floor(limits.moneyMicro / perByte) };
}

/** The page of a link, with the key of its logo checked. KeyTooLongError. */
export function readPage(page: ShareInput['page']): SharePage {
  return { ...page, logoKey: page.logoKey === null ? null : parseObjectKey(page.logoKey) };
}

/** InvalidInput for a link that ends before it begins. */
export function requireOrder({
  notBeforeMs,
  expiresAtMs,
}: Pick<ShareLink, 'notBeforeMs' | 'expiresAtMs'>): void {
  if (notBeforeMs === null || expiresAtMs === null || notBeforeMs < expiresAtMs) return;
  throw new StorageError('InvalidInput', { detail: 'The link would end before it begins.' });
}

/** The hash of a password; null: none. Cost: 0.2 s of a core. */
export async function hashOf(password: string | null): Promise<string | null> {
  return password === null ? null : await hashPassword(password);
}
