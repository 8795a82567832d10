// Access to routes: who may call one, by scope, session or recent proof of a
// secret. app.ts asks before it reads a body, and every route once more before its
// handler.
import { requireCaller } from '../../core/accounts/find-caller.ts';
import {
  requireRecentOfSession,
  requireRecentProof,
  requireSession,
} from '../../core/accounts/recent-proof.ts';
import { isRoot, mayDo, type Scope } from '../../core/auth/permissions.ts';
import { StorageError } from '../../domain/errors.ts';
import { type ApiCall, type ApiContext, callOf, type SignedInCall } from './api-call.ts';

/**
 * Who may call a route: a holder of the scope; whoever is signed in, for what
 * changes nothing; a session, which has all rights of its holder; a session that
 * was proved lately, for credentials; or everybody.
 */
export type Access = Scope | 'signed-in' | 'session' | 'recent-proof' | 'everybody';

/**
 * Refuses a caller whom the route does not let in, by who it is alone.
 * Unauthenticated, AccessDenied, RecentProofRequired.
 */
export function requireAccess(call: Pick<ApiCall, 'caller' | 'core'>, access: Access): void {
  if (access === 'everybody') return;

  const caller = requireCaller(call.caller);
  if (access === 'signed-in') return;

  if (access === 'session') requireSession(caller);
  else if (access === 'recent-proof') requireRecentProof(caller, call.core.ports.clock.nowMs());
  else if (!mayDo(caller, access)) {
    throw new StorageError('AccessDenied', { detail: `This needs the scope ${access}.` });
  }
}

/**
 * Guards whatever gives somebody a new credential, or an old one more rights: a
 * session must have been proved lately. A token passes, as it can give no more than
 * it has. RecentProofRequired.
 */
export function requireProofForCredentials({ caller, core }: SignedInCall): void {
  requireRecentOfSession(caller, core.ports.clock.nowMs());
}

/** Refuses everybody but the operator of the server. AccessDenied. */
export function requireOperator({ caller }: Pick<SignedInCall, 'caller'>): void {
  if (isRoot(caller)) return;
  throw new StorageError('AccessDenied', {
    detail: 'Only the operator of the server may do this.',
  });
}

/**
 * The call of a handler that only the operator of the server may use. AccessDenied.
 */
export function operatorCallOf(c: ApiContext): SignedInCall {
  const call = callOf(c);
  requireOperator(call);
  return call;
}
