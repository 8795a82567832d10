// The calls of the directory about invitations, and about what members prefer.
// index/directory implements them; ports/directory.ts puts them together with the
// others.
import type { MemberRecord } from '../../domain/account-records.ts';
import type { Invitation, InvitationMaker, InvitationState } from '../../domain/invitations.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { Passkey } from '../../domain/passkeys.ts';

/** The preferences of one holder: JSON that the directory does not read. */
export type StoredPreferences = { readonly json: string; readonly revision: number };

/** A holder of preferences: a member or an access key of an account. */
export type PreferenceHolder = { readonly accountId: AccountId; readonly holder: string };

export type InvitationsApi = {
  /**
   * Adds an invitation, and forgets some that expired before `forgetBeforeMs`.
   * InvalidRequest: the account has `max` that are open. Idempotent.
   */
  addInvitation(input: {
    digest: string;
    invitation: Invitation;
    maker: InvitationMaker;
    forgetBeforeMs: number;
    max: number;
  }): void;
  /** Invitations of an account after an id, those accepted or expired too. */
  listInvitations(input: {
    accountId: AccountId;
    after: string;
    limit: number;
  }): readonly Invitation[];
  /** Whether there was one that nobody had accepted. */
  removeInvitation(input: { accountId: AccountId; id: string }): boolean;
  /** By the digest of its secret; null: there is none. */
  findInvitation(input: {
    digest: string;
    nowMs: number;
  }): { readonly invitation: Invitation; readonly state: InvitationState } | null;
  /**
   * Makes the member of an open invitation, with its credential, in one commit; gives
   * the state in which the invitation was, null where there is none. LoginTaken.
   * `attemptId` repeats with a repeated call, which changes nothing and gives `open`.
   */
  acceptInvitation(input: {
    digest: string;
    attemptId: string;
    member: MemberRecord;
    passwordHash: string | null;
    passkey: Passkey | null;
    nowMs: number;
  }): InvitationState | null;

  /** Null: the holder never set any. */
  getPreferences(input: PreferenceHolder): StoredPreferences | null;
  /**
   * Puts preferences in place of those of that revision, 0 for none; gives the new
   * revision. PreconditionFailed: there are others now. Idempotent.
   */
  putPreferences(input: PreferenceHolder & { json: string; revision: number }): number;
};
