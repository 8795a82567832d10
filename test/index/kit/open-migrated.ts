// Databases in memory with the tables that schemas make. The steps of all migrations take 10 ms of
// CPU time; here each list of schemas takes them once in a process, and every database begins as a
// copy of the result.
import { DatabaseSync } from 'node:sqlite';
import { type NodeSqlite, sqliteOver } from '../../../src/adapters/node/index/node-sqlite.ts';
import { migrate, type Schema } from '../../../src/index/tables/schema.ts';

const images = new Map<string, Uint8Array>();

const openEmpty = () => new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });

function imageOf(schemas: readonly Schema[]): Uint8Array {
  const name = JSON.stringify(schemas);
  let image = images.get(name);
  if (image === undefined) {
    const db = openEmpty();
    const sql = sqliteOver(db, { readOnly: false });
    for (const schema of schemas) migrate(sql, schema);
    image = db.serialize();
    db.close();
    images.set(name, image);
  }
  return image;
}

/** A fresh database in memory with the tables of these schemas. */
export function openMigrated(...schemas: readonly Schema[]): NodeSqlite {
  const db = openEmpty();
  db.deserialize(imageOf(schemas));
  return sqliteOver(db, { readOnly: false });
}
