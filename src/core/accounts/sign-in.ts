// Signing in: a name and a secret become a session. Attempts are counted before anything is looked at, by name and by
// source, and slow down; whatever is wrong, the answer and the time that it takes are the same.
import { isEqualInConstantTime, sha256Hex } from '../../crypto/hash.ts';
import type { Holder, Session } from '../../ports/accounts.ts';
import type { AccessKey, AccessKeyId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { HOUR_MS } from '../../ports/time.ts';
import type { Core } from '../core.ts';
import { newCookieText, secretDigest } from './secrets.ts';

/** How long a session lasts, milliseconds: a working day and some. Nothing prolongs it. */
export const SESSION_MS = 12 * HOUR_MS;

export type FindAccessKey = (id: AccessKeyId) => AccessKey | Promise<AccessKey | null> | null;

/** Where an attempt comes from; `label` is what the browser calls itself. */
export type SignInFrom = { readonly source: string; readonly label: string };

/** A session and the text of its cookie, which is shown once and kept nowhere. */
export type SignedIn = { readonly session: Session; readonly cookieText: string };

/**
 * Signs in whoever knows the secret of an access key, with the role that the key has. InvalidCredentials, AccessDenied (it
 * is for S3 alone), TooManyRequests (with the field RetryAfterSeconds).
 */
export function signInByAccessKey(
  core: Core,
  findAccessKey: FindAccessKey,
  { accessKeyId, secretAccessKey }: { readonly accessKeyId: string; readonly secretAccessKey: string },
  from: SignInFrom,
): Promise<SignedIn> {
  return attempt(core, `key:${accessKeyId}`, from, async () => {
    const key = await findAccessKey(accessKeyId as AccessKeyId);
    const isRight = isEqualInConstantTime(sha256Hex(secretAccessKey), sha256Hex(key?.secret ?? ''));
    if (!isRight || key === null) return null;
    const { role = 'owner', scope = null } = key;
    if (scope !== null || role === null) {
      throw new StorageError('AccessDenied', { detail: 'This access key is for S3 alone.' });
    }
    return { accountId: key.account.id, role, memberId: null, accessKeyId: key.id };
  });
}

/** Counts, asks who it is, and makes a session for it. */
export async function attempt(
  core: Core,
  name: string,
  from: SignInFrom,
  findHolder: () => Promise<Holder | null>,
): Promise<SignedIn> {
  const holder = await proveSecret(core, name, from.source, findHolder);
  return beginSession(core, holder, from.label);
}

/**
 * Counts an attempt, then runs it: null or false is a wrong secret. InvalidCredentials, TooManyRequests (with the field
 * RetryAfterSeconds), and what the attempt itself throws.
 */
export async function proveSecret<Proof>(
  core: Core,
  name: string,
  source: string,
  prove: () => Promise<Proof | null | false>,
): Promise<Proof> {
  const { directory, clock } = core.ports;
  const subjects = [sha256Hex(`name ${name}`), sha256Hex(`source ${source}`)];
  const { waitMs } = await directory.call('beginSignIn', { subjects, nowMs: clock.nowMs() });
  if (waitMs > 0) {
    throw new StorageError('TooManyRequests', {
      detail: 'Too many attempts to sign in. Try again later.',
      fields: { RetryAfterSeconds: `${Math.ceil(waitMs / 1000)}` },
    });
  }
  const proof = await prove();
  if (proof === null || proof === false) throw new StorageError('InvalidCredentials');
  await directory.call('endSignIn', { subjects });
  return proof;
}

async function beginSession(core: Core, holder: Holder, label: string): Promise<SignedIn> {
  const { directory, clock, ids } = core.ports;
  const cookieText = newCookieText();
  const createdAtMs = clock.nowMs();
  const session = { ...holder, id: ids.recordId(), label, createdAtMs, expiresAtMs: createdAtMs + SESSION_MS };
  await directory.call('addSession', { digest: secretDigest('session', cookieText) ?? '', session });
  return { session, cookieText };
}
