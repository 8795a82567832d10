// What does a listing page cost as a bucket grows? Index alone (CPU µs), at 10,000, 100,000 and 1,000,000 keys.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlite } from '../src/adapters/node/node-sqlite.ts';
import { createBucketIndex } from '../src/index/bucket-index.ts';
import { INDEX_SCHEMA, migrate } from '../src/index/schema.ts';
import { PRIVATE_ACCESS } from '../src/ports/bucket-access.ts';
import { NO_SETTINGS } from '../src/ports/bucket-settings.ts';
import type {
  AccountId,
  BucketId,
  BucketName,
  BucketRecord,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../src/ports/domain.ts';
import { NO_FACTS } from '../src/ports/object-facts.ts';
import { median, printTable } from './lib/table.ts';

const SIZES = [10_000, 100_000, 1_000_000];
/** Keys of one folder; so a listing with delimiter skips this many for each common prefix. */
const KEYS_PER_FOLDER = 1000;
const COMMIT_BATCH = 5000;
const REPEATS = 41;

const bucket: BucketRecord = {
  id: 'bench~1' as BucketId,
  name: 'bench' as BucketName,
  ownerId: 'bench' as AccountId,
  createdAtMs: 0,
  revision: 1,
  access: PRIVATE_ACCESS,
  settings: NO_SETTINGS,
};

function objectAt(i: number): ObjectVersion {
  const folder = `folder-${String(Math.floor(i / KEYS_PER_FOLDER)).padStart(6, '0')}`;
  return {
    key: `${folder}/object-${String(i).padStart(9, '0')}.jpg` as ObjectKey,
    ...NO_FACTS,
    versionId: `version-${i}` as VersionId,
    isNull: true,
    sizeBytes: 3,
    etag: '900150983cd24fb0d6963f7d28e17f72',
    lastModifiedMs: 1_700_000_000_000 + i,
    headers: { contentType: 'image/jpeg' },
    userMetadata: {},
    storageClass: 'STANDARD',
    segments: [],
    inlineBytes: new Uint8Array([97, 98, 99]),
    checksum: null,
    parts: null,
  };
}

function medianMicros(work: () => void): number {
  const times: number[] = [];
  for (let i = 0; i < REPEATS; i++) {
    const before = process.cpuUsage();
    const startedAt = performance.now();
    work();
    const wall = (performance.now() - startedAt) * 1000;
    const cpu = process.cpuUsage(before);
    times.push(Math.min(wall, cpu.user + cpu.system));
  }
  return Math.round(median(times));
}

const rows: (string | number)[][] = [
  ['keys', '1,000 objects', '1,000 from the middle', '100 common prefixes', 'one object'],
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
          index.commitObject({ bucket, object: objectAt(i), condition: null, arrivals: [] });
        }
      });
    }
    const list = (delimiter: string, after: string, maxKeys: number) =>
      index.listObjects({ bucket, prefix: '', delimiter, after, maxKeys });
    const middle = objectAt(Math.floor(size / 2)).key;
    rows.push([
      size.toLocaleString('en'),
      `${medianMicros(() => list('', '', 1000))} µs`,
      `${medianMicros(() => list('', middle, 1000))} µs`,
      `${medianMicros(() => list('/', '', 100))} µs`,
      `${medianMicros(() => index.getVersion({ bucket, key: middle, versionId: null }))} µs`,
    ]);
  } finally {
    sql.close();
    await rm(folder, { recursive: true, force: true });
  }
}
printTable(rows);
