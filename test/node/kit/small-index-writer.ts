// The writer thread of the index on a disk that is soon full: its database may have so many pages.
// SQLite then fails as it does where the system has no room left, and the code under test is the
// real one.
import { DatabaseSync } from 'node:sqlite';

/** 1.6 MB: the tables, and some sixty bodies of 16 KiB. */
const PAGES_MAX = 400;

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function execAndBound(this: DatabaseSync, sql: string): void {
  exec.call(this, sql);
  if (sql.includes('journal_mode')) exec.call(this, `PRAGMA max_page_count = ${PAGES_MAX}`);
};

await import('../../../src/adapters/node/index/index-writer.ts');
