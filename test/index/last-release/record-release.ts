// Writes databases.json: the databases of this release, with some rows in each, as the next one
// will find them. To be run with `node test/index/last-release/record-release.ts` when a release is
// made; last-release.test.ts and test/workerd/last-release.test.ts hold its successor to them.
import { DatabaseSync } from 'node:sqlite';
import { sqliteOver } from '../../../src/adapters/node/index/node-sqlite.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BlobId,
  BucketName,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../../src/domain/nouns.ts';
import { NO_FACTS } from '../../../src/domain/object-facts.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { createDirectoryIndex } from '../../../src/index/directory-index.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { DIRECTORY_SCHEMA } from '../../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import { migrate, type Schema } from '../../../src/index/tables/schema.ts';
import type { NewBlobReference } from '../../../src/ports/metadata-index.ts';
import type { Sql } from '../../../src/ports/sql.ts';

/** A database as text: statements that make it anew. */
export type RecordedDatabase = {
  /** Version of each family of tables. */
  readonly versions: Readonly<Record<string, number>>;
  readonly statements: readonly string[];
};
export type RecordedRelease = Readonly<Record<'index' | 'directory' | 'ledger', RecordedDatabase>>;

const AT_MS = Date.UTC(2026, 10, 20);
const ACCOUNT = 'recorded-account' as AccountId;
const BUCKET = 'recorded-bucket' as BucketName;

function recordDatabase(schema: Schema, use: (sql: Sql) => void): RecordedDatabase {
  const db = new DatabaseSync(':memory:');
  const sql = sqliteOver(db, { readOnly: false });
  migrate(sql, schema);
  use(sql);
  const objects = sql.all<{ type: string; name: string; sql: string }>(
    `SELECT type, name, sql FROM sqlite_schema AS s
     WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite!_%' ESCAPE '!' AND NOT EXISTS (
       SELECT 1 FROM sqlite_schema AS v
       WHERE v.sql LIKE 'CREATE VIRTUAL%' AND s.name LIKE v.name || '!_%' ESCAPE '!')
     ORDER BY rowid`,
  );
  const tables = objects.filter((object) => object.sql.startsWith('CREATE TABLE'));
  const rows = tables.flatMap(({ name }) =>
    sql.all(`SELECT * FROM ${name}`).map((row) => insertOf(name, row)),
  );
  const versions = sql.all<{ name: string; version: number }>(
    'SELECT name, version FROM schema_versions',
  );
  sql.close();
  return {
    versions: Object.fromEntries(versions.map(({ name, version }) => [name, version])),
    statements: [...objects.map((object) => object.sql.replace(/\s+/g, ' ')), ...rows],
  };
}

function insertOf(table: string, row: Readonly<Record<string, unknown>>): string {
  const values = Object.values(row).map((value) => {
    if (value instanceof Uint8Array) return `x'${Buffer.from(value).toString('hex')}'`;
    if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
    return String(value ?? 'NULL');
  });
  return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`;
}

function useIndex(sql: Sql): void {
  const index = createBucketIndex(sql);
  const bucket = index.createBucket({
    bucket: {
      id: makeBucketId(BUCKET, 'life1'),
      name: BUCKET,
      ownerId: ACCOUNT,
      createdAtMs: AT_MS,
      revision: 1,
      access: PRIVATE_ACCESS,
      settings: NO_SETTINGS,
    },
  });
  const put = (
    key: string,
    body: Pick<ObjectVersion, 'segments' | 'inlineBytes'>,
    newReferences: readonly NewBlobReference[] = [],
  ) =>
    index.commitObject({
      bucket,
      object: {
        key: key as ObjectKey,
        ...NO_FACTS,
        versionId: `version-${key}` as VersionId,
        isNull: true,
        sizeBytes: 3,
        etag: `etag-${key}`,
        lastModifiedMs: AT_MS,
        headers: { contentType: 'text/plain' },
        userMetadata: { who: "it's me" },
        storageClass: 'STANDARD',
        checksum: null,
        parts: null,
        ...body,
      } as ObjectVersion,
      condition: null,
      newReferences,
    });
  put('inline', { segments: [], inlineBytes: new Uint8Array([1, 2, 3]) });
  const blobId = `${bucket.id}/000000000000000000000000001` as BlobId;
  const segments = [{ blobId, offsetBytes: 0, lengthBytes: 3 }];
  put('blob', { segments, inlineBytes: null }, [{ blobId, sizeBytes: 3, ownerBucket: null }]);
}

function useDirectory(sql: Sql): void {
  const directory = createDirectoryIndex(sql);
  directory.putAccount({ account: { id: ACCOUNT, displayName: 'Recorded' }, keys: [] });
  directory.addBucket({ ownerId: ACCOUNT, name: BUCKET, createdAtMs: AT_MS });
  directory.setClosing({ period: '2026-10', after: '' });
}

function useLedger(sql: Sql): void {
  const row = { hourMs: AT_MS, bucketId: makeBucketId(BUCKET, 'life1'), accessKeyId: null };
  createLedgerIndex(sql, LEDGER_RULES).record({
    accountId: ACCOUNT,
    batches: [
      {
        source: 's',
        sequence: 1,
        rows: [{ ...row, meter: 'class-a/STANDARD', quantity: 2n ** 70n }],
      },
    ],
    nowMs: AT_MS,
  });
}

/** The databases of this release. */
export function recordRelease(): RecordedRelease {
  return {
    index: recordDatabase(INDEX_SCHEMA, useIndex),
    directory: recordDatabase(DIRECTORY_SCHEMA, useDirectory),
    ledger: recordDatabase(LEDGER_SCHEMA, useLedger),
  };
}

if (import.meta.main) {
  const { writeFileSync } = await import('node:fs');
  const path = new URL('databases.json', import.meta.url);
  writeFileSync(path, `${JSON.stringify(recordRelease(), null, 2)}\n`);
}
