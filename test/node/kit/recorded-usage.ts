// The usage that the ledger of a data folder has recorded, read past the server: the rows of its
// journal.
import { DatabaseSync } from 'node:sqlite';
import type { UsageRow } from '../../../src/domain/billing/usage.ts';
import { rowsOfPage } from '../../../src/index/usage/page-usage.ts';

/** All rows of the journal of an index database. */
export function readRecordedUsage(path: string): (UsageRow & { readonly accountId: string })[] {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    const pages = database.prepare('SELECT account_id, usage FROM ledger_pages').all();
    return pages.flatMap(({ account_id: accountId, usage }) =>
      [...rowsOfPage(String(usage))].map((row) => ({ ...row, accountId: String(accountId) })),
    );
  } finally {
    database.close();
  }
}
