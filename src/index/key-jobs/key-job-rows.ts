// The rows of jobs: the job itself, the keys that it lists, what it did so that it
// can be taken back, and the first keys that it left. Called by key-jobs.ts inside
// its commits.

import {
  KEY_FAILURES_STORED,
  KEY_JOBS_RUNNING_MAX,
  KEY_JOBS_STORED,
  type KeyAction,
  type KeyJob,
  type KeyJobFailure,
  type KeyJobId,
  type KeyJobItem,
  type ListedKey,
  UNDOABLE_JOBS,
} from '../../domain/keys/key-jobs.ts';
import type { ObjectKey, VersionId } from '../../domain/nouns.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import type { ActionResult } from './action-results.ts';

/**
 * Keys of one row of `name_job_keys`: one step's. With the longest keys, each with a
 * new one, a row has 1 MB; Cloudflare allows 2 MB. Source:
 * https://developers.cloudflare.com/durable-objects/platform/limits/
 */
const KEYS_PER_ROW = 500;

/** Reads a job; null: there is none. */
export function readJob(sql: Sql, n: number, id: KeyJobId): KeyJob | null {
  const [row] = sql.all<{ job: string }>(
    'SELECT job FROM name_jobs WHERE bucket = ? AND id = ?',
    n,
    id,
  );
  return row === undefined ? null : (JSON.parse(row.job) as KeyJob);
}

/** Writes a job as it is now; one that has ended needs its listed keys no more. */
export function writeJob(sql: Sql, n: number, job: KeyJob): void {
  sql.all(
    'INSERT OR REPLACE INTO name_jobs (bucket, id, is_running, job) VALUES (?, ?, ?, ?)',
    n,
    job.id,
    job.state === 'running' ? 1 : 0,
    JSON.stringify(job),
  );
  if (job.state !== 'running')
    sql.all('DELETE FROM name_job_keys WHERE bucket = ? AND job_id = ?', n, job.id);
}

/**
 * Removes what one job did that is too old to be undone, one job's with each new
 * one, and jobs that are too many.
 */
export function forgetOldJobs(sql: Sql, n: number): void {
  const rows = sql.all<{ id: string; is_running: number; job: string }>(
    `SELECT id, is_running, job FROM name_jobs
     WHERE bucket = ? ORDER BY id DESC LIMIT ${PLAN_ONCE} ?`,
    n,
    KEY_JOBS_STORED + KEY_JOBS_RUNNING_MAX,
  );
  const past = rows.slice(UNDOABLE_JOBS).filter((row) => row.is_running === 0);
  const undoable = past.map((row) => JSON.parse(row.job) as KeyJob).find((job) => job.canUndo);
  if (undoable !== undefined) {
    forgetItems(sql, n, undoable.id);
    writeJob(sql, n, { ...undoable, canUndo: false });
  }
  for (const { id, is_running } of rows.slice(KEY_JOBS_STORED)) {
    if (is_running === 1) continue;
    sql.all('DELETE FROM name_jobs WHERE bucket = ? AND id = ?', n, id);
    sql.all('DELETE FROM name_job_failures WHERE bucket = ? AND job_id = ?', n, id);
  }
}

/** Forgets how to take back what a job did. */
export function forgetItems(sql: Sql, n: number, id: KeyJobId): void {
  sql.all('DELETE FROM name_job_items WHERE bucket = ? AND job_id = ?', n, id);
}

/** Stores the keys that a job lists, in rows of their own: a step rewrites the job. */
export function storeKeys(sql: Sql, n: number, id: KeyJobId, keys: readonly ListedKey[]): void {
  for (let at = 0; at < keys.length; at += KEYS_PER_ROW) {
    sql.all(
      'INSERT INTO name_job_keys (bucket, job_id, at, keys) VALUES (?, ?, ?, ?)',
      n,
      id,
      at,
      JSON.stringify(keys.slice(at, at + KEYS_PER_ROW).map(({ key, toKey }) => [key, toKey])),
    );
  }
}

/** Reads listed keys from a position on, up to the end of the row that has it. */
export function readKeys(
  sql: Sql,
  n: number,
  { id, at, limit }: { id: KeyJobId; at: number; limit: number },
): readonly ListedKey[] {
  const first = at - (at % KEYS_PER_ROW);
  const [row] = sql.all<{ keys: string }>(
    'SELECT keys FROM name_job_keys WHERE bucket = ? AND job_id = ? AND at = ?',
    n,
    id,
    first,
  );
  const keys = row === undefined ? [] : (JSON.parse(row.keys) as [ObjectKey, ObjectKey | null][]);
  return keys.slice(at - first, at - first + limit).map(([key, toKey]) => ({ key, toKey }));
}

/** Stores the first keys that a job left, numbered behind those it left before. */
export function storeFailures(
  sql: Sql,
  n: number,
  job: KeyJob,
  failures: readonly KeyJobFailure[],
): void {
  const { missing, conflicts, locked } = job.counts;
  const before = missing + conflicts + locked;
  const room = Math.max(0, KEY_FAILURES_STORED - before);
  for (const [i, { key, reason }] of failures.slice(0, room).entries()) {
    sql.all(
      'INSERT INTO name_job_failures (bucket, job_id, at, key, reason) VALUES (?, ?, ?, ?, ?)',
      n,
      job.id,
      before + i,
      key,
      reason,
    );
  }
}

/** Lists the first keys that a job left, in its order. */
export function readFailures(sql: Sql, n: number, id: KeyJobId): readonly KeyJobFailure[] {
  return sql.all<{ key: ObjectKey; reason: KeyJobFailure['reason'] }>(
    'SELECT key, reason FROM name_job_failures WHERE bucket = ? AND job_id = ? ORDER BY at',
    n,
    id,
  );
}

/** Lists what a job did before a position, the last first. */
export function readItems(
  sql: Sql,
  n: number,
  { id, before, limit }: { id: KeyJobId; before: number; limit: number },
): readonly KeyJobItem[] {
  const rows = sql.all<ItemRow>(
    `SELECT at, kind, key, to_key, version_id, marker_id, detail FROM name_job_items
     WHERE bucket = ? AND job_id = ? AND at < ? ORDER BY at DESC LIMIT ${PLAN_ONCE} ?`,
    n,
    id,
    before,
    limit,
  );
  return rows.map(toItem);
}

/**
 * Stores what was done, numbered in its order. What can't be taken back is not
 * stored.
 */
export function storeItems(
  sql: Sql,
  n: number,
  job: KeyJob,
  actions: readonly KeyAction[],
  results: readonly ActionResult[],
): void {
  let at = job.counts.done;
  for (const [index, action] of actions.entries()) {
    const result = results[index];
    if (result?.outcome !== 'done') continue;
    at++;
    const kind = itemKindOf(action, result);
    if (kind === null || result.versionId === null) continue;
    sql.all(
      `INSERT OR REPLACE INTO name_job_items
         (bucket, job_id, at, kind, key, to_key, version_id, marker_id, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      n,
      job.id,
      at,
      kind,
      action.key,
      result.toKey,
      result.versionId,
      result.markerId,
      result.detail,
    );
  }
}

/** What an action that was done leaves to be taken back; null: nothing can be. */
function itemKindOf(action: KeyAction, { toKey }: ActionResult): KeyJobItem['kind'] | null {
  switch (action.kind) {
    case 'move':
    case 'hide':
      return toKey === null ? 'hidden' : 'moved';
    case 'copy':
    case 'record':
      return 'copied';
    case 'edit':
      return 'edited';
    case 'unmove':
    case 'uncopy':
    case 'unhide':
    case 'purge':
    case 'erase':
      return null;
  }
}

type ItemRow = {
  readonly at: number;
  readonly kind: string;
  readonly key: string;
  readonly to_key: string | null;
  readonly version_id: string;
  readonly marker_id: string | null;
  readonly detail: string | null;
};

function toItem(row: ItemRow): KeyJobItem {
  return {
    at: row.at,
    kind: row.kind as KeyJobItem['kind'],
    key: row.key as ObjectKey,
    toKey: row.to_key as ObjectKey | null,
    versionId: row.version_id as VersionId,
    markerId: row.marker_id as VersionId | null,
    detail: row.detail,
  };
}
