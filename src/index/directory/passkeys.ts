// Passkeys and challenges: a part of the directory. Plain synchronous code over a
// SQL port; directory-index.ts makes each call atomic.
import type { AccountId } from '../../domain/nouns.ts';
import type { Passkey } from '../../domain/passkeys.ts';
import type { PasskeysApi } from '../../ports/directory-calls/passkey-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from './expiring-rows.ts';
import { createMemberCalls } from './members.ts';

type PasskeyRow = {
  readonly id: string;
  readonly account_id: string;
  readonly member_id: string;
  readonly name: string;
  readonly public_key: string;
  readonly counter: number;
  readonly transports: string;
  readonly created_at_ms: number;
  readonly last_used_ms: number | null;
};
const COLUMNS =
  'id, account_id, member_id, name, public_key, counter, transports, created_at_ms, last_used_ms';

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createPasskeyCalls(sql: Sql): PasskeysApi {
  const { getMember, findLogin } = createMemberCalls(sql);
  return {
    listPasskeys: ({ accountId, memberId }) =>
      sql
        .all<PasskeyRow>(
          `SELECT ${COLUMNS} FROM passkeys WHERE member_id = ? AND account_id = ?
           ORDER BY created_at_ms`,
          memberId,
          accountId,
        )
        .map(decodePasskey),
    findPasskey({ id }) {
      const [row] = sql.all<PasskeyRow>(`SELECT ${COLUMNS} FROM passkeys WHERE id = ?`, id);
      if (row === undefined) return null;
      const passkey = decodePasskey(row);
      const member = getMember({ accountId: passkey.accountId, id: passkey.memberId });
      const isInUse = member?.isEnabled && findLogin({ login: member.login }) !== null;
      return member !== null && isInUse ? { passkey, member } : null;
    },
    addPasskey({ passkey }) {
      sql.all(
        `INSERT INTO passkeys (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO NOTHING`,
        passkey.id,
        passkey.accountId,
        passkey.memberId,
        passkey.name,
        passkey.publicKey,
        passkey.counter,
        JSON.stringify(passkey.transports),
        passkey.createdAtMs,
        passkey.lastUsedMs,
      );
    },
    notePasskeyUsed({ id, counter, atMs }) {
      sql.all(
        'UPDATE passkeys SET counter = max(counter, ?), last_used_ms = ? WHERE id = ?',
        counter,
        atMs,
        id,
      );
    },
    removePasskey({ accountId, memberId, id, credentialDigest, exceptId }) {
      const removed = sql.all(
        'DELETE FROM passkeys WHERE id = ? AND member_id = ? AND account_id = ? RETURNING id',
        id,
        memberId,
        accountId,
      );
      for (const table of ['sessions', 'tokens']) {
        sql.all(
          `DELETE FROM ${table}
           WHERE account_id = ? AND member_id = ? AND credential_digest = ? AND id <> ?`,
          accountId,
          memberId,
          credentialDigest,
          exceptId,
        );
      }
      return removed.length > 0;
    },
    addChallenge({ digest, subject, nowMs, expiresAtMs }) {
      sql.all(
        `DELETE FROM challenges WHERE digest IN
         (SELECT digest FROM challenges
          WHERE expires_at_ms < ? ORDER BY expires_at_ms LIMIT ${PLAN_ONCE} ?)`,
        nowMs,
        ROWS_FORGOTTEN_AT_ONCE,
      );
      sql.all(
        `INSERT INTO challenges (digest, subject, expires_at_ms) VALUES (?, ?, ?)
         ON CONFLICT (digest) DO NOTHING`,
        digest,
        subject,
        expiresAtMs,
      );
    },
    takeChallenge: ({ digest, subject, nowMs }) =>
      sql.all(
        `DELETE FROM challenges WHERE digest = ? AND subject = ? AND expires_at_ms > ?
         RETURNING digest`,
        digest,
        subject,
        nowMs,
      ).length > 0,
  };
}

function decodePasskey(row: PasskeyRow): Passkey {
  return {
    id: row.id,
    memberId: row.member_id,
    name: row.name,
    counter: row.counter,
    publicKey: row.public_key,
    accountId: row.account_id as AccountId,
    transports: JSON.parse(row.transports) as string[],
    createdAtMs: row.created_at_ms,
    lastUsedMs: row.last_used_ms,
  };
}
