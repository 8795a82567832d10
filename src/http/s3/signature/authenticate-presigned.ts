// Signature Version 4 in the query: presigned URLs. authenticate.ts calls it.
import type { SignatureScheme } from './authenticated.ts';
import { readPresignedQuery } from './presigned-query.ts';
import type { ProofV4 } from './prove-v4.ts';

export function createPresignedScheme(proof: ProofV4, nowMs: () => number): SignatureScheme {
  return {
    authenticate: (request) => proof.authenticate(request, readPresignedQuery(request, nowMs())),
    signerOf: (request) => proof.signerOf(request, readPresignedQuery(request, nowMs())),
  };
}
