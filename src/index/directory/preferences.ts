// Preferences of members and of whoever signs in with an access key: a part of the
// directory. Plain synchronous code over a SQL port; directory-index.ts makes each
// call atomic.
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type {
  InvitationsApi,
  PreferenceHolder,
  StoredPreferences,
} from '../../ports/directory-calls/invitation-calls.ts';
import type { Sql } from '../../ports/sql.ts';

type PreferenceCalls = Pick<InvitationsApi, 'getPreferences' | 'putPreferences'>;

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createPreferenceCalls(sql: Sql): PreferenceCalls {
  return {
    getPreferences: (holder) => readPreferences(sql, holder),

    putPreferences({ accountId, holder, json, revision }) {
      const stored = readPreferences(sql, { accountId, holder });
      // A repeated call finds its own change.
      if (stored?.revision === revision + 1 && stored.json === json) return stored.revision;
      if ((stored?.revision ?? 0) !== revision) throw new StorageError('PreconditionFailed');
      sql.all(
        `INSERT INTO preferences (account_id, holder, json, revision) VALUES (?, ?, ?, ?)
         ON CONFLICT (account_id, holder)
         DO UPDATE SET json = excluded.json, revision = excluded.revision`,
        accountId,
        holder,
        json,
        revision + 1,
      );
      return revision + 1;
    },
  };
}

function readPreferences(
  sql: Sql,
  { accountId, holder }: PreferenceHolder,
): StoredPreferences | null {
  const [row] = sql.all<StoredPreferences>(
    'SELECT json, revision FROM preferences WHERE account_id = ? AND holder = ?',
    accountId,
    holder,
  );
  return row ?? null;
}

/** Forgets the preferences of a member or access key that is removed. */
export function forgetPreferences(sql: Sql, accountId: AccountId, holder: string): void {
  sql.all('DELETE FROM preferences WHERE account_id = ? AND holder = ?', accountId, holder);
}
