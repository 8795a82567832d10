// Passkeys: the browser's WebAuthn in the form that the API takes. Source: W3C Web
// Authentication Level 3, sections 5.1.8 to 5.1.10 (toJSON, parse…FromJSON).
import type { RequestOptions } from 'quayside/client';
import { client } from '../../api/client.ts';

type SignInBody = RequestOptions<'POST /sessions'>['body'];
type PasskeyShown = Extract<SignInBody, { passkey: unknown }>['passkey'];
type PasskeyMade = RequestOptions<'POST /passkeys'>['body']['passkey'];

/**
 * Whether this browser, at this address, has passkeys at all: they belong to names of
 * hosts, so at an IP address there are none. Source: Web Authentication Level 3, RP ID
 */
export const hasPasskeys = (): boolean =>
  isSecureContext &&
  !/^\[|\.\d+$/.test(location.hostname) &&
  typeof PublicKeyCredential !== 'undefined' &&
  typeof PublicKeyCredential.parseRequestOptionsFromJSON === 'function';

/** Whether the browser offers passkeys in the list of a field. */
export async function canAutofill(): Promise<boolean> {
  return (
    hasPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false)
  );
}

/**
 * Asks for a passkey. `autofill` waits behind a field until one is chosen there.
 * Rejects with a DOMException when it is given up.
 */
export async function askForPasskey(
  signal: AbortSignal,
  mediation: 'autofill' | 'dialog',
): Promise<PasskeyShown> {
  const options = await client.request('POST /passkeys/authentication-options', { signal });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({
    publicKey,
    signal,
    mediation: mediation === 'autofill' ? 'conditional' : 'optional',
  });
  return (credential as PublicKeyCredential).toJSON() as unknown as PasskeyShown;
}

/** Makes a passkey on this device for who is signed in. */
export async function makePasskey(signal?: AbortSignal): Promise<PasskeyMade> {
  const options = await client.request('POST /passkeys/registration-options', { signal });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({
    publicKey,
    ...(signal === undefined ? {} : { signal }),
  });
  return (credential as PublicKeyCredential).toJSON() as unknown as PasskeyMade;
}
