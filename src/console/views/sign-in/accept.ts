// Accepts an invitation by a password or by a passkey that is made on the spot; the
// server then begins the session of the new member.
import type { RequestOptions } from 'quayside/client';
import { client } from '../../api/client.ts';

type AcceptBody = RequestOptions<'POST /invitations/accept'>['body'];
type Registration = Extract<AcceptBody, { passkey: unknown }>['passkey']['registration'];

export type Acceptance = {
  readonly secret: string;
  /** Absent where the invitation says it. */
  readonly login?: string;
  /** null: a passkey is made, under the name of the device. */
  readonly password: string | null;
  readonly deviceName: string;
};

/** Becomes the member. Rejects with a DOMException when the passkey is given up. */
export async function acceptInvitation(acceptance: Acceptance): Promise<void> {
  const { secret, login, password, deviceName } = acceptance;
  const who = { secret, ...(login === undefined ? {} : { login }) };
  if (password !== null) {
    await client.request('POST /invitations/accept', { body: { ...who, password } });
    return;
  }
  const options = await client.request('POST /invitations/registration-options', { body: who });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  const registration = (credential as PublicKeyCredential).toJSON() as unknown as Registration;
  const passkey = { name: deviceName || 'Passkey', registration };
  await client.request('POST /invitations/accept', { body: { ...who, passkey } });
}
