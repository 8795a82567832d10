// Where a link stands, by its conditions and what was used of it.
import type { ShareLink } from 'quayside/client';

export type LinkState = 'open' | 'revoked' | 'ended' | 'early' | 'used-up';

const reaches = (used: number | string, most: number | string | null | undefined): boolean =>
  Number(used) >= Number(most ?? Number.POSITIVE_INFINITY);

/** The state as the server decides it, but for money, which it alone can price. */
export function stateOf(link: ShareLink, nowMs = Date.now()): LinkState {
  const { revokedAt, expiresAt, notBefore, limits, usage } = link;
  if (revokedAt !== null) return 'revoked';
  if (expiresAt !== null && Date.parse(expiresAt) <= nowMs) return 'ended';
  if (notBefore !== null && Date.parse(notBefore) > nowMs) return 'early';
  const isUsedUp = reaches(usage.downloads, limits.downloads) || reaches(usage.bytes, limits.bytes);
  return isUsedUp ? 'used-up' : 'open';
}
