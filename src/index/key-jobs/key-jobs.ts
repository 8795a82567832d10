// The jobs family of the index: work on many keys that goes on page by page
// (domain/keys/key-jobs.ts). A step does its actions, stores how to take them back and
// moves the cursor on, all in one commit. So a job that dies is never between two
// steps, and two drivers of one job can't do a step twice. Which keys is core's;
// key-actions.ts does each action.

import { StorageError } from '../../domain/errors.ts';
import {
  KEY_JOBS_RUNNING_MAX,
  KEY_JOBS_STORED,
  type KeyAction,
  type KeyJob,
  type KeyJobFailure,
  UNDO_MAX_ITEMS,
} from '../../domain/keys/key-jobs.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { recordEvent } from '../objects/object-events.ts';
import type { OpenPacks } from '../objects/open-packs.ts';
import { createPackSlots } from '../objects/pack-slots.ts';
import { versioningOf } from '../objects/version-rows.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import type { ActionContext, ActionResult } from './action-results.ts';
import { applyKeyAction, PURGE_ROWS_PER_STEP } from './key-actions.ts';
import { eventsOfAction } from './key-job-events.ts';
import {
  forgetItems,
  forgetOldJobs,
  readFailures,
  readItems,
  readJob,
  readKeys,
  storeFailures,
  storeItems,
  storeKeys,
  writeJob,
} from './key-job-rows.ts';
import { listHidden } from './list-hidden.ts';

type KeyJobCalls = Pick<
  IndexApi,
  | 'getKeyJob'
  | 'listKeyJobs'
  | 'listKeyJobItems'
  | 'listKeyJobKeys'
  | 'listKeyJobFailures'
  | 'listHidden'
  | 'createKeyJob'
  | 'stepKeyJob'
  | 'endKeyJob'
>;

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createKeyJobCalls(sql: Sql, packs: OpenPacks): KeyJobCalls {
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

    listKeyJobItems: ({ bucket, ...page }) => readItems(sql, requireBucket(sql, bucket), page),
    listKeyJobKeys: ({ bucket, ...page }) => readKeys(sql, requireBucket(sql, bucket), page),
    listKeyJobFailures: ({ bucket, id }) => readFailures(sql, requireBucket(sql, bucket), id),

    listHidden: (input) => listHidden(sql, input),

    createKeyJob({ bucket, job, keys = [] }) {
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
      storeKeys(sql, n, job.id, keys);
      forgetOldJobs(sql, n);
    },

    stepKeyJob: (input) => stepKeyJob(sql, packs, input),

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

type StepInput = Parameters<IndexApi['stepKeyJob']>[0];

function stepKeyJob(
  sql: Sql,
  packs: OpenPacks,
  input: StepInput,
): ReturnType<IndexApi['stepKeyJob']> {
  const { bucket, id, actions, nowMs, packIds } = input;
  const n = requireBucket(sql, bucket);
  const job = readJob(sql, n, id);
  if (job === null || job.state !== 'running' || job.revision !== input.revision) return null;
  const slots = createPackSlots(packs, n, bucket, packIds, nowMs);
  const results = applyActions(
    sql,
    { n, bucket, nowMs, room: { rows: PURGE_ROWS_PER_STEP }, slots },
    actions,
  );
  const failures = [...(input.refused ?? []), ...failuresOf(actions, results)];
  const counts = addCounts(job, results, input.elsewhere, failures);
  storeFailures(sql, n, job, failures);
  const canUndo = job.canUndo && counts.done <= UNDO_MAX_ITEMS;
  if (canUndo) storeItems(sql, n, job, actions, results);
  else if (job.canUndo) forgetItems(sql, n, id);

  const hasMore = results.length < actions.length || results.at(-1)?.outcome === 'more';
  const next = hasMore ? cursorBefore(job, input, results.length - 1) : input.next;
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

/** The cursor behind the last action that is done, where the one at `position` is not. */
function cursorBefore(job: KeyJob, { cursors }: StepInput, position: number) {
  if (position === 0) return { after: job.after, at: job.at };
  const cursor = cursors?.[position - 1];
  if (cursor === undefined)
    throw new StorageError('InternalError', { cause: 'a step without cursors has more to do' });
  return cursor;
}

/** The keys that the actions left as they were, each with its reason. */
function failuresOf(
  actions: readonly KeyAction[],
  results: readonly ActionResult[],
): readonly KeyJobFailure[] {
  return results.flatMap(({ outcome }, i) => {
    const key = actions[i]?.key;
    if (outcome === 'done' || outcome === 'more' || key === undefined) return [];
    return [{ key, reason: outcome }];
  });
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
  failures: readonly KeyJobFailure[],
): KeyJob['counts'] {
  const counts = { ...job.counts };
  for (const { outcome, sizeBytes } of results) {
    counts.bytes += sizeBytes;
    if (outcome === 'done') counts.done++;
  }
  for (const { reason } of failures) {
    if (reason === 'missing') counts.missing++;
    if (reason === 'conflict' || reason === 'invalid') counts.conflicts++;
    if (reason === 'locked') counts.locked++;
  }
  counts.done += elsewhere.done ?? 0;
  counts.bytes += elsewhere.bytes ?? 0;
  return counts;
}
