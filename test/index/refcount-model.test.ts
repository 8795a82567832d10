// Random lives of two buckets: puts, overwrites, copies inside and across, multipart, deletes,
// sweeps. After every step no blob that a row mentions is gone or condemned, and in the end nothing
// is left of what was freed.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../src/domain/errors.ts';
import type {
  BlobId,
  BucketAddress,
  BucketRecord,
  Segment,
  VersionId,
} from '../../src/domain/nouns.ts';
import { rowIdOf } from '../../src/domain/uploads/upload-rows.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { Upload } from '../../src/ports/index-calls/upload-calls.ts';
import type { NewBlobReference } from '../../src/ports/metadata-index.ts';
import {
  addressOf,
  blobIn,
  bucketRecord,
  completionOf,
  deletionOf,
  fresh,
  keyJobOf,
  newReferenceOf,
  objectIn,
  objectOf,
  partBlobIn,
  partOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  uploadOf,
  wholeOf,
} from '../contract/index/samples.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { openMigrated } from './kit/open-migrated.ts';
import { storedRows } from './kit/stored-rows.ts';

type Step =
  | { readonly do: 'put' | 'put-inline' | 'delete'; readonly at: number; readonly key: number }
  | {
      readonly do: 'copy';
      readonly at: number;
      readonly key: number;
      readonly to: number;
      readonly toKey: number;
    }
  | {
      readonly do: 'rename';
      readonly at: number;
      readonly key: number;
      readonly toKey: number;
      readonly mayReplace: boolean;
    }
  | {
      readonly do: 'start';
      readonly at: number;
      readonly key: number;
      readonly isJoined: boolean;
    }
  | {
      readonly do: 'part' | 'part-copy';
      readonly upload: number;
      readonly number: number;
      readonly key: number;
    }
  | { readonly do: 'complete'; readonly upload: number; readonly mask: number }
  | { readonly do: 'abort'; readonly upload: number }
  | { readonly do: 'end-copy' }
  | { readonly do: 'begin-pack'; readonly at: number }
  | { readonly do: 'adopt-pack' }
  | { readonly do: 'begin-repack'; readonly at: number }
  | { readonly do: 'end-repack' }
  | { readonly do: 'sweep'; readonly at: number; readonly isCutOff: boolean };

/** A body of which three fill a pack. */
const BODY = new Uint8Array(1_500_000);
/** Longer than whoever fills a pack is left alone with it. */
const CLAIM_MS = 3_600_000;

/** The sweeper's grace, in steps; a copy that has not ended by then never will. */
const GRACE_MS = 6;

const small = fc.nat({ max: 3 });
const bit = fc.nat({ max: 1 });
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('put', 'put-inline', 'delete'),
      at: bit,
      key: small,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('copy'), at: bit, key: small, to: bit, toKey: small }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ do: fc.constant('rename'), at: bit, key: small, toKey: small },
      mayReplace: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ do: fc.constant('start'), at: bit, key: small },
      isJoined: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('part', 'part-copy'),
      upload: small,
      number: small,
      key: small,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('complete'), upload: small, mask: fc.nat({ max: 15 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('abort'), upload: small }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end-copy') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('begin-pack'), at: bit }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('adopt-pack') }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('begin-repack'), at: bit }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end-repack') }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('sweep'), at: bit, isCutOff: fc.boolean() }),
  },
);

/**
 * Two buckets in one database, a store that is a set, and a clock that moves by one with each step.
 */
function createWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const buckets = [1, 2].map(() => index.createBucket({ bucket: bucketRecord() }));
  const store = new Set<BlobId>();
  const uploads: { bucket: BucketRecord; upload: Upload }[] = [];
  /** Copies that have taken their holds and not committed yet, oldest first. */
  let copies: { begunAtMs: number; commit: () => void }[] = [];
  /** Packs that are in the store and not adopted yet, oldest first. */
  const packs: { bucket: BucketAddress; blobId: BlobId; bodyIds: number[]; nowMs: number }[] = [];
  /** Packs whose bodies are to move to another that is in the store, oldest first. */
  const repacks: (Parameters<typeof index.repack>[0] & { begunAtMs: number })[] = [];
  let nowMs = START_MS;

  const bucketAt = (at: number) => buckets[at] as BucketRecord;
  const ownerOf = (blobId: BlobId) =>
    bucketAt(buckets.findIndex((bucket) => blobId.startsWith(`${bucket.id}/`)));

  function write(bucket: BucketRecord, blobId = blobIn(bucket)): BlobId {
    store.add(blobId);
    return blobId;
  }

  /** Adds remote references at owner buckets first, then gives those for the commit, like core. */
  function holdForeign(bucket: BucketRecord, segments: readonly Segment[]): NewBlobReference[] {
    return [...new Set(segments.map((segment) => segment.blobId))]
      .filter((blobId) => ownerOf(blobId) !== bucket)
      .map((blobId) => {
        const owner = addressOf(ownerOf(blobId));
        index.addRemoteReferences({
          ownerBucket: owner,
          blobIds: [blobId],
          referrer: addressOf(bucket),
          nowMs,
        });
        return newReferenceOf(blobId, 100, owner);
      });
  }

  function commit(
    bucket: BucketRecord,
    key: number,
    segments: readonly Segment[],
    newReferences: readonly NewBlobReference[],
  ) {
    const object =
      segments.length === 0
        ? objectOf(`k${key}`, { inlineBytes: BODY, lastModifiedMs: nowMs } as never)
        : segmentsObjectOf(`k${key}`, segments, { lastModifiedMs: nowMs });
    const input = { bucket: refOf(bucket), object, condition: null, newReferences };
    index.commitObject({ ...input, packId: blobIn(bucket) });
  }

  /** Writes the packs of a bucket that are full; others may have begun to, and go on. */
  function beginPack({ name }: BucketRecord): void {
    for (const pack of index.claimPacks({ name, nowMs: nowMs + CLAIM_MS, limit: 1 })) {
      const bodyIds = index.readPack(pack)?.bodies.map(({ id }) => id) ?? [];
      store.add(pack.blobId);
      packs.push({ ...pack, bodyIds, nowMs });
    }
  }

  function adoptPack(): void {
    const pack = packs.shift();
    if (pack !== undefined) index.adoptPack({ ...pack, nowMs });
  }

  /** Begins to write anew any pack that the bucket has, however much of it lives. */
  function beginRepack(bucket: BucketRecord): void {
    const [pack] = sql.all<{ blob_id: BlobId; size_bytes: number; pack_end_bytes: number }>(
      `SELECT blob_id, size_bytes, pack_end_bytes FROM blobs
       WHERE pack_end_bytes IS NOT NULL AND refs > 0 AND blob_id GLOB ? ORDER BY refs, blob_id`,
      `${bucket.id}/*`,
    );
    if (pack === undefined) return;
    const { blob_id: from, size_bytes: sizeBytes, pack_end_bytes: endBytes } = pack;
    const keys = [0, 1, 2, 3].map((key) => objectOf(`k${key}`).key);
    const versions = index.findPackedVersions({ bucket: refOf(bucket), blobId: from, keys });
    const bodies = versions.map((body) => ({ ...body, newOffsetBytes: body.offsetBytes }));
    const to = { blobId: write(bucket), sizeBytes, endBytes, sparseReferences: 0 };
    repacks.push({ bucket: refOf(bucket), from, to, bodies, nowMs, begunAtMs: nowMs });
  }

  /** Ends it, unless it comes too late; a new pack that nothing lies in is deleted. */
  function endRepack(): void {
    const repack = repacks.shift();
    if (repack === undefined) return;
    const isLate = nowMs - repack.begunAtMs >= GRACE_MS;
    if (isLate || !index.repack({ ...repack, nowMs })) store.delete(repack.to.blobId);
  }

  const segmentsAt = (at: number, key: number): readonly Segment[] =>
    objectIn(
      index.getVersion({
        bucket: refOf(bucketAt(at)),
        key: objectOf(`k${key}`).key,
        versionId: null,
      }),
    )?.segments ?? [];

  function commitPart(
    step: { upload: number; number: number; key: number },
    isCopy: boolean,
  ): void {
    const found = uploads[step.upload];
    if (found === undefined) return;
    const { bucket, upload } = found;
    const segments = isCopy
      ? segmentsAt(step.number % 2, step.key)
      : [wholeOf(write(bucket, partBlobIn(bucket, upload, step.number + 1)))];
    const newReferences = isCopy
      ? holdForeign(bucket, segments)
      : segments.map((segment) => newReferenceOf(segment.blobId));
    const part = partOf(step.number + 1, segments, { lastModifiedMs: nowMs });
    index.commitPart({
      bucket: refOf(bucket),
      key: upload.key,
      uploadId: upload.uploadId,
      part,
      newReferences,
    });
  }

  function complete(number: number, mask: number): void {
    const found = uploads[number];
    if (found === undefined) return;
    const { bucket, upload } = found;
    const address = { bucket: refOf(bucket), key: upload.key, uploadId: upload.uploadId };
    const { parts } = index.listParts({ ...address, afterPartNumber: 0, maxParts: 10 });
    const listed = parts.filter((part) => (mask >> (part.partNumber - 1)) & 1);
    index.completeUpload({ ...address, ...completionOf(upload, listed, nowMs) });
    uploads.splice(number, 1);
  }

  function abort(number: number): void {
    const [found] = uploads.splice(number, 1);
    if (found === undefined) return;
    const { key, uploadId } = found.upload;
    index.abortUpload({ bucket: refOf(found.bucket), key, uploadId, nowMs });
  }

  /** The sweeper of core; cut off, it has deleted and released but not forgotten. */
  function sweep(bucket: BucketRecord, olderThanMs: number, isCutOff: boolean): number {
    const address = addressOf(bucket);
    const { blobs, oldRemoteReferences } = index.condemnBlobs({
      bucket: address,
      olderThanMs,
      limit: 3,
    });
    for (const { blobId, referrer: holder } of oldRemoteReferences) {
      if (index.findReferencedBlobs({ referrer: holder, blobIds: [blobId] }).length > 0) continue;
      index.releaseRemoteReferences({
        ownerBucket: address,
        blobIds: [blobId],
        referrer: holder,
        takenUpToMs: olderThanMs,
      });
    }
    for (const { blobId, ownerBucket: owner } of blobs) {
      if (owner === null) store.delete(blobId);
      else
        index.releaseRemoteReferences({
          ownerBucket: owner,
          blobIds: [blobId],
          referrer: address,
          takenUpToMs: olderThanMs,
        });
    }
    if (!isCutOff)
      index.forgetBlobs({ bucket: address, blobIds: blobs.map((blob) => blob.blobId) });
    return blobs.length + oldRemoteReferences.length;
  }

  function beginCopy(step: { at: number; key: number; to: number; toKey: number }): void {
    const target = bucketAt(step.to);
    const segments = segmentsAt(step.at, step.key);
    const newReferences = holdForeign(target, segments);
    copies.push({
      begunAtMs: nowMs,
      commit: () => commit(target, step.toKey, segments, newReferences),
    });
  }

  /** A job of one step. */
  function rename({ at, key, toKey, mayReplace }: Extract<Step, { do: 'rename' }>): void {
    const id = fresh('job');
    const bucket = refOf(bucketAt(at));
    index.createKeyJob({ bucket, job: keyJobOf(id) });
    const [name, newName] = [objectOf(`k${key}`).key, objectOf(`k${toKey}`).key];
    const [versionId, markerId] = [fresh('version') as VersionId, fresh('version') as VersionId];
    const actions = [
      { kind: 'move', key: name, toKeys: [newName], versionId, markerId, mayReplace },
    ] as const;
    const step = { actions, next: { after: '', at: 0 }, elsewhere: {}, isLast: true };
    index.stepKeyJob({ bucket, id, revision: 1, ...step, nowMs });
  }

  function run(step: Step): void {
    nowMs += 1;
    copies = copies.filter((copy) => nowMs - copy.begunAtMs < GRACE_MS);
    if (step.do === 'put') {
      const blobId = write(bucketAt(step.at));
      commit(bucketAt(step.at), step.key, [wholeOf(blobId)], [newReferenceOf(blobId)]);
    }
    if (step.do === 'put-inline') commit(bucketAt(step.at), step.key, [], []);
    if (step.do === 'delete') {
      index.deleteObjects({
        bucket: refOf(bucketAt(step.at)),
        ...deletionOf([`k${step.key}`], nowMs),
      });
    }
    if (step.do === 'copy') beginCopy(step);
    if (step.do === 'rename') rename(step);
    if (step.do === 'end-copy') copies.shift()?.commit();
    if (step.do === 'begin-pack') beginPack(bucketAt(step.at));
    if (step.do === 'adopt-pack') adoptPack();
    if (step.do === 'begin-repack') beginRepack(bucketAt(step.at));
    if (step.do === 'end-repack') endRepack();
    if (step.do === 'start' && uploads.length <= 3) {
      const upload = uploadOf(`k${step.key}`, {}, step.isJoined ? 'joined' : 'separate');
      const isLate = step.isJoined;
      index.createUpload({ bucket: refOf(bucketAt(step.at)), upload, isLate });
      uploads.push({ bucket: bucketAt(step.at), upload });
    }
    if (step.do === 'part' || step.do === 'part-copy') commitPart(step, step.do === 'part-copy');
    if (step.do === 'complete') complete(step.upload, step.mask);
    if (step.do === 'abort') abort(step.upload);
    if (step.do === 'sweep') sweep(bucketAt(step.at), nowMs - GRACE_MS, step.isCutOff);
  }

  /** Counts afresh what rows mention, and compares with what the index counted. */
  function check(): void {
    const counted = new Map<string, number>();
    for (const { bucket, segments } of storedRows(sql)) {
      for (const blobId of new Set(segments.map((segment) => segment.blobId))) {
        const name = `${bucket} ${blobId}`;
        counted.set(name, (counted.get(name) ?? 0) + 1);
        expect(store.has(blobId)).toBe(true);
      }
    }
    for (const row of sql.all<{
      bucket: number;
      blob_id: BlobId;
      refs: number;
      is_condemned: number;
    }>('SELECT bucket, blob_id, refs, is_condemned FROM blobs')) {
      const name = `${row.bucket} ${rowIdOf(row.blob_id)}`;
      expect([name, row.refs]).toEqual([name, counted.get(name) ?? 0]);
      if (row.refs > 0) expect(row.is_condemned).toBe(0);
      counted.delete(name);
    }
    expect([...counted.keys()]).toEqual([]);
    // Each body beside a row is of one version; those that moved have none any more.
    expect(
      sql.all(`SELECT id, detail FROM object_bodies WHERE id <> 0 AND 1 <>
        (SELECT count(*) FROM objects WHERE body_id = object_bodies.id)`),
    ).toEqual([]);
  }

  /** Deletes everything and sweeps until there is nothing to do. */
  function end(): void {
    while (uploads.length > 0) run({ do: 'abort', upload: 0 });
    for (const at of [0, 1]) for (const key of [0, 1, 2, 3]) run({ do: 'delete', at, key });
    for (let round = 0, done = 1; done > 0; round++) {
      expect(round).toBeLessThan(100);
      nowMs += 10;
      for (const bucket of buckets) beginPack(bucket);
      done = packs.length;
      while (packs.length > 0) adoptPack();
      while (repacks.length > 0) endRepack();
      for (const bucket of buckets) done += sweep(bucket, nowMs - GRACE_MS, false);
    }
    expect([...store]).toEqual([]);
    expect(sql.all('SELECT * FROM blobs')).toEqual([]);
    expect(sql.all('SELECT * FROM blob_holds')).toEqual([]);
    sql.close();
  }

  return { run, check, end };
}

/**
 * A copy takes its hold anew just before the sweeper gives back the one of an older copy, and
 * commits just after.
 */
const idle: Step[] = Array.from({ length: GRACE_MS + 1 }, () => ({
  do: 'put-inline',
  at: 0,
  key: 3,
}));
const copyDuringRelease: Step[] = [
  { do: 'put', at: 0, key: 0 },
  { do: 'copy', at: 0, key: 0, to: 1, toKey: 0 },
  { do: 'end-copy' },
  { do: 'delete', at: 1, key: 0 },
  ...idle,
  { do: 'copy', at: 0, key: 0, to: 1, toKey: 0 },
  { do: 'sweep', at: 1, isCutOff: false },
  { do: 'end-copy' },
  { do: 'delete', at: 0, key: 0 },
  ...idle,
  { do: 'sweep', at: 0, isCutOff: false },
];

describe('references to blobs', () => {
  it('never lets a mentioned blob go, and in the end lets all others go', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 100, size: 'max' }), (program) => {
        const world = createWorld();
        for (const step of program) {
          try {
            world.run(step);
          } catch (error) {
            // A source that was condemned meanwhile: the copy is refused, and must have left
            // nothing.
            if (!(error instanceof StorageError) || error.code !== 'NoSuchBlob') throw error;
          }
          world.check();
        }
        world.end();
      }),
      { numRuns: fuzzRuns(30), examples: [[copyDuringRelease]] },
    );
  });
});
