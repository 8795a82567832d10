// The rows of share links, and what all calls on them need: the link of an id, its
// use, and where its rows go when it goes.
import { StorageError } from '../../../domain/errors.ts';
import type { LabelId, LinkId } from '../../../domain/links/link-ids.ts';
import {
  NO_SHARE_LIMITS,
  PLAIN_SHARE_PAGE,
  type ShareLabel,
  type ShareLink,
  type ShareUsage,
  WHOLE_AUDIENCE,
} from '../../../domain/links/share-links.ts';
import type { BucketAddress } from '../../../domain/nouns.ts';
import type { Sql } from '../../../ports/sql.ts';
import { dropHistory } from '../link-history.ts';

/** What a whole object is worth in fractions of downloads. */
export const WHOLE_PPB = 1_000_000_000;

export type ShareLinkRow = {
  readonly link: string;
  readonly completed: number;
  readonly bytes: number;
  readonly aborted_ppb: number;
  readonly last_used_ms: number | null;
};

/** The number of a bucket's incarnation while it is there; null when it is gone. */
export function findLiveBucket(sql: Sql, bucket: BucketAddress): number | null {
  const [row] = sql.all<{ n: number }>(
    'SELECT n FROM buckets WHERE id = ? AND name = ? AND deleted_at_ms IS NULL',
    bucket.id,
    bucket.name,
  );
  return row?.n ?? null;
}

/** The row of a link; null: it is gone. */
export function findShareRow(sql: Sql, n: number, id: LinkId): ShareLinkRow | null {
  const [row] = sql.all<ShareLinkRow>(
    `SELECT link, completed, bytes, aborted_ppb, last_used_ms
     FROM share_links WHERE bucket = ? AND id = ?`,
    n,
    id,
  );
  return row ?? null;
}

/** NoSuchResource where there is no such link. */
export function requireShareRow(sql: Sql, n: number, id: LinkId): ShareLinkRow {
  const row = findShareRow(sql, n, id);
  if (row === null) throw new StorageError('NoSuchResource');
  return row;
}

/**
 * The link of a row. What came to links later than the row is as if nobody had set it:
 * an absent limit is none.
 */
export function decodeShare({ link }: Pick<ShareLinkRow, 'link'>): ShareLink {
  const stored = JSON.parse(link) as ShareLink;
  return {
    ...LATER_FIELDS,
    ...stored,
    limits: { ...NO_SHARE_LIMITS, ...stored.limits },
    audience: { ...WHOLE_AUDIENCE, ...stored.audience },
    page: { ...PLAIN_SHARE_PAGE, ...stored.page },
  };
}

/** Fields of a link that a row of an older program may lack, as they are then. */
const LATER_FIELDS = {
  notBeforeMs: null,
  expiresAtMs: null,
  revokedAtMs: null,
  passwordHash: null,
  passwordRevision: 0,
  note: '',
  cutsRunning: false,
} satisfies Partial<ShareLink>;

/** A label of a link; null: there is none of that id. */
export function findShareLabel(
  sql: Sql,
  n: number,
  linkId: LinkId,
  id: LabelId,
): ShareLabel | null {
  const [row] = sql.all<LabelRow>(
    `SELECT id, name, created_at_ms, revoked_at_ms FROM share_labels
     WHERE bucket = ? AND link_id = ? AND id = ?`,
    n,
    linkId,
    id,
  );
  return row === undefined ? null : toLabel(row);
}

/** The labels of a link, in the order of their ids. */
export function listShareLabels(sql: Sql, n: number, linkId: LinkId): readonly ShareLabel[] {
  return sql
    .all<LabelRow>(
      `SELECT id, name, created_at_ms, revoked_at_ms FROM share_labels
       WHERE bucket = ? AND link_id = ? ORDER BY id`,
      n,
      linkId,
    )
    .map(toLabel);
}

type LabelRow = {
  readonly id: string;
  readonly name: string;
  readonly created_at_ms: number;
  readonly revoked_at_ms: number | null;
};

function toLabel(row: LabelRow): ShareLabel {
  return {
    id: row.id as LabelId,
    name: row.name,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms,
  };
}

/**
 * What counts of a link: completed downloads, and whole objects' worth of what broke
 * off. A download that is broken off counts by its bytes until it is continued, as
 * that of the row `continued` is.
 */
export function usageOf(
  sql: Sql,
  n: number,
  id: LinkId,
  row: ShareLinkRow,
  continued: number | null = null,
): ShareUsage {
  const [idle] = sql.all<{ ppb: number }>(
    `SELECT coalesce(sum(CAST(${WHOLE_PPB}.0 * sent_bytes / max(size_bytes, 1) AS INTEGER)), 0)
       AS ppb
     FROM share_downloads WHERE bucket = ? AND link_id = ? AND permits = 0 AND n IS NOT ?`,
    n,
    id,
    continued,
  );
  const brokenOff = Math.floor((row.aborted_ppb + (idle?.ppb ?? 0)) / WHOLE_PPB);
  return { downloads: row.completed + brokenOff, bytes: row.bytes };
}

/** Deletes all rows of a link. */
export function dropShare(sql: Sql, n: number, id: LinkId): void {
  sql.all('DELETE FROM share_links WHERE bucket = ? AND id = ?', n, id);
  sql.all('DELETE FROM share_labels WHERE bucket = ? AND link_id = ?', n, id);
  sql.all('DELETE FROM share_downloads WHERE bucket = ? AND link_id = ?', n, id);
  sql.all('DELETE FROM share_permits WHERE bucket = ? AND link_id = ?', n, id);
  sql.all('DELETE FROM share_days WHERE bucket = ? AND link_id = ?', n, id);
  sql.all('DELETE FROM share_sums WHERE bucket = ? AND link_id = ?', n, id);
  dropHistory(sql, n, id);
}
