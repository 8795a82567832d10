// When a link or a recipient's copy was revoked, after a change of it. Pure.

/**
 * The time after a change that revokes, revives (false), or says nothing of it
 * (undefined). What is revoked already keeps its time.
 */
export function revokedAt(
  { revokedAtMs }: { readonly revokedAtMs: number | null },
  isRevoked: boolean | undefined,
  nowMs: number,
): number | null {
  if (isRevoked === undefined) return revokedAtMs;
  return isRevoked ? (revokedAtMs ?? nowMs) : null;
}
