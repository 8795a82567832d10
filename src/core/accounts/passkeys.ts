// Passkeys (WebAuthn): challenges, what is stored of a passkey, and who is signed
// in by one. The ceremonies themselves are the library's, which the surface runs
// (webauthn.ts of the API).
import { sha256Hex } from '../../crypto/hash.ts';
import { randomBytes } from '../../crypto/random-text.ts';
import type { Holder } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import type { Core } from '../core.ts';
import { passkeyDigest } from './secrets.ts';
import { proveSecret, type SignInFrom } from './sign-in.ts';

/**
 * TTL of a challenge, milliseconds: a person has that long to touch the
 * authenticator.
 */
const CHALLENGE_MS = 5 * 60_000;
/** Random bytes of a challenge. */
const CHALLENGE_BYTES = 32;
/** Most passkeys of one member. Ours. */
const PASSKEYS_MAX = 20;

/**
 * Purpose of a challenge: signing in, or registering one more passkey of that
 * member.
 */
export type ChallengeFor = 'sign-in' | { readonly memberId: string };

const subjectOf = (purpose: ChallengeFor) =>
  purpose === 'sign-in' ? purpose : `register ${purpose.memberId}`;

/**
 * Makes a challenge, good once and for CHALLENGE_MS. Cost: one commit of the
 * directory.
 */
export async function newChallenge(
  core: Core,
  purpose: ChallengeFor,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(CHALLENGE_BYTES));
  const nowMs = core.ports.clock.nowMs();
  const digest = sha256Hex(challenge.toBase64({ alphabet: 'base64url', omitPadding: true }));
  await core.ports.directory.call('addChallenge', {
    digest,
    subject: subjectOf(purpose),
    nowMs,
    expiresAtMs: nowMs + CHALLENGE_MS,
  });
  return challenge;
}

/**
 * Consumes a challenge, given in base64url; whether it was open for that purpose.
 */
export function takeChallenge(
  core: Core,
  purpose: ChallengeFor,
  challenge: string,
): Promise<boolean> {
  const { directory, clock } = core.ports;
  const input = { digest: sha256Hex(challenge), subject: subjectOf(purpose), nowMs: clock.nowMs() };
  return directory.call('takeChallenge', input);
}

/**
 * Stores a passkey that was proved. InvalidInput: the member has too many, or it is
 * registered already.
 */
export async function addPasskey(
  core: Core,
  owner: { readonly accountId: AccountId; readonly memberId: string },
  proved: Pick<Passkey, 'id' | 'name' | 'publicKey' | 'counter' | 'transports'>,
): Promise<Passkey> {
  const { directory, clock } = core.ports;
  const known = await directory.call('listPasskeys', owner);
  if (known.length >= PASSKEYS_MAX) {
    throw new StorageError('InvalidInput', {
      detail: `A member has at most ${PASSKEYS_MAX} passkeys.`,
    });
  }
  if ((await directory.call('findPasskey', { id: proved.id })) !== null) {
    throw new StorageError('InvalidInput', { detail: 'This passkey is registered already.' });
  }
  const passkey = { ...owner, ...proved, createdAtMs: clock.nowMs(), lastUsedMs: null };
  await directory.call('addPasskey', { passkey });
  return passkey;
}

/**
 * Proves a member by passkey. `prove` runs the ceremony and returns the
 * authenticator's signature counter, null when it fails. InvalidCredentials,
 * TooManyRequests.
 */
export function proveByPasskey(
  core: Core,
  id: string,
  from: SignInFrom,
  prove: (passkey: Passkey) => Promise<number | null>,
): Promise<Holder> {
  const { directory, clock } = core.ports;
  return proveSecret(core, { name: `passkey:${id}`, isGuessable: false }, from, async () => {
    const registered = await directory.call('findPasskey', { id });
    if (registered === null) return { isRight: false, suspected: null };

    const { accountId, role, id: memberId } = registered.member;
    const counter = await prove(registered.passkey);
    if (counter === null) {
      const suspected = { accountId, credential: `passkey ${id}`, memberId, accessKeyId: null };
      return { isRight: false, suspected };
    }
    await directory.call('notePasskeyUsed', { id, counter, atMs: clock.nowMs() });
    return {
      isRight: true,
      proof: { accountId, role, memberId, accessKeyId: null, credentialDigest: passkeyDigest(id) },
    };
  });
}

/**
 * Removes a passkey of a member, and ends the sessions and tokens that it began,
 * except the session of the request. NoSuchPasskey.
 */
export async function removePasskey(
  core: Core,
  owner: { readonly accountId: AccountId; readonly memberId: string },
  id: string,
  sessionId: string,
): Promise<void> {
  const bound = { credentialDigest: passkeyDigest(id), exceptId: sessionId };
  const wasThere = await core.ports.directory.call('removePasskey', { ...owner, id, ...bound });
  if (!wasThere) throw new StorageError('NoSuchPasskey');
}
