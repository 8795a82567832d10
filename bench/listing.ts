// What does a page of a listing cost as a bucket grows? The index alone: CPU microseconds, and the
// steps that SQLite's own machine took for each name that came back, at 1,000, 100,000 and
// 1,000,000 keys. If a page read rows that it does not return, the steps for each name would grow
// with the bucket.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketId,
  BucketName,
  BucketRecord,
  ObjectKey,
  VersionName,
} from '../src/domain/nouns.ts';
import { createBucketIndex } from '../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../src/index/tables/index-schema.ts';
import { migrate } from '../src/index/tables/schema.ts';
import type { Sql } from '../src/ports/sql.ts';
import { median, printTable } from './lib/table.ts';

const SIZES = [1000, 100_000, 1_000_000];
/** Keys of one folder; so a listing with delimiter skips this many for each common prefix. */
const KEYS_PER_FOLDER = 100;
const PAGE = 1000;
const REPEATS = 31;

const bucket: BucketRecord = {
  id: 'bench~1' as BucketId,
  name: 'bench' as BucketName,
  ownerId: 'bench' as AccountId,
  createdAtMs: 0,
  revision: 1,
  access: PRIVATE_ACCESS,
  settings: { ...NO_SETTINGS, versioning: 'enabled' },
};
const ref = { ...bucket, versioning: 'enabled' } as const;

/** The SQL port over memory, which also counts the steps that its statements took. */
function openCounting(): Sql & { readonly steps: () => number; readonly close: () => void } {
  const db = new DatabaseSync(':memory:');
  const statements = new Map<string, StatementSync>();
  return {
    all(text, ...values) {
      const statement = statements.get(text) ?? db.prepare(text);
      statements.set(text, statement);
      return statement.all(...values) as never[];
    },
    transaction: (work) => work(),
    steps: () =>
      [...statements.values()].reduce((sum, statement) => {
        // The types of Node 26.6 lack this method of Node 26.10.
        const { stat } = statement as unknown as { stat(counter: 'vmStep'): number };
        return sum + stat.call(statement, 'vmStep');
      }, 0),
    close: () => db.close(),
  };
}

/** Rows as commits make them: one object, one older version and one upload under each key. */
function fill(sql: Sql, keys: number): void {
  const numbers =
    'WITH RECURSIVE i (i) AS ' +
    `(SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ${keys} LIMIT ${keys})`;
  const key = `printf('folder-%06d/object-%09d.jpg', i / ${KEYS_PER_FOLDER}, i)`;
  const detail = `'{"headers":{"contentType":"image/jpeg"}}'`;
  const columns =
    'bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms, storage_class, detail';
  const values =
    `1, ${key}, printf('v2-%09d', i), 0, 3, '900150983cd24fb0d6963f7d28e17f72', ` +
    `1700000000000 + i, 'STANDARD', ${detail}`;
  sql.all(`${numbers} INSERT INTO objects (${columns}) SELECT ${values} FROM i`);
  sql.all(
    `${numbers} INSERT INTO versions (${columns}, is_marker, replaced_at_ms)
     SELECT ${values.replace('v2-', 'v1-')}, 0, 1700000000001 + i FROM i`,
  );
  sql.all(
    `${numbers} INSERT INTO uploads (bucket, key, upload_id, created_at_ms, attributes)
     SELECT 1, ${key}, printf('upload-%09d', i), 1700000000000 + i,
       '{"headers":{},"userMetadata":{},"storageClass":"STANDARD"}' FROM i`,
  );
}

type Page = { readonly names: number; readonly next: string };

/** Median CPU of a page, and the steps of SQLite for each name of it. */
function measure(sql: { readonly steps: () => number }, page: () => Page): string {
  const before = sql.steps();
  const { names } = page();
  const steps = sql.steps() - before;
  const times = Array.from({ length: REPEATS }, () => {
    const cpuBefore = process.cpuUsage();
    const startedAt = performance.now();
    page();
    const wall = (performance.now() - startedAt) * 1000;
    const cpu = process.cpuUsage(cpuBefore);
    return Math.min(wall, cpu.user + cpu.system);
  });
  return `${Math.round(median(times))} µs, ${(steps / Math.max(names, 1)).toFixed(1)}`;
}

const rows: string[][] = [];
for (const keys of SIZES) {
  const sql = openCounting();
  migrate(sql, INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  index.createBucket({ bucket });
  fill(sql, keys);
  const folder = (at: number) =>
    `folder-${String(Math.floor(at / KEYS_PER_FOLDER)).padStart(6, '0')}/`;
  const middle = `${folder(keys / 2)}object-${String(keys / 2).padStart(9, '0')}.jpg`;
  const kinds: Record<
    string,
    (prefix: string, delimiter: string, after: string, max: number) => Page
  > = {
    objects(prefix, delimiter, after, maxKeys) {
      const page = index.listObjects({ bucket: ref, prefix, delimiter, after, maxKeys });
      return { names: page.objects.length + page.commonPrefixes.length, next: page.lastName ?? '' };
    },
    versions(prefix, delimiter, afterKey, maxKeys) {
      const place = { afterKey, afterVersionId: '' as VersionName | '' };
      const page = index.listVersions({ bucket: ref, prefix, delimiter, ...place, maxKeys });
      return {
        names: page.versions.length + page.commonPrefixes.length,
        next: page.last?.key ?? '',
      };
    },
    uploads(prefix, delimiter, afterKey, maxUploads) {
      const page = index.listUploads({
        bucket: ref,
        prefix,
        delimiter,
        afterKey,
        afterUploadId: '',
        maxUploads,
      });
      return {
        names: page.uploads.length + page.commonPrefixes.length,
        next: page.last?.key ?? '',
      };
    },
  };
  for (const [kind, list] of Object.entries(kinds)) {
    const twoPages = () => {
      const first = list('', '', '', PAGE / 2);
      const second = list('', '', first.next, PAGE / 2);
      return { names: first.names + second.names, next: second.next };
    };
    rows.push([
      kind,
      keys.toLocaleString('en'),
      measure(sql, () => list('', '', '', PAGE)),
      measure(sql, () => list('', '', middle, PAGE)),
      measure(sql, twoPages),
      measure(sql, () => list(folder(keys / 2), '/', '', PAGE)),
      measure(sql, () => list('', '/', folder(keys / 2), PAGE / 10)),
    ]);
  }
  const one = () => {
    const found = index.getVersion({ bucket: ref, key: middle as ObjectKey, versionId: null });
    return { names: found === null ? 0 : 1, next: '' };
  };
  rows.push(['one object', keys.toLocaleString('en'), measure(sql, one), '', '', '', '']);
  sql.close();
}
const head = [
  'what',
  'keys',
  'first 1,000',
  '1,000 from the middle',
  'two pages of 500',
  'one folder',
  '100 common prefixes',
];
printTable([head, ...rows]);
