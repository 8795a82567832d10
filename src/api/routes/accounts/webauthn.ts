// The ceremonies of WebAuthn, by @simplewebauthn/server, which is loaded when
// somebody begins one. The relying party is the host of the request. A browser lets
// no other site use its passkeys, and the origin that it names is checked here.
import { z } from '@hono/zod-openapi';
import { type ChallengeFor, newChallenge, takeChallenge } from '../../../core/accounts/passkeys.ts';
import { hostNameOf } from '../../../core/hosting/host-names.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Passkey } from '../../../domain/passkeys.ts';
import { transportOf } from '../../requests/transport.ts';
import type { ApiCall } from '../../routing/api-call.ts';

const RP_NAME = 'Quayside';

const base64url = z.string().regex(/^[\w-]{1,16384}$/);
const extensions = z.record(z.string().max(64), z.unknown()).default({});
const credential = {
  id: z.string().regex(/^[\w-]{1,2048}$/),
  rawId: base64url,
  type: z.literal('public-key'),
  authenticatorAttachment: z.enum(['cross-platform', 'platform']).optional(),
  clientExtensionResults: extensions,
};

/**
 * `PublicKeyCredential.toJSON()` of a new credential; fields that browsers add are
 * ignored.
 */
export const registrationSchema = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url,
      attestationObject: base64url,
      transports: z.array(z.string().max(32)).max(10).default([]),
    }),
  })
  .openapi('PasskeyRegistration');

/** `PublicKeyCredential.toJSON()` of a credential that signs in. */
export const authenticationSchema = z
  .object({
    ...credential,
    response: z.object({
      clientDataJSON: base64url,
      authenticatorData: base64url,
      signature: base64url,
      userHandle: base64url.optional(),
    }),
  })
  .openapi('PasskeyAuthentication');

/**
 * Options for `navigator.credentials`, which a browser reads by
 * PublicKeyCredential.parseCreationOptionsFromJSON.
 */
export const optionsSchema = z.looseObject({ challenge: z.string() }).openapi('PasskeyOptions');

const library = () => import('@simplewebauthn/server');

/**
 * The relying party. Over plain http browsers have passkeys on this machine alone.
 */
function partyOf({ request }: ApiCall): {
  readonly expectedRPID: string;
  readonly expectedOrigin: string[];
} {
  const expectedRPID = hostNameOf(request.host);
  const isLocal = transportOf(request) === 'local';
  return {
    expectedRPID,
    expectedOrigin: [`https://${request.host}`, ...(isLocal ? [`http://${request.host}`] : [])],
  };
}

/**
 * Options with which a browser makes a passkey of that member, none that the member
 * has. Cost: one commit of the directory.
 */
export async function registrationOptions(
  call: ApiCall,
  member: { readonly id: string; readonly login: string; readonly displayName: string },
  existing: readonly Passkey[],
): Promise<z.infer<typeof optionsSchema>> {
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: RP_NAME,
    rpID: partyOf(call).expectedRPID,
    userID: new Uint8Array(new TextEncoder().encode(member.id)),
    userName: member.login,
    userDisplayName: member.displayName,
    challenge: await newChallenge(call.core, { memberId: member.id }),
    attestationType: 'none',
    excludeCredentials: existing.map(({ id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
  return { ...options };
}

/**
 * Options with which a browser signs in by any passkey of this host. Cost: one
 * commit of the directory.
 */
export async function authenticationOptions(call: ApiCall): Promise<z.infer<typeof optionsSchema>> {
  const { generateAuthenticationOptions } = await library();
  const challenge = await newChallenge(call.core, 'sign-in');
  const rpID = partyOf(call).expectedRPID;
  return {
    ...(await generateAuthenticationOptions({ rpID, challenge, userVerification: 'required' })),
  };
}

/**
 * The passkey that the response proves; null for a response that proves nothing.
 */
export async function verifyRegistration(
  call: ApiCall,
  memberId: string,
  response: z.infer<typeof registrationSchema>,
): Promise<Pick<Passkey, 'id' | 'publicKey' | 'counter' | 'transports'> | null> {
  const { verifyRegistrationResponse } = await library();
  const { verified, registrationInfo } = await unverifiedWhenItThrows(() =>
    verifyRegistrationResponse({
      response: response as Parameters<typeof verifyRegistrationResponse>[0]['response'],
      expectedChallenge: challengeCheck(call, { memberId }),
      ...partyOf(call),
      requireUserVerification: true,
    }),
  );
  if (!verified || registrationInfo === undefined) return null;
  const { id, publicKey, counter } = registrationInfo.credential;
  const encoded = publicKey.toBase64({ alphabet: 'base64url', omitPadding: true });
  return { id, publicKey: encoded, counter, transports: response.response.transports };
}

/** The authenticator's count; null for a response that proves nothing. */
export async function verifyAuthentication(
  call: ApiCall,
  passkey: Passkey,
  response: z.infer<typeof authenticationSchema>,
): Promise<number | null> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await unverifiedWhenItThrows(() =>
    verifyAuthenticationResponse({
      response: response as Parameters<typeof verifyAuthenticationResponse>[0]['response'],
      expectedChallenge: challengeCheck(call, 'sign-in'),
      ...partyOf(call),
      credential: {
        id: passkey.id,
        publicKey: Uint8Array.fromBase64(passkey.publicKey, { alphabet: 'base64url' }),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    }),
  );
  return verified && authenticationInfo !== undefined ? authenticationInfo.newCounter : null;
}

function challengeCheck(
  { core }: ApiCall,
  purpose: ChallengeFor,
): (challenge: string) => Promise<boolean> {
  return (challenge) => takeChallenge(core, purpose, challenge);
}

type Unverified = {
  readonly verified: false;
  readonly registrationInfo?: never;
  readonly authenticationInfo?: never;
};

/**
 * Runs the library, which throws for whatever it can't read. A failure of ours is
 * thrown on: it says nothing of the passkey, which must not count as a wrong one.
 */
async function unverifiedWhenItThrows<Result>(
  run: () => Promise<Result>,
): Promise<Result | Unverified> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StorageError) throw error;
    return { verified: false };
  }
}
