// Slices of a sorted level against a plain sort, page by page, with keys that slices end within.
import { describe, expect, it } from 'vitest';
import { compareUtf8 } from '../../../src/domain/keys/compare-utf8.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { LevelSort, SortedRow } from '../../../src/ports/index-calls/level-calls.ts';
import { bucketRecord, refOf } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const FILES = 40_000;

function openWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
  const insert = (key: string, count: number) =>
    sql.all(
      `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ?)
       INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
         storage_class) SELECT 1, ${key}, '', 0, i * 7919 % 1009, '', i % 7, 'STANDARD' FROM i`,
      count,
    );
  insert(
    `printf('é/%06d.%s', i, CASE i % 3 WHEN 0 THEN 'JPG' WHEN 1 THEN 'txt' ELSE 'é' END)`,
    FILES,
  );
  insert(`printf('é/%06d-in/%d', i * 2000, i)`, 20);
  // A folder that is larger than a slice, with a key behind it.
  insert(`printf('é/030000.a/%06d', i)`, 60_000);
  insert(`'é/a' || char(0) || '/b'`, 1);
  // A folder without a name.
  insert(`'é//b'`, 1);
  return { sql, index, bucket };
}
const { sql, index, bucket } = openWorld();
const level = { bucket, prefix: 'é/', delimiter: '/' };

const files = sql
  .all<{ key: string; size: number; modified: number }>(
    'SELECT key, size_bytes AS size, last_modified_ms AS modified FROM objects ORDER BY key',
  )
  .filter(({ key }) => !key.slice(2).includes('/'));

/** The first rows of all slices, as the core joins them. */
function select(by: LevelSort, isDescending: boolean, behind: SortedRow | null, limit: number) {
  const rows: SortedRow[] = [];
  let slices = 0;
  for (let from: string | null = ''; from !== null; slices++) {
    const input = { ...level, what: 'objects', by, isDescending, behind, limit, from } as const;
    const slice = index.sortLevel({ ...input, before: null });
    expect(slice.rows.length).toBeLessThanOrEqual(limit);
    rows.push(...slice.rows);
    from = slice.next;
  }
  return { rows, slices };
}

describe('a sorted level', () => {
  it.each(['size', 'modified', 'type'] as const)('gives the first rows by %s', (by) => {
    const sortValue = ({ key, size, modified }: (typeof files)[number]) =>
      by === 'size' ? size : by === 'modified' ? modified : key.slice(9).toLowerCase();
    for (const isDescending of [false, true]) {
      const sign = isDescending ? -1 : 1;
      const compare = (a: number | string, b: number | string) =>
        typeof a === 'number' ? a - Number(b) : compareUtf8(a, `${b}`);
      const order = (a: SortedRow, b: SortedRow) =>
        sign * compare(a.value, b.value) || compareUtf8(a.key, b.key);
      const wanted = files
        .map((file) => ({ key: file.key, value: sortValue(file) }))
        .toSorted((a, b) => sign * compare(a.value, b.value) || compareUtf8(a.key, b.key));
      const first = select(by, isDescending, null, 300);
      expect(first.slices).toBeLessThan(5);
      const top = first.rows.toSorted(order).slice(0, 300);
      const plain = (rows: readonly SortedRow[]) => rows.map(({ key, value }) => ({ key, value }));
      expect(plain(top)).toEqual(wanted.slice(0, 300));
      expect(top[0]?.object.key).toBe(top[0]?.key);
      const next = select(by, isDescending, top.at(-1) ?? null, 300);
      expect(plain(next.rows.toSorted(order).slice(0, 300))).toEqual(wanted.slice(300, 600));
      // Whoever has a full page asks only for what comes before its last row.
      const bounds = { behind: top[9] ?? null, before: top[20] ?? null, limit: 300, from: '' };
      const between = index.sortLevel({ ...level, what: 'objects', by, isDescending, ...bounds });
      expect(
        between.rows.every((row) => top.slice(10, 20).some(({ key }) => key === row.key)),
      ).toBe(true);
    }
  });

  it('finds its folders by name, those larger than a slice too', () => {
    const wanted = sql
      .all<{ key: string }>('SELECT key FROM objects ORDER BY key')
      .flatMap(({ key }) =>
        key.slice(2).includes('/') ? [key.slice(0, key.indexOf('/', 2) + 1)] : [],
      );
    const found: string[] = [];
    for (let from: string | null = ''; from !== null; ) {
      const rest = { by: 'size', isDescending: false, behind: null, before: null } as const;
      const slice = index.sortLevel({ ...level, what: 'folders', ...rest, limit: 3, from });
      found.push(...slice.folders);
      from = slice.next;
    }
    expect(found).toEqual([...new Set(wanted)]);
    expect(found).toHaveLength(23);
  });

  it('has the type behind the last dot of a name, and none without a dot there', () => {
    const small = openMigrated(INDEX_SCHEMA);
    const names = createBucketIndex(small);
    const record = refOf(names.createBucket({ bucket: bucketRecord() }));
    for (const key of ['README', 'b.TXT', 'a.tar.gz', '.dot', 'end.'])
      small.all(
        `INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag,
           last_modified_ms, storage_class) VALUES (1, ?, '', 0, 1, '', 0, 'STANDARD')`,
        key,
      );
    const input = {
      bucket: record,
      prefix: '',
      delimiter: '',
      what: 'objects',
      by: 'type',
    } as const;
    const bounds = { isDescending: false, behind: null, before: null, limit: 10, from: '' };
    const { rows, next } = names.sortLevel({ ...input, ...bounds });
    expect(rows.map(({ key, value }) => [key, value])).toEqual([
      ['README', ''],
      ['end.', ''],
      ['.dot', 'dot'],
      ['a.tar.gz', 'gz'],
      ['b.TXT', 'txt'],
    ]);
    expect(next).toBeNull();
    const folders = { ...input, ...bounds, what: 'folders' } as const;
    expect(names.sortLevel(folders)).toEqual({ rows: [], folders: [], next: null });
    small.close();
  });
});
