// Authorizes callers of the JSON API: roles are lists of scopes, tokens have fewer.
// One pure function, called by every route. decide.ts authorizes S3 requests.
import type { Holder, Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../domain/root-account.ts';

/** Every scope there is; a token may have some of them. */
export const SCOPES = [
  'account:read',
  'account:write',
  'members:read',
  'members:write',
  'keys:read',
  'keys:write',
  'tokens:read',
  'tokens:write',
  'sessions:read',
  'sessions:write',
  'audit:read',
  'buckets:read',
  'buckets:write',
  'objects:read',
  'objects:write',
  'links:read',
  'links:write',
  'usage:read',
  'billing:read',
  'billing:write',
  'caps:read',
  'caps:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Scopes of every role: to see and end what is one's own. */
const OWN_SCOPES: readonly Scope[] = [
  'account:read',
  'tokens:read',
  'tokens:write',
  'sessions:read',
  'sessions:write',
];

const SCOPES_OF_ROLE: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(SCOPES),
  // Only the owner decides who belongs to the account, and what it is called.
  admin: new Set(SCOPES.filter((scope) => scope !== 'account:write' && scope !== 'members:write')),
  member: new Set([
    ...OWN_SCOPES,
    'buckets:read',
    'buckets:write',
    'objects:read',
    'objects:write',
    'links:read',
    'links:write',
    'usage:read',
    'caps:read',
  ] as const),
  billing: new Set([
    ...OWN_SCOPES,
    'buckets:read',
    'usage:read',
    'billing:read',
    'billing:write',
    'caps:read',
    'caps:write',
  ] as const),
  reader: new Set([
    ...OWN_SCOPES,
    'buckets:read',
    'objects:read',
    'links:read',
    'usage:read',
    'caps:read',
  ] as const),
};

/** The scopes of a role. */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return SCOPES_OF_ROLE[role];
}

/** A caller of the JSON API. `scopes` null: all of the role. */
export type ApiCaller = Holder & {
  /** How the caller showed who it is, and the id of that token or session. */
  readonly by: { readonly kind: 'token' | 'session'; readonly id: string };
  readonly scopes: readonly string[] | null;
  /**
   * When the holder of a session last showed a secret, milliseconds; 0 for a token.
   */
  readonly provenAtMs: number;
  /**
   * When a token ends. Null: never, or it is a session, whose holder shows a secret
   * again before making anything that outlasts it.
   */
  readonly endsAtMs: number | null;
};

/** Whether the caller is the operator of the server. */
export function isRoot(caller: Pick<ApiCaller, 'accountId'>): boolean {
  return caller.accountId === ROOT_ACCOUNT.id;
}

/** Whether the caller has the scope for its own account, or root for any. Pure. */
export function mayDo(
  caller: ApiCaller,
  scope: Scope,
  accountId: AccountId = caller.accountId,
): boolean {
  if (caller.accountId !== accountId && !isRoot(caller)) return false;
  return (
    SCOPES_OF_ROLE[caller.role].has(scope) &&
    (caller.scopes === null || caller.scopes.includes(scope))
  );
}

/** Whether the caller may do all that the role may. */
export function coversRole(caller: ApiCaller, role: Role): boolean {
  return [...SCOPES_OF_ROLE[role]].every((scope) => mayDo(caller, scope));
}

/**
 * The expiry of what a caller makes: as requested, and no later than the caller's
 * own token. AccessDenied for a later one that was requested.
 */
export function limitedExpiry(
  { endsAtMs }: Pick<ApiCaller, 'endsAtMs'>,
  requestedMs: number | null,
): number | null {
  if (endsAtMs === null || requestedMs === null) return requestedMs ?? endsAtMs;
  if (requestedMs <= endsAtMs) return requestedMs;
  throw new StorageError('AccessDenied', {
    detail: 'Your token ends before that, and makes nothing that outlasts it.',
  });
}

/** The scopes that a caller has, in the order of SCOPES. */
export function scopesOf(caller: ApiCaller): readonly Scope[] {
  return SCOPES.filter((scope) => mayDo(caller, scope));
}
