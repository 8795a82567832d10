// The lifecycle family of the index: finding what rules may be about
// (lifecycle-scan.ts), carrying them out, and how far that came. Which rule is due
// is core's; here it is made sure that nothing goes that has changed since the
// scan.

import type { LifecycleAction, LifecycleRun } from '../../domain/lifecycle.ts';
import type { Versioning } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import type { Sql } from '../../ports/sql.ts';
import { moveShares } from '../objects/blob-references.ts';
import { type ObjectChange, recordEvent } from '../objects/object-events.ts';
import { rowChanged } from '../objects/row-changes.ts';
import {
  readCurrent,
  readNewestOther,
  readOther,
  type StoredMarker,
} from '../objects/stored-versions.ts';
import { putMarker, removeCurrent, removeOther, versioningOf } from '../objects/version-rows.ts';
import { requireBucket } from '../require-bucket.ts';
import { findUpload } from '../uploads/upload-rows.ts';
import { addCommitUsage } from '../usage/commit-usage.ts';
import { countEarlyDeletion } from '../usage/minimum-storage-duration.ts';
import { oneRow } from '../usage/row-state.ts';
import { hasOlder, scanLifecycle } from './lifecycle-scan.ts';
import { giveUpUpload } from './stale-uploads.ts';

type LifecycleCalls = Pick<IndexApi, 'getLifecycleRun' | 'scanLifecycle' | 'applyLifecycle'>;
type Context = { readonly n: number; readonly versioning: Versioning; readonly nowMs: number };

/**
 * The calls over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic.
 */
export function createLifecycleCalls(sql: Sql): LifecycleCalls {
  return {
    getLifecycleRun({ bucket }) {
      const n = requireBucket(sql, bucket);
      const [row] = sql.all<{ run: string }>('SELECT run FROM lifecycle_runs WHERE bucket = ?', n);
      return row === undefined ? null : (JSON.parse(row.run) as LifecycleRun);
    },

    scanLifecycle: ({ bucket, cursor, bounds }) =>
      scanLifecycle(sql, requireBucket(sql, bucket), cursor, bounds),

    applyLifecycle({ bucket, actions, run, nowMs }) {
      const context = { n: requireBucket(sql, bucket), versioning: versioningOf(bucket), nowMs };
      const counts = { expire: 0, remove: 0, transition: 0, abort: 0 };
      for (const action of actions) {
        const done = apply(sql, context, action);
        if (done === null) continue;
        counts[action.kind]++;
        recordEvent(sql, bucket, eventOf(context.versioning, action, done.version, nowMs));
      }
      sql.all(
        'INSERT OR REPLACE INTO lifecycle_runs (bucket, run) VALUES (?, ?)',
        context.n,
        JSON.stringify(run),
      );
      return counts;
    },
  };
}

/** The event of an action; null for an upload that is given up, as in S3. */
function eventOf(
  versioning: Versioning,
  action: LifecycleAction,
  version: Done['version'],
  nowMs: number,
): ObjectChange | null {
  if (action.kind === 'abort') return null;
  const about = { key: action.key, nowMs, version };
  if (action.kind === 'transition')
    return { ...about, name: 'LifecycleTransition', storageClass: action.storageClass };
  if (action.kind === 'remove' || versioning === 'off')
    return { ...about, name: 'LifecycleExpiration:Delete' };
  return { ...about, name: 'LifecycleExpiration:DeleteMarkerCreated' };
}

/**
 * The version that went, changed, or is the new marker, by its name, which a plan
 * can't know.
 */
type Done = { readonly version: StoredMarker | null };

/** Null: it did not take place. */
function apply(sql: Sql, context: Context, action: LifecycleAction): Done | null {
  switch (action.kind) {
    case 'expire':
      return expire(sql, context, action);
    case 'remove':
      return remove(sql, context, action);
    case 'transition':
      return transition(sql, context, action);
    case 'abort': {
      const open = findUpload(sql, context.n, action.key, action.uploadId);
      if (open !== null) giveUpUpload(sql, context.n, open, context.nowMs);
      return open === null ? null : { version: null };
    }
  }
}

const actionDone = ({ versionId, isNull }: StoredMarker): Done => ({
  version: { versionId, isNull },
});

type ActionOfKind<Kind extends LifecycleAction['kind']> = Extract<LifecycleAction, { kind: Kind }>;

/**
 * Ends the current version if it still is that one: for good in a bucket without
 * versions, else by a marker.
 */
function expire(
  sql: Sql,
  { n, versioning, nowMs }: Context,
  { key, versionId, markerId }: ActionOfKind<'expire'>,
): Done | null {
  const current = readCurrent(sql, n, key);
  if (current?.versionId !== versionId) return null;
  if (versioning !== 'off') {
    return actionDone(
      putMarker(sql, n, versioning, { key, versionId: markerId, ownerId: null, nowMs }, current),
    );
  }
  if (isLocked(current.lock, nowMs, false)) return null;
  removeCurrent(sql, n, key, current, nowMs);
  return actionDone(current);
}

/** Removes a version that is not the latest, or a marker with nothing behind it. */
function remove(
  sql: Sql,
  { n, nowMs }: Context,
  { key, versionId }: ActionOfKind<'remove'>,
): Done | null {
  const stored = readOther(sql, n, key, versionId);
  if (stored === null || isLocked(stored.lock, nowMs, false)) return null;
  const isLatest =
    readCurrent(sql, n, key) === null && readNewestOther(sql, n, key)?.versionId === versionId;
  if (isLatest && hasOlder(sql, n, { key, version_id: versionId })) return null;
  removeOther(sql, n, key, versionId, nowMs);
  return actionDone(stored);
}

function transition(
  sql: Sql,
  { n, nowMs }: Context,
  { key, versionId, storageClass }: ActionOfKind<'transition'>,
): Done | null {
  const current = readCurrent(sql, n, key);
  const isCurrent = current?.versionId === versionId;
  const other = isCurrent ? null : readOther(sql, n, key, versionId);
  const stored = isCurrent ? current : other;
  if (stored === null || other?.isMarker === true || stored.storageClass === storageClass)
    return null;
  sql.all(
    `UPDATE ${isCurrent ? 'objects' : 'versions'} SET storage_class = ?, class_since_ms = ?
     WHERE bucket = ? AND key = ? AND version_id = ?`,
    storageClass,
    nowMs,
    n,
    key,
    versionId,
  );
  // A transition is a request, as on S3 and R2. Source:
  // https://developers.cloudflare.com/r2/pricing/#class-a-operations
  addCommitUsage(sql, n, `class-a/${storageClass}`, 1n, nowMs);
  const kind = isCurrent ? 'current' : 'noncurrent';
  const saved = moveShares(sql, n, stored.references, stored.storageClass, storageClass);
  const from = oneRow(kind, stored, saved.before);
  countEarlyDeletion(sql, n, from, stored.classSinceMs, nowMs);
  const to = oneRow(kind, { ...stored, storageClass }, saved.after);
  rowChanged(sql, { bucket: n, key, from, to, atMs: nowMs });
  return actionDone(stored);
}
