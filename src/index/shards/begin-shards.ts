// Makes a bucket the root of shards. Called by the steps of a move (shards.ts) before
// the first of them.
//
// A caller decides on the record of a bucket that is split, and calls the index by it;
// the index would take the call though another shard has the key. Guard: from now on the
// record has a revision of its own, which is never that of the row.
import { RECORD_AHEAD } from '../../ports/index-calls/shard-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { NO_KEYS } from './shard-rows.ts';

/** Gives the bucket the state of a shard that has all keys. */
export function beginShards(sql: Sql, n: number): void {
  sql.all('UPDATE buckets SET record_revision = revision + ? WHERE n = ?', RECORD_AHEAD, n);
  const state = JSON.stringify({ ...NO_KEYS, range: { from: '', to: null } });
  sql.all('INSERT INTO shards (bucket, state) VALUES (?, ?)', n, state);
  requireThisProgram(sql);
}

/**
 * A program that knows no shards would take the root for the whole bucket: from now on
 * only programs that know of them may work on this database (ADR 43).
 */
function requireThisProgram(sql: Sql): void {
  sql.all(
    `UPDATE schema_versions SET readable_by = max(coalesce(readable_by, 0), ?)
     WHERE name = 'index'`,
    KNOWS_SHARDS,
  );
}

/**
 * The version from which on programs find all shards: the place of SHARDS_EVERYWHERE. The
 * sweep of an older one would take blobs of shards for orphans on Cloudflare.
 */
export const KNOWS_SHARDS = 29;
