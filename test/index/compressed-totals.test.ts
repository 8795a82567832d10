// What compression saves, against a scan of the rows: random histories of a bucket with compressed
// bodies, copied, cut into parts, replaced, moved to other classes and removed. References to blobs
// are compared with the rows as well.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { BucketRecord, BucketRef, ObjectVersion, Segment } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { savedByCompression } from '../../src/index/objects/compression-savings.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { Upload, UploadedPart } from '../../src/ports/index-calls/upload-calls.ts';
import {
  asKey,
  blobIn,
  bucketRecord,
  completionOf,
  deletionOf,
  newReferenceOf,
  partOf,
  START_MS,
  segmentsObjectOf,
  uploadOf,
  versionDeletionOf,
  wholeOf,
} from '../contract/index/samples.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { openMigrated } from './kit/open-migrated.ts';
import { storedRows } from './kit/stored-rows.ts';

const CLASSES = ['STANDARD', 'STANDARD_IA'] as const;
const DO = [
  'put',
  'pack',
  'pack',
  'copy',
  'delete',
  'remove',
  'move',
  'part',
  'complete',
  'abort',
  'mode',
] as const;

type Step = {
  readonly do: (typeof DO)[number];
  readonly key: number;
  readonly pick: number;
  readonly bytes: number;
};
const steps: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...DO),
  ...{
    key: fc.nat({ max: 2 }),
    pick: fc.nat({ max: 5 }),
    bytes: fc.integer({ min: 2, max: 2 ** 40 }),
  },
});

function createWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  let bucket: BucketRecord = index.createBucket({ bucket: bucketRecord() });
  const uploads: { upload: Upload; parts: Map<number, UploadedPart> }[] = [];
  let nowMs = START_MS;

  const ref = (): BucketRef => ({ ...bucket, versioning: bucket.settings.versioning ?? 'off' });
  const ids = (key: number) => {
    const input = {
      prefix: `k${key}`,
      delimiter: '',
      afterKey: '',
      afterVersionId: '' as const,
      maxKeys: 100,
    };
    return index
      .listVersions({ bucket: ref(), ...input })
      .versions.map(({ versionId }) => versionId);
  };
  function find({ key, pick }: Step): ObjectVersion | null {
    const versionId = ids(key)[pick % 3];
    if (versionId === undefined) return null;
    const found = index.getVersion({ bucket: ref(), key: asKey(`k${key}`), versionId });
    return found?.kind === 'object' ? found.object : null;
  }
  const commit = (object: ObjectVersion, newReferences: ReturnType<typeof newReferenceOf>[] = []) =>
    void index.commitObject({
      bucket: ref(),
      object: { ...object, lastModifiedMs: nowMs },
      condition: null,
      newReferences,
    });

  const run: { [Name in Step['do']]: (step: Step) => void } = {
    put({ key, bytes, pick }) {
      const blobId = blobIn(bucket);
      const object = segmentsObjectOf(`k${key}`, [wholeOf(blobId, bytes)], {
        storageClass: CLASSES[pick % 2] ?? 'STANDARD',
      });
      commit(object, [newReferenceOf(blobId, bytes)]);
    },
    pack(step) {
      const object = find(step);
      if (object === null || object.segments.some(({ packing }) => packing !== undefined)) return;
      const { key, versionId, segments: from, sizeBytes } = object;
      const storedBytes = 1 + (step.bytes % sizeBytes);
      const packing = { frameBytes: 2 ** 18, plainBytes: sizeBytes, storedBytes };
      const to: Segment = { ...wholeOf(blobIn(bucket), sizeBytes), packing };
      const newReference = newReferenceOf(to.blobId, storedBytes);
      const exchange = { bucket: ref(), key, versionId, from, to, newReference, nowMs };
      const { isExchanged } = index.exchangeBody(exchange);
      expect(index.exchangeBody(exchange).isExchanged).toBe(isExchanged);
    },
    copy(step) {
      const source = find(step);
      if (source === null) return;
      const { versionId, etag } = segmentsObjectOf('x', []);
      commit({ ...source, versionId, etag, key: asKey(`k${(step.key + 1) % 3}`) });
    },
    delete: ({ key }) =>
      void index.deleteObjects({ bucket: ref(), ...deletionOf([`k${key}`], nowMs) }),
    remove({ key, pick }) {
      const versionId = ids(key)[pick % 3];
      if (versionId === undefined) return;
      index.deleteObjects({ bucket: ref(), ...versionDeletionOf(`k${key}`, versionId, nowMs) });
    },
    move(step) {
      const object = find(step);
      if (object === null) return;
      const storageClass = CLASSES[step.bytes % 2] ?? 'STANDARD';
      const action = {
        kind: 'transition',
        key: object.key,
        versionId: object.versionId,
        storageClass,
      } as const;
      index.applyLifecycle({
        bucket: ref(),
        actions: [action],
        run: { setAtMs: 0, startedAtMs: 0, place: null },
        nowMs,
      });
    },
    part(step) {
      const source = find(step);
      if (source === null) return;
      let found = uploads[step.pick % 2];
      if (found === undefined) {
        const upload = uploadOf(`k${step.key}`, {
          storageClass: CLASSES[step.pick % 2] ?? 'STANDARD',
        });
        index.createUpload({ bucket: ref(), upload });
        found = { upload, parts: new Map() };
        uploads.push(found);
      }
      const cut = source.segments.map((one) => ({
        ...one,
        lengthBytes: Math.ceil(one.lengthBytes / (1 + step.pick)),
      }));
      const part = partOf((step.pick % 3) + 1, cut, { lastModifiedMs: nowMs });
      const { key, uploadId } = found.upload;
      index.commitPart({ bucket: ref(), key, uploadId, part, newReferences: [] });
      found.parts.set(part.partNumber, part);
    },
    complete({ pick }) {
      const [found] = uploads.splice(pick % 2, 1);
      if (found === undefined) return;
      const listed = [...found.parts.values()]
        .toSorted((a, b) => a.partNumber - b.partNumber)
        .slice(0, 2);
      index.completeUpload({ bucket: ref(), ...completionOf(found.upload, listed, nowMs) });
    },
    abort({ pick }) {
      const [found] = uploads.splice(pick % 2, 1);
      if (found === undefined) return;
      const { key, uploadId } = found.upload;
      index.abortUpload({ bucket: ref(), key, uploadId, nowMs });
    },
    mode({ pick }) {
      const versioning = pick % 2 === 0 ? 'enabled' : 'suspended';
      bucket = index.setBucketSettings({ bucket: ref(), settings: { versioning } });
    },
  };

  function check(): void {
    const all = storedRows(sql);
    for (const { storageClass, compressedBytes } of index.getStorageTotals({ bucket: ref() })) {
      const own = all.filter((row) => row.storageClass === storageClass);
      expect(compressedBytes).toBe(
        own.reduce((sum, { segments }) => sum + savedByCompression(segments), 0),
      );
    }
    const refs = new Map<string, number>();
    for (const { segments } of all) {
      for (const blobId of new Set(segments.map((one) => one.blobId)))
        refs.set(blobId, (refs.get(blobId) ?? 0) + 1);
    }
    const counted = sql.all<{ blob_id: string; refs: number }>(
      'SELECT blob_id, refs FROM blobs WHERE refs > 0',
    );
    expect(new Map(counted.map((row) => [row.blob_id, row.refs]))).toEqual(refs);
  }

  return {
    step(next: Step): void {
      nowMs += 1000;
      run[next.do](next);
      check();
    },
    close: () => sql.close(),
  };
}

const lifeOf = (...all: Step['do'][]): [Step[]] => [
  all.map((one) => ({ do: one, key: 0, pick: 0, bytes: 1000 })),
];

it('totals of what compression saves agree with the rows', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(fc.array(steps, { maxLength: 40, size: 'max' }), (program) => {
      const world = createWorld();
      for (const next of program) world.step(next);
      world.close();
    }),
    {
      numRuns: fuzzRuns(60),
      examples: [
        lifeOf('put', 'pack', 'part', 'complete', 'remove'),
        lifeOf('put', 'pack', 'part', 'part', 'abort', 'delete'),
        lifeOf(
          'mode',
          'put',
          'pack',
          'put',
          'remove',
          'copy',
          'move',
          'delete',
          'remove',
          'remove',
        ),
      ],
    },
  );
});
