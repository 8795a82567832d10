// Invitations: a member that an account expects, who makes their own credential. The
// secret of the link is stored as a digest only.
import type { Role } from './accounts.ts';
import type { AccountId } from './nouns.ts';

/** An invitation. Its id becomes the member's id, so that passkeys can name it. */
export type Invitation = {
  readonly id: string;
  readonly accountId: AccountId;
  /** The login that the member gets; null: whoever accepts chooses one. */
  readonly login: string | null;
  readonly displayName: string;
  readonly role: Role;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** When somebody accepted it; null: nobody has. */
  readonly acceptedAtMs: number | null;
};

/** Who made an invitation: it ends when they go, are disabled or get another role. */
export type InvitationMaker = {
  readonly memberId: string | null;
  readonly accessKeyId: string | null;
  readonly role: Role;
};

/**
 * Whether an invitation can be accepted. `ended`: its account is not in use, or who
 * made it may not any more.
 */
export type InvitationState = 'open' | 'expired' | 'used' | 'ended';
