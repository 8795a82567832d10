// Counts of visitors of share links by day and label, brought in batches. Plain
// synchronous code over a SQL port; bucket-index.ts makes each call atomic.
import type { LabelId, LinkId } from '../../../domain/links/link-ids.ts';
import { LINK_STATISTICS_DAYS, LINK_TOP_MAX } from '../../../domain/links/link-limits.ts';
import { NO_COUNTS, type ShareCounts, type ShareDay } from '../../../domain/links/share-records.ts';
import { DAY_MS } from '../../../domain/time.ts';
import type {
  ShareLinkCommands,
  ShareLinkQueries,
} from '../../../ports/index-calls/share-link-calls.ts';
import type { Sql } from '../../../ports/sql.ts';
import { requireBucket } from '../../require-bucket.ts';
import { PLAN_ONCE } from '../../tables/plan-once.ts';
import { findLiveBucket, findShareRow } from './share-rows.ts';

type StatisticsCalls = Pick<
  ShareLinkQueries & ShareLinkCommands,
  'listShareDays' | 'listShareSums' | 'addShareCounts'
>;

type Tops = Pick<ShareDay, 'referrers' | 'countries'>;
type SumRow = ShareCounts & { readonly label_id: string };
type DayRow = SumRow & { readonly day_ms: number; readonly tops: string };

/** The calls over a database with INDEX_SCHEMA. */
export function createShareStatisticsCalls(sql: Sql): StatisticsCalls {
  return {
    listShareDays({ bucket, id, fromDayMs, before, limit }) {
      const n = requireBucket(sql, bucket);
      return sql
        .all<DayRow>(
          `SELECT label_id, day_ms, opened, started, completed, aborted, bytes, tops
           FROM share_days
           WHERE bucket = ? AND link_id = ? AND day_ms >= ? AND (day_ms, label_id) < (?, ?)
           ORDER BY day_ms DESC, label_id DESC LIMIT ${PLAN_ONCE} ?`,
          n,
          id,
          fromDayMs,
          before?.dayMs ?? Number.MAX_SAFE_INTEGER,
          before?.labelId ?? '',
          limit,
        )
        .map((row) => toDay(id, row));
    },

    listShareSums({ bucket, id }) {
      const n = requireBucket(sql, bucket);
      return sql
        .all<SumRow>(
          `SELECT label_id, opened, started, completed, aborted, bytes
           FROM share_sums WHERE bucket = ? AND link_id = ? ORDER BY label_id`,
          n,
          id,
        )
        .map(({ label_id, ...counts }) => ({ labelId: toLabelId(label_id), ...counts }));
    },

    addShareCounts({ bucket, days, nowMs }) {
      const n = findLiveBucket(sql, bucket);
      if (n === null) return [];
      const first: LinkId[] = [];
      for (const day of days) {
        const row = findShareRow(sql, n, day.linkId);
        if (row === null) continue;
        if (row.last_used_ms === null) first.push(day.linkId);
        addDay(sql, n, day);
        addSum(sql, n, day);
        sql.all(
          'UPDATE share_links SET last_used_ms = ? WHERE bucket = ? AND id = ?',
          nowMs,
          n,
          day.linkId,
        );
        sql.all(
          'DELETE FROM share_days WHERE bucket = ? AND link_id = ? AND day_ms < ?',
          n,
          day.linkId,
          day.dayMs - LINK_STATISTICS_DAYS * DAY_MS,
        );
      }
      return first;
    },
  };
}

/** What visitors did with a link since it was made, all of its labels together. */
export function sumOfLink(sql: Sql, n: number, id: LinkId): ShareCounts {
  const [sums] = sql.all<ShareCounts>(
    `SELECT coalesce(sum(opened), 0) AS opened, coalesce(sum(started), 0) AS started,
       coalesce(sum(completed), 0) AS completed, coalesce(sum(aborted), 0) AS aborted,
       coalesce(sum(bytes), 0) AS bytes
     FROM share_sums WHERE bucket = ? AND link_id = ?`,
    n,
    id,
  );
  return sums ?? NO_COUNTS;
}

function addSum(sql: Sql, n: number, day: ShareDay): void {
  sql.all(
    `INSERT INTO share_sums
       (bucket, link_id, label_id, opened, started, completed, aborted, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (bucket, link_id, label_id) DO UPDATE SET
       opened = opened + excluded.opened, started = started + excluded.started,
       completed = completed + excluded.completed, aborted = aborted + excluded.aborted,
       bytes = bytes + excluded.bytes`,
    n,
    day.linkId,
    day.labelId ?? '',
    day.opened,
    day.started,
    day.completed,
    day.aborted,
    day.bytes,
  );
}

function addDay(sql: Sql, n: number, day: ShareDay): void {
  const { linkId, labelId, dayMs } = day;
  const [known] = sql.all<{ tops: string }>(
    `SELECT tops FROM share_days
     WHERE bucket = ? AND link_id = ? AND day_ms = ? AND label_id = ?`,
    n,
    linkId,
    dayMs,
    labelId ?? '',
  );
  const before: Tops =
    known === undefined ? { referrers: {}, countries: {} } : (JSON.parse(known.tops) as Tops);
  const tops: Tops = {
    referrers: mergeTops(before.referrers, day.referrers),
    countries: mergeTops(before.countries, day.countries),
  };
  sql.all(
    `INSERT INTO share_days
       (bucket, link_id, day_ms, label_id, opened, started, completed, aborted, bytes, tops)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (bucket, link_id, day_ms, label_id) DO UPDATE SET
       opened = opened + excluded.opened, started = started + excluded.started,
       completed = completed + excluded.completed, aborted = aborted + excluded.aborted,
       bytes = bytes + excluded.bytes, tops = excluded.tops`,
    n,
    linkId,
    dayMs,
    labelId ?? '',
    day.opened,
    day.started,
    day.completed,
    day.aborted,
    day.bytes,
    JSON.stringify(tops),
  );
}

/** The most frequent ones of both, so that strangers can't make a row grow. */
function mergeTops(
  before: Readonly<Record<string, number>>,
  added: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const sums = new Map(Object.entries(before));
  for (const [name, count] of Object.entries(added)) sums.set(name, (sums.get(name) ?? 0) + count);
  const most = [...sums].sort(([, a], [, b]) => b - a).slice(0, LINK_TOP_MAX);
  return Object.fromEntries(most);
}

const toLabelId = (id: string): LabelId | null => (id === '' ? null : (id as LabelId));

function toDay(linkId: LinkId, row: DayRow): ShareDay {
  const { referrers, countries } = JSON.parse(row.tops) as Tops;
  return {
    linkId,
    labelId: toLabelId(row.label_id),
    dayMs: row.day_ms,
    opened: row.opened,
    started: row.started,
    completed: row.completed,
    aborted: row.aborted,
    bytes: row.bytes,
    referrers,
    countries,
  };
}
