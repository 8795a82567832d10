// Migrations: what they make of empty and of older databases.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { freshSchemaFile } from '../../scripts/fresh-schema.ts';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import { NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type { AccountId, BucketName } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { OUTBOX_SCHEMA } from '../../src/index/tables/outbox-schema.ts';
import { migrate, type Schema } from '../../src/index/tables/schema.ts';
import { WEBHOOK_SCHEMA } from '../../src/index/tables/webhook-schema.ts';

const FIRST = ['CREATE TABLE a (x INTEGER) STRICT', 'INSERT INTO a VALUES (1)'];
const SECOND = ['ALTER TABLE a ADD COLUMN y INTEGER', 'UPDATE a SET y = x + 1'];
const schemaOf = (...migrations: string[][]): Schema => ({ name: 'index', migrations });

const versionOf = ({ name, migrations, readableBy = migrations.length }: Schema) => ({
  ...{ name, version: migrations.length, readable_by: readableBy },
});

const openEmpty = () => openSqlite(':memory:', { readOnly: false });
const tablesOf = (sql: ReturnType<typeof openEmpty>) =>
  sql
    .all("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .map((row) => row.name);

describe('migrate', () => {
  it('makes what all migrations make; else run scripts/fresh-schema.ts', () => {
    expect(readFileSync('src/index/tables/fresh-schema.ts', 'utf8')).toBe(freshSchemaFile());
    const { fresh: _, ...byMigrations } = INDEX_SCHEMA;
    const [fresh, migrated] = [INDEX_SCHEMA, byMigrations].map((schema) => {
      const sql = openEmpty();
      migrate(sql, schema);
      const tables = tablesOf(sql).map((table) => ({
        table,
        columns: sql.all(`PRAGMA table_xinfo(${table})`),
        indexes: sql
          .all(`SELECT * FROM pragma_index_list('${table}') ORDER BY name`)
          .map(({ name, unique, partial }) => ({
            ...{ name, unique, partial, columns: sql.all(`PRAGMA index_xinfo(${name})`) },
          })),
        rows: sql.all(`SELECT count(*) AS n FROM ${table}`),
      }));
      return { tables, versions: sql.all('SELECT * FROM schema_versions ORDER BY name') };
    });
    expect(fresh).toEqual(migrated);
    expect(fresh?.tables.length).toBeGreaterThan(20);
  });

  it('makes the tables of both schemas in one database, once', () => {
    const sql = openEmpty();
    for (const _ of [1, 2])
      for (const schema of [INDEX_SCHEMA, DIRECTORY_SCHEMA]) migrate(sql, schema);
    expect(sql.all('SELECT * FROM schema_versions ORDER BY name')).toEqual([
      versionOf(DIRECTORY_SCHEMA),
      versionOf(INDEX_SCHEMA),
      versionOf(OUTBOX_SCHEMA),
      versionOf(WEBHOOK_SCHEMA),
    ]);
    expect(tablesOf(sql)).toContain('objects');
    expect(tablesOf(sql)).toContain('owned_buckets');
  });

  it('gives buckets that were made before there were settings none', () => {
    const sql = openEmpty();
    migrate(sql, { name: 'index', migrations: INDEX_SCHEMA.migrations.slice(0, 1) });
    const access = '{"acl":"private","policyJson":null,"policyPublicPrefixes":[]}';
    sql.all(
      `INSERT INTO buckets (id, name, owner_id, created_at_ms, revision, access)
       VALUES ('i', 'old', 'o', 1, 1, ?)`,
      access,
    );
    migrate(sql, INDEX_SCHEMA);
    const found = createBucketIndex(sql).getBucket({ name: 'old' as BucketName });
    expect(found?.settings).toEqual(NO_SETTINGS);
  });

  it('gives older sessions and tokens no proof and no key', () => {
    const sql = openEmpty();
    const before = DIRECTORY_SCHEMA.migrations.findIndex((steps) =>
      steps.some((step) => step.includes('proven_at_ms')),
    );
    migrate(sql, { ...DIRECTORY_SCHEMA, migrations: DIRECTORY_SCHEMA.migrations.slice(0, before) });
    const columns =
      'digest, id, created_at_ms, expires_at_ms, account_id, role, member_id, access_key_id';
    const values = "'i', 1, 9, 'a', 'owner', 'm', NULL";
    sql.all(`INSERT INTO sessions (${columns}, label) VALUES ('s', ${values}, 'l')`);
    sql.all(`INSERT INTO tokens (${columns}, name) VALUES ('t', ${values}, 'n')`);
    sql.all("INSERT INTO members VALUES ('m', 'a', 'ada', 'Ada', 'owner', 1, NULL, 1, 1)");
    migrate(sql, DIRECTORY_SCHEMA);
    const directory = createDirectoryIndex(sql);
    const holder = {
      accountId: 'a',
      role: 'owner',
      memberId: 'm',
      accessKeyId: null,
      credentialDigest: null,
    };
    expect(directory.getSession({ digest: 's', nowMs: 1 })).toMatchObject({
      ...holder,
      provenAtMs: 0,
    });
    expect(directory.getToken({ digest: 't', nowMs: 1 })).toMatchObject(holder);
  });

  it('counts the changes that were in the log before they were counted', () => {
    const sql = openEmpty();
    const before = DIRECTORY_SCHEMA.migrations.findIndex((steps) =>
      steps.some((step) => step.includes('audit_counts')),
    );
    migrate(sql, { ...DIRECTORY_SCHEMA, migrations: DIRECTORY_SCHEMA.migrations.slice(0, before) });
    const add = (accountId: string, id: string, memberId: string | null, keyId: string | null) =>
      sql.all(
        `INSERT INTO audit (account_id, id, at_ms, action, target, detail, member_id, access_key_id,
         credential, source, request_id)
         VALUES (?, ?, 1, 'a', 't', '', ?, ?, 'c', 's', 'r')`,
        ...[accountId, id, memberId, keyId],
      );
    add('a', '1', 'm', null);
    add('a', '2', 'm', null);
    add('a', '3', null, 'k');
    add('b', '1', null, null);
    migrate(sql, DIRECTORY_SCHEMA);
    const counts = sql.all(
      'SELECT account_id, maker, entries FROM audit_counts ORDER BY account_id, maker',
    );
    expect(counts.map((row) => Object.values(row).join(' '))).toEqual([
      'a  3',
      'a k 1',
      'a m 2',
      'b  1',
      'b nobody 1',
    ]);
  });

  it('takes older rate cards and choices as valid from the beginning', () => {
    const sql = openEmpty();
    const before = DIRECTORY_SCHEMA.migrations.findIndex((steps) =>
      steps.some((step) => step.includes('rate_card_versions')),
    );
    migrate(sql, { ...DIRECTORY_SCHEMA, migrations: DIRECTORY_SCHEMA.migrations.slice(0, before) });
    sql.all(`INSERT INTO rate_cards (id, json) VALUES ('own', '{"id":"own"}')`);
    sql.all("INSERT INTO account_cards (account_id, card_id) VALUES ('ann', 'own')");
    migrate(sql, DIRECTORY_SCHEMA);
    const directory = createDirectoryIndex(sql);
    expect(directory.getRateCard({ id: 'own', period: '2020-01' })).toBe('{"id":"own"}');
    const { cards } = directory.getAccountBilling({ accountId: 'ann' as AccountId });
    expect(cards).toEqual([{ validFrom: '', cardId: 'own' }]);
  });

  it('keeps closed bills of old under the numbers that they had', () => {
    const sql = openEmpty();
    const before = DIRECTORY_SCHEMA.migrations.findIndex((steps) =>
      steps.some((step) => step.includes('numbered_invoices')),
    );
    migrate(sql, { ...DIRECTORY_SCHEMA, migrations: DIRECTORY_SCHEMA.migrations.slice(0, before) });
    sql.all(
      `INSERT INTO invoices (account_id, period, number, currency, total_micro, closed_at_ms, json)
       VALUES ('ann', '2026-10', 'QS-2026-10-a', 'USD', '7', 1, '{}')`,
    );
    migrate(sql, DIRECTORY_SCHEMA);
    const directory = createDirectoryIndex(sql);
    const accountId = 'ann' as AccountId;
    const bill = { period: '2026-10', issue: 0, number: 'QS-2026-10-a', isVoid: false, json: '{}' };
    expect(directory.getInvoice({ accountId, period: '2026-10' })).toEqual(bill);
  });

  it('runs only the migrations that a database has not had', () => {
    const sql = openEmpty();
    migrate(sql, schemaOf(FIRST));
    migrate(sql, schemaOf(FIRST, SECOND));
    migrate(sql, schemaOf(FIRST, SECOND));
    expect(sql.all('SELECT * FROM a')).toEqual([{ x: 1, y: 2 }]);
  });

  it('leaves a database as it was when a migration fails', () => {
    const sql = openEmpty();
    migrate(sql, schemaOf(FIRST));
    expect(() =>
      migrate(sql, schemaOf(FIRST, [...SECOND, 'INSERT INTO nowhere VALUES (1)'])),
    ).toThrow(/nowhere/);
    expect(sql.all('SELECT * FROM a')).toEqual([{ x: 1 }]);
    migrate(sql, schemaOf(FIRST, SECOND));
    expect(sql.all('SELECT * FROM a')).toEqual([{ x: 1, y: 2 }]);
  });

  it('refuses a database that a newer program has written, and says so', () => {
    const sql = openEmpty();
    migrate(sql, schemaOf(FIRST, SECOND));
    expect(() => migrate(sql, schemaOf(FIRST))).toThrow(/newer Quayside.*version 2.*up to 1/);
    expect(sql.all('SELECT version FROM schema_versions')).toEqual([{ version: 2 }]);
  });

  it('leaves a newer database as it is where that says that the program can work on it', () => {
    const sql = openEmpty();
    migrate(sql, { ...schemaOf(FIRST, SECOND), readableBy: 1 });
    const state = () => [sql.all('SELECT * FROM schema_versions'), sql.all('SELECT * FROM a')];
    const before = state();
    for (const _ of [1, 2]) migrate(sql, schemaOf(FIRST));
    expect(state()).toEqual(before);
    // What the older program writes, the newer one finds.
    sql.all('INSERT INTO a (x) VALUES (7)');
    migrate(sql, { ...schemaOf(FIRST, SECOND), readableBy: 1 });
    expect(sql.all('SELECT x FROM a WHERE y IS NULL')).toEqual([{ x: 7 }]);
    expect(() => migrate(sql, schemaOf())).toThrow(/newer Quayside/);
  });

  it('takes a database whose versions were written before programs said who can read it', () => {
    const old = () => {
      const sql = openEmpty();
      migrate(sql, schemaOf(FIRST));
      sql.all('ALTER TABLE schema_versions DROP COLUMN readable_by');
      return sql;
    };
    const sql = old();
    migrate(sql, { ...schemaOf(FIRST, SECOND), readableBy: 1 });
    expect(sql.all('SELECT * FROM schema_versions')).toEqual([
      { name: 'index', version: 2, readable_by: 1 },
    ]);
    expect(() => migrate(old(), schemaOf())).toThrow(/newer Quayside/);
  });
});
