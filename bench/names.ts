// What do sizes of prefixes, search by a part of the name and keeping both up to date cost at a
// million keys? The index alone, on a file: milliseconds of a question, seconds until a bucket is
// counted and indexed, and CPU microseconds of a commit.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/adapters/node/index/node-sqlite.ts';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketId,
  BucketName,
  BucketRecord,
  ObjectKey,
  VersionId,
} from '../src/domain/nouns.ts';
import { NO_FACTS } from '../src/domain/object-facts.ts';
import { createBucketIndex } from '../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../src/index/tables/index-schema.ts';
import { migrate } from '../src/index/tables/schema.ts';
import { median, printTable } from './lib/table.ts';

const KEYS = 1_000_000;
const REPEATS = 11;
const COMMITS = 12_800;
/** Commits of one transaction, as the writer gathers them under load. */
const GROUP = 64;

const bucket: BucketRecord = {
  id: 'bench~1' as BucketId,
  name: 'bench' as BucketName,
  ownerId: 'bench' as AccountId,
  createdAtMs: 0,
  revision: 1,
  access: PRIVATE_ACCESS,
  settings: NO_SETTINGS,
};

/** Half of the keys are numbered, half have text as random as a UUID in them. */
const KEY = `CASE i % 2
  WHEN 0 THEN printf('archive/%04d/object-%09d.%s', i / 1000, i,
    CASE i % 10 WHEN 0 THEN 'pdf' ELSE 'jpg' END)
  ELSE printf('users/%08x-%04x/photo-%d.jpg',
    (i * 2654435761) % 4294967296, (i * 40503) % 65536, i) END`;

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const path = join(folder, 'index.sqlite');
const sql = openSqlite(path, { readOnly: false });

/** CPU or wall milliseconds, whichever is less: others use the machine as well. */
function millis(work: () => void): number {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  work();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - startedAt, (user + system) / 1000);
}

const ask = (work: () => void) => {
  const times = Array.from({ length: REPEATS }, () => millis(work)).toSorted((a, b) => a - b);
  return [`${median(times).toFixed(2)} ms`, `${(times.at(-1) ?? 0).toFixed(2)} ms`] as const;
};

async function fileMiB(): Promise<number> {
  sql.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return Math.round((await stat(path)).size / 2 ** 20);
}

try {
  migrate(sql, INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  index.createBucket({ bucket });
  sql.all(
    `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ${KEYS})
     INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
       storage_class, detail)
     SELECT 1, ${KEY}, printf('v-%09d', i), 0, i % 1000, '900150983cd24fb0d6963f7d28e17f72', i,
       'STANDARD', '{}' FROM i`,
  );
  const emptyMiB = await fileMiB();

  /**
   * Commits of new keys in groups, into buckets that have nothing, sums, sums and search: in turns,
   * as others use the machine too.
   */
  const commitMicros = () => {
    const kinds = ['neither', 'counted', 'counted and searched'].map((kind, at) => {
      const name = `commits-${at}` as BucketName;
      const made = index.createBucket({ bucket: { ...bucket, id: `${name}~1` as BucketId, name } });
      if (at > 0) while (index.countAllKeys({ bucket: made }).state !== 'ready');
      if (at > 1) while (!index.indexKeys({ bucket: made, nowMs: 0 }).isDone);
      return { kind, bucket: made, times: [] as number[] };
    });
    for (let at = 0; at < COMMITS; at += GROUP) {
      for (const { bucket: to, times } of kinds) {
        const before = process.cpuUsage();
        sql.batch(() => {
          for (let i = at; i < at + GROUP; i++) {
            const key =
              `archive/${String((i * 7919) % 500).padStart(4, '0')}/added-${i}.jpg` as ObjectKey;
            const object = {
              ...{ ...NO_FACTS, key, versionId: `w-${i}` as VersionId, isNull: true },
              ...{
                sizeBytes: 3,
                etag: '900150983cd24fb0d6963f7d28e17f72',
                lastModifiedMs: 1_700_000_000_000,
              },
              ...{
                headers: { contentType: 'image/jpeg' },
                userMetadata: {},
                storageClass: 'STANDARD',
              },
              ...{
                segments: [] as const,
                inlineBytes: new Uint8Array(1000),
                checksum: null,
                parts: null,
              },
            };
            index.commitObject({ bucket: to, object, condition: null, newReferences: [] });
          }
        });
        const { user, system } = process.cpuUsage(before);
        times.push((user + system) / GROUP);
      }
    }
    const last = kinds.at(-1)?.bucket ?? bucket;
    const takeInMs = millis(() => {
      while (!index.indexKeys({ bucket: last, nowMs: 0 }).isDone);
    });
    const cells = kinds.map(({ kind, times }) => [
      `CPU of a commit: ${kind}`,
      `${median(times).toFixed(1)} µs`,
    ]);
    return [
      ...cells,
      ['taking in a changed name later', `${((takeInMs * 1000) / COMMITS).toFixed(1)} µs`],
    ];
  };
  const commits = commitMicros();
  let countSteps = 0;
  const countMs = millis(() => {
    do countSteps++;
    while (index.countAllKeys({ bucket }).state !== 'ready');
  });
  let indexSteps = 0;
  const stepTimes: number[] = [];
  const indexMs = millis(() => {
    for (let isDone = false; !isDone; indexSteps++) {
      stepTimes.push(
        millis(() => {
          isDone = index.indexKeys({ bucket, nowMs: 0 }).isDone;
        }),
      );
    }
  });
  printTable([
    ['what', 'value'],
    ['counting a million keys', `${(countMs / 1000).toFixed(2)} s in ${countSteps} steps`],
    [
      'indexing a million names',
      `${(indexMs / 1000).toFixed(1)} s in ${indexSteps} steps, the median ` +
        `${median(stepTimes).toFixed(0)} ms`,
    ],
    ['file without, with both', `${emptyMiB} MiB, ${await fileMiB()} MiB`],
    ...commits,
  ]);
  process.stdout.write('\n');

  const rows: string[][] = [['question', 'answer', 'median', 'worst of 11']];
  for (const prefix of [
    '',
    'archive/',
    'archive/0250/',
    'users/7',
    'users/7f',
    'archive/0250/object-000250500',
    'none/',
  ]) {
    const { sizes } = index.measurePrefixes({ bucket, prefixes: [prefix] });
    rows.push([
      `size of '${prefix}'`,
      `${sizes[0]?.objects} objects`,
      ...ask(() => index.measurePrefixes({ bucket, prefixes: [prefix] })),
    ]);
  }
  const prefixes = Array.from(
    { length: 100 },
    (_, at) => `archive/${String(at).padStart(4, '0')}/`,
  );
  rows.push([
    'sizes of 100 folders',
    '',
    ...ask(() => index.measurePrefixes({ bucket, prefixes })),
  ]);
  const needles = [
    'photo',
    'jpg',
    'pdf',
    '000',
    '00042',
    'photo-1234',
    '5000',
    '7f3a',
    'a1b2c',
    '999999',
    'zzzz',
    'Pho',
    'ar',
  ];
  for (const needle of needles) {
    const search = { bucket, prefix: '', needle, limit: 1000, after: null };
    const { objects, isComplete } = index.searchKeys(search);
    rows.push([
      `search '${needle}'`,
      `${objects.length}${isComplete ? '' : ' and more'}`,
      ...ask(() => index.searchKeys(search)),
    ]);
  }
  const inFolder = { bucket, prefix: 'archive/0250/', needle: 'pdf', limit: 1000, after: null };
  const { objects } = index.searchKeys(inFolder);
  rows.push([
    "search 'pdf' in 'archive/0250/'",
    `${objects.length}`,
    ...ask(() => index.searchKeys(inFolder)),
  ]);
  printTable(rows);
} finally {
  sql.close();
  await rm(folder, { recursive: true, force: true });
}
