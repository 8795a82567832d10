// Ends a response of a limited download by what was really sent: what adds to the
// download, what was sent before, when it is whole, and what is given up. Called by
// share-downloads.ts, in its transaction.
import type { LinkId } from '../../../domain/links/link-ids.ts';
import { LINK_RESUME_MS } from '../../../domain/links/link-limits.ts';
import { addRange, bytesIn, type SentRanges } from '../../../domain/links/sent-ranges.ts';
import type { Sql } from '../../../ports/sql.ts';
import { PLAN_ONCE } from '../../tables/plan-once.ts';
import { WHOLE_PPB } from './share-rows.ts';

/** The newest downloads of a visitor that a request may go on with. */
export const CONTINUED_AMONG = 16;
/** Downloads that were broken off, and are remembered so that they can go on. */
const IDLE_MAX = 1000;

export type DownloadRow = {
  readonly n: number;
  readonly download_id: string;
  readonly size_bytes: number;
  readonly sent: string;
  readonly permits: number;
};
export type PermitRow = {
  readonly id: string;
  readonly download: number;
  readonly offset_bytes: number;
  readonly length_bytes: number;
  readonly sent_bytes: number;
};

export const decodeRanges = ({ sent }: Pick<DownloadRow, 'sent'>): SentRanges =>
  JSON.parse(sent) as SentRanges;

/** Ends a permit by the bytes that were sent; whether its download is whole now. */
export function settle(
  sql: Sql,
  n: number,
  linkId: LinkId,
  permit: PermitRow,
  sentBytes: number,
  nowMs: number,
): boolean {
  const sent = Math.min(Math.max(sentBytes, 0), permit.length_bytes);
  sql.all(
    'DELETE FROM share_permits WHERE bucket = ? AND link_id = ? AND id = ?',
    n,
    linkId,
    permit.id,
  );
  const [download] = sql.all<DownloadRow>(
    'SELECT n, download_id, size_bytes, sent, permits FROM share_downloads WHERE n = ?',
    permit.download,
  );
  addBytes(sql, n, linkId, sent);
  if (download === undefined) return false;

  const before = decodeRanges(download);
  const after = addRange(before, [permit.offset_bytes, permit.offset_bytes + sent]);
  const covered = bytesIn(after);
  // Bytes that this download has sent before make it no wholer: they count with what
  // was broken off, of which a whole object's worth is a download too.
  const repeated = sent - (covered - bytesIn(before));
  addAborted(sql, n, linkId, repeated, download.size_bytes);

  if (covered >= download.size_bytes) {
    complete(sql, n, linkId, download, nowMs);
    return true;
  }
  sql.all(
    `UPDATE share_downloads
     SET sent = ?, sent_bytes = ?, permits = max(0, permits - 1), updated_at_ms = ? WHERE n = ?`,
    JSON.stringify(after),
    covered,
    nowMs,
    download.n,
  );
  return download.permits <= 1 && joinBrokenOff(sql, n, linkId, { ...download, after }, nowMs);
}

/**
 * Counts a whole download. Responses of it that still run begin another: what they
 * send was sent already.
 */
function complete(
  sql: Sql,
  n: number,
  linkId: LinkId,
  { n: download, permits }: DownloadRow,
  nowMs: number,
): void {
  if (permits <= 1) sql.all('DELETE FROM share_downloads WHERE n = ?', download);
  else
    sql.all(
      `UPDATE share_downloads
       SET sent = '[]', sent_bytes = 0, permits = permits - 1, updated_at_ms = ? WHERE n = ?`,
      nowMs,
      download,
    );
  sql.all(
    'UPDATE share_links SET completed = completed + 1 WHERE bucket = ? AND id = ?',
    n,
    linkId,
  );
}

/**
 * Joins a download that was broken off with another of the same visitor. Race: a
 * connection breaks, and the client goes on before the break is noticed, so that its
 * rest began as a download of its own. Guard: two of them that do not run are one;
 * bytes that both have sent count with what was broken off. Returns whether they are
 * whole together.
 */
function joinBrokenOff(
  sql: Sql,
  n: number,
  linkId: LinkId,
  { after, ...download }: DownloadRow & { readonly after: SentRanges },
  nowMs: number,
): boolean {
  const others = sql.all<DownloadRow>(
    `SELECT n, download_id, size_bytes, sent, permits FROM share_downloads
     WHERE bucket = ? AND link_id = ? AND download_id = ? AND permits = 0 AND n <> ?
     ORDER BY n DESC LIMIT ${PLAN_ONCE} ?`,
    n,
    linkId,
    download.download_id,
    download.n,
    CONTINUED_AMONG,
  );
  for (const other of others) {
    if (other.size_bytes !== download.size_bytes) continue;
    const joined = decodeRanges(other).reduce(addRange, after);
    const covered = bytesIn(joined);
    const repeated = bytesIn(after) + bytesIn(decodeRanges(other)) - covered;
    addAborted(sql, n, linkId, repeated, download.size_bytes);
    sql.all('DELETE FROM share_downloads WHERE n = ?', other.n);
    if (covered >= download.size_bytes) {
      complete(sql, n, linkId, { ...download, permits: 0 }, nowMs);
      return true;
    }
    sql.all(
      'UPDATE share_downloads SET sent = ?, sent_bytes = ? WHERE n = ?',
      JSON.stringify(joined),
      covered,
      download.n,
    );
    return false;
  }
  return false;
}

function addBytes(sql: Sql, n: number, linkId: LinkId, bytes: number): void {
  if (bytes > 0)
    sql.all(
      'UPDATE share_links SET bytes = bytes + ? WHERE bucket = ? AND id = ?',
      bytes,
      n,
      linkId,
    );
}

/** Adds bytes of a download that will not become whole, as a fraction of its object. */
function addAborted(sql: Sql, n: number, linkId: LinkId, bytes: number, sizeBytes: number): void {
  if (bytes <= 0) return;
  sql.all(
    'UPDATE share_links SET aborted_ppb = aborted_ppb + ? WHERE bucket = ? AND id = ?',
    Math.floor((WHOLE_PPB * bytes) / Math.max(sizeBytes, 1)),
    n,
    linkId,
  );
}

/** Gives up downloads that were broken off too long ago, and the oldest of too many. */
export function boundIdle(sql: Sql, n: number, linkId: LinkId, nowMs: number): void {
  const expired = sql.all<IdleRow>(
    `SELECT n, sent_bytes, size_bytes FROM share_downloads
     WHERE bucket = ? AND link_id = ? AND permits = 0 AND updated_at_ms <= ?`,
    n,
    linkId,
    nowMs - LINK_RESUME_MS,
  );
  for (const download of expired) giveUp(sql, n, linkId, download);
  const surplus = sql.all<IdleRow>(
    `SELECT n, sent_bytes, size_bytes FROM share_downloads
     WHERE bucket = ? AND link_id = ? AND permits = 0
     ORDER BY updated_at_ms DESC LIMIT -1 OFFSET ${PLAN_ONCE} ?`,
    n,
    linkId,
    IDLE_MAX,
  );
  for (const download of surplus) giveUp(sql, n, linkId, download);
}

type IdleRow = { readonly n: number; readonly sent_bytes: number; readonly size_bytes: number };

function giveUp(sql: Sql, n: number, linkId: LinkId, download: IdleRow): void {
  sql.all('DELETE FROM share_downloads WHERE n = ?', download.n);
  addAborted(sql, n, linkId, download.sent_bytes, download.size_bytes);
}
