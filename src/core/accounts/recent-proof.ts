// Requires a recent proof before credentials change: a stolen cookie, or a browser
// that is left open, must not become a password, a passkey or a token of somebody
// else. Called by the routes that make or change credentials.
import { StorageError } from '../../domain/errors.ts';
import type { ApiCaller } from '../auth/permissions.ts';

/**
 * How long a session may change credentials after its holder showed a secret,
 * milliseconds. Ours: enough to make a passkey and a token, and little for a
 * browser that is left open.
 */
export const PROOF_RECENT_MS = 10 * 60_000;

/**
 * Refuses a token, AccessDenied: it is a script's, and no person shows a password
 * to it.
 */
export function requireSession({ by }: Pick<ApiCaller, 'by'>): void {
  if (by.kind === 'session') return;
  throw new StorageError('AccessDenied', {
    detail: 'This needs a session: sign in, and use its cookie.',
  });
}

/** Requires a session that was proved lately. AccessDenied, RecentProofRequired. */
export function requireRecentProof(
  caller: Pick<ApiCaller, 'by' | 'provenAtMs'>,
  nowMs: number,
): void {
  requireSession(caller);
  requireRecentOfSession(caller, nowMs);
}

/**
 * Requires of sessions that they were proved lately; tokens pass, because they
 * can't give more than they have. RecentProofRequired.
 */
export function requireRecentOfSession(
  { by, provenAtMs }: Pick<ApiCaller, 'by' | 'provenAtMs'>,
  nowMs: number,
): void {
  if (by.kind === 'token' || provenAtMs > nowMs - PROOF_RECENT_MS) return;
  throw new StorageError('RecentProofRequired');
}
