// Objects whose databases the last release wrote, under this Worker; and objects that a newer one
// has migrated, after it was rolled back.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import type { AccountId, BucketName, ObjectKey } from '../../src/domain/nouns.ts';
import { deletionOf } from '../contract/index/samples.ts';
import release from '../index/last-release/databases.json' with { type: 'json' };
import { bucketObject } from './kit/bucket.ts';

const NAME = 'recorded-bucket' as BucketName;
const ACCOUNT = 'recorded-account' as AccountId;

/** Gives an object the database that the last release left. */
async function load(stub: DurableObjectStub, statements: readonly string[]): Promise<void> {
  await runInDurableObject(stub, (_object, { storage }) => {
    const { sql } = storage;
    const made = sql.exec(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*'",
    );
    for (const { name } of made.toArray()) sql.exec(`DROP TABLE ${name}`);
    for (const statement of statements) sql.exec(statement);
  });
  await evictDurableObject(stub);
}

it('a bucket of the last release is read and written, also after a rollback', async () => {
  const { stub, call } = bucketObject(NAME);
  await load(stub(), release.index.statements);
  const keys = ['blob', 'inline'] as ObjectKey[];
  const etags = async () =>
    (await call('resolveAll', { name: NAME, keys })).objects.map((object) => object?.etag);
  expect(await etags()).toEqual(['etag-blob', 'etag-inline']);
  const bucket = await call('getBucket', { name: NAME });
  if (bucket === null) throw new Error('There is no bucket.');
  await call('deleteObjects', { bucket, ...deletionOf(['inline'], Date.now()) });

  // A newer Worker came, added something, and is gone again.
  await runInDurableObject(stub(), (_object, { storage }) => {
    storage.sql.exec('CREATE TABLE added (n INTEGER) STRICT');
    const columns = storage.sql.exec("SELECT name FROM pragma_table_info('schema_versions')");
    if (columns.toArray().every(({ name }) => name !== 'readable_by'))
      storage.sql.exec('ALTER TABLE schema_versions ADD COLUMN readable_by INTEGER');
    storage.sql.exec(
      `UPDATE schema_versions SET readable_by = version, version = version + 1
       WHERE name = 'index'`,
    );
  });
  await evictDurableObject(stub());
  expect(await etags()).toEqual(['etag-blob', undefined]);
  await call('deleteObjects', { bucket, ...deletionOf(['blob'], Date.now()) });
  expect(await etags()).toEqual([undefined, undefined]);
});

it('a ledger of the last release is read and written', async () => {
  await load(env.LEDGER.get(env.LEDGER.idFromName(ACCOUNT)), release.ledger.statements);
  const ledger = createDoLedger(env.LEDGER);
  const all = { accountId: ACCOUNT, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] };
  expect(await ledger.call('query', all)).toMatchObject([{ quantity: 2n ** 70n }]);
  const row = { hourMs: Date.UTC(2026, 10, 20), bucketId: null, accessKeyId: null };
  const rows = [{ ...row, meter: 'class-a/STANDARD' as const, quantity: 1n }];
  await ledger.call('record', {
    accountId: ACCOUNT,
    batches: [{ source: 'new', sequence: 1, rows }],
    nowMs: Date.now(),
  });
  expect(await ledger.call('query', all)).toMatchObject([{ quantity: 2n ** 70n + 1n }]);
});
