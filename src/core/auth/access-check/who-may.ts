// Who may do what to a key, or below a prefix: strangers, members by role, access
// keys, other accounts. The JSON API calls this; check-access.ts decides about each.

import type { AccessKeyRecord } from '../../../domain/account-records.ts';
import { ROLES, type Role } from '../../../domain/accounts.ts';
import type { AccessKeyId, AccountId, Principal } from '../../../domain/nouns.ts';
import type { Core } from '../../core.ts';
import type { AccessRecord, ReadPolicy } from '../decide.ts';
import { type Scope, scopesOfRole } from '../permissions.ts';
import type { S3Action } from '../policy/actions.ts';
import type { AccessChecker, AccessFinding, AccessTarget } from './check-access.ts';

/** What a question may be about, by the words of the JSON API. */
export const ACCESS_VERBS = ['read', 'write', 'list', 'delete'] as const;
export type AccessVerb = (typeof ACCESS_VERBS)[number];

/** The action of S3 that each word means. */
export const ACTION_OF_VERB: Readonly<Record<AccessVerb, S3Action>> = {
  read: 's3:GetObject',
  write: 's3:PutObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
};

/** The scope of a member's role that each word needs. */
const SCOPE_OF_VERB: Readonly<Record<AccessVerb, Scope>> = {
  read: 'objects:read',
  write: 'objects:write',
  list: 'objects:read',
  delete: 'objects:write',
};

/** Words whose requests members send by presigned URL, so that policies apply. */
const BY_URL: ReadonlySet<AccessVerb> = new Set(['read', 'write']);

/** Access keys in one answer. Ours: a console shows them on one page. */
export const KEYS_MAX = 200;
/** Other accounts in one answer. Ours: policies rarely name more than a few. */
const ACCOUNTS_MAX = 20;
/** Members counted in one answer, by pages of the directory. Ours. */
const MEMBERS_PAGE = 1000;
const MEMBER_PAGES_MAX = 10;

/** A class of callers. */
export type AccessHolder =
  | { readonly kind: 'strangers' }
  /** Every account of this server, whoever has it. */
  | { readonly kind: 'any-account' }
  | { readonly kind: 'account'; readonly accountId: AccountId }
  /** The account itself: any key of it without a scope. */
  | { readonly kind: 'owner'; readonly accountId: AccountId }
  | { readonly kind: 'role'; readonly role: Role; readonly members: number | null }
  | { readonly kind: 'key'; readonly key: AccessKeyRecord };

export type AccessRight = AccessFinding & { readonly verb: AccessVerb };
export type AccessEntry = {
  readonly holder: AccessHolder;
  readonly rights: readonly AccessRight[];
};

/** An id that no account has: what it may, every account may. */
const ANY_ACCOUNT = 'any-account-of-this-server' as AccountId;

/** An account as a caller. */
export function accountPrincipal(id: AccountId): Principal {
  return {
    kind: 'account',
    account: { id, displayName: '' },
    accessKeyId: 'none' as AccessKeyId,
  };
}

/** The question of an access check, with the checker that answers it. */
export type AccessInquiry = {
  readonly record: AccessRecord;
  readonly policy: ReadPolicy;
  readonly target: AccessTarget;
  readonly verbs: readonly AccessVerb[];
  readonly checker: AccessChecker;
  /** Null: the caller may not see members, or keys. */
  readonly members: ReadonlyMap<Role, number> | null;
  readonly keys: readonly AccessKeyRecord[] | null;
};

/** One entry for each class of callers. Never throws. */
export function listAccess(inquiry: AccessInquiry): readonly AccessEntry[] {
  const { record, verbs, checker, target, members, keys } = inquiry;
  const owner = accountPrincipal(record.ownerId);
  const entryOf = (holder: AccessHolder, rightOf: (verb: AccessVerb) => AccessFinding) => ({
    holder,
    rights: verbs.map((verb) => ({ verb, ...rightOf(verb) })),
  });
  const ofPrincipal = (holder: AccessHolder, principal: Principal) =>
    entryOf(holder, (verb) =>
      withObjectAcls(record, target, verb, checker.check(principal, null, ACTION_OF_VERB[verb])),
    );

  const roles = ROLES.map((role) =>
    entryOf(
      { kind: 'role', role, members: members === null ? null : (members.get(role) ?? 0) },
      (verb) => roleFinding(checker, owner, role, verb),
    ),
  );
  const ofKeys = (keys ?? []).map((key) =>
    entryOf({ kind: 'key', key }, (verb) => checker.check(owner, key.scope, ACTION_OF_VERB[verb])),
  );
  return [
    ofPrincipal({ kind: 'strangers' }, { kind: 'anonymous' }),
    ofPrincipal({ kind: 'any-account' }, accountPrincipal(ANY_ACCOUNT)),
    ...namedAccounts(inquiry).map((accountId) =>
      ofPrincipal({ kind: 'account', accountId }, accountPrincipal(accountId)),
    ),
    ofPrincipal({ kind: 'owner', accountId: record.ownerId }, owner),
    ...roles,
    ...ofKeys,
  ];
}

/**
 * What a member of the role may: by the scope of the role, and where the bytes go
 * by presigned URL only if the policy lets the account.
 */
export function roleFinding(
  checker: AccessChecker,
  owner: Principal,
  role: Role,
  verb: AccessVerb,
): AccessFinding {
  const scope = SCOPE_OF_VERB[verb];
  const because = { source: 'role', role, scope } as const;
  const none = { because, example: null, except: null, dependsOn: [] };
  if (!scopesOfRole(role).has(scope)) return { allowed: 'no', ...none };
  if (!BY_URL.has(verb)) return { allowed: 'yes', ...none };

  const finding = checker.check(owner, null, ACTION_OF_VERB[verb]);
  return finding.allowed === 'no' ? finding : { ...finding, because };
}

/**
 * Below a prefix objects may have lists of their own, which open them one by one:
 * then the answer hangs on them.
 */
function withObjectAcls(
  { access }: AccessRecord,
  target: AccessTarget,
  verb: AccessVerb,
  finding: AccessFinding,
): AccessFinding {
  const isHeard = access.publicReads?.isAclHeard ?? false;
  if (target.kind === 'key' || verb !== 'read' || finding.allowed !== 'no' || !isHeard)
    return finding;
  const except = { because: finding.because, example: finding.example };
  return { ...finding, allowed: 'depends', except, dependsOn: ['object-acl'] };
}

/** Other accounts that the policy or a list of grants names; some of many. */
function namedAccounts({ record, policy, target }: AccessInquiry): readonly AccountId[] {
  const statements = policy === null || policy === 'unreadable' ? [] : policy.statements;
  const objectAcl = target.kind === 'key' ? (target.object?.acl ?? []) : [];
  const ids = new Set<string>([
    ...statements.flatMap(({ principals }) => [...principals.accountIds]),
    ...[...(record.access.acl ?? []), ...objectAcl].flatMap(({ grantee }) =>
      grantee.kind === 'account' ? [grantee.id] : [],
    ),
    ...(target.kind === 'key' && target.object?.ownerId ? [target.object.ownerId] : []),
  ]);
  ids.delete(record.ownerId);
  return [...ids].slice(0, ACCOUNTS_MAX) as AccountId[];
}

/**
 * Counts the enabled members of an account by role: the first 10,000. Cost: a
 * directory read for each 1,000.
 */
export async function countMembers(
  { ports }: Core,
  accountId: AccountId,
): Promise<ReadonlyMap<Role, number>> {
  const counts = new Map<Role, number>();
  let after = '';
  for (let page = 0; page < MEMBER_PAGES_MAX; page++) {
    const members = await ports.directory.call('listMembers', {
      accountId,
      after,
      limit: MEMBERS_PAGE,
    });
    for (const { role, isEnabled } of members)
      if (isEnabled) counts.set(role, (counts.get(role) ?? 0) + 1);
    const last = members.at(-1);
    if (last === undefined || members.length < MEMBERS_PAGE) break;
    after = last.id;
  }
  return counts;
}

/** The keys of an account that work now, the first 200; `isComplete`: all of them. */
export async function usableKeys(
  { ports }: Core,
  accountId: AccountId,
): Promise<{ readonly keys: readonly AccessKeyRecord[]; readonly isComplete: boolean }> {
  const nowMs = ports.clock.nowMs();
  const keys = await ports.directory.call('listAccessKeys', {
    accountId,
    after: '',
    limit: KEYS_MAX + 1,
  });
  const isUsable = ({ isEnabled, expiresAtMs }: AccessKeyRecord) =>
    isEnabled && (expiresAtMs === null || expiresAtMs > nowMs);
  return {
    keys: keys.slice(0, KEYS_MAX).filter(isUsable),
    isComplete: keys.length <= KEYS_MAX,
  };
}
