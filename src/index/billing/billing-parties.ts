// Who issues bills, who buys and what tax an account pays: JSON that core/billing
// knows. A part of the directory; directory-index.ts makes each call atomic.

import { StorageError } from '../../domain/errors.ts';
import type { BillingApi } from '../../ports/directory-calls/billing-calls.ts';
import type { Sql } from '../../ports/sql.ts';

/** The calls over a database with DOCUMENT_TABLES. */
export function createPartyCalls(sql: Sql): Pick<BillingApi, 'getParties' | 'setParty'> {
  const read = (id: string): string | null => {
    const [row] = sql.all<{ json: string }>('SELECT json FROM billing_parties WHERE id = ?', id);
    return row?.json ?? null;
  };
  return {
    getParties: ({ accountId }) => ({
      issuer: read('issuer'),
      buyer: read(`buyer/${accountId}`),
      tax: read(`tax/${accountId}`),
    }),

    setParty({ id, json, known }) {
      const stored = read(id);
      if (stored === json) return;
      if (stored !== known) throw new StorageError('PreconditionFailed');
      if (json === null) sql.all('DELETE FROM billing_parties WHERE id = ?', id);
      else sql.all('INSERT OR REPLACE INTO billing_parties (id, json) VALUES (?, ?)', id, json);
    },
  };
}
