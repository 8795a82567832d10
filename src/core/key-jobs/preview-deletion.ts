// The preview of a bulk deletion: how much it would remove, and what that saves.
// Shown by consoles before anybody confirms it.

import type { PrefixSize } from '../../domain/keys/key-aids.ts';
import { divideRounded, MICRO, SCALE } from '../billing/decimal.ts';
import { findAccountCard } from '../billing/prices/account-card.ts';
import type { RateCard } from '../billing/prices/rate-card.ts';
import type { Core } from '../core.ts';
import type { MeterName } from '../metering/usage.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { measurePrefixes } from './measure-prefixes.ts';

export type DeletionPreview = PrefixSize & {
  /** Whether the objects go to the trash, and are billed until that is emptied. */
  readonly keepsVersions: boolean;
  /**
   * The cost of storing them for a month of 30 days at the first tier, without free
   * allowances and savings, in millionths.
   */
  readonly savedPerMonthMicro: bigint;
  readonly currency: string;
};

/**
 * Previews the deletion of a prefix. Null while a very large bucket is counted for
 * the first time: call again later. Cost: one or two index reads.
 */
export async function previewDeletion(
  core: Core,
  bucket: BucketHandle,
  prefix: string,
): Promise<DeletionPreview | null> {
  const sizes = await measurePrefixes(core, bucket, [prefix]);
  const size = sizes?.[0];
  if (size === undefined) return null;

  const { ownerId, settings } = bucket.record();
  const card = await findAccountCard(core, ownerId);
  const standard = priceOf(card, 'storage/STANDARD', size.bytes - size.otherBytes);
  const other = priceOf(card, 'storage/STANDARD_IA', size.otherBytes);
  const keepsVersions = settings.versioning !== null;
  return { ...size, keepsVersions, savedPerMonthMicro: standard + other, currency: card.currency };
}

/**
 * Prices bytes for a month by the first tier of the meter's line; 0 where the card
 * has no such line.
 */
export function priceOf(card: RateCard, meter: MeterName, bytes: number): bigint {
  const line = card.lines.find(({ meters }) => meters.includes(meter));
  const price = line?.tiers[0]?.price;
  if (line === undefined || price === undefined) return 0n;
  return divideRounded(BigInt(bytes) * price * MICRO, line.unit.size * SCALE);
}
