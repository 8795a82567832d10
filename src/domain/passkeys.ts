// Passkeys of members, and the challenges that one is shown with, as the directory
// stores them.
import type { AccountId } from './nouns.ts';

/** `id` and `publicKey` are base64url, as WebAuthn's JSON has them. */
export type Passkey = {
  readonly id: string;
  readonly accountId: AccountId;
  readonly memberId: string;
  readonly name: string;
  readonly publicKey: string;
  /**
   * How often the authenticator says that it was used; 0 from those that do not
   * count.
   */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly createdAtMs: number;
  readonly lastUsedMs: number | null;
};
