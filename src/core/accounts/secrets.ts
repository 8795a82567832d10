// Bearer tokens, session cookies and secrets of invitations: how their texts are
// made, and how they are recognised. They are stored as digests only: 160 random
// bits need no slow hash. Source: NIST SP 800-63B section 5.1.2.2 (look-up secrets).
// Sessions and tokens are bound by a digest to the credential that signed in.
import { hmacSha256Hex, sha256Hex } from '../../crypto/hash.ts';
import { randomText } from '../../crypto/random-text.ts';
import type { AccessKey } from '../../domain/nouns.ts';

/** Random characters of a token or a cookie: 160 bits. */
const RANDOM_LENGTH = 32;

/**
 * Prefix of every bearer token, by which scanners for leaked secrets recognise it.
 */
const TOKEN_PREFIX = 'qst_';
const TOKEN = /^qst_[0-9a-hjkmnp-tv-z]{32}$/;
const COOKIE = /^[0-9a-hjkmnp-tv-z]{32}$/;
/** Prefix of every secret of an invitation. */
const INVITATION_PREFIX = 'qsi_';
const INVITATION = /^qsi_[0-9a-hjkmnp-tv-z]{32}$/;

const TEXTS = {
  token: TOKEN,
  session: COOKIE,
  'http-session': COOKIE,
  invitation: INVITATION,
} as const;

/**
 * What a secret is for. A session of plain http has digests of its own: its cookie,
 * which anybody on the way can read, is worth nothing where the other is taken.
 */
export type SecretKind = 'token' | SessionKind;
export type SessionKind = 'session' | 'http-session';

/** Makes the text of a bearer token: `qst_` and 32 characters. */
export function newTokenText(): string {
  return TOKEN_PREFIX + randomText(RANDOM_LENGTH);
}

/** Makes the value of a session cookie: 32 characters. */
export function newCookieText(): string {
  return randomText(RANDOM_LENGTH);
}

/** Makes the secret of an invitation: `qsi_` and 32 characters. */
export function newInvitationText(): string {
  return INVITATION_PREFIX + randomText(RANDOM_LENGTH);
}

/**
 * The stored digest of a token, a cookie or the secret of an invitation; null: the
 * text is malformed and needs no look-up.
 */
export function secretDigest(kind: keyof typeof TEXTS, text: string): string | null {
  return TEXTS[kind].test(text) ? sha256Hex(`quayside ${kind} ${text}`) : null;
}

/**
 * A digest (HMAC) of an access key with its secret. Sessions and tokens are bound to it:
 * keys of the settings change without the directory's knowledge, and what was made with an
 * old secret must end with it. The secret is as hard to guess from it as from a signature.
 * Cost: 3 µs.
 */
export function credentialDigest({ id, secret }: Pick<AccessKey, 'id' | 'secret'>): string {
  return hmacSha256Hex(secret, `quayside credential 1 ${id}`);
}

/**
 * The digest of a passkey, which has no secret here; removing it ends what is bound
 * to it.
 */
export function passkeyDigest(id: string): string {
  return sha256Hex(`quayside passkey 1 ${id}`);
}
