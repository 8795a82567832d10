// Binds sessions and tokens to the credential that signed in, by a digest. The keys
// of the settings change without the directory's knowledge; what was made with an
// old secret must not outlive it.
import { hmacSha256Hex, sha256Hex } from '../../crypto/hash.ts';
import type { AccessKey } from '../../domain/nouns.ts';

/**
 * The digest of an access key with its secret (HMAC). Guessing the secret from it
 * is as hard as from a signature. Cost: 3 µs.
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
