// Passkeys of members, and the challenges that one is shown with, as the directory keeps them.
import type { MemberRecord } from './account-records.ts';
import type { AccountId } from './nouns.ts';

/** `id` and `publicKey` are base64url, as WebAuthn's JSON has them. */
export type Passkey = {
  readonly id: string;
  readonly accountId: AccountId;
  readonly memberId: string;
  readonly name: string;
  readonly publicKey: string;
  /** How often the authenticator says that it was used; 0 from those that do not count. */
  readonly counter: number;
  readonly transports: readonly string[];
  readonly createdAtMs: number;
  readonly lastUsedMs: number | null;
};

/** Calls of the directory about passkeys. All commands may be repeated, but for `takeChallenge`. */
export type PasskeysApi = {
  listPasskeys(input: { accountId: AccountId; memberId: string }): readonly Passkey[];
  /** With its member, when both and their account are in use. */
  findPasskey(input: {
    id: string;
  }): { readonly passkey: Passkey; readonly member: MemberRecord } | null;
  /** Nothing, when there is one of that id. */
  addPasskey(input: { passkey: Passkey }): void;
  notePasskeyUsed(input: { id: string; counter: number; atMs: number }): void;
  /**
   * With the sessions and tokens that are bound to it by that digest, but for the session
   * `exceptId`. Whether there was one.
   */
  removePasskey(input: {
    accountId: AccountId;
    memberId: string;
    id: string;
    credentialDigest: string;
    exceptId: string;
  }): boolean;
  /** `subject`: who may answer it, for what. */
  addChallenge(input: {
    digest: string;
    subject: string;
    nowMs: number;
    expiresAtMs: number;
  }): void;
  /** Whether it was open; it no longer is. A repeated call says no, and the person tries again. */
  takeChallenge(input: { digest: string; subject: string; nowMs: number }): boolean;
};
