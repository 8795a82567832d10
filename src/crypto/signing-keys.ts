// The signing keys of SigV4: their derivation, a bounded cache of derived ones, and
// the comparison of signatures. Called by http/s3. A computed signature leaves this
// file for the URLs of http/s3/signature/presign.ts alone, so no error and no log
// can carry one.
import { LRUCache } from 'lru-cache';
import { createKeyedHash, hmacSha256, isEqualInConstantTime, type KeyedHash } from './hash.ts';

/** The HMAC key of one access key, day, region and service. */
export type SigningKey = KeyedHash;

/**
 * The credential scope that a signing key is derived from. `date` is `yyyymmdd`.
 */
export type SigningScope = {
  readonly date: string;
  readonly region: string;
  readonly service: string;
};

/**
 * Entries of the cache of derived keys, each with its secret: about 1 KiB, so 4
 * MiB. One access key needs one entry a day and region. A derivation costs 28 µs, a
 * signature with a cached key 1.2 (measured November 2026).
 */
const CACHED_KEYS_MAX = 4096;

/**
 * Derives the signing key of a secret, by four HMACs. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function deriveSigningKey(secret: string, scope: SigningScope): SigningKey {
  const dateKey = hmacSha256(`AWS4${secret}`, scope.date);
  const serviceKey = hmacSha256(hmacSha256(dateKey, scope.region), scope.service);
  return createKeyedHash(hmacSha256(serviceKey, 'aws4_request'));
}

/**
 * Whether `signature` (64 lower-case hex digits, as the client sent it) is that of
 * `message`. The comparison takes constant time, wherever the two differ.
 */
export function isSignatureOf(key: SigningKey, message: string, signature: string): boolean {
  return isEqualInConstantTime(key(message), signature);
}

/** Computes the signature of a message, for URLs that we make ourselves. */
export function signatureOf(key: SigningKey, message: string): string {
  return key(message);
}

/** A bounded cache of derived keys; `credential` names access key and scope. */
export type SigningKeys = {
  /**
   * Finds the key of a credential, or null. A key that was derived from another
   * secret, before a change, is not found.
   */
  find(credential: string, secret: string): SigningKey | null;
  /**
   * Caches a key. Call it only after a signature made with it was right, so that
   * strangers can't push out good ones.
   */
  keep(credential: string, secret: string, key: SigningKey): void;
};

/** Creates the cache of signing keys. */
export function createSigningKeys(): SigningKeys {
  const cache = new LRUCache<string, { readonly secret: string; readonly key: SigningKey }>({
    max: CACHED_KEYS_MAX,
  });
  return {
    find(credential, secret) {
      const entry = cache.get(credential);
      return entry !== undefined && entry.secret === secret ? entry.key : null;
    },
    keep(credential, secret, key) {
      cache.set(credential, { secret, key });
    },
  };
}
