// Passkeys: the challenges that one is shown with, and what a shown one means. The ceremonies
// themselves are the library's, which the API's webauthn.ts runs; here is what is kept and
// who is signed in.
import { sha256Hex } from '../../crypto/hash.ts';
import { randomBytes } from '../../crypto/random-text.ts';
import type { Holder } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import type { Core } from '../core.ts';
import { passkeyDigest } from './credential-digest.ts';
import { proveSecret, type SignInFrom } from './sign-in.ts';

/** A person has that long to touch the authenticator, milliseconds. */
const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;
/** Passkeys of one member. */
const PASSKEYS_MAX = 20;

/** What a challenge is for: signing in, or registering one more passkey of that member. */
export type ChallengeFor = 'sign-in' | { readonly memberId: string };

const subjectOf = (purpose: ChallengeFor) =>
  purpose === 'sign-in' ? purpose : `register ${purpose.memberId}`;

/** 32 random bytes, good once and for five minutes. Cost: one commit of the directory. */
export async function newChallenge(
  core: Core,
  purpose: ChallengeFor,
): Promise<Uint8Array<ArrayBuffer>> {
  const challenge = new Uint8Array(randomBytes(CHALLENGE_BYTES));
  const nowMs = core.ports.clock.nowMs();
  const digest = sha256Hex(challenge.toBase64({ alphabet: 'base64url', omitPadding: true }));
  const times = { nowMs, expiresAtMs: nowMs + CHALLENGE_MS };
  await core.ports.directory.call('addChallenge', {
    digest,
    subject: subjectOf(purpose),
    ...times,
  });
  return challenge;
}

/** Whether the challenge, in base64url, was open for that; it is not any more. */
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
 * Keeps a passkey that was proved. InvalidInput: the member has too many, or it is registered
 * already.
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
 * Whoever shows a passkey; `prove` runs the ceremony and gives the authenticator's count, null when
 * it is wrong. InvalidCredentials, TooManyRequests.
 */
export function proveByPasskey(
  core: Core,
  id: string,
  from: SignInFrom,
  prove: (passkey: Passkey) => Promise<number | null>,
): Promise<Holder> {
  const { directory, clock } = core.ports;
  return proveSecret(core, { name: `passkey:${id}`, isGuessable: false }, from, async () => {
    const found = await directory.call('findPasskey', { id });
    if (found === null) return { isRight: false, suspected: null };
    const { accountId, role, id: memberId } = found.member;
    const counter = await prove(found.passkey);
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
 * Removes a passkey of a member, and ends the sessions and tokens that it began, but for the
 * session that asks. NoSuchPasskey.
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
