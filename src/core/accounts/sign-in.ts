// Signing in: a name and a secret become a session, or prove a session once more. Attempts are
// counted before anything is looked at (index/directory/sign-in-attempts.ts), and slow down;
// whatever is wrong, the answer and the time that it takes are the same.
import { isEqualInConstantTime, sha256Hex } from '../../crypto/hash.ts';
import type { FailedSignIn, Holder, Session } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccessKey, AccessKeyId } from '../../domain/nouns.ts';
import { HOUR_MS } from '../../domain/time.ts';
import { ROOT_ACCOUNT } from '../auth/root-account.ts';
import type { Core } from '../core.ts';
import { AUDIT_KEPT_MS } from './audit.ts';
import { credentialDigest } from './credential-digest.ts';
import { newCookieText, secretDigest } from './secrets.ts';

/** How long a session lasts, milliseconds: a working day and some. Nothing prolongs it. */
export const SESSION_MS = 12 * HOUR_MS;
/** Entries about failures that an account's audit log gets in a day, and one for all others. */
const FAILURES_PER_DAY = 20;
/**
 * Ids that we made ourselves, of access keys and of the root key's file: their secrets have 200
 * random bits and more, so nobody guesses one. The operator may have chosen any other.
 */
const OUR_KEY_ID = /^(?:QS[0-9A-Z]{16}|QSROOT[A-Z2-7]{14})$/;

export type FindAccessKey = (id: AccessKeyId) => AccessKey | Promise<AccessKey | null> | null;

/** Where an attempt comes from. */
export type SignInFrom = { readonly source: string; readonly requestId: string };

/** A session and the text of its cookie, which is shown once and kept nowhere. */
export type SignedIn = { readonly session: Session; readonly cookieText: string };

/** What is tried: its name, and whether its secret may be one that somebody thought of. */
export type Attempted = { readonly name: string; readonly isGuessable: boolean };

/** Whose secret was tried, for the audit log of that account. */
export type Suspected = Pick<FailedSignIn, 'accountId' | 'credential' | 'memberId' | 'accessKeyId'>;

/** How an attempt came out; `suspected` null: nobody has that name. */
export type Outcome<Proof> =
  | { readonly isRight: true; readonly proof: Proof }
  | { readonly isRight: false; readonly suspected: Suspected | null };

/**
 * Whoever knows the secret of an access key, with the role that the key has. InvalidCredentials,
 * AccessDenied (it is for S3 alone), TooManyRequests (with the field RetryAfterSeconds).
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
 * Counts an attempt, then runs it, and keeps it for the audit log when it was wrong.
 * InvalidCredentials, TooManyRequests (with the field RetryAfterSeconds), and what the attempt
 * itself throws. Cost: two calls of the directory.
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

/** TooManyRequests for whoever must wait. */
export function requireNoWait(waitMs: number, detail: string): void {
  if (waitMs <= 0) return;
  throw new StorageError('TooManyRequests', {
    detail,
    fields: { RetryAfterSeconds: `${Math.ceil(waitMs / 1000)}` },
  });
}

/**
 * The operator's log has the names that nobody has, and never the name itself: people type
 * passwords there.
 */
async function noteFailure(
  core: Core,
  suspected: Suspected | null,
  from: SignInFrom,
): Promise<void> {
  const { directory, clock, ids } = core.ports;
  const atMs = clock.nowMs();
  const nobody = { accountId: ROOT_ACCOUNT.id, credential: '', memberId: null, accessKeyId: null };
  const failure = { id: ids.recordId(), atMs, ...(suspected ?? nobody), ...from };
  const keepFromMs = atMs - AUDIT_KEPT_MS;
  await directory.call('noteFailedSignIn', { failure, perDay: FAILURES_PER_DAY, keepFromMs });
}

/** Makes a session of whoever proved to be its holder; `label` is what the browser calls itself. */
export async function beginSession(core: Core, holder: Holder, label: string): Promise<SignedIn> {
  const { directory, clock, ids } = core.ports;
  const cookieText = newCookieText();
  const createdAtMs = clock.nowMs();
  const times = { createdAtMs, expiresAtMs: createdAtMs + SESSION_MS, provenAtMs: createdAtMs };
  const session = { ...holder, id: ids.recordId(), label, ...times };
  await directory.call('addSession', {
    digest: secretDigest('session', cookieText) ?? '',
    session,
  });
  return { session, cookieText };
}
