// The calls of the directory about passkeys and their challenges. index/directory
// implements them; ports/directory.ts puts them together with the others.
import type { MemberRecord } from '../../domain/account-records.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Passkey } from '../../domain/passkeys.ts';

/**
 * Calls of the directory about passkeys. All commands may be repeated, but for
 * `takeChallenge`.
 */
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
   * With the sessions and tokens that are bound to it by that digest, but for the
   * session `exceptId`. Whether there was one.
   */
  removePasskey(input: {
    accountId: AccountId;
    memberId: string;
    id: string;
    credentialDigest: string;
    exceptId: string;
  }): boolean;
  /** `subject`: who may use the challenge, for what. */
  addChallenge(input: {
    digest: string;
    subject: string;
    nowMs: number;
    expiresAtMs: number;
  }): void;
  /**
   * Whether it was open; it no longer is. A repeated call says no, and the person
   * tries again.
   */
  takeChallenge(input: { digest: string; subject: string; nowMs: number }): boolean;
};
