// How old public reads of a bucket may be, and which tiers may answer them: what the
// setting `metadata` of a bucket means on Cloudflare. Every tier counts ages from
// when a call of the index began, so these bounds hold for all tiers together.
import type { BucketSettings } from '../../../domain/bucket-settings.ts';

export type MetadataMode = NonNullable<BucketSettings['metadata']> | 'balanced';

export type Freshness = {
  /** Seconds for which what the index said is fresh. */
  readonly freshSeconds: number;
  /** Seconds after that for which it is served while the index is asked behind. */
  readonly revalidateSeconds: number;
  /** Seconds for which "there is none" is fresh; it is never served after that. */
  readonly negativeSeconds: number;
  /** Whether the colo's tier may answer. */
  readonly isShared: boolean;
  /** When pages come from KV. */
  readonly kv: 'never' | 'offloaded' | 'always';
};

export type FreshnessSettings = {
  readonly pointerFreshSeconds: number;
  readonly staleWhileRevalidateSeconds: number;
  readonly negativeFreshSeconds: number;
};

/** `strict`: the isolate's own memory alone, for this long, seconds. */
const STRICT_SECONDS = 1;
/** `kv`: fresh for so long, and for so long again while it is asked behind, seconds. */
const KV_FRESH_SECONDS = 30;

export function createFreshness(
  settings: FreshnessSettings,
): (mode: MetadataMode | null) => Freshness {
  const { pointerFreshSeconds, staleWhileRevalidateSeconds, negativeFreshSeconds } = settings;
  const balanced: Freshness = {
    freshSeconds: pointerFreshSeconds,
    revalidateSeconds: staleWhileRevalidateSeconds,
    negativeSeconds: negativeFreshSeconds,
    isShared: true,
    kv: 'offloaded',
  };
  const strict: Freshness = {
    freshSeconds: Math.min(STRICT_SECONDS, pointerFreshSeconds),
    revalidateSeconds: 0,
    negativeSeconds: Math.min(STRICT_SECONDS, negativeFreshSeconds),
    isShared: false,
    kv: 'never',
  };
  const kv: Freshness = {
    freshSeconds: Math.max(KV_FRESH_SECONDS, pointerFreshSeconds),
    revalidateSeconds: Math.max(KV_FRESH_SECONDS, staleWhileRevalidateSeconds),
    negativeSeconds: Math.max(KV_FRESH_SECONDS, negativeFreshSeconds),
    isShared: true,
    kv: 'always',
  };
  return (mode) => (mode === 'strict' ? strict : mode === 'kv' ? kv : balanced);
}

/** How long readers can be shown the past, milliseconds. */
export function boundMs({ freshSeconds, revalidateSeconds, negativeSeconds }: Freshness): number {
  return 1000 * Math.max(freshSeconds + revalidateSeconds, negativeSeconds);
}
