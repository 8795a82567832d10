// Signs in: a name and a secret become a session, or prove a session once more.
// Attempts are counted before anything is checked
// (index/directory/sign-in-attempts.ts), and slowed down. Whatever is wrong, the
// response and its time are the same.
import { isEqualInConstantTime, sha256Hex } from '../../crypto/hash.ts';
import type { StoredAccessKey } from '../../domain/account-records.ts';
import type { FailedSignIn, Holder, Session } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKey, AccessKeyId } from '../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../domain/root-account.ts';
import { HOUR_MS, startOfHour } from '../../domain/time.ts';
import { associatedDataOf } from '../auth/find-access-key.ts';
import { isMemberKeyId } from '../auth/member-key.ts';
import type { Core } from '../core.ts';
import { decryptSecret } from '../encryption/encrypted-secret.ts';
import { AUDIT_KEPT_MS } from './audit.ts';
import { credentialDigest, newCookieText, type SessionKind, secretDigest } from './secrets.ts';

/**
 * Lifetime of a session, milliseconds: a working day and some. Nothing prolongs it.
 */
export const SESSION_MS = 12 * HOUR_MS;

/**
 * Entries about failures in an account's audit log in a day; one more stands for
 * all others.
 */
const FAILURES_PER_DAY = 20;
/**
 * Ids of access keys that this program made: their secrets have 200 random bits and
 * more, so nobody guesses one. The operator may have chosen any other.
 */
const OUR_KEY_ID = /^(?:QS[0-9A-Z]{16}|QS[0-9A-Z]{20}|QSROOT[A-Z2-7]{14})$/;

export type FindAccessKey = (id: AccessKeyId) => AccessKey | Promise<AccessKey | null> | null;

/** The origin of an attempt. */
export type SignInFrom = { readonly source: string; readonly requestId: string };

/** A session and the text of its cookie, which is shown once and stored nowhere. */
export type SignedIn = { readonly session: Session; readonly cookieText: string };

/**
 * What is attempted: its name, and whether its secret may be one that somebody
 * thought of.
 */
export type Attempted = { readonly name: string; readonly isGuessable: boolean };

/** The holder whose secret was tried, for the audit log of that account. */
export type Suspected = Pick<FailedSignIn, 'accountId' | 'credential' | 'memberId' | 'accessKeyId'>;

/** The outcome of an attempt; `suspected` null: nobody has that name. */
export type Outcome<Proof> =
  | { readonly isRight: true; readonly proof: Proof }
  | { readonly isRight: false; readonly suspected: Suspected | null };

/**
 * Proves the holder of an access key, who gets the key's role. InvalidCredentials;
 * once the secret was right AccessDenied (it is for S3 alone), AccessKeyDisabled,
 * AccessKeyExpired; TooManyRequests (with the field RetryAfterSeconds).
 */
export function proveByAccessKey(
  core: Core,
  findAccessKey: FindAccessKey,
  {
    accessKeyId,
    secretAccessKey,
  }: { readonly accessKeyId: string; readonly secretAccessKey: string },
  from: SignInFrom,
): Promise<Holder> {
  const attempted = { name: `key:${accessKeyId}`, isGuessable: !OUR_KEY_ID.test(accessKeyId) };
  return proveSecret(core, attempted, from, async () => {
    const key = await findAccessKey(accessKeyId as AccessKeyId);
    const isRight = isEqualInConstantTime(sha256Hex(secretAccessKey), sha256Hex(key?.secret ?? ''));
    // Looked up for each wrong attempt, so that its time tells nothing.
    if (!isRight) await refuseUnusable(core, accessKeyId as AccessKeyId, secretAccessKey);
    if (key === null) return { isRight: false, suspected: null };

    const { id } = key;
    const accountId = key.account.id;
    if (!isRight) {
      const suspected = {
        accountId,
        credential: `access-key ${id}`,
        memberId: null,
        accessKeyId: id,
      };
      return { isRight: false, suspected };
    }
    const { role = 'owner', scope = null } = key;
    if (scope !== null || role === null) {
      throw new StorageError('AccessDenied', { detail: 'This access key is for S3 alone.' });
    }
    const proof = {
      accountId,
      role,
      memberId: null,
      accessKeyId: id,
      credentialDigest: credentialDigest(key),
    };
    return { isRight: true, proof };
  });
}

/**
 * Refuses a key that is disabled or has expired, to whoever shows its secret; says
 * nothing to anybody else. AccessKeyDisabled, AccessKeyExpired.
 */
async function refuseUnusable(core: Core, id: AccessKeyId, secret: string): Promise<void> {
  const stored = isMemberKeyId(id) ? null : await core.ports.directory.call('getAccessKey', { id });
  const known = stored === null ? null : secretOf(core, stored);
  if (stored === null || !isEqualInConstantTime(sha256Hex(secret), sha256Hex(known ?? ''))) return;

  if (!stored.isEnabled) throw new StorageError('AccessKeyDisabled');
  const isExpired = stored.expiresAtMs !== null && stored.expiresAtMs <= core.ports.clock.nowMs();
  if (isExpired) throw new StorageError('AccessKeyExpired');
}

/** The secret of a stored key, which the directory keeps encrypted. */
function secretOf({ settings }: Core, { id, secret, isEncrypted }: StoredAccessKey): string {
  return isEncrypted ? decryptSecret(settings.masterKeys, secret, associatedDataOf(id)) : secret;
}

/**
 * Counts an attempt, then runs it, and records a failure in the audit log.
 * InvalidCredentials, TooManyRequests (with the field RetryAfterSeconds), and what
 * the attempt itself throws. Cost: two calls of the directory.
 */
export async function proveSecret<Proof>(
  core: Core,
  { name, isGuessable }: Attempted,
  from: SignInFrom,
  prove: () => Promise<Outcome<Proof>>,
): Promise<Proof> {
  const { directory, clock } = core.ports;
  const subjects = {
    name: sha256Hex(`name ${name}`),
    source: sha256Hex(`source ${from.source}`),
    pair: sha256Hex(`pair ${sha256Hex(name)} ${from.source}`),
  };
  const nowMs = clock.nowMs();
  const { waitMs } = await directory.call('beginSignIn', { ...subjects, isGuessable, nowMs });
  requireNoWait(waitMs, 'Too many attempts to sign in. Try again later.');

  const outcome = await prove();
  if (!outcome.isRight) {
    await noteFailure(core, outcome.suspected, from);
    throw new StorageError('InvalidCredentials');
  }
  await directory.call('endSignIn', { ...subjects, nowMs: clock.nowMs() });
  return outcome.proof;
}

/** Refuses an attempt that must wait (rate limit). TooManyRequests. */
export function requireNoWait(waitMs: number, detail: string): void {
  if (waitMs <= 0) return;
  throw new StorageError('TooManyRequests', {
    detail,
    fields: { RetryAfterSeconds: `${Math.ceil(waitMs / 1000)}` },
  });
}

/**
 * Records a failure in the account's audit log; an unknown name goes to the
 * operator's. The name itself is never recorded: people type passwords there.
 */
async function noteFailure(
  core: Core,
  suspected: Suspected | null,
  from: SignInFrom,
): Promise<void> {
  const { directory, clock, ids } = core.ports;
  const atMs = clock.nowMs();
  const unknown = { accountId: ROOT_ACCOUNT.id, credential: '', memberId: null, accessKeyId: null };
  const failure = { id: ids.recordId(), atMs, ...(suspected ?? unknown), ...from };
  const keepFromMs = atMs - AUDIT_KEPT_MS;
  await directory.call('noteFailedSignIn', { failure, perDay: FAILURES_PER_DAY, keepFromMs });
}

/**
 * Makes a session of a proved holder; `label` is what the browser calls itself,
 * `source` the network that it comes from.
 */
export async function beginSession(
  core: Core,
  holder: Holder,
  {
    label,
    source,
    kind = 'session',
  }: Pick<Session, 'label' | 'source'> & { readonly kind?: SessionKind },
): Promise<SignedIn> {
  const { directory, clock, ids } = core.ports;
  const cookieText = newCookieText();
  const createdAtMs = clock.nowMs();
  const session = {
    ...holder,
    id: ids.recordId(),
    label,
    source,
    lastUsedMs: startOfHour(createdAtMs),
    createdAtMs,
    expiresAtMs: createdAtMs + SESSION_MS,
    provenAtMs: createdAtMs,
  };
  await directory.call('addSession', {
    digest: secretDigest(kind, cookieText) ?? '',
    session,
  });
  return { session, cookieText };
}
