// The listings of current objects and of all versions. Order, prefixes and
// delimiters are key-pages.ts's; here are the tables.
import { compareUtf8 } from '../../domain/keys/compare-utf8.ts';
import type { VersionId, VersionSummary } from '../../domain/nouns.ts';
import type {
  IndexApi,
  ListObjectsInput,
  ListObjectsPage,
  ListVersionsInput,
  ListVersionsPage,
} from '../../ports/metadata-index.ts';
import type { Sql, SqlValue } from '../../ports/sql.ts';
import { AFTER_ALL_IDS, justAfter } from '../keys/key-order.ts';
import { type Cursor, readNamePage, startKey } from '../keys/key-pages.ts';
import { decodeSummary, type SummaryRow } from '../keys/summary-rows.ts';
import { requireBucket } from '../require-bucket.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/** The listings over a database with INDEX_SCHEMA; bucket-index.ts makes each atomic. */
export function createListingCalls(sql: Sql): Pick<IndexApi, 'listObjects' | 'listVersions'> {
  return {
    listObjects: (input) => listObjects(sql, input),
    listVersions: (input) => listVersions(sql, input),
  };
}

/** BucketChanged. */
function listObjects(sql: Sql, input: ListObjectsInput): ListObjectsPage {
  const n = requireBucket(sql, input.bucket);
  return listFrom(sql, n, input, startKey(input.prefix, input.delimiter, input.after));
}

/** One page of current objects whose first key is at or behind `start`. */
export function listFrom(
  sql: Sql,
  n: number,
  input: Pick<ListObjectsInput, 'prefix' | 'delimiter' | 'maxKeys'>,
  start: SqlValue,
): ListObjectsPage {
  const page = readNamePage<SummaryRow>({
    prefix: input.prefix,
    delimiter: input.delimiter,
    maxNames: input.maxKeys,
    start: { key: start, within: '' },
    first: '',
    read: (from, endKey, limit) =>
      sql.all<SummaryRow>(
        `SELECT key, owner_id, size_bytes, etag, last_modified_ms, storage_class,
           checksum_algorithm, checksum_type
         FROM objects WHERE bucket = ? AND key >= ? AND key < ? ORDER BY key LIMIT ${PLAN_ONCE} ?`,
        n,
        from.key,
        endKey,
        limit,
      ),
    after: (row) => ({ key: justAfter(row.key), within: '' }),
  });
  return {
    objects: page.rows.map(decodeSummary),
    commonPrefixes: page.commonPrefixes,
    isTruncated: page.isTruncated,
    lastName: typeof page.last === 'string' ? page.last : (page.last?.key ?? null),
  };
}

type ListedRow = SummaryRow & {
  readonly version_id: string;
  readonly is_null: number;
  readonly is_marker: number;
  readonly replaced_at_ms: number | null;
};

const LISTED_COLUMNS = `key, owner_id, size_bytes, etag, last_modified_ms, storage_class,
  checksum_algorithm, checksum_type, version_id, is_null`;

/** Where a key's versions begin, as the newest comes first. */
const NEWEST = AFTER_ALL_IDS;

/**
 * BucketChanged. The two tables are read side by side, so each row returned costs
 * at most two rows read.
 */
function listVersions(sql: Sql, input: ListVersionsInput): ListVersionsPage {
  const n = requireBucket(sql, input.bucket);
  const page = readNamePage<ListedRow>({
    prefix: input.prefix,
    delimiter: input.delimiter,
    maxNames: input.maxKeys,
    start: firstVersion(sql, n, input),
    first: NEWEST,
    read: (from, endKey, limit) => {
      const older = from.within === NEWEST ? [] : readOlder(sql, n, from, endKey, limit);
      if (older.length === limit) return older;
      const isAtStart = from.within === NEWEST;
      const bound = isAtStart ? 'key >= ?2' : 'key > ?2';
      const current = sql.all<ListedRow>(
        `SELECT ${LISTED_COLUMNS}, 0 AS is_marker, NULL AS replaced_at_ms FROM objects
         WHERE bucket = ?1 AND ${bound} AND key < ?3 ORDER BY key LIMIT ${PLAN_ONCE} ?4`,
        n,
        from.key,
        endKey,
        limit,
      );
      const others = sql.all<ListedRow>(
        `SELECT ${LISTED_COLUMNS}, is_marker, replaced_at_ms FROM versions
         WHERE bucket = ?1 AND ${bound} AND key < ?3
         ORDER BY key, version_id DESC LIMIT ${PLAN_ONCE} ?4`,
        n,
        from.key,
        endKey,
        limit,
      );
      return [...older, ...merge(current, others)].slice(0, limit);
    },
    after: (row) => ({ key: row.key, within: row.version_id }),
  });
  const { last } = page;
  return {
    versions: page.rows.map(decodeListed),
    commonPrefixes: page.commonPrefixes,
    isTruncated: page.isTruncated,
    last:
      last === null
        ? null
        : typeof last === 'string'
          ? { key: last, versionId: '' }
          : { key: last.key, versionId: last.version_id as VersionId },
  };
}

/**
 * The versions of the cursor's own key that are older than the cursor. One of them
 * is the current one, when those that were newer have been deleted since.
 */
function readOlder(
  sql: Sql,
  bucket: number,
  from: Cursor,
  endKey: SqlValue,
  limit: number,
): ListedRow[] {
  const current = sql.all<ListedRow>(
    `SELECT ${LISTED_COLUMNS}, 0 AS is_marker, NULL AS replaced_at_ms FROM objects
     WHERE bucket = ? AND key = ? AND key < ? AND version_id < ?`,
    bucket,
    from.key,
    endKey,
    from.within,
  );
  const others = sql.all<ListedRow>(
    `SELECT ${LISTED_COLUMNS}, is_marker, replaced_at_ms FROM versions
     WHERE bucket = ? AND key = ? AND key < ? AND version_id < ?
     ORDER BY version_id DESC LIMIT ${PLAN_ONCE} ?`,
    bucket,
    from.key,
    endKey,
    from.within,
    limit - current.length,
  );
  return [...current, ...others];
}

/**
 * Two lists in order become one; the current object of a key comes before its other
 * versions.
 */
function merge(current: readonly ListedRow[], others: readonly ListedRow[]): ListedRow[] {
  const merged: ListedRow[] = [];
  let at = 0;
  for (const row of current) {
    for (
      let other = others[at];
      other !== undefined && compareUtf8(other.key, row.key) < 0;
      other = others[++at]
    ) {
      merged.push(other);
    }
    merged.push(row);
  }
  return [...merged, ...others.slice(at)];
}

/**
 * Where the page starts; `null` names the version that has no id, if it is there
 * still.
 */
function firstVersion(sql: Sql, bucket: number, input: ListVersionsInput): Cursor {
  const { prefix, delimiter, afterKey, afterVersionId } = input;
  const key = startKey(prefix, delimiter, afterKey);
  const isInsideKey =
    afterVersionId !== '' && afterKey.startsWith(prefix) && key === justAfter(afterKey);
  if (!isInsideKey) return { key, within: NEWEST };
  if (afterVersionId !== 'null') return { key: afterKey, within: afterVersionId };
  const [row] = sql.all<{ version_id: string }>(
    `SELECT version_id FROM objects WHERE bucket = ?1 AND key = ?2 AND is_null = 1
     UNION ALL SELECT version_id FROM versions WHERE bucket = ?1 AND key = ?2 AND is_null = 1`,
    bucket,
    afterKey,
  );
  return row === undefined ? { key, within: NEWEST } : { key: afterKey, within: row.version_id };
}

function decodeListed(row: ListedRow): VersionSummary {
  return {
    ...decodeSummary(row),
    versionId: row.version_id as VersionId,
    isNull: row.is_null === 1,
    isMarker: row.is_marker === 1,
    isLatest: row.replaced_at_ms === null,
    replacedAtMs: row.replaced_at_ms,
  };
}
