// The jobs family of the index: work on many keys that goes on page by page
// (domain/key-jobs.ts). A step does its actions, stores how to take them back and
// moves the cursor on, all in one commit. So a job that dies is never between two
// steps, and two drivers of one job can't do a step twice. Which keys is core's;
// key-actions.ts does each action.

import { StorageError } from '../../domain/errors.ts';
import {
  KEY_JOBS_RUNNING_MAX,
  KEY_JOBS_STORED,
  type KeyAction,
  type KeyJob,
  type KeyJobId,
  type KeyJobItem,
  UNDO_MAX_ITEMS,
  UNDOABLE_JOBS,
} from '../../domain/key-jobs.ts';
import type { ObjectKey, VersionId } from '../../domain/nouns.ts';
import type { HiddenKey } from '../../ports/index-calls/key-job-calls.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { requireBucket } from '../buckets/buckets.ts';
import { firstBehind, prefixEnd } from '../keys/key-order.ts';
import { recordEvent } from '../objects/object-events.ts';
import { versioningOf } from '../objects/version-rows.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import {
  type ActionContext,
  type ActionResult,
  applyKeyAction,
  PURGE_ROWS_PER_STEP,
} from './key-actions.ts';
import { eventsOfAction } from './key-job-events.ts';

type KeyJobCalls = Pick<
  IndexApi,
  | 'getKeyJob'
  | 'listKeyJobs'
  | 'listKeyJobItems'
  | 'listHidden'
  | 'createKeyJob'
  | 'stepKeyJob'
  | 'endKeyJob'
>;

/**
 * Markers of a key that a list passes at most to find the version behind them: each
 * deletion of a hidden key adds one.
 */
const MARKERS_SCANNED_MAX = 250;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createKeyJobCalls(sql: Sql): KeyJobCalls {
  return {
    getKeyJob: ({ bucket, id }) => readJob(sql, requireBucket(sql, bucket), id),

    listKeyJobs({ bucket }) {
      const rows = sql.all<{ job: string }>(
        `SELECT job FROM name_jobs WHERE bucket = ? ORDER BY id DESC LIMIT ${PLAN_ONCE} ?`,
        requireBucket(sql, bucket),
        KEY_JOBS_STORED,
      );
      return rows.map((row) => JSON.parse(row.job) as KeyJob);
    },

    listKeyJobItems({ bucket, id, before, limit }) {
      const rows = sql.all<ItemRow>(
        `SELECT at, kind, key, to_key, version_id, marker_id FROM name_job_items
         WHERE bucket = ? AND job_id = ? AND at < ? ORDER BY at DESC LIMIT ${PLAN_ONCE} ?`,
        requireBucket(sql, bucket),
        id,
        before,
        limit,
      );
      return rows.map(toItem);
    },

    listHidden: (input) => listHidden(sql, input),

    createKeyJob({ bucket, job }) {
      const n = requireBucket(sql, bucket);
      const running = sql.all(
        'SELECT id FROM name_jobs WHERE bucket = ? AND is_running = 1',
        n,
      ).length;
      if (running >= KEY_JOBS_RUNNING_MAX) {
        throw new StorageError('SlowDown', {
          detail: 'Too many jobs run in this bucket. Wait for one of them.',
        });
      }
      writeJob(sql, n, job);
      forgetOldJobs(sql, n);
    },

    stepKeyJob: (input) => stepKeyJob(sql, input),

    endKeyJob({ bucket, id, failure, nowMs }) {
      const n = requireBucket(sql, bucket);
      const job = readJob(sql, n, id);
      if (job?.state !== 'running') return job;
      const state = failure === null ? 'cancelled' : 'failed';
      const ended: KeyJob = {
        ...job,
        state,
        failure,
        revision: job.revision + 1,
        updatedAtMs: nowMs,
      };
      writeJob(sql, n, ended);
      return ended;
    },
  };
}

function readJob(sql: Sql, n: number, id: KeyJobId): KeyJob | null {
  const [row] = sql.all<{ job: string }>(
    'SELECT job FROM name_jobs WHERE bucket = ? AND id = ?',
    n,
    id,
  );
  return row === undefined ? null : (JSON.parse(row.job) as KeyJob);
}

function writeJob(sql: Sql, n: number, job: KeyJob): void {
  sql.all(
    'INSERT OR REPLACE INTO name_jobs (bucket, id, is_running, job) VALUES (?, ?, ?, ?)',
    n,
    job.id,
    job.state === 'running' ? 1 : 0,
    JSON.stringify(job),
  );
}

/**
 * Removes what one job did that is too old to be undone, one job's with each new
 * one, and jobs that are too many.
 */
function forgetOldJobs(sql: Sql, n: number): void {
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
    if (is_running === 0) sql.all('DELETE FROM name_jobs WHERE bucket = ? AND id = ?', n, id);
  }
}

function forgetItems(sql: Sql, n: number, id: KeyJobId): void {
  sql.all('DELETE FROM name_job_items WHERE bucket = ? AND job_id = ?', n, id);
}

type StepInput = Parameters<IndexApi['stepKeyJob']>[0];

function stepKeyJob(sql: Sql, input: StepInput): ReturnType<IndexApi['stepKeyJob']> {
  const { bucket, id, actions, nowMs } = input;
  const n = requireBucket(sql, bucket);
  const job = readJob(sql, n, id);
  if (job === null || job.state !== 'running' || job.revision !== input.revision) return null;
  const results = applyActions(
    sql,
    { n, bucket, nowMs, room: { rows: PURGE_ROWS_PER_STEP } },
    actions,
  );
  const counts = addCounts(job, results, input.elsewhere);
  const canUndo = job.canUndo && counts.done <= UNDO_MAX_ITEMS;
  if (canUndo) storeItems(sql, n, job, actions, results);
  else if (job.canUndo) forgetItems(sql, n, id);
  const hasMore = results.length < actions.length || results.at(-1)?.outcome === 'more';
  const whole = results.length - 1;
  const next = hasMore
    ? { after: actions[whole - 1]?.key ?? job.after, at: job.at + whole }
    : input.next;
  const stepped: KeyJob = {
    ...job,
    ...next,
    state: input.isLast && !hasMore ? 'done' : 'running',
    revision: job.revision + 1,
    counts,
    canUndo,
    updatedAtMs: nowMs,
  };
  writeJob(sql, n, stepped);
  return { job: stepped, outcomes: results.map((result) => result.outcome) };
}

/**
 * Does the actions up to the first that has more to do: the next step goes on with
 * it.
 */
function applyActions(
  sql: Sql,
  context: ActionContext,
  actions: readonly KeyAction[],
): readonly ActionResult[] {
  const results: ActionResult[] = [];
  for (const action of actions) {
    const result = applyKeyAction(sql, context, action);
    results.push(result);
    recordEventsOf(sql, context, action, result);
    if (result.outcome === 'more') break;
  }
  return results;
}

/**
 * Records the events of an action. Most buckets report nothing: then none is even
 * made.
 */
function recordEventsOf(
  sql: Sql,
  { bucket, nowMs }: ActionContext,
  action: KeyAction,
  result: ActionResult,
): void {
  if (bucket.notify === undefined) return;
  for (const happening of eventsOfAction(versioningOf(bucket), action, result, nowMs)) {
    recordEvent(sql, bucket, happening);
  }
}

function addCounts(
  job: KeyJob,
  results: readonly ActionResult[],
  elsewhere: StepInput['elsewhere'],
): KeyJob['counts'] {
  const counts = { ...job.counts };
  for (const { outcome, sizeBytes } of results) {
    counts.bytes += sizeBytes;
    if (outcome === 'done') counts.done++;
    if (outcome === 'missing') counts.missing++;
    if (outcome === 'conflict') counts.conflicts++;
    if (outcome === 'locked') counts.locked++;
  }
  counts.done += elsewhere.done ?? 0;
  counts.bytes += elsewhere.bytes ?? 0;
  counts.missing += elsewhere.missing ?? 0;
  counts.conflicts += elsewhere.conflicts ?? 0;
  counts.locked += elsewhere.locked ?? 0;
  return counts;
}

/**
 * Stores what was done, numbered in its order. What can't be taken back is not
 * stored.
 */
function storeItems(
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
    const { toKey } = result;
    if ((action.kind !== 'move' && action.kind !== 'hide') || result.versionId === null) continue;
    sql.all(
      `INSERT OR REPLACE INTO name_job_items
         (bucket, job_id, at, kind, key, to_key, version_id, marker_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      n,
      job.id,
      at,
      toKey === null ? 'hidden' : 'moved',
      action.key,
      toKey,
      result.versionId,
      result.markerId,
    );
  }
}

type ItemRow = {
  readonly at: number;
  readonly kind: string;
  readonly key: string;
  readonly to_key: string | null;
  readonly version_id: string;
  readonly marker_id: string | null;
};

function toItem(row: ItemRow): KeyJobItem {
  return {
    at: row.at,
    kind: row.kind === 'moved' ? 'moved' : 'hidden',
    key: row.key as ObjectKey,
    toKey: row.to_key as ObjectKey | null,
    versionId: row.version_id as VersionId,
    markerId: row.marker_id as VersionId | null,
  };
}

type HiddenRow = {
  readonly key: string;
  readonly version_id: string;
  readonly last_modified_ms: number;
};
type NewestRow = {
  readonly version_id: string;
  readonly size_bytes: number;
  readonly etag: string;
  readonly last_modified_ms: number;
  readonly storage_class: string;
};

function listHidden(sql: Sql, input: Parameters<IndexApi['listHidden']>[0]): readonly HiddenKey[] {
  const { prefix, after, limit } = input;
  const n = requireBucket(sql, input.bucket);
  const rows = sql.all<HiddenRow>(
    // By its name: SQLite's planner would go over all versions of the prefix
    // instead, most of which are not hidden.
    `SELECT key, version_id, last_modified_ms FROM versions INDEXED BY versions_hiding
     WHERE bucket = ? AND key >= ? AND key < ? AND is_marker = 1 AND replaced_at_ms IS NULL
     ORDER BY key LIMIT ${PLAN_ONCE} ?`,
    n,
    firstBehind(prefix, after),
    prefixEnd(prefix),
    limit,
  );
  return rows.map((row) => {
    const [newest] = sql.all<NewestRow>(
      `SELECT version_id, size_bytes, etag, last_modified_ms, storage_class FROM (
         SELECT version_id, size_bytes, etag, last_modified_ms, storage_class, is_marker
         FROM versions
         WHERE bucket = ? AND key = ? AND version_id < ?
         ORDER BY version_id DESC LIMIT ${PLAN_ONCE} ?
       ) WHERE is_marker = 0 LIMIT 1`,
      n,
      row.key,
      row.version_id,
      MARKERS_SCANNED_MAX,
    );
    return {
      key: row.key as ObjectKey,
      hiddenAtMs: row.last_modified_ms,
      newest:
        newest === undefined
          ? null
          : {
              versionId: newest.version_id as VersionId,
              sizeBytes: newest.size_bytes,
              etag: newest.etag,
              lastModifiedMs: newest.last_modified_ms,
              storageClass: newest.storage_class,
            },
    };
  });
}
