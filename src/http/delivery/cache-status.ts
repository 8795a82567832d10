// Says where an answer came from, as RFC 9211 has it: one member per tier that was asked, the one nearest to the
// origin first. Pointer and body may come from different tiers; a tier that gave either counts as a hit.
import type { Ports } from '../../ports/index.ts';

/** `index` and `bucket` are the origin, so they are no members of their own; `none`: no body was needed. */
export type PointerTier = 'memory' | 'kv' | 'index';
export type BodyOrigin = 'memory' | 'edge' | 'bucket' | 'index' | 'none';

const HIT = 'hit';
const MISS = 'fwd=uri-miss';

/**
 * Renders every combination once. `quayside-memory; hit`, or on a cold object
 * `quayside-edge; fwd=uri-miss, quayside-kv; fwd=uri-miss, quayside-memory; fwd=uri-miss`. Source: RFC 9211 section 2.
 */
export function createCacheStatus(tiers: Ports['tiers']): (pointer: PointerTier, body: BodyOrigin) => string {
  const rendered: Record<PointerTier, Partial<Record<BodyOrigin, string>>> = { memory: {}, kv: {}, index: {} };

  function render(pointer: PointerTier, body: BodyOrigin): string {
    const isBodyHere = body === 'memory' || body === 'none' || body === 'index';
    const members: string[] = [];
    if (tiers.body.includes('edge') && !isBodyHere) members.push(`quayside-edge; ${body === 'edge' ? HIT : MISS}`);
    if (tiers.metadata.includes('kv') && pointer !== 'memory') {
      members.push(`quayside-kv; ${pointer === 'kv' ? HIT : MISS}`);
    }
    members.push(`quayside-memory; ${pointer === 'memory' && isBodyHere ? HIT : MISS}`);
    return members.join(', ');
  }

  return (pointer, body) => {
    const known = rendered[pointer];
    known[body] ??= render(pointer, body);
    return known[body];
  };
}
