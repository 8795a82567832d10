// The secret that tickets and digests of links are made with. A new one ends all
// tickets; nothing that is stored depends on it.
import { randomText } from '../../crypto/random-text.ts';
import type { MasterKeys } from '../encryption/master-keys.ts';

/** Characters of a secret for this process alone. */
const SECRET_LENGTH = 32;

/**
 * A function that gives it: the root key's, else the newest master key; a server
 * without both draws one. Nothing is drawn before it is asked for: Workers forbid
 * that outside of a request.
 */
export function linkSecret({
  rootSecretKey,
  masterKeys,
}: {
  readonly rootSecretKey: string | null;
  readonly masterKeys: MasterKeys;
}): () => string {
  let drawn: string | null = null;
  return () => {
    drawn ??= rootSecretKey ?? masterKeys[0]?.key.toHex() ?? randomText(SECRET_LENGTH);
    return drawn;
  };
}
