// Authenticates requests of the JSON API by a token or a session. Called before
// anything else of a request is read.
import { isEqualInConstantTime } from '../../crypto/hash.ts';
import type { Holder, Session } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import { startOfHour } from '../../domain/time.ts';
import type { ApiCaller } from '../auth/permissions.ts';
import type { Core } from '../core.ts';
import { credentialDigest, type SecretKind, secretDigest } from './secrets.ts';
import type { FindAccessKey } from './sign-in.ts';

/** The credential of a request. */
export type Credential = { readonly kind: SecretKind; readonly text: string };

/**
 * Finds the caller with a credential; null: nobody has it, or nobody any more.
 * Cost: one directory read, none for a malformed credential. Where an access key
 * signed in, also its look-up, which is mostly in memory.
 */
export async function findCaller(
  core: Core,
  findAccessKey: FindAccessKey,
  credential: Credential,
): Promise<ApiCaller | null> {
  const caller = await readCaller(core, credential);
  return caller !== null && (await isKeyUnchanged(findAccessKey, caller)) ? caller : null;
}

async function readCaller(core: Core, { kind, text }: Credential): Promise<ApiCaller | null> {
  const digest = secretDigest(kind, text);
  if (digest === null) return null;
  const { directory, clock } = core.ports;
  const nowMs = clock.nowMs();
  if (kind === 'token') {
    const token = await directory.call('getToken', { digest, nowMs });
    return token === null
      ? null
      : { ...token, by: { kind, id: token.id }, provenAtMs: 0, endsAtMs: token.expiresAtMs };
  }
  const session = await directory.call('getSession', { digest, nowMs });
  if (session === null) return null;

  noteUse(core, session, nowMs);
  return { ...session, scopes: null, by: { kind: 'session', id: session.id }, endsAtMs: null };
}

/**
 * Notes the use of a session in the background, once an hour, because noting it is a
 * commit; the row says when it was noted last.
 */
function noteUse(
  { ports }: Core,
  { accountId, id, lastUsedMs }: Pick<Session, 'accountId' | 'id' | 'lastUsedMs'>,
  nowMs: number,
): void {
  const atMs = startOfHour(nowMs);
  if (lastUsedMs >= atMs) return;
  ports.background.run('note-session-use', () =>
    ports.directory.call('noteSessionUsed', { accountId, id, atMs }),
  );
}

/**
 * Whether the access key that signed in still exists with its secret. The directory
 * ends what its own keys made, but does not see that keys of the settings change,
 * nor that a key expires.
 */
async function isKeyUnchanged(
  findAccessKey: FindAccessKey,
  { accessKeyId, credentialDigest: digest }: Pick<Holder, 'accessKeyId' | 'credentialDigest'>,
): Promise<boolean> {
  if (accessKeyId === null) return true;
  const key = await findAccessKey(accessKeyId);
  return key !== null && digest !== null && isEqualInConstantTime(digest, credentialDigest(key));
}

/** Refuses a request without a caller. Unauthenticated. */
export function requireCaller(caller: ApiCaller | null): ApiCaller {
  if (caller === null) throw new StorageError('Unauthenticated');
  return caller;
}
