// Invitations: a part of the directory. Plain synchronous code over a SQL port;
// directory-index.ts makes each call atomic.
import type { Role } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Invitation, InvitationState } from '../../domain/invitations.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { InvitationsApi } from '../../ports/directory-calls/invitation-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from './expiring-rows.ts';
import { createMemberCalls } from './members.ts';
import { createPasskeyCalls } from './passkeys.ts';

type InvitationCalls = Omit<InvitationsApi, 'getPreferences' | 'putPreferences'>;

type InvitationRow = {
  readonly id: string;
  readonly account_id: string;
  readonly login: string | null;
  readonly display_name: string;
  readonly role: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  readonly accepted_at_ms: number | null;
};
const INVITATION_COLUMNS =
  'id, account_id, login, display_name, role, created_at_ms, expires_at_ms, accepted_at_ms';

type StateRow = InvitationRow & { readonly in_use: number | null; readonly has_maker: number };

/** SQL: who made the invitation `i` is there, enabled, and has the role of then. */
const IS_MAKER_THERE = `(
  (i.maker_member_id IS NULL OR EXISTS (SELECT 1 FROM members AS m
    WHERE m.id = i.maker_member_id AND m.is_enabled = 1 AND m.role = i.maker_role))
  AND (i.maker_key_id IS NULL OR EXISTS (SELECT 1 FROM access_keys AS k
    WHERE k.id = i.maker_key_id AND k.is_enabled = 1 AND k.role = i.maker_role)))`;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createInvitationCalls(sql: Sql): InvitationCalls {
  const members = createMemberCalls(sql);
  const passkeys = createPasskeyCalls(sql);

  return {
    addInvitation({ digest, invitation, maker, forgetBeforeMs, max }) {
      sql.all(
        `DELETE FROM invitations WHERE digest IN
         (SELECT digest FROM invitations
          WHERE expires_at_ms < ? ORDER BY expires_at_ms LIMIT ${PLAN_ONCE} ?)`,
        forgetBeforeMs,
        ROWS_FORGOTTEN_AT_ONCE,
      );
      if (countOpen(sql, invitation) >= max) {
        throw new StorageError('InvalidRequest', {
          detail: `An account has at most ${max} open invitations.`,
        });
      }
      sql.all(
        // A key of the settings has no row, and ends with the settings alone.
        `INSERT INTO invitations
           (digest, ${INVITATION_COLUMNS}, maker_member_id, maker_role, maker_key_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT id FROM access_keys WHERE id = ?))
         ON CONFLICT (digest) DO NOTHING`,
        digest,
        invitation.id,
        invitation.accountId,
        invitation.login,
        invitation.displayName,
        invitation.role,
        invitation.createdAtMs,
        invitation.expiresAtMs,
        invitation.acceptedAtMs,
        maker.memberId,
        maker.role,
        maker.accessKeyId,
      );
    },

    listInvitations: ({ accountId, after, limit }) =>
      sql
        .all<InvitationRow>(
          `SELECT ${INVITATION_COLUMNS} FROM invitations AS i WHERE account_id = ? AND id > ?
           AND (accepted_at_ms IS NOT NULL OR ${IS_MAKER_THERE})
           ORDER BY id LIMIT ${PLAN_ONCE} ?`,
          accountId,
          after,
          limit,
        )
        .map(decodeInvitation),

    removeInvitation: ({ accountId, id }) =>
      sql.all(
        `DELETE FROM invitations WHERE account_id = ? AND id = ? AND accepted_at_ms IS NULL
         RETURNING id`,
        accountId,
        id,
      ).length > 0,

    findInvitation: ({ digest, nowMs }) => findInvitation(sql, digest, nowMs),

    acceptInvitation({ digest, attemptId, member, passwordHash, passkey, nowMs }) {
      const found = findInvitation(sql, digest, nowMs);
      if (found === null) return null;
      if (isAttempt(sql, digest, attemptId)) return 'open';

      const { accountId, id } = found.invitation;
      if (member.id !== id || member.accountId !== accountId) return null;
      if (found.state !== 'open') return found.state;

      members.addMember({ member, passwordHash });
      if (passkey !== null) passkeys.addPasskey({ passkey });
      sql.all(
        'UPDATE invitations SET accepted_at_ms = ?, attempt_id = ? WHERE digest = ?',
        nowMs,
        attemptId,
        digest,
      );
      return 'open';
    },
  };
}

/** Whether that attempt has accepted the invitation before. */
function isAttempt(sql: Sql, digest: string, attemptId: string): boolean {
  const select = 'SELECT 1 FROM invitations WHERE digest = ? AND attempt_id = ?';
  return sql.all(select, digest, attemptId).length > 0;
}

function countOpen(sql: Sql, { accountId, createdAtMs }: Invitation): number {
  const [row] = sql.all<{ count: number }>(
    `SELECT count(*) AS count FROM invitations AS i
     WHERE account_id = ? AND accepted_at_ms IS NULL AND expires_at_ms > ? AND ${IS_MAKER_THERE}`,
    accountId,
    createdAtMs,
  );
  return row?.count ?? 0;
}

function findInvitation(
  sql: Sql,
  digest: string,
  nowMs: number,
): ReturnType<InvitationsApi['findInvitation']> {
  const [row] = sql.all<StateRow>(
    `SELECT i.*, (SELECT a.is_enabled FROM accounts AS a WHERE a.id = i.account_id) AS in_use,
       ${IS_MAKER_THERE} AS has_maker
     FROM invitations AS i WHERE i.digest = ?`,
    digest,
  );
  return row === undefined
    ? null
    : { invitation: decodeInvitation(row), state: stateOf(row, nowMs) };
}

function stateOf(row: StateRow, nowMs: number): InvitationState {
  if (row.accepted_at_ms !== null) return 'used';
  if (row.expires_at_ms <= nowMs) return 'expired';
  // The operator's own account, and those of the seed, have no row; they are always
  // in use.
  return row.in_use === 0 || row.has_maker === 0 ? 'ended' : 'open';
}

function decodeInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    accountId: row.account_id as AccountId,
    login: row.login,
    displayName: row.display_name,
    role: row.role as Role,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    acceptedAtMs: row.accepted_at_ms,
  };
}
