// Access keys for S3: made with a secret that is shown once, kept sealed, narrowed by a scope,
// rotated with both keys live for a while. Who may do it is the caller's to check (permissions.ts).
import { randomText } from '../../crypto/random-text.ts';
import type { AccessKeyRecord, KeyScope } from '../../domain/account-records.ts';
import type { Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKeyId, AccountId } from '../../domain/nouns.ts';
import { boundOf } from '../auth/find-access-key.ts';
import { scopeMistake } from '../auth/key-scope.ts';
import { limitedExpiry, scopesOfRole } from '../auth/permissions.ts';
import type { Core } from '../core.ts';
import { sealSecret } from '../encryption/encrypted-secret.ts';
import { type KeyMaker, limitedScope, requireCoversKey } from './key-limits.ts';

/** Keys of one account, and how long a secret is: 40 characters, as S3's, 200 bits. */
const ACCESS_KEYS_MAX = 1000;
const SECRET_LENGTH = 40;
/** `QS` and 80 random bits: nobody guesses an id, and nothing hangs on it. */
const ID_LENGTH = 16;

export type NewAccessKey = {
  readonly accountId: AccountId;
  readonly name: string;
  readonly scope: KeyScope | null;
  readonly expiresAtMs: number | null;
  /** Who makes it: it may do no more, and lasts no longer. */
  readonly maker: KeyMaker;
  /**
   * The role of the key that it takes the place of, which it does not exceed either; absent: it
   * takes none.
   */
  readonly oldRole?: Role | null;
};

/** A key with its secret, which nobody sees again. */
export type MadeAccessKey = { readonly key: AccessKeyRecord; readonly secret: string };

/**
 * InvalidInput (a scope that means nothing, too many keys, an expiry in the past), AccessDenied
 * (the maker may not do that), ServiceUnavailable (no master key).
 */
export async function createAccessKey(core: Core, wanted: NewAccessKey): Promise<MadeAccessKey> {
  const { directory, clock } = core.ports;
  checkAccessKey(core, wanted);
  const { accountId, name, maker } = wanted;
  const scope = limitedScope(maker, wanted.scope);
  const expiresAtMs = limitedExpiry(maker, wanted.expiresAtMs);
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
  const id = `QS${randomText(ID_LENGTH).toUpperCase()}` as AccessKeyId;
  const secret = randomText(SECRET_LENGTH);
  const times = { createdAtMs: clock.nowMs(), expiresAtMs, lastUsedMs: null };
  const key = {
    id,
    accountId,
    name,
    scope,
    role: roleOf(wanted),
    ...times,
    isEnabled: true,
    revision: 1,
  };
  const sealedSecret = sealSecret(core.settings.masterKeys, secret, boundOf(id));
  await directory.call('addAccessKey', { key, sealedSecret });
  return { key, secret };
}

/**
 * A key with a scope stays one for S3, also when the scope is taken away; so do one that a narrowed
 * token makes, and its successors.
 */
function roleOf({ scope, maker, oldRole }: NewAccessKey): Role | null {
  if (scope !== null || maker.scopes !== null || oldRole === null) return null;
  if (oldRole === undefined || !scopesOfRole(maker.role).isSupersetOf(scopesOfRole(oldRole)))
    return maker.role;
  return oldRole;
}

/** InvalidInput for what no key can have. */
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
 * Makes a key of the same name and scope, with no more rights than the old one and `maker` have;
 * the old one goes on until the overlap is over, unless it ends sooner by itself. NoSuchAccessKey,
 * AccessDenied (by S3 it may do more than the maker), and what createAccessKey throws. A crash in
 * between leaves both keys as they are.
 */
export async function rotateAccessKey(
  core: Core,
  old: { readonly accountId: AccountId; readonly id: AccessKeyId },
  overlapMs: number,
  maker: KeyMaker,
): Promise<MadeAccessKey> {
  const { directory, clock } = core.ports;
  const found = await directory.call('findAccessKeyRecord', old);
  if (found === null) throw new StorageError('NoSuchAccessKey');
  // The successor signs in with the lesser role of both.
  requireCoversKey(maker, { scope: found.scope, role: null });
  const untilMs = clock.nowMs() + overlapMs;
  const { accountId, name, scope, role: oldRole, isEnabled, revision } = found;
  const made = await createAccessKey(core, {
    accountId,
    name,
    scope,
    expiresAtMs: null,
    maker,
    oldRole,
  });
  const expiresAtMs = Math.min(untilMs, found.expiresAtMs ?? untilMs);
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
 * Whether a change can give whoever has the key more than it had: another scope, a later end, use
 * of a disabled one. Such a change is one of credentials.
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
 * Changes a key that was seen at that revision. AccessDenied where `maker` would give it more than
 * it has itself; InvalidInput, NoSuchAccessKey, PreconditionFailed.
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
