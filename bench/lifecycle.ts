// What does a lifecycle run cost the index as a bucket grows? One page (CPU µs), pages and CPU of a
// whole run, at 10,000, 100,000 and 1,000,000 keys: nothing due, everything due of which nothing is
// done, and a commit of 250 ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/adapters/node/index/node-sqlite.ts';
import { PRIVATE_ACCESS } from '../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../src/domain/bucket-settings.ts';
import type { LifecycleAction, LifecycleBounds, LifecycleCursor } from '../src/domain/lifecycle.ts';
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

const SIZES = [10_000, 100_000, 1_000_000];
const COMMIT_BATCH = 5000;
const NOW_MS = 1_700_000_000_000;

const bucket: BucketRecord = {
  id: 'bench~1' as BucketId,
  name: 'bench' as BucketName,
  ownerId: 'bench' as AccountId,
  createdAtMs: 0,
  revision: 1,
  access: PRIVATE_ACCESS,
  settings: NO_SETTINGS,
};
const START: LifecycleCursor = {
  phase: 'objects',
  prefix: '',
  afterKey: '',
  afterId: '',
  newerVersions: 0,
};
const bounds = (endUpToMs: number): LifecycleBounds => ({
  endUpToMs,
  moveUpToMs: null,
  moveMinBytes: Number.MAX_SAFE_INTEGER,
  moveUnlessIn: [],
  markersUpToMs: null,
});

const objectAt = (i: number) => ({
  ...NO_FACTS,
  key: (`folder-${String(Math.floor(i / 1000)).padStart(6, '0')}/object-` +
    `${String(i).padStart(9, '0')}.jpg`) as ObjectKey,
  versionId: `version-${i}` as VersionId,
  isNull: true,
  sizeBytes: 3,
  etag: '900150983cd24fb0d6963f7d28e17f72',
  lastModifiedMs: NOW_MS,
  headers: { contentType: 'image/jpeg' },
  userMetadata: {},
  tags: { team: 'a' },
  storageClass: 'STANDARD',
  segments: [] as const,
  inlineBytes: new Uint8Array([97, 98, 99]),
  checksum: null,
  parts: null,
});

/**
 * CPU and wall microseconds of the work, the smaller of the two: others use the machine as well.
 */
function micros(work: () => void): number {
  const before = process.cpuUsage();
  const startedAt = performance.now();
  work();
  const wall = (performance.now() - startedAt) * 1000;
  const cpu = process.cpuUsage(before);
  return Math.min(wall, cpu.user + cpu.system);
}

const rows: (string | number)[][] = [
  [
    'keys',
    'nothing due: a page',
    'pages',
    'whole run',
    'all due: a page',
    'pages',
    'whole run',
    'commit of 250 ends',
  ],
];
for (const size of SIZES) {
  const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
  const sql = openSqlite(join(folder, 'index.sqlite'), { readOnly: false });
  try {
    migrate(sql, INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    index.createBucket({ bucket });
    for (let start = 0; start < size; start += COMMIT_BATCH) {
      sql.transaction(() => {
        for (let i = start; i < Math.min(start + COMMIT_BATCH, size); i++) {
          index.commitObject({ bucket, object: objectAt(i), condition: null, newReferences: [] });
        }
      });
    }
    const walk = (endUpToMs: number) => {
      const times: number[] = [];
      for (let place: LifecycleCursor | null = START; place !== null; ) {
        const from: LifecycleCursor = place;
        times.push(
          micros(() => {
            place = index.scanLifecycle({ bucket, cursor: from, bounds: bounds(endUpToMs) }).next;
          }),
        );
      }
      const wholeMs = Math.round(times.reduce((sum, time) => sum + time, 0) / 1000);
      return [`${Math.round(median(times))} µs`, times.length, `${wholeMs} ms`];
    };
    const { subjects } = index.scanLifecycle({ bucket, cursor: START, bounds: bounds(NOW_MS) });
    const actions = subjects.flatMap((subject): LifecycleAction[] =>
      subject.kind === 'current'
        ? [
            {
              kind: 'expire',
              key: subject.key,
              versionId: subject.versionId,
              markerId: subject.versionId,
            },
          ]
        : [],
    );
    const cells = [...walk(NOW_MS - 1), ...walk(NOW_MS)];
    const run = { setAtMs: 1, startedAtMs: 1, place: null };
    const commit = micros(() => index.applyLifecycle({ bucket, actions, run, nowMs: NOW_MS }));
    rows.push([size.toLocaleString('en'), ...cells, `${Math.round(commit)} µs`]);
  } finally {
    sql.close();
    await rm(folder, { recursive: true, force: true });
  }
}
printTable(rows);
