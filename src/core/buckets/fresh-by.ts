// The staleness bound of a change: until when readers elsewhere may be shown what
// it replaced, by a tier of ours or by their own browser. Called by both surfaces,
// and by purges, which report what tiers show.
import type { BucketName, BucketRecord } from '../../domain/nouns.ts';
import type { ReaderChange } from '../../ports/index-calls/index-changes.ts';
import type { Core } from '../core.ts';
import { createHostingRules } from '../hosting/hosting-rules.ts';

/**
 * A change that readers can see, with the bucket as it was before; `unknown`: what
 * another process may have done to the bucket of that name.
 */
export type MadeChange =
  | { readonly bucket: BucketRecord; readonly change: ReaderChange }
  | { readonly bucket: BucketName; readonly change: 'unknown' };

/**
 * Computes until when a tier anywhere may show what a change of the bucket replaced,
 * milliseconds since 1970. Call it right after the change. On Node the time is now.
 */
export function tiersFreshByMs({ ports }: Core, bucket: BucketRecord | null): number {
  const mode = bucket === null ? 'unknown' : bucket.settings.metadata;
  return ports.clock.nowMs() + ports.hotMetadata.staleForMs(mode);
}

/**
 * Computes until when a reader anywhere may be shown what a change replaced, browsers
 * included that keep a response by the Cache-Control of the bucket's reads. What an
 * object itself brought as Cache-Control is not counted: nobody knows it any more.
 */
export function freshByMs(core: Core, made: MadeChange): number {
  const bucket = made.change === 'unknown' ? null : made.bucket;
  return tiersFreshByMs(core, bucket) + 1000 * browserSeconds(core, made);
}

function browserSeconds({ settings }: Core, made: MadeChange): number {
  const usual = settings.defaultCacheControl;
  if (made.change === 'unknown') return cachedSeconds(usual);
  const { access, settings: own } = made.bucket;
  if (access.publicReads === null) return 0;

  if (own.hosting === null) return cachedSeconds(usual);
  const { hosting } = own;
  const { cacheControlOf } = createHostingRules()(hosting);
  const headers =
    made.change === 'readPolicy'
      ? [usual, ...hosting.cacheControlRules.map(({ cacheControl }) => cacheControl)]
      : made.change.map((key) => cacheControlOf(key) ?? usual);
  return Math.max(0, ...headers.map(cachedSeconds));
}

const MAX_AGE = /(?:^|[\s,])max-age="?(\d{1,10})/i;
const SHARED_MAX_AGE = /(?:^|[\s,])s-maxage="?(\d{1,10})/i;
const STALE_WHILE_REVALIDATE = /(?:^|[\s,])stale-while-revalidate="?(\d{1,10})/i;

/**
 * Seconds for which a cache may keep a response, and serve it stale while it asks.
 * Source: RFC 9111 section 5.2.2, RFC 5861 section 3.
 */
function cachedSeconds(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return 0;
  const secondsOf = (pattern: RegExp) => Number(pattern.exec(cacheControl)?.[1] ?? 0);
  const freshSeconds = Math.max(secondsOf(MAX_AGE), secondsOf(SHARED_MAX_AGE));
  return freshSeconds + secondsOf(STALE_WHILE_REVALIDATE);
}
