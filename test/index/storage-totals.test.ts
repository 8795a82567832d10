// What a bucket stores, against a scan of its rows, and the integral of it over time, against one
// worked out by hand in big integers: random lives of a bucket with and without versions, with
// sizes that take the integral over 2^63.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type NodeSqlite, openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import type { LifecycleAction } from '../../src/domain/lifecycle.ts';
import type { BucketRecord, BucketRef, VersionId } from '../../src/domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../src/domain/time.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { rowChanged } from '../../src/index/objects/row-changes.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { migrate } from '../../src/index/tables/schema.ts';
import { closeHour } from '../../src/index/usage/close-hours.ts';
import { oneRow, type RowState } from '../../src/index/usage/row-state.ts';
import { countLateObjects, countLateUploads } from '../../src/index/usage/storage-totals.ts';
import type { Upload, UploadedPart } from '../../src/ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../src/ports/metadata-index.ts';
import {
  asKey,
  bucketRecord,
  completionOf,
  deletionOf,
  latePutOf,
  newReferenceOf,
  objectOf,
  partBlobIn,
  partOf,
  START_MS,
  uploadOf,
  versionDeletionOf,
  wholeOf,
} from '../contract/index/samples.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { openMigrated } from './kit/open-migrated.ts';

const CLASSES = ['STANDARD', 'STANDARD_IA'] as const;
const OPEN_MS = startOfHour(START_MS);

type Totals = { current: [number, number]; noncurrent: [number, number]; part: [number, number] };
type Row = {
  readonly storage_class: string;
  readonly kind: keyof Totals;
  readonly bytes: number;
  readonly n: number;
};

const SCAN = `SELECT storage_class, 'current' AS kind, sum(size_bytes) AS bytes, count(*) AS n
  FROM objects GROUP BY 1
  UNION ALL SELECT storage_class, 'noncurrent', sum(size_bytes), count(*) FROM versions
  WHERE is_marker = 0 GROUP BY 1
  UNION ALL SELECT u.attributes ->> '$.storageClass', 'part', sum(p.size_bytes), count(*)
    FROM parts AS p JOIN uploads AS u ON u.upload_id = p.upload_id GROUP BY 1`;
/** Parts in the rows of their blobs; the end of the upload's id begins that of the row. */
const SCAN_JOINED = `SELECT u.attributes ->> '$.storageClass' AS storage_class,
    sum(p.part ->> '$[2]') AS bytes, count(*) AS n
  FROM uploads AS u JOIN blobs AS p ON p.part IS NOT NULL
    AND substr(p.blob_id, instr(p.blob_id, '/') + 1, 15) = substr(u.upload_id, 13) GROUP BY 1`;
const KEPT = `SELECT storage_class, 'current' AS kind, current_bytes AS bytes, current_count AS n
  FROM storage_totals
  UNION ALL SELECT storage_class, 'noncurrent', noncurrent_bytes, noncurrent_count
  FROM storage_totals
  UNION ALL SELECT storage_class, 'part', part_bytes, part_count FROM storage_totals`;

function totals(sql: NodeSqlite, query: string): Map<string, Totals> {
  const found = new Map<string, Totals>(
    CLASSES.map((name) => [name, { current: [0, 0], noncurrent: [0, 0], part: [0, 0] }]),
  );
  for (const row of sql.all<Row>(query)) {
    const of = found.get(row.storage_class);
    if (of === undefined) throw new Error(row.storage_class);
    of[row.kind] = [row.bytes, row.n];
  }
  return found;
}

/** What the rows of both formats come to. */
function scanned(sql: NodeSqlite): Map<string, Totals> {
  const found = totals(sql, SCAN);
  for (const { storage_class: name, bytes, n } of sql.all<Omit<Row, 'kind'>>(SCAN_JOINED)) {
    const of = found.get(name);
    if (of === undefined) throw new Error(name);
    of.part = [of.part[0] + bytes, of.part[1] + n];
  }
  return found;
}

/** What the index says, with what it has not counted yet. */
function reported(index: IndexApi, bucket: BucketRef): Map<string, Totals> {
  const found = new Map<string, Totals>(
    CLASSES.map((name) => [name, { current: [0, 0], noncurrent: [0, 0], part: [0, 0] }]),
  );
  for (const of of index.getStorageTotals({ bucket })) {
    found.set(of.storageClass, {
      current: [of.currentBytes, of.currentCount],
      noncurrent: [of.noncurrentBytes, of.noncurrentCount],
      part: [of.partBytes, of.partCount],
    });
  }
  return found;
}

const bytesIn = ({ current, noncurrent, part }: Totals) =>
  BigInt(current[0] + noncurrent[0] + part[0]);

/** Byte-milliseconds of each closed hour, `class hour` to sum. */
function closedHours(sql: NodeSqlite): Map<string, bigint> {
  const closed = new Map<string, bigint>();
  for (const row of sql.all<{
    name: string;
    hour_ms: number;
    hour_count: number;
    gib: string;
    rest: string;
  }>(
    `SELECT storage_class AS name, hour_ms, hour_count, CAST(gib_ms AS TEXT) AS gib,
     CAST(rest_ms AS TEXT) AS rest
     FROM storage_hours`,
  )) {
    for (let at = 0; at < row.hour_count; at++) {
      const name = `${row.name} ${row.hour_ms + at * HOUR_MS}`;
      expect(closed.has(name)).toBe(false);
      closed.set(name, BigInt(row.gib) * (1n << 30n) + BigInt(row.rest));
    }
  }
  return closed;
}

/**
 * Integrates by hand: what was stored from `fromMs` to `toMs` is added to the hours that this
 * touches.
 */
function integrate(
  hours: Map<string, bigint>,
  stored: Map<string, Totals>,
  fromMs: number,
  toMs: number,
): void {
  for (const [name, of] of stored) {
    for (let atMs = fromMs; atMs < toMs; atMs = startOfHour(atMs) + HOUR_MS) {
      const lasts = BigInt(Math.min(toMs, startOfHour(atMs) + HOUR_MS) - atMs);
      const hour = `${name} ${startOfHour(atMs)}`;
      const sum = (hours.get(hour) ?? 0n) + bytesIn(of) * lasts;
      if (sum > 0n) hours.set(hour, sum);
    }
  }
}

type Step = {
  readonly do:
    | 'put'
    | 'burst'
    | 'delete'
    | 'delete-version'
    | 'move'
    | 'expire'
    | 'start'
    | 'part'
    | 'complete'
    | 'abort'
    | 'mode';
  readonly key: number;
  readonly sizeBytes: number;
  readonly class: 0 | 1;
  readonly pick: number;
  readonly waitMs: number;
};
const steps: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('put' as const, 'delete' as const, 'delete-version' as const),
    },
    { weight: 6, arbitrary: fc.constantFrom('part' as const, 'move' as const, 'expire' as const) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(
        'start' as const,
        'complete' as const,
        'abort' as const,
        'mode' as const,
        'burst' as const,
      ),
    },
  ),
  key: fc.nat({ max: 2 }),
  // Up to 8 TiB: an hour of one such object is 3 * 10^19 byte-milliseconds.
  sizeBytes: fc.oneof(
    fc.nat({ max: 5 }),
    fc.maxSafeNat().map((size) => size % 2 ** 43),
  ),
  class: fc.constantFrom(0, 1),
  pick: fc.nat({ max: 9 }),
  waitMs: fc.oneof(
    fc.constant(0),
    fc.nat({ max: 60_000 }),
    fc.nat({ max: 3 * HOUR_MS }),
    fc.constant(30 * 24 * HOUR_MS),
  ),
});

function createWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  let bucket: BucketRecord = index.createBucket({ bucket: bucketRecord() });
  const uploads: { upload: Upload; parts: Map<number, UploadedPart> }[] = [];
  const hours = new Map<string, bigint>();
  let nowMs = OPEN_MS + 1;
  let burst = 0;

  const ref = (): BucketRef => ({ ...bucket, versioning: bucket.settings.versioning ?? 'off' });
  const versionsOf = (key: number) =>
    index
      .listVersions({
        bucket: ref(),
        prefix: `k${key}`,
        delimiter: '',
        afterKey: '',
        afterVersionId: '',
        maxKeys: 100,
      })
      .versions.map((version) => version.versionId);
  const pickVersion = ({ key, pick }: Step): VersionId | undefined => versionsOf(key)[pick % 4];

  function act(action: LifecycleAction): void {
    index.applyLifecycle({
      bucket: ref(),
      actions: [action],
      run: { setAtMs: 0, startedAtMs: 0, place: null },
      nowMs,
    });
  }

  const run: { [Name in Step['do']]: (step: Step) => void } = {
    put({ key, sizeBytes, class: at, pick }) {
      if (pick % 2 === 0) {
        // By its id it began before others that are there by now.
        const times = { atMs: nowMs, begunMs: nowMs - pick * 500 };
        const changes = { sizeBytes, storageClass: CLASSES[at] };
        index.commitObject(latePutOf(ref(), `k${key}`, times, changes));
        return;
      }
      const object = objectOf(`k${key}`, {
        sizeBytes,
        storageClass: CLASSES[at],
        lastModifiedMs: nowMs,
      });
      index.commitObject({ bucket: ref(), object, condition: null, newReferences: [] });
    },
    burst({ pick, waitMs }) {
      // A long one is more than may be late, and some of it began before the rest.
      for (let at = 0; at < pick * 6; at++) {
        burst += 1;
        const begunMs = nowMs - ((at * 7919 + waitMs) % 1000);
        const input = latePutOf(
          ref(),
          `burst${burst}`,
          { atMs: nowMs, begunMs },
          { sizeBytes: at },
        );
        index.commitObject(input);
      }
    },
    delete: ({ key }) =>
      void index.deleteObjects({ bucket: ref(), ...deletionOf([`k${key}`], nowMs) }),
    'delete-version'(step) {
      const versionId = pickVersion(step);
      if (versionId === undefined) return;
      index.deleteObjects({
        bucket: ref(),
        ...versionDeletionOf(`k${step.key}`, versionId, nowMs),
      });
    },
    move(step) {
      const versionId = pickVersion(step);
      if (versionId === undefined) return;
      act({
        kind: 'transition',
        key: asKey(`k${step.key}`),
        versionId,
        storageClass: CLASSES[step.class],
      });
    },
    expire(step) {
      const versionId = pickVersion(step);
      if (versionId === undefined) return;
      const key = asKey(`k${step.key}`);
      if (step.class === 0)
        act({ kind: 'expire', key, versionId, markerId: objectOf('m').versionId });
      else act({ kind: 'remove', key, versionId });
    },
    start({ key, class: at, pick }) {
      // One in three has separate rows, one joined rows, one joined rows that are counted late.
      const rows = pick % 3 === 0 ? 'separate' : 'joined';
      const changes = { storageClass: CLASSES[at], createdAtMs: nowMs };
      const upload = uploadOf(`k${key}`, changes, rows);
      index.createUpload({ bucket: ref(), upload, isLate: pick % 3 === 2 });
      uploads.push({ upload, parts: new Map() });
    },
    part({ pick, sizeBytes }) {
      const found = uploads[pick % Math.max(1, uploads.length)];
      if (found === undefined) return;
      const { key, uploadId } = found.upload;
      const number = (pick % 3) + 1 + (pick === 9 ? 32 : 0);
      const blobId = partBlobIn(bucket, found.upload, number);
      const part = partOf(number, [wholeOf(blobId, sizeBytes)], { lastModifiedMs: nowMs });
      const newReferences = [newReferenceOf(blobId, sizeBytes)];
      index.commitPart({ bucket: ref(), key, uploadId, part, newReferences });
      found.parts.set(part.partNumber, part);
    },
    complete({ pick }) {
      const [found] = uploads.splice(pick % Math.max(1, uploads.length), 1);
      if (found === undefined) return;
      const listed = [...found.parts.values()]
        .toSorted((a, b) => a.partNumber - b.partNumber)
        .slice(0, 2);
      index.completeUpload({ bucket: ref(), ...completionOf(found.upload, listed, nowMs) });
    },
    abort({ pick, class: at }) {
      const [found] = uploads.splice(pick % Math.max(1, uploads.length), 1);
      if (found === undefined) return;
      const { key, uploadId } = found.upload;
      if (at === 0) index.abortUpload({ bucket: ref(), key, uploadId, nowMs });
      else act({ kind: 'abort', key, uploadId });
    },
    mode({ class: at }) {
      const versioning = at === 0 ? 'enabled' : 'suspended';
      bucket = index.setBucketSettings({ bucket: ref(), settings: { versioning } });
    },
  };

  function step(next: Step): void {
    integrate(hours, scanned(sql), nowMs, nowMs + next.waitMs);
    nowMs += next.waitMs;
    run[next.do](next);
    expect(reported(index, ref())).toEqual(scanned(sql));
  }

  /** Lets the hour end, and compares every hour since the beginning. */
  function end(): void {
    integrate(hours, scanned(sql), nowMs, startOfHour(nowMs) + HOUR_MS);
    countLateUploads(sql, 1);
    countLateObjects(sql, 1);
    for (const name of CLASSES) closeHour(sql, 1, name, startOfHour(nowMs) + HOUR_MS);
    expect(closedHours(sql)).toEqual(hours);
    sql.close();
  }
  return { step, end };
}

const example = (act: Step['do'], changes: Partial<Step> = {}): Step => ({
  do: act,
  key: 0,
  sizeBytes: 5,
  class: 0,
  pick: 0,
  waitMs: 1000,
  ...changes,
});

describe('storage totals', () => {
  it('are what a scan counts, and their integral is what a hand works out', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 60, size: 'max' }), (program) => {
        const world = createWorld();
        for (const next of program) world.step(next);
        world.end();
      }),
      {
        numRuns: fuzzRuns(20),
        examples: [
          [
            [
              example('mode'),
              example('put', { sizeBytes: 2 ** 43 - 1 }),
              example('put'),
              example('delete'),
            ],
          ],
        ],
      },
    );
  });

  function openOne(): {
    sql: NodeSqlite;
    index: IndexApi;
    bucket: BucketRecord;
    put: (size: number, atMs: number) => void;
  } {
    const sql = openMigrated(INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    const bucket = index.createBucket({ bucket: bucketRecord() });
    const put = (sizeBytes: number, lastModifiedMs: number) =>
      void index.commitObject({
        bucket,
        object: objectOf('k', { sizeBytes, lastModifiedMs }),
        condition: null,
        newReferences: [],
      });
    return { sql, index, bucket, put };
  }

  it('count no time twice and none backwards when a clock goes back', () => {
    const { sql, put } = openOne();
    put(10, OPEN_MS + 1000);
    put(20, OPEN_MS + 5000);
    put(40, OPEN_MS + 2000); // counts as 5000
    put(80, OPEN_MS - 3 * HOUR_MS); // and so does this
    put(0, OPEN_MS + 6000);
    closeHour(sql, 1, 'STANDARD', OPEN_MS + HOUR_MS);
    expect(closedHours(sql)).toEqual(new Map([[`STANDARD ${OPEN_MS}`, 10n * 4000n + 80n * 1000n]]));
  });

  it('keep what compression and sharing spare beside it, as exactly', () => {
    const { sql, index, bucket } = openOne();
    const big = 2 ** 43 - 1;
    const compressed = { sizeBytes: big, storageClass: 'STANDARD', compressedAway: big - 5 };
    const tell = (from: RowState | null, to: RowState | null, atMs: number) =>
      rowChanged(sql, { bucket: 1, key: asKey('k'), from, to, atMs });
    tell(null, oneRow('current', compressed), OPEN_MS);
    tell(null, oneRow('current', compressed, 5), OPEN_MS + 1000);
    // A class that it moves to has nobody to share with yet.
    const moved = { ...compressed, storageClass: 'STANDARD_IA' };
    tell(oneRow('current', compressed, 5), oneRow('current', moved), OPEN_MS + HOUR_MS + 7);
    expect(index.getStorageTotals({ bucket })).toMatchObject([
      {
        storageClass: 'STANDARD',
        currentBytes: big,
        deduplicatedBytes: 0,
        compressedBytes: big - 5,
      },
      {
        storageClass: 'STANDARD_IA',
        currentBytes: big,
        deduplicatedBytes: 0,
        compressedBytes: big - 5,
      },
    ]);
    const nowMs = OPEN_MS + 3 * HOUR_MS;
    const hours = index.closeStorageHours({ name: bucket.name, nowMs, limit: 10 });
    const [hour, size] = [BigInt(HOUR_MS), BigInt(big)];
    const of = (
      storageClass: string,
      at: number,
      bytes: bigint,
      fewer: bigint,
      shared: bigint,
    ) => ({
      of: { kind: 'storage', storageClass },
      hourMs: OPEN_MS + at * HOUR_MS,
      used: [
        { meter: `storage/${storageClass}`, quantity: size * bytes },
        { meter: `deduplicated/${storageClass}`, quantity: 5n * shared },
        { meter: `compressed/${storageClass}`, quantity: (size - 5n) * fewer },
      ],
    });
    expect(hours).toMatchObject([
      of('STANDARD', 0, 2n * hour - 1000n, 2n * hour - 1000n, hour - 1000n),
      of('STANDARD', 1, hour + 7n, hour + 7n, 7n),
      of('STANDARD', 2, hour, hour, 0n),
      of('STANDARD_IA', 1, hour - 7n, hour - 7n, 0n),
      of('STANDARD_IA', 2, hour, hour, 0n),
    ]);
  });

  it('survive their bucket until they are collected', () => {
    const { sql, index, bucket, put } = openOne();
    put(7, OPEN_MS);
    index.deleteObjects({ bucket, ...deletionOf(['k'], OPEN_MS + HOUR_MS + 500) });
    const upload = uploadOf('u', { createdAtMs: OPEN_MS + HOUR_MS });
    index.createUpload({ bucket, upload });
    const part = partOf(1, [], { sizeBytes: 3, lastModifiedMs: OPEN_MS + HOUR_MS + 500 });
    index.commitPart({
      bucket,
      key: upload.key,
      uploadId: upload.uploadId,
      part,
      newReferences: [],
    });
    index.deleteBucket({ bucket, nowMs: OPEN_MS + HOUR_MS + 900 });
    expect(index.dropUploadsOfIncarnation({ bucket, nowMs: OPEN_MS + HOUR_MS + 1000 })).toEqual({
      isDone: true,
    });
    index.forgetIncarnation({ bucket });
    const hours = new Map([
      [`STANDARD ${OPEN_MS}`, 7n * BigInt(HOUR_MS)],
      [`STANDARD ${OPEN_MS + HOUR_MS}`, 7n * 500n + 3n * 400n],
    ]);
    expect(closedHours(sql)).toEqual(hours);
    expect(sql.all('SELECT owner_id FROM storage_hours LIMIT 1')).toEqual([
      { owner_id: bucket.ownerId },
    ]);
    expect(sql.all('SELECT * FROM storage_totals')).toEqual([]);
  });

  it('of an older database are computed once; their time begins with a command', () => {
    const sql = openSqlite(':memory:', { readOnly: false });
    migrate(sql, { name: 'index', migrations: INDEX_SCHEMA.migrations.slice(0, 4) });
    sql.all(`INSERT INTO buckets (n, id, name, owner_id, created_at_ms, revision, access)
      VALUES (1, 'i', 'old', 'o', 1, 1, '{}')`);
    const object = `INSERT INTO objects (bucket, key, size_bytes, etag, last_modified_ms,
      storage_class, version_id)`;
    sql.all(
      `${object}
       VALUES (1, 'a', 100, '', 5, 'STANDARD', 'v'), (1, 'b', 11, '', 5, 'STANDARD_IA', 'v')`,
    );
    sql.all(`INSERT INTO versions (bucket, key, version_id, is_null, is_marker, size_bytes, etag,
      last_modified_ms,
      storage_class)
      VALUES (1, 'a', 'u', 0, 0, 40, '', 3, 'STANDARD'), (1, 'c', 'm', 0, 1, 0, '', 3, '')`);
    sql.all(`INSERT INTO uploads VALUES (1, 'a', 'up', 5, '{"storageClass":"STANDARD_IA"}')`);
    sql.all(`INSERT INTO parts (bucket, upload_id, part_number, size_bytes, md5, last_modified_ms,
      segments)
      VALUES (1, 'up', 1, 7, '', 5, '[]'), (1, 'up', 2, 8, '', 5, '[]')`);
    migrate(sql, INDEX_SCHEMA);
    expect(totals(sql, KEPT)).toEqual(totals(sql, SCAN));
    expect(totals(sql, KEPT).get('STANDARD_IA')?.part).toEqual([15, 2]);
    closeHour(sql, 1, 'STANDARD', OPEN_MS + 1000);
    expect(closedHours(sql)).toEqual(new Map());
    closeHour(sql, 1, 'STANDARD', OPEN_MS + HOUR_MS);
    expect(closedHours(sql)).toEqual(
      new Map([[`STANDARD ${OPEN_MS}`, 140n * BigInt(HOUR_MS - 1000)]]),
    );
  });
});
