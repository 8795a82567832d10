// Limits the access keys that a caller of the JSON API makes, rotates or enables:
// by S3 they may do no more than the caller itself. A session has all that its role
// has, and only owners and admins make keys, so this is about tokens.
import type { AccessKeyRecord, KeyScope } from '../../domain/account-records.ts';
import { StorageError } from '../../domain/errors.ts';
import { actionsMatching, NO_KEY_LIMIT } from '../auth/key-scope.ts';
import { type ApiCaller, scopesOfRole } from '../auth/permissions.ts';
import { actionsOfScopes } from '../auth/scope-actions.ts';

/** The caller that makes a key. */
export type KeyMaker = Pick<ApiCaller, 'role' | 'scopes' | 'endsAtMs'>;

/** The S3 actions of a maker, as patterns; null: whatever its account may do. */
function actionsOf({ scopes }: KeyMaker): readonly string[] | null {
  return scopes === null ? null : actionsOfScopes(scopes);
}

/** The first of the actions that the maker may not do; null: it may do all. */
function exceeding(maker: KeyMaker, actions: readonly string[]): string | null {
  const own = actionsOf(maker);
  if (own === null) return null;
  const allowed = new Set(own.flatMap(actionsMatching));
  return (
    actions.find((pattern) => actionsMatching(pattern).some((action) => !allowed.has(action))) ??
    null
  );
}

/**
 * The scope of a new key: the requested one, and the maker's actions where all were
 * requested. AccessDenied for actions that the maker lacks.
 */
export function limitedScope(maker: KeyMaker, requested: KeyScope | null): KeyScope | null {
  const own = actionsOf(maker);
  if (own === null) return requested;
  const actions = requested?.actions ?? own;
  if (actions.length === 0) {
    throw new StorageError('AccessDenied', {
      detail:
        'Your token has no right to buckets or objects, so a key of its making could do nothing.',
    });
  }
  const lacking = exceeding(maker, actions);
  if (lacking !== null)
    throw new StorageError('AccessDenied', { detail: `You may not do ${lacking} yourself.` });
  return { ...(requested ?? NO_KEY_LIMIT), actions };
}

/** Refuses a key that may do more than its maker, here or by S3. AccessDenied. */
export function requireCoversKey(
  maker: KeyMaker,
  { scope, role }: Pick<AccessKeyRecord, 'scope' | 'role'>,
): void {
  const isWithin =
    scope?.actions == null ? maker.scopes === null : exceeding(maker, scope.actions) === null;
  const coversRole = role === null || scopesOfRole(maker.role).isSupersetOf(scopesOfRole(role));
  if (isWithin && coversRole) return;
  throw new StorageError('AccessDenied', { detail: 'This access key may do more than you may.' });
}
