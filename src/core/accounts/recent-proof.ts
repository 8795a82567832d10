// Credentials change only by whoever has just shown one: a cookie that is stolen, or a browser that
// is left open, must not become a password, a passkey or a token of somebody else. Asked by the
// routes that make or change credentials.
import { StorageError } from '../../domain/errors.ts';
import type { ApiCaller } from '../auth/permissions.ts';

/**
 * How long a session may change credentials after its holder showed a secret, milliseconds. Ours:
 * enough to make a passkey and a token, and little for a browser that is left open.
 */
export const PROOF_RECENT_MS = 10 * 60_000;

/** AccessDenied for a token: it is a script's, and no person shows it a password. */
export function requireSession({ by }: Pick<ApiCaller, 'by'>): void {
  if (by.kind === 'session') return;
  throw new StorageError('AccessDenied', {
    detail: 'This needs a session: sign in, and use its cookie.',
  });
}

/** Lets only a session through that was proved lately. AccessDenied, RecentProofRequired. */
export function requireRecentProof(
  caller: Pick<ApiCaller, 'by' | 'provenAtMs'>,
  nowMs: number,
): void {
  requireSession(caller);
  requireRecentOfSession(caller, nowMs);
}

/**
 * Lets tokens through, which get no more than they have, and sessions that were proved lately.
 * RecentProofRequired.
 */
export function requireRecentOfSession(
  { by, provenAtMs }: Pick<ApiCaller, 'by' | 'provenAtMs'>,
  nowMs: number,
): void {
  if (by.kind === 'token' || provenAtMs > nowMs - PROOF_RECENT_MS) return;
  throw new StorageError('RecentProofRequired');
}
