// What a caller of the JSON API may do: roles are lists of scopes, tokens have fewer. One pure
// function, asked by every route. What S3 requests may do is auth/decide.ts.
import type { Holder, Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from './root-account.ts';

/** Every right there is; a token may have some of them. */
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
  'usage:read',
  'billing:read',
  'billing:write',
  'caps:read',
  'caps:write',
  'webhooks:read',
  'webhooks:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Everybody's: to see and end what is one's own. */
const OWN: readonly Scope[] = [
  'account:read',
  'tokens:read',
  'tokens:write',
  'sessions:read',
  'sessions:write',
];

const SCOPES_OF_ROLE: Readonly<Record<Role, ReadonlySet<Scope>>> = {
  owner: new Set(SCOPES),
  // Who belongs to the account, and what it is called, is the owner's.
  admin: new Set(SCOPES.filter((scope) => scope !== 'account:write' && scope !== 'members:write')),
  member: new Set([
    ...OWN,
    'buckets:read',
    'buckets:write',
    'objects:read',
    'objects:write',
    'usage:read',
    'caps:read',
  ] as const),
  billing: new Set([
    ...OWN,
    'buckets:read',
    'usage:read',
    'billing:read',
    'billing:write',
    'caps:read',
    'caps:write',
  ] as const),
  reader: new Set([...OWN, 'buckets:read', 'objects:read', 'usage:read', 'caps:read'] as const),
};

/** The rights of a role. */
export function scopesOfRole(role: Role): ReadonlySet<Scope> {
  return SCOPES_OF_ROLE[role];
}

/** Who calls. `scopes` null: all of the role. */
export type ApiCaller = Holder & {
  /** How the caller showed who it is, and the id of that token or session. */
  readonly by: { readonly kind: 'token' | 'session'; readonly id: string };
  readonly scopes: readonly string[] | null;
  /** When the holder of a session last showed a secret, milliseconds; 0 for a token. */
  readonly provenAtMs: number;
  /**
   * When a token ends; null: never, or it is a session, whose holder is asked for a secret before
   * what lasts is made.
   */
  readonly endsAtMs: number | null;
};

/** Whether the caller is the operator of the server. */
export function isRoot(caller: Pick<ApiCaller, 'accountId'>): boolean {
  return caller.accountId === ROOT_ACCOUNT.id;
}

/** Whether the caller may do that to its own account, or root to any. Pure. */
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
 * When what a caller makes ends: when that was asked for, and no later than the caller's own token.
 * AccessDenied for a later time that was asked for.
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
