// The secrets that people of the JSON API hold: how they are made, and how they are known again.
// They are kept as digests only: 160 random bits need no slow hash. Source: NIST SP 800-63B section
// 5.1.2.2 (look-up secrets).
import { sha256Hex } from '../../crypto/hash.ts';
import { randomText } from '../../crypto/random-text.ts';

/** Characters at random in a token or a cookie: 160 bits. */
const RANDOM_LENGTH = 32;

/** What every bearer token begins with, so that scanners for leaked secrets can know it. */
const TOKEN_PREFIX = 'qst_';
const TOKEN = /^qst_[0-9a-hjkmnp-tv-z]{32}$/;
const COOKIE = /^[0-9a-hjkmnp-tv-z]{32}$/;

/** A bearer token, as its holder gets it: `qst_` and 32 characters. */
export function newTokenText(): string {
  return TOKEN_PREFIX + randomText(RANDOM_LENGTH);
}

/** The value of a session cookie: 32 characters. */
export function newCookieText(): string {
  return randomText(RANDOM_LENGTH);
}

/**
 * What is kept of the text of a token or cookie; null: it can be neither, and nobody need look it
 * up.
 */
export function secretDigest(kind: 'token' | 'session', text: string): string | null {
  return (kind === 'token' ? TOKEN : COOKIE).test(text)
    ? sha256Hex(`quayside ${kind} ${text}`)
    : null;
}
