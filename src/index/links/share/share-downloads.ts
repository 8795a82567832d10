// Exact counts of limited share links. Each response of a download takes a permit
// before its first byte, which reserves its bytes and, for the first response of a
// download, a place; it is settled by what was really sent. Requests of one visitor
// for one version are one download until that is whole. A permit whose process died
// ends by its time and counts by what was reported last.
//
// Race: a hundred requests see one place left. Guard: counting and taking are one
// transaction of the bucket's one writer.
import type { LinkId } from '../../../domain/links/link-ids.ts';
import { LINK_RANGES_MAX, LINK_RUNNING_MAX } from '../../../domain/links/link-limits.ts';
import { addRange, newBytesOf, type SentRanges } from '../../../domain/links/sent-ranges.ts';
import {
  bytesMaxOf,
  isUsedUp,
  type ShareState,
  stateByTime,
} from '../../../domain/links/share-links.ts';
import type { SharePermitRequest } from '../../../domain/links/share-records.ts';
import type { ShareLinkCommands } from '../../../ports/index-calls/share-link-calls.ts';
import type { Sql } from '../../../ports/sql.ts';
import { PLAN_ONCE } from '../../tables/plan-once.ts';
import {
  boundIdle,
  CONTINUED_AMONG,
  type DownloadRow,
  decodeRanges,
  type PermitRow,
  settle,
} from './settle-download.ts';
import {
  decodeShare,
  findLiveBucket,
  findShareLabel,
  findShareRow,
  type ShareLinkRow,
  usageOf,
} from './share-rows.ts';

type DownloadCalls = Pick<
  ShareLinkCommands,
  'beginShareDownload' | 'renewShareDownloads' | 'settleShareDownload'
>;

/** The calls over a database with INDEX_SCHEMA. */
export function createShareDownloadCalls(sql: Sql): DownloadCalls {
  return {
    beginShareDownload({ bucket, request, nowMs, untilMs }) {
      const { linkId, permitId, lengthBytes } = request;
      const n = findLiveBucket(sql, bucket);
      const row = n === null ? null : findShareRow(sql, n, linkId);
      if (n === null || row === null) return { kind: 'closed', state: 'revoked' };
      if (hasPermit(sql, n, linkId, permitId)) return { kind: 'permitted' };
      const closed = closedState(sql, n, row, request, nowMs);
      if (closed !== null) return { kind: 'closed', state: closed };
      endDeadPermits(sql, n, linkId, nowMs);

      const current = findShareRow(sql, n, linkId) ?? row;
      const open = findContinued(sql, n, request);
      const usage = usageOf(sql, n, linkId, current, open?.n ?? null);
      const { limits } = decodeShare(current);
      const bytesMax = bytesMaxOf({ limits });
      if (isUsedUp(limits, bytesMax, usage)) return { kind: 'closed', state: 'used-up' };
      const running = runningOf(sql, n, linkId);
      if (running.permits >= LINK_RUNNING_MAX) return { kind: 'busy' };
      const isNewDownload = open === null || open.permits === 0;
      const downloadsMax = limits.downloads;
      if (
        isNewDownload &&
        downloadsMax !== null &&
        usage.downloads + running.downloads >= downloadsMax
      )
        return { kind: 'busy' };
      if (bytesMax !== null && usage.bytes + running.bytes + lengthBytes > bytesMax)
        return running.permits > 0 ? { kind: 'busy' } : { kind: 'closed', state: 'used-up' };

      const download = open?.n ?? addDownload(sql, n, request, nowMs);
      addPermit(sql, n, request, download, { nowMs, untilMs });
      return { kind: 'permitted' };
    },

    renewShareDownloads({ bucket, permits, untilMs }) {
      const n = findLiveBucket(sql, bucket);
      if (n === null) return permits.map(({ permitId }) => permitId);
      const gone = permits.filter(({ linkId, permitId, sentBytes }) => {
        const renewed = sql.all(
          `UPDATE share_permits SET sent_bytes = max(sent_bytes, ?), until_ms = max(until_ms, ?)
           WHERE bucket = ? AND link_id = ? AND id = ? RETURNING id`,
          sentBytes,
          untilMs,
          n,
          linkId,
          permitId,
        );
        return renewed.length === 0;
      });
      return gone.map(({ permitId }) => permitId);
    },

    settleShareDownload({ bucket, linkId, progress, nowMs }) {
      const n = findLiveBucket(sql, bucket);
      if (n === null) return null;
      const [permit] = sql.all<PermitRow>(
        `SELECT id, download, offset_bytes, length_bytes, sent_bytes
         FROM share_permits WHERE bucket = ? AND link_id = ? AND id = ?`,
        n,
        linkId,
        progress.permitId,
      );
      const row = findShareRow(sql, n, linkId);
      if (permit === undefined || row === null) return null;
      const before = usageOf(sql, n, linkId, row);
      const completed = settle(sql, n, linkId, permit, progress.sentBytes, nowMs);
      boundIdle(sql, n, linkId, nowMs);
      const settled = findShareRow(sql, n, linkId) ?? row;
      return { completed, before, usage: usageOf(sql, n, linkId, settled) };
    },
  };
}

function hasPermit(sql: Sql, n: number, linkId: LinkId, permitId: string): boolean {
  return (
    sql.all(
      'SELECT 1 FROM share_permits WHERE bucket = ? AND link_id = ? AND id = ?',
      n,
      linkId,
      permitId,
    ).length > 0
  );
}

/** Why the link lets nobody in, whatever is left of it; null: it does. */
function closedState(
  sql: Sql,
  n: number,
  row: ShareLinkRow,
  { linkId, labelId }: SharePermitRequest,
  nowMs: number,
): ShareState | null {
  const byTime = stateByTime(decodeShare(row), nowMs);
  if (byTime !== null || labelId === null) return byTime;
  const label = findShareLabel(sql, n, linkId, labelId);
  return label === null || label.revokedAtMs !== null ? 'revoked' : null;
}

/** Ends the permits whose process has not reported in time. */
function endDeadPermits(sql: Sql, n: number, linkId: LinkId, nowMs: number): void {
  const dead = sql.all<PermitRow>(
    `SELECT id, download, offset_bytes, length_bytes, sent_bytes
     FROM share_permits WHERE bucket = ? AND link_id = ? AND until_ms <= ?`,
    n,
    linkId,
    nowMs,
  );
  for (const permit of dead) settle(sql, n, linkId, permit, permit.sent_bytes, nowMs);
}

/**
 * The download that the request goes on with: one that is not whole, of which nothing
 * that is wanted is being sent already, unless the request adds something to it. What
 * was sent before may come again, since a client that breaks off has not got all that
 * has left here; it adds up elsewhere.
 */
function findContinued(
  sql: Sql,
  n: number,
  { linkId, downloadId, sizeBytes, offsetBytes, lengthBytes }: SharePermitRequest,
): DownloadRow | null {
  const open = sql.all<DownloadRow>(
    `SELECT n, download_id, size_bytes, sent, permits FROM share_downloads
     WHERE bucket = ? AND link_id = ? AND download_id = ?
     ORDER BY n DESC LIMIT ${PLAN_ONCE} ?`,
    n,
    linkId,
    downloadId,
    CONTINUED_AMONG,
  );
  const wanted = [offsetBytes, offsetBytes + lengthBytes] as const;
  for (const download of open) {
    const sent = decodeRanges(download);
    if (download.size_bytes !== sizeBytes || sent.length >= LINK_RANGES_MAX) continue;
    const reserved = permitsOf(sql, n, linkId, download.n).reduce<SentRanges>(
      (ranges, { offset_bytes, length_bytes }) =>
        addRange(ranges, [offset_bytes, offset_bytes + length_bytes]),
      [],
    );
    const isApart = newBytesOf(reserved, wanted) === lengthBytes && lengthBytes > 0;
    if (isApart || newBytesOf(reserved.reduce(addRange, sent), wanted) > 0) return download;
  }
  return null;
}

/** What runs: downloads with a permit, all permits, and the bytes that they still reserve. */
function runningOf(sql: Sql, n: number, linkId: LinkId) {
  const [downloads] = sql.all<{ count: number }>(
    `SELECT count(*) AS count FROM share_downloads
     WHERE bucket = ? AND link_id = ? AND permits > 0`,
    n,
    linkId,
  );
  const [permits] = sql.all<{ count: number; bytes: number }>(
    `SELECT count(*) AS count, coalesce(sum(length_bytes), 0) AS bytes
     FROM share_permits WHERE bucket = ? AND link_id = ?`,
    n,
    linkId,
  );
  return {
    downloads: downloads?.count ?? 0,
    permits: permits?.count ?? 0,
    bytes: permits?.bytes ?? 0,
  };
}

function addDownload(
  sql: Sql,
  n: number,
  { linkId, downloadId, sizeBytes }: SharePermitRequest,
  nowMs: number,
): number {
  const [row] = sql.all<{ n: number }>(
    `INSERT INTO share_downloads
       (bucket, link_id, download_id, size_bytes, sent_bytes, sent, permits, updated_at_ms)
     VALUES (?, ?, ?, ?, 0, '[]', 0, ?) RETURNING n`,
    n,
    linkId,
    downloadId,
    sizeBytes,
    nowMs,
  );
  return row?.n ?? 0;
}

function addPermit(
  sql: Sql,
  n: number,
  { linkId, permitId, offsetBytes, lengthBytes }: SharePermitRequest,
  download: number,
  { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number },
): void {
  sql.all(
    `INSERT INTO share_permits
       (bucket, link_id, id, download, offset_bytes, length_bytes, sent_bytes, until_ms)
     VALUES (?, ?, ?, ?, ?, ?, 0, ?)`,
    n,
    linkId,
    permitId,
    download,
    offsetBytes,
    lengthBytes,
    untilMs,
  );
  sql.all(
    'UPDATE share_downloads SET permits = permits + 1, updated_at_ms = ? WHERE n = ?',
    nowMs,
    download,
  );
}

function permitsOf(sql: Sql, n: number, linkId: LinkId, download: number) {
  return sql.all<PermitRow>(
    `SELECT id, download, offset_bytes, length_bytes, sent_bytes
     FROM share_permits WHERE bucket = ? AND link_id = ? AND download = ?`,
    n,
    linkId,
    download,
  );
}
