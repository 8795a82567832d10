// Access keys for S3: made with a secret that is shown once and stored encrypted,
// limited by a scope, rotated with both keys live for a while. The caller checks
// who may do it (auth/permissions.ts).
import { randomText } from '../../crypto/random-text.ts';
import type { AccessKeyRecord, KeyScope } from '../../domain/account-records.ts';
import type { Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';
import { createAccessKeyIds } from '../auth/access-key-id.ts';
import { associatedDataOf } from '../auth/find-access-key.ts';
import { scopeMistake } from '../auth/key-scope.ts';
import { limitedExpiry, scopesOfRole } from '../auth/permissions.ts';
import type { Core } from '../core.ts';
import { encryptSecret } from '../encryption/encrypted-secret.ts';
import { type KeyMaker, limitedScope, requireCoversKey } from './key-limits.ts';

/** Most keys of one account. Ours. */
const ACCESS_KEYS_MAX = 1000;
/** Characters of a secret: as many as S3's, 200 random bits. */
const SECRET_LENGTH = 40;

export type NewAccessKey = {
  readonly accountId: AccountId;
  readonly name: string;
  readonly scope: KeyScope | null;
  readonly expiresAtMs: number | null;
  /** The caller that makes the key, which may do no more and lasts no longer. */
  readonly maker: KeyMaker;
  /**
   * The role of the key that it replaces, which it does not exceed; absent: it
   * replaces none.
   */
  readonly oldRole?: Role | null;
};

/** A new key with its secret, which is shown this once. */
export type MadeAccessKey = { readonly key: AccessKeyRecord; readonly secret: string };

/**
 * Makes an access key. InvalidInput (a scope that means nothing, too many keys, an
 * expiry in the past), AccessDenied (the maker may not do that), ServiceUnavailable
 * (no master key).
 */
export async function createAccessKey(core: Core, request: NewAccessKey): Promise<MadeAccessKey> {
  const { directory, clock } = core.ports;
  checkAccessKey(core, request);
  const { accountId, name, maker } = request;
  const scope = limitedScope(maker, request.scope);
  const expiresAtMs = limitedExpiry(maker, request.expiresAtMs);

  const known = await directory.call('listAccessKeys', {
    accountId,
    after: '',
    limit: ACCESS_KEYS_MAX,
  });
  if (known.length >= ACCESS_KEYS_MAX) {
    throw new StorageError('InvalidInput', {
      detail: `An account has at most ${ACCESS_KEYS_MAX} access keys.`,
    });
  }

  const id = createAccessKeyIds(core.settings.masterKeys).make();
  const secret = randomText(SECRET_LENGTH);
  const key = {
    id,
    accountId,
    name,
    scope,
    role: roleOf(request),
    createdAtMs: clock.nowMs(),
    expiresAtMs,
    lastUsedMs: null,
    isEnabled: true,
    revision: 1,
  };
  const encryptedSecret = encryptSecret(core.settings.masterKeys, secret, associatedDataOf(id));
  await directory.call('addAccessKey', { key, encryptedSecret });
  return { key, secret };
}

/**
 * The role of a new key; null: it is for S3 alone. A key with a scope is, also
 * after the scope is taken away; so are the keys of a limited token, and their
 * successors.
 */
function roleOf({ scope, maker, oldRole }: NewAccessKey): Role | null {
  if (scope !== null || maker.scopes !== null || oldRole === null) return null;
  if (oldRole === undefined || !scopesOfRole(maker.role).isSupersetOf(scopesOfRole(oldRole)))
    return maker.role;
  return oldRole;
}

/** Refuses a scope or an expiry that no key can have. InvalidInput. */
export function checkAccessKey(
  core: Core,
  { scope, expiresAtMs }: Pick<NewAccessKey, 'scope' | 'expiresAtMs'>,
): void {
  const mistake = scope === null ? null : scopeMistake(scope);
  if (mistake !== null) throw new StorageError('InvalidInput', { detail: mistake });
  if (expiresAtMs !== null && expiresAtMs <= core.ports.clock.nowMs()) {
    throw new StorageError('InvalidInput', { detail: 'expiresAt must be in the future.' });
  }
}

/**
 * Rotates a key: makes one of the same name and scope, with no more rights than the
 * old one and `maker` have. The old one works until the overlap is over, unless it
 * expires sooner. A crash in between leaves both keys as they are. NoSuchAccessKey,
 * AccessDenied (by S3 it may do more than the maker), and what createAccessKey
 * throws.
 */
export async function rotateAccessKey(
  core: Core,
  old: { readonly accountId: AccountId; readonly id: AccessKeyId },
  overlapMs: number,
  maker: KeyMaker,
): Promise<MadeAccessKey> {
  const { directory, clock } = core.ports;
  const record = await directory.call('findAccessKeyRecord', old);
  if (record === null) throw new StorageError('NoSuchAccessKey');
  // The successor signs in with the lesser role of both.
  requireCoversKey(maker, { scope: record.scope, role: null });

  const overlapEndMs = clock.nowMs() + overlapMs;
  const { accountId, name, scope, role: oldRole, isEnabled, revision } = record;
  const made = await createAccessKey(core, {
    accountId,
    name,
    scope,
    expiresAtMs: null,
    maker,
    oldRole,
  });

  const expiresAtMs = Math.min(overlapEndMs, record.expiresAtMs ?? overlapEndMs);
  await directory.call('updateAccessKey', {
    ...old,
    revision,
    name,
    scope,
    isEnabled,
    expiresAtMs,
  });
  return made;
}

/** Fields of a key that a change sets. */
export type AccessKeyChange = Partial<
  Pick<AccessKeyRecord, 'name' | 'scope' | 'expiresAtMs' | 'isEnabled'>
>;

/**
 * Whether a change can give the key's holder more than before: another scope, a
 * later expiry, use of a disabled key. Such a change counts as one of credentials.
 */
export function canWidenKey(known: AccessKeyRecord, change: AccessKeyChange): boolean {
  const { scope, expiresAtMs, isEnabled } = change;
  const isLater =
    expiresAtMs === null || (expiresAtMs ?? 0) > (known.expiresAtMs ?? Number.POSITIVE_INFINITY);
  const hasOtherScope =
    scope !== undefined && JSON.stringify(scope) !== JSON.stringify(known.scope);
  return (
    hasOtherScope ||
    (expiresAtMs !== undefined && isLater) ||
    (isEnabled === true && !known.isEnabled)
  );
}

/**
 * Changes a key, if its revision is still that of `known`. AccessDenied where
 * `maker` would give it more than it has itself; InvalidInput, NoSuchAccessKey,
 * PreconditionFailed.
 */
export async function changeAccessKey(
  core: Core,
  known: AccessKeyRecord,
  change: AccessKeyChange,
  maker: KeyMaker,
): Promise<AccessKeyRecord> {
  const changed = { ...known, ...change };
  if (canWidenKey(known, change)) {
    requireCoversKey(maker, changed);
    // A key without an end outlasts every token that has one.
    limitedExpiry(maker, changed.expiresAtMs ?? Number.POSITIVE_INFINITY);
  }
  checkAccessKey(core, { scope: changed.scope, expiresAtMs: change.expiresAtMs ?? null });
  return core.ports.directory.call('updateAccessKey', changed);
}
