// URLs for all keys below a prefix: such a URL names the prefix in its query and is
// signed for it in place of the key. authenticate-presigned.ts calls it.
import { StorageError } from '../../../domain/errors.ts';
import type { SignedRequest } from './authenticated.ts';
import { canonicalPath } from './canonical-request.ts';
import type { Claims } from './credential.ts';

export const KEY_PREFIX_PARAMETER = 'x-quayside-key-prefix';

/** The prefix in canonical encoding, as a path has it. */
export function keyPrefixOf({ query }: Claims): string | null {
  const parameter = query.find(({ name }) => name === KEY_PREFIX_PARAMETER);
  return parameter?.value.replaceAll('%2F', '/') ?? null;
}

/**
 * The claims with the path that was signed: the request's, with the prefix in place
 * of the key. AccessDenied for a key that does not begin with the prefix. `path`: of
 * the target with its bucket.
 */
export function withSignedPath(request: SignedRequest, claims: Claims, path: string): Claims {
  const prefix = keyPrefixOf(claims);
  if (prefix === null) return claims;
  const keyAt = path.indexOf('/', 1) + 1;
  const key = keyAt === 0 ? '' : canonicalPath(`/${path.slice(keyAt)}`).slice(1);
  if (prefix === '' || !key.startsWith(prefix)) {
    throw new StorageError('AccessDenied', {
      detail: `This URL is for keys that begin with ${KEY_PREFIX_PARAMETER} only.`,
    });
  }
  const whole = canonicalPath(request.rawPath);
  return { ...claims, signedPath: whole.slice(0, whole.length - key.length + prefix.length) };
}
