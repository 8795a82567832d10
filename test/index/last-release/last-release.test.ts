// A release can be taken back by one step: the program of the last release can work on what this
// one makes of its databases, and this one on what it finds. databases.json is made by
// record-release.ts when a release is made.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import type { AccountId, BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../../src/index/directory-index.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { DIRECTORY_SCHEMA } from '../../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import { migrate, type Schema } from '../../../src/index/tables/schema.ts';
import type { Sql } from '../../../src/ports/sql.ts';
import { deletionOf, latePutOf } from '../../contract/index/samples.ts';
import type { RecordedRelease } from './record-release.ts';

const RELEASE = JSON.parse(
  readFileSync(new URL('databases.json', import.meta.url), 'utf8'),
) as RecordedRelease;
const SCHEMAS = { index: INDEX_SCHEMA, directory: DIRECTORY_SCHEMA, ledger: LEDGER_SCHEMA };
type Kind = keyof RecordedRelease;
const KINDS = Object.keys(SCHEMAS) as Kind[];
const familiesOf = (kind: Kind): readonly Schema[] => [
  SCHEMAS[kind],
  ...(SCHEMAS[kind].companions ?? []),
];

const openEmpty = () => openSqlite(':memory:', { readOnly: false });

/** A database as the last release left it. */
function openRecorded(kind: Kind): Sql {
  const sql = openEmpty();
  for (const statement of RELEASE[kind].statements) sql.all(statement);
  return sql;
}

/** The schema as the program of the last release knew it. */
function schemaThen(kind: Kind, { readableBy: _, companions: __, fresh: ___, ...schema }: Schema) {
  const version = RELEASE[kind].versions[schema.name] ?? 0;
  return { ...schema, migrations: schema.migrations.slice(0, version) };
}

const namesOf = (sql: Sql, type: string) =>
  sql
    .all<{ name: string }>('SELECT name FROM sqlite_schema WHERE type = ? ORDER BY name', type)
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('sqlite_') && name !== 'schema_versions');

type Column = {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
};
const columnsOf = (sql: Sql, table: string) =>
  sql.all<Column>('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?)', table);

describe.each(KINDS)('the program of the last release, on the %s', (kind) => {
  it('can work on what this program makes of its database', () => {
    const sql = openRecorded(kind);
    migrate(sql, SCHEMAS[kind]);
    const read = () => sql.all('SELECT * FROM schema_versions ORDER BY name');
    const before = read();
    for (const family of familiesOf(kind)) migrate(sql, schemaThen(kind, family));
    expect(read()).toEqual(before);
  });

  it('finds every table as it was, but for columns that need no value', () => {
    const [then, now] = [openRecorded(kind), openRecorded(kind)];
    migrate(now, SCHEMAS[kind]);
    for (const table of namesOf(then, 'table')) {
      const known = columnsOf(then, table);
      const columns = columnsOf(now, table);
      expect(columns.slice(0, known.length), table).toEqual(known);
      const added = columns.slice(known.length);
      const needed = added.filter(
        ({ notnull, dflt_value }) => notnull === 1 && dflt_value === null,
      );
      expect(needed, table).toEqual([]);
      // A unique index would refuse rows of which the older program knows no rule.
      const indexes = (sql: Sql) =>
        sql
          .all<{ name: string; unique: number }>(
            'SELECT name, "unique" FROM pragma_index_list(?)',
            table,
          )
          .filter(({ unique }) => unique === 1)
          .map(({ name }) => name)
          .sort();
      expect(indexes(now), table).toEqual(indexes(then));
    }
    expect(namesOf(now, 'trigger')).toEqual(namesOf(then, 'trigger'));
  });

  it('can write its rows into tables that this program made', () => {
    const sql = openEmpty();
    migrate(sql, SCHEMAS[kind]);
    const inserts = RELEASE[kind].statements.filter(
      (statement) => /^INSERT/.test(statement) && !statement.includes('schema_versions'),
    );
    expect(inserts.length).toBeGreaterThan(0);
    for (const insert of inserts) expect(sql.all(insert)).toEqual([]);
  });
});

describe('this program', () => {
  it('finds what the last release stored, and goes on from there', () => {
    const open = (kind: Kind) => {
      const sql = openRecorded(kind);
      migrate(sql, SCHEMAS[kind]);
      return sql;
    };
    const index = createBucketIndex(open('index'));
    const name = 'recorded-bucket' as BucketName;
    const bucket = index.getBucket({ name });
    if (bucket === null) throw new Error('There is no bucket.');
    const keys = ['blob', 'inline'] as ObjectKey[];
    const etags = () => index.resolveAll({ name, keys }).objects.map((object) => object?.etag);
    expect(etags()).toEqual(['etag-blob', 'etag-inline']);
    index.deleteObjects({ bucket, ...deletionOf(['blob'], Date.now()) });
    expect(etags()).toEqual([undefined, 'etag-inline']);

    // Late objects beside what the last release counted, which said nothing of them.
    const totals = () =>
      index.getStorageTotals({ bucket }).map((of) => [of.currentBytes, of.currentCount]);
    const [[bytes = 0, count = 0] = []] = totals();
    for (let at = 1; at <= 60; at++) {
      index.commitObject(latePutOf(bucket, `late-${at}`, { atMs: Date.now() }));
      expect(totals()).toEqual([[bytes + 100 * at, count + at]]);
    }

    const accountId = 'recorded-account' as AccountId;
    const directory = createDirectoryIndex(open('directory'));
    expect(directory.getAccounts({ ids: [accountId] })).toMatchObject([
      { displayName: 'Recorded' },
    ]);
    expect(directory.getBillingDuties({ accountId })).toMatchObject({
      isBilled: true,
      closing: { period: '2026-10' },
    });
    const ledger = createLedgerIndex(open('ledger'), LEDGER_RULES);
    const all = { accountId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] };
    expect(ledger.query(all)).toMatchObject([{ quantity: 2n ** 70n }]);
  });
});
