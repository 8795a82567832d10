// Signature Version 4 in the Authorization header: what SDKs send. authenticate.ts
// calls it. Once a signature was right, the beginning of its header is kept,
// because reading one takes longer than all other parts of a check.
import type { SignatureScheme, SignedRequest } from './authenticated.ts';
import { createKnownSigners, readAuthorizationHeader } from './authorization-header.ts';
import type { Claims } from './credential.ts';
import type { ProofV4 } from './prove-v4.ts';

/** `region`: named to clients that got the header wrong. */
export function createHeaderScheme(
  proof: ProofV4,
  { nowMs, region }: { nowMs(): number; readonly region: string },
): SignatureScheme {
  const signers = createKnownSigners();

  const readClaims = (request: SignedRequest): Claims =>
    readAuthorizationHeader(request, request.header('authorization') ?? '', {
      nowMs: nowMs(),
      region,
      signers,
    });

  const keep = (request: SignedRequest, claims: Claims): void =>
    signers.keep(request.header('authorization') ?? '', claims);

  return {
    authenticate(request) {
      const claims = readClaims(request);
      const authenticated = proof.authenticate(request, claims);
      if (authenticated instanceof Promise) {
        return authenticated.then((late) => {
          keep(request, claims);
          return late;
        });
      }
      keep(request, claims);
      return authenticated;
    },

    signerOf: (request) => proof.signerOf(request, readClaims(request)),
  };
}
