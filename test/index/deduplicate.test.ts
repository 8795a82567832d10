// Equal bytes stored once, against a model: random lives of a bucket with puts, copies of whole
// objects and of ranges, parts, versions, moves between storage classes, compression and sweeps.
// After each step every row has the bytes that were written, and what the index says is saved is
// what a scan of all rows comes to.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  BlobId,
  BucketRecord,
  BucketRef,
  ObjectVersion,
  Segment,
  VersionId,
} from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { savedByCompression } from '../../src/index/objects/compression-savings.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { Upload, UploadedPart } from '../../src/ports/index-calls/upload-calls.ts';
import type { NewBlobReference } from '../../src/ports/metadata-index.ts';
import {
  addressOf,
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
/** Bytes of the bodies that there are: the third is as long as the first. */
const SIZES = [10, 25, 10] as const;
const KINDS = [
  'put',
  'copy',
  'delete',
  'delete-version',
  'transition',
  'pack',
  'mode',
  'switch',
  'sweep',
] as const;
const PART_KINDS = ['start', 'part', 'part-copy', 'complete', 'abort'] as const;
type Kind = (typeof KINDS)[number] | (typeof PART_KINDS)[number];

type Step = {
  readonly do: Kind;
  readonly key: number;
  readonly body: 0 | 1 | 2;
  readonly class: 0 | 1;
  readonly pick: number;
  readonly from: number;
  readonly length: number;
};
const steps: fc.Arbitrary<Step> = fc.record({
  do: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...KINDS) },
    { weight: 2, arbitrary: fc.constantFrom('put' as const, 'copy' as const) },
    { weight: 2, arbitrary: fc.constantFrom(...PART_KINDS) },
  ),
  key: fc.nat({ max: 3 }),
  body: fc.constantFrom(0, 1, 2),
  class: fc.constantFrom(0, 1),
  pick: fc.nat({ max: 9 }),
  from: fc.nat({ max: 9 }),
  length: fc.nat({ max: 10 }),
});

/**
 * What a row holds: for each byte which body it is of, and where there; so two rows are equal if
 * and only if their bytes are.
 */
type Content = readonly string[];

type BlobRow = {
  readonly blob_id: BlobId;
  readonly refs: number;
  readonly size_bytes: number;
  readonly sha256: string | null;
  readonly is_condemned: number;
};

function createWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  let bucket: BucketRecord = index.createBucket({ bucket: bucketRecord() });
  const uploads: {
    upload: Upload;
    parts: Map<number, { part: UploadedPart; content: Content }>;
  }[] = [];
  const bodyOf = new Map<BlobId, Content>();
  /** What each version must read as. */
  const contents = new Map<string, Content>();
  let isOn = true;
  let nowMs = START_MS;

  const ref = (): BucketRef => ({ ...bucket, versioning: bucket.settings.versioning ?? 'off' });
  const read = (segments: readonly Segment[]): Content =>
    segments.flatMap(({ blobId, offsetBytes, lengthBytes }) =>
      (bodyOf.get(blobId) ?? []).slice(offsetBytes, offsetBytes + lengthBytes),
    );
  const versionsOf = (key: number) =>
    index.listVersions({
      ...{
        bucket: ref(),
        prefix: `k${key}`,
        delimiter: '',
        afterKey: '',
        afterVersionId: '',
        maxKeys: 100,
      },
    }).versions;
  const objectAt = (key: number): ObjectVersion | null => {
    const found = index.getVersion({ bucket: ref(), key: asKey(`k${key}`), versionId: null });
    return found?.kind === 'object' ? found.object : null;
  };

  /** A body as it arrives: with its digest when the setting is on. */
  function arrive(body: 0 | 1 | 2): { segments: Segment[]; newReferences: NewBlobReference[] } {
    const blobId = blobIn(bucket);
    bodyOf.set(
      blobId,
      Array.from({ length: SIZES[body] }, (_, at) => `${body}:${at}`),
    );
    const digest = isOn ? { digest: { sha256Hex: `sha-${body}` } } : {};
    return {
      segments: [wholeOf(blobId, SIZES[body])],
      newReferences: [{ ...newReferenceOf(blobId, SIZES[body]), ...digest }],
    };
  }

  function commit(object: ObjectVersion, newReferences: readonly NewBlobReference[]): void {
    const content = read(object.segments);
    const input = { bucket: ref(), object, condition: null, newReferences };
    const { versionId, storedAs } = index.commitObject(input);
    // The same commit again says the same, and counts nothing.
    if (newReferences.length > 0)
      expect(index.commitObject(input)).toMatchObject({ versionId, storedAs });
    contents.set(versionId, content);
    const stored = index.getVersion({ bucket: ref(), key: object.key, versionId });
    if (storedAs !== null && stored?.kind === 'object')
      expect(stored.object.segments[0]?.blobId).toBe(storedAs);
  }

  /** Some bytes of an object, as UploadPartCopy takes them. */
  function cut({ segments }: ObjectVersion, { from, length }: Step): Segment[] {
    return segments
      .map((segment) => {
        const offsetBytes = Math.min(from, segment.lengthBytes - 1);
        const lengthBytes = Math.max(1, Math.min(length, segment.lengthBytes - offsetBytes));
        return { ...segment, offsetBytes: segment.offsetBytes + offsetBytes, lengthBytes };
      })
      .slice(0, 2);
  }

  function addPart(
    { pick }: Step,
    segments: readonly Segment[],
    newReferences: readonly NewBlobReference[],
  ): void {
    const found = uploads[pick % Math.max(1, uploads.length)];
    if (found === undefined) return;
    const { key, uploadId } = found.upload;
    const part = partOf((pick % 3) + 1, segments, { lastModifiedMs: nowMs });
    index.commitPart({ bucket: ref(), key, uploadId, part, newReferences });
    found.parts.set(part.partNumber, { part, content: read(segments) });
  }

  const run: { [Name in Kind]: (step: Step) => void } = {
    put({ key, body, class: at }) {
      const { segments, newReferences } = arrive(body);
      const changes = { storageClass: CLASSES[at], lastModifiedMs: nowMs };
      commit(segmentsObjectOf(`k${key}`, segments, changes), newReferences);
    },
    copy({ key, pick, class: at }) {
      const source = objectAt(pick % 4);
      if (source === null) return;
      const changes = { storageClass: CLASSES[at], lastModifiedMs: nowMs };
      commit(segmentsObjectOf(`k${key}`, source.segments, changes), []);
    },
    delete: ({ key }) =>
      void index.deleteObjects({ bucket: ref(), ...deletionOf([`k${key}`], nowMs) }),
    'delete-version'({ key, pick }) {
      const versionId = versionsOf(key)[pick % 4]?.versionId;
      if (versionId === undefined) return;
      index.deleteObjects({ bucket: ref(), ...versionDeletionOf(`k${key}`, versionId, nowMs) });
    },
    transition({ key, pick, class: at }) {
      const versionId: VersionId | undefined = versionsOf(key)[pick % 4]?.versionId;
      if (versionId === undefined) return;
      const action = {
        kind: 'transition',
        key: asKey(`k${key}`),
        versionId,
        storageClass: CLASSES[at],
      } as const;
      const run = { setAtMs: 0, startedAtMs: 0, place: null };
      index.applyLifecycle({ bucket: ref(), actions: [action], run, nowMs });
    },
    pack({ key }) {
      const object = objectAt(key);
      if (object === null || object.sizeBytes === 0) return;
      const { sizeBytes, segments: from, versionId } = object;
      const to = wholeOf(blobIn(bucket), sizeBytes);
      const storedBytes = Math.ceil(sizeBytes / 3);
      bodyOf.set(to.blobId, read(from));
      const compressed = { ...to, packing: { frameBytes: 4, plainBytes: sizeBytes, storedBytes } };
      const newReference = newReferenceOf(to.blobId, storedBytes);
      index.exchangeBody({
        bucket: ref(),
        key: object.key,
        versionId,
        from,
        to: compressed,
        newReference,
        nowMs,
      });
    },
    mode({ class: at }) {
      const versioning = at === 0 ? 'enabled' : 'suspended';
      bucket = index.setBucketSettings({ bucket: ref(), settings: { versioning } });
    },
    switch() {
      isOn = !isOn;
    },
    sweep({ class: at }) {
      const { blobs } = index.condemnBlobs({
        bucket: addressOf(bucket),
        olderThanMs: nowMs,
        limit: 100,
      });
      // A sweep may die between the two.
      if (at === 0)
        index.forgetBlobs({
          bucket: addressOf(bucket),
          blobIds: blobs.map(({ blobId }) => blobId),
        });
    },
    start({ key, class: at }) {
      const upload = uploadOf(`k${key}`, { storageClass: CLASSES[at] });
      index.createUpload({ bucket: ref(), upload });
      uploads.push({ upload, parts: new Map() });
    },
    part(step) {
      const { segments, newReferences } = arrive(step.body);
      addPart(step, segments, newReferences);
    },
    'part-copy'(step) {
      const source = objectAt(step.key);
      if (source !== null) addPart(step, cut(source, step), []);
    },
    complete({ pick }) {
      const [found] = uploads.splice(pick % Math.max(1, uploads.length), 1);
      if (found === undefined) return;
      const listed = [...found.parts.values()]
        .toSorted((a, b) => a.part.partNumber - b.part.partNumber)
        .slice(0, 2);
      const parts = listed.map(({ part }) => part);
      const done = index.completeUpload({
        bucket: ref(),
        ...completionOf(found.upload, parts, nowMs),
      });
      contents.set(
        done.versionId,
        listed.flatMap(({ content }) => content),
      );
    },
    abort({ pick }) {
      const [found] = uploads.splice(pick % Math.max(1, uploads.length), 1);
      if (found === undefined) return;
      const { key, uploadId } = found.upload;
      index.abortUpload({ bucket: ref(), key, uploadId, nowMs });
    },
  };

  /** All versions read as they were written. */
  function checkContents(): void {
    for (const key of [0, 1, 2, 3]) {
      for (const { versionId } of versionsOf(key)) {
        const found = index.getVersion({ bucket: ref(), key: asKey(`k${key}`), versionId });
        if (found?.kind === 'object')
          expect(read(found.object.segments)).toEqual(contents.get(versionId));
      }
    }
  }

  function checkCounts(): void {
    const rows = storedRows(sql);
    const blobs = new Map(
      sql.all<BlobRow>('SELECT * FROM blobs').map((blob) => [blob.blob_id, blob]),
    );
    const refs = new Map<BlobId, number>();
    const referred = new Map<string, number>();
    for (const { storageClass, segments } of rows) {
      for (const blobId of new Set(segments.map((segment) => segment.blobId)))
        refs.set(blobId, (refs.get(blobId) ?? 0) + 1);
      for (const { blobId, lengthBytes } of segments) {
        const place = `${storageClass} ${blobId}`;
        referred.set(place, (referred.get(place) ?? 0) + lengthBytes);
      }
    }
    for (const { blob_id: blobId, refs: counted, is_condemned } of blobs.values()) {
      expect(counted).toBe(refs.get(blobId) ?? 0);
      if (is_condemned === 1) expect(counted).toBe(0);
    }
    for (const blobId of refs.keys()) expect(blobs.has(blobId)).toBe(true);
    const saved = new Map<string, number>(CLASSES.map((name) => [name, 0]));
    for (const [place, bytes] of referred) {
      const [storageClass = '', blobId] = place.split(' ');
      const blob = blobs.get(blobId as BlobId);
      if (blob === undefined || blob.sha256 === null) continue;
      saved.set(
        storageClass,
        (saved.get(storageClass) ?? 0) + Math.max(0, bytes - blob.size_bytes),
      );
    }
    const totals = index.getStorageTotals({ bucket: ref() });
    for (const { storageClass, deduplicatedBytes, compressedBytes, ...of } of totals) {
      const inClass = rows.filter((row) => row.storageClass === storageClass);
      const compressedAway = inClass.reduce(
        (sum, { segments }) => sum + savedByCompression(segments),
        0,
      );
      expect([storageClass, deduplicatedBytes, compressedBytes]).toEqual([
        storageClass,
        saved.get(storageClass),
        compressedAway,
      ]);
      const stored = of.currentBytes + of.noncurrentBytes + of.partBytes;
      expect(deduplicatedBytes + compressedBytes).toBeLessThanOrEqual(stored);
    }
  }

  return {
    step(next: Step): void {
      nowMs += 1;
      run[next.do](next);
      checkContents();
      checkCounts();
    },
    close: () => sql.close(),
    totals: () => index.getStorageTotals({ bucket: ref() }),
    blobs: () => sql.all<{ n: number }>('SELECT count(*) AS n FROM blobs')[0]?.n,
  };
}

const example = (act: Kind, changes: Partial<Step> = {}): Step => ({
  ...{ do: act, key: 0, body: 0, class: 0, pick: 0, from: 0, length: 6 },
  ...changes,
});

/**
 * An object that has one blob twice, and nobody else does: what that saved ends when it is
 * compressed.
 */
const TWICE = [
  example('start'),
  example('part'),
  example('part', { pick: 1 }),
  example('complete'),
  example('pack'),
  example('delete'),
];

describe('deduplication', () => {
  it('keeps every byte and saves what a scan counts', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 50, size: 'max' }), (program) => {
        const world = createWorld();
        for (const next of program) world.step(next);
        world.close();
      }),
      { numRuns: fuzzRuns(40), examples: [[TWICE]] },
    );
  });

  it('pays a body once for each class that has it, and by whoever is left', () => {
    const world = createWorld();
    const saved = () =>
      world
        .totals()
        .map(({ storageClass, deduplicatedBytes }) => [storageClass, deduplicatedBytes]);
    for (const key of [0, 1, 2]) world.step(example('put', { key }));
    expect([world.blobs(), saved()]).toEqual([1, [['STANDARD', 20]]]);
    world.step(example('delete', { key: 0 }));
    expect(saved()).toEqual([['STANDARD', 10]]);
    world.step(example('transition', { key: 1, class: 1 }));
    expect(saved()).toEqual([
      ['STANDARD', 0],
      ['STANDARD_IA', 0],
    ]);
    world.step(example('transition', { key: 2, class: 1 }));
    expect(saved()).toEqual([
      ['STANDARD', 0],
      ['STANDARD_IA', 10],
    ]);
    // Another class is stored elsewhere; the same length is not the same body.
    world.step(example('put', { key: 0, class: 1 }));
    world.step(example('put', { key: 3, class: 1, body: 2 }));
    expect(world.blobs()).toBe(3);
  });

  it('saves nothing for a part of a blob, nor for a copy without a digest', () => {
    const world = createWorld();
    world.step(example('put'));
    world.step(example('start', { key: 1 }));
    world.step(example('part-copy'));
    world.step(example('complete'));
    expect(world.totals()).toMatchObject([{ currentBytes: 16, deduplicatedBytes: 6 }]);
    world.step(example('delete', { key: 0 }));
    expect(world.totals()).toMatchObject([{ currentBytes: 6, deduplicatedBytes: 0 }]);
    world.step(example('switch'));
    world.step(example('put', { key: 2, body: 1 }));
    world.step(example('copy', { key: 3, pick: 2 }));
    expect(world.totals()).toMatchObject([{ currentBytes: 56, deduplicatedBytes: 0 }]);
  });

  it('gives a repeated commit its first result, but for known blobs', () => {
    const sql = openMigrated(INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    const bucket: BucketRef = {
      ...index.createBucket({ bucket: bucketRecord() }),
      versioning: 'off',
    };
    const commitOf = (key: string) => {
      const blobId = blobIn(bucket);
      const newReferences = [{ ...newReferenceOf(blobId), digest: { sha256Hex: 'same' } }];
      return {
        bucket,
        object: segmentsObjectOf(key, [wholeOf(blobId)]),
        condition: null,
        newReferences,
      };
    };
    const [first, second] = [commitOf('a'), commitOf('b')];
    expect(index.commitObject(first).storedAs).toBe(null);
    const { storedAs } = index.commitObject(second);
    expect([storedAs, index.commitObject(second).storedAs]).toEqual([
      first.newReferences[0]?.blobId,
      storedAs,
    ]);
    // Something else has changed where the bytes of the first are, since.
    sql.all(`UPDATE objects SET detail = '{"segments":[["x~y/","moved",0,100]]}' WHERE key = 'a'`);
    expect(index.commitObject(first).storedAs).toBe(null);
    sql.close();
  });

  it('finds no blob that the sweeper was given, and revives one that it was not', () => {
    const world = createWorld();
    world.step(example('put'));
    world.step(example('delete'));
    world.step(example('put'));
    expect(world.blobs()).toBe(1);
    world.step(example('delete'));
    world.step(example('sweep', { class: 1 }));
    world.step(example('put'));
    expect(world.blobs()).toBe(2);
  });
});
