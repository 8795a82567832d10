// What does it cost to jump to a rank or a name of a folder with a million rows? Through the use
// case and the Node adapter, on a file: milliseconds of the first page, of the first jump, which
// counts the folder, and of those after it; rows read, which Durable Objects are billed for; and
// what a commit pays for counts that are kept.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/adapters/node/index/node-sqlite.ts';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../src/domain/bucket-settings.ts';
import type { AccountId, BucketId, BucketName, BucketRecord } from '../src/domain/nouns.ts';
import { createBucketIndex } from '../src/index/bucket-index.ts';
import { noteLevelChange } from '../src/index/keys/key-levels.ts';
import { INDEX_SCHEMA } from '../src/index/tables/index-schema.ts';
import { migrate } from '../src/index/tables/schema.ts';
import type { LevelStart } from '../src/ports/index-calls/level-calls.ts';
import { median, printTable } from './lib/table.ts';

const ROWS = 1_000_000;
const REPEATS = 11;
const NOTES = 20_000;

/** A million rows directly below each prefix; `mixed`: two files, then a folder of two. */
const LEVELS = [
  { prefix: 'flat/', rows: ROWS, key: `printf('flat/%09d.jpg', i)` },
  { prefix: 'folders/', rows: 2 * ROWS, key: `printf('folders/%09d/%d.jpg', i / 2, i)` },
  {
    prefix: 'mixed/',
    rows: (4 * ROWS) / 3,
    key: `CASE WHEN i % 4 < 2 THEN printf('mixed/%09d-%d.jpg', i / 4, i % 4)
      ELSE printf('mixed/%09d-f/%d.jpg', i / 4, i) END`,
  },
] as const;

const bucket: BucketRecord = {
  id: 'bench~1' as BucketId,
  name: 'bench' as BucketName,
  ownerId: 'bench' as AccountId,
  createdAtMs: 0,
  revision: 1,
  access: PRIVATE_ACCESS,
  settings: NO_SETTINGS,
};

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const sql = openSqlite(join(folder, 'index.sqlite'), { readOnly: false });

function millis(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

try {
  migrate(sql, INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  index.createBucket({ bucket });
  for (const { rows, key } of LEVELS) {
    sql.all(
      `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ${rows})
       INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
         storage_class, detail)
       SELECT 1, ${key}, printf('v-%09d', i), 0, i % 1000, '900150983cd24fb0d6963f7d28e17f72', i,
         'STANDARD', '{}' FROM i`,
    );
  }

  const table: string[][] = [];
  for (const { prefix } of LEVELS) {
    const level = {
      bucket: { ...bucket, versioning: 'off' as const, defaultRetention: null },
      prefix,
    };
    const ask = (start: LevelStart) =>
      index.listLevel({ ...level, delimiter: '/', maxKeys: 100, start });
    const first = millis(() => ask({ by: 'rank', rank: 0, isFromEnd: false }));
    const steps: number[] = [];
    for (let isReady = false; !isReady; ) {
      steps.push(
        millis(() => {
          ({ isReady } = index.countLevel({ ...level, delimiter: '/', nowMs: 0 }));
        }),
      );
    }
    const { total, isExact } = ask({ by: 'rank', rank: 0, isFromEnd: false });
    if (!isExact || Math.abs(total - ROWS) > 1) throw new Error(`${prefix} has ${total} rows`);
    const jumps = (startOf: (at: number) => LevelStart) => {
      const times = Array.from({ length: REPEATS }, (_, at) => millis(() => ask(startOf(at))));
      const sorted = times.toSorted((a, b) => a - b);
      return `${median(sorted).toFixed(1)} / ${(sorted.at(-1) ?? 0).toFixed(1)}`;
    };
    const rankOf = (at: number) => Math.floor((total * (at + 0.4)) / REPEATS);
    const nameAt = (at: number) => `${prefix}${String(at * 20_000).padStart(9, '0')}`;
    const notes = millis(() => {
      sql.transaction(() => {
        for (let at = 0; at < NOTES; at++) {
          noteLevelChange(sql, 1, `${prefix}${at}`, at % 2 === 0 ? 1 : -1);
        }
      });
    });
    table.push([
      prefix,
      first.toFixed(1),
      `${(steps.reduce((sum, one) => sum + one, 0) / 1000).toFixed(2)} s`,
      `${Math.max(...steps).toFixed(1)} of ${steps.length}`,
      jumps((at) => ({ by: 'rank', rank: rankOf(at), isFromEnd: false })),
      jumps((at) => ({ by: 'rank', rank: rankOf(at), isFromEnd: true })),
      jumps((at) => ({ by: 'name', name: nameAt(at) })),
      `${((notes * 1000) / NOTES).toFixed(1)} µs`,
    ]);
  }
  const head = ['a million rows', 'page 1', 'count', 'longest step', 'at', 'at, desc', 'from'];
  printTable([[...head, 'commit'], ...table]);
} finally {
  sql.close();
  await rm(folder, { recursive: true });
}
