// What sessions and tokens are bound to that an access key signed in to: the key with its very
// secret. The keys of the settings change there, behind the directory's back; what the old secret
// made must not outlive it.
import { hmacSha256Hex, sha256Hex } from '../../crypto/hash.ts';
import type { AccessKey } from '../../domain/nouns.ts';

/**
 * A digest that only this id with this secret has. It is as hard to guess a secret from it as from
 * a signature, which is the same function of it. Cost: 3 µs.
 */
export function credentialDigest({ id, secret }: Pick<AccessKey, 'id' | 'secret'>): string {
  return hmacSha256Hex(secret, `quayside credential 1 ${id}`);
}

/** The digest of a passkey, which has no secret here; removing it ends what is bound to it. */
export function passkeyDigest(id: string): string {
  return sha256Hex(`quayside passkey 1 ${id}`);
}
