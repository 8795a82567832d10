// Signature Version 4 in the query: presigned URLs. authenticate.ts calls it.
import type { SignatureScheme } from './authenticated.ts';
import { keyPrefixOf, withSignedPath } from './key-prefix.ts';
import { readPresignedQuery } from './presigned-query.ts';
import type { ProofV4 } from './prove-v4.ts';

export function createPresignedScheme(proof: ProofV4, nowMs: () => number): SignatureScheme {
  return {
    authenticate(request, path) {
      const claims = readPresignedQuery(request, nowMs());
      return proof.authenticate(request, withSignedPath(request, claims, path));
    },

    signerOf(request) {
      const claims = readPresignedQuery(request, nowMs());
      // What such a URL may do is decided on the full path.
      return keyPrefixOf(claims) === null ? proof.signerOf(request, claims) : null;
    },
  };
}
