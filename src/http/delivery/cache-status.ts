// Says where a response came from, as RFC 9211 has it: one member per tier that was
// asked, the one nearest to the origin first. Pointer and body may come from
// different tiers; a tier that gave either counts as a hit.
import type { Staleness } from '../../ports/caches/hot-metadata.ts';
import type { Ports } from '../../ports/index.ts';

/**
 * `index` and `bucket` are the origin, so they are no members of their own; `none`:
 * no body was needed.
 */
export type PointerTier = 'memory' | 'colo' | 'kv' | 'index';
export type BodyOrigin = 'memory' | 'edge' | 'bucket' | 'index' | 'none';

const HIT = 'hit';
const MISS = 'fwd=uri-miss';
/**
 * After the extensions of Cache-Control that allow a cache such responses. Source:
 * RFC 5861.
 */
const STALE_DETAIL = { revalidating: 'stale-while-revalidate', error: 'stale-if-error' } as const;

/** `stale`: null when the pointer was fresh. */
export type CacheStatus = (
  pointer: PointerTier,
  body: BodyOrigin,
  stale?: Staleness | null,
) => string;

/**
 * Renders every combination once, but for the stale ones. `quayside-memory; hit`,
 * or on a cold object `quayside-edge; fwd=uri-miss, quayside-memory; fwd=uri-miss`.
 * Source: RFC 9211 section 2.
 */
export function createCacheStatus(tiers: Ports['tiers']): CacheStatus {
  const rendered: Record<PointerTier, Partial<Record<BodyOrigin, string>>> = {
    memory: {},
    colo: {},
    kv: {},
    index: {},
  };

  function render(pointer: PointerTier, body: BodyOrigin, stale: Staleness | null): string {
    const isBodyHere = body === 'memory' || body === 'none' || body === 'index';
    const members: string[] = [];
    if (tiers.body.includes('edge') && !isBodyHere)
      members.push(`quayside-edge; ${body === 'edge' ? HIT : MISS}`);
    // Colo and KV are named only where they had the pointer.
    if (pointer === 'kv') members.push(`quayside-kv; ${HIT}`);
    const statusOf = (isHit: boolean) =>
      stale === null ? (isHit ? HIT : MISS) : renderStale(stale, isHit);
    if (pointer === 'colo')
      members.push(`quayside-colo; ${statusOf(true)}`, `quayside-memory; ${MISS}`);
    else members.push(`quayside-memory; ${statusOf(pointer === 'memory' && isBodyHere)}`);
    return members.join(', ');
  }

  return (pointer, body, stale = null) => {
    if (stale !== null) return render(pointer, body, stale);
    const known = rendered[pointer];
    known[body] ??= render(pointer, body, null);
    return known[body];
  };
}

/**
 * `hit; ttl=-3; detail=stale-while-revalidate`; `fwd=stale` where this very request
 * asked in vain.
 */
function renderStale({ reason, isForwarded, stalenessSeconds }: Staleness, isHit: boolean): string {
  const outcome = isForwarded
    ? 'fwd=stale'
    : isHit
      ? `${HIT}; ttl=-${Math.ceil(stalenessSeconds)}`
      : MISS;
  return `${outcome}; detail=${STALE_DETAIL[reason]}`;
}
