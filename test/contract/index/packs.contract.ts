// The packs family of the metadata index's contract: small bodies wait inline for their pack, move
// into it in one commit, and are the same for every reader before, meanwhile and after.
import { describe, expect } from 'vitest';
import type {
  BlobId,
  BucketAddress,
  BucketRecord,
  ObjectVersion,
} from '../../../src/domain/nouns.ts';
import type {
  PackContent,
  PackedVersion,
  WaitingPack,
} from '../../../src/ports/index-calls/pack-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bytesOf,
  condemn,
  deleteKeys,
  get,
  makeBucket,
  objectOf,
  refOf,
  START_MS,
} from './samples.ts';

const DAY_MS = 86_400_000;
/** A body of which 16 fill a pack of 4 MiB. */
const LARGE_BYTES = 256 * 1024;
const IN_PACK = 16;

const largeObject = (key: string, fill: number, changes: Partial<ObjectVersion> = {}) =>
  objectOf(key, {
    inlineBytes: new Uint8Array(LARGE_BYTES).fill(fill),
    sizeBytes: LARGE_BYTES,
    ...changes,
  } as Partial<ObjectVersion>);

/** Runs the family. */
export function indexPacksContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  const commit = (index: MetadataIndex, bucket: BucketRecord, object: ObjectVersion) =>
    index.call(bucket.name, 'commitObject', {
      bucket: refOf(bucket),
      object,
      condition: null,
      newReferences: [],
      packId: blobIn(bucket),
    });

  /** Fills a pack with bodies of the keys `k0`, `k1`, …, and gives it. */
  async function fill(index: MetadataIndex, bucket: BucketRecord): Promise<WaitingPack> {
    for (let at = 0; at < IN_PACK; at++) {
      const { fullPack } = await commit(index, bucket, largeObject(`k${at}`, at));
      if (fullPack === undefined) continue;
      expect(at).toBe(IN_PACK - 1);
      return { bucket: addressOf(bucket), blobId: fullPack };
    }
    throw new Error('The pack is not full.');
  }

  const claim = (index: MetadataIndex, { name }: BucketAddress, nowMs: number) =>
    index.call(name, 'claimPacks', { name, nowMs, limit: 10 });

  async function read(index: MetadataIndex, pack: WaitingPack): Promise<PackContent> {
    const content = await index.call(pack.bucket.name, 'readPack', pack);
    if (content === null) throw new Error('There is no such pack.');
    return content;
  }

  const adopt = (index: MetadataIndex, pack: WaitingPack, { bodies }: PackContent) =>
    index.call(pack.bucket.name, 'adoptPack', {
      ...pack,
      bodyIds: bodies.map(({ id }) => id),
      nowMs: START_MS,
    });

  const allKeys = Array.from({ length: IN_PACK }, (_, at) => `k${at}`);

  async function fillAndAdopt(index: MetadataIndex, bucket: BucketRecord): Promise<WaitingPack> {
    const pack = await fill(index, bucket);
    await adopt(index, pack, await read(index, pack));
    return pack;
  }

  const sparse = (index: MetadataIndex, bucket: BucketRecord) =>
    index.call(bucket.name, 'findSparsePacks', { bucket: refOf(bucket), limit: 10 });

  const incarnation = async (index: MetadataIndex, { name }: BucketRecord) =>
    (await index.call(name, 'listIncarnations', { name }))[0];

  const packed = (
    index: MetadataIndex,
    bucket: BucketRecord,
    blobId: BlobId,
    keys: readonly string[],
  ) =>
    index.call(bucket.name, 'findPackedVersions', {
      bucket: refOf(bucket),
      blobId,
      keys: keys.map(asKey),
    });

  /** Moves versions to another pack, where each lies five bytes further on. */
  const move = (
    index: MetadataIndex,
    bucket: BucketRecord,
    from: BlobId,
    to: BlobId,
    versions: readonly PackedVersion[],
  ) =>
    index.call(bucket.name, 'repack', {
      bucket: refOf(bucket),
      from,
      to: { blobId: to, sizeBytes: 100, endBytes: 90, sparseReferences: 0 },
      bodies: versions.map((body) => ({ ...body, newOffsetBytes: body.offsetBytes + 5 })),
      nowMs: START_MS,
    });

  describe(`packs: ${subject.name}`, () => {
    test('take bodies in, which lie there from one commit on', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      const before = await get(index, bucket, 'k3');
      expect(before?.inlineBytes).toEqual(new Uint8Array(LARGE_BYTES).fill(3));

      const content = await read(index, pack);
      expect(content.bodies.map(({ offsetBytes }) => offsetBytes)).toEqual(
        Array.from({ length: IN_PACK }, (_, at) => at * LARGE_BYTES),
      );
      expect(content.endBytes).toBe(IN_PACK * LARGE_BYTES);
      expect(content.sizeBytes).toBeGreaterThan(content.endBytes);
      expect(await adopt(index, pack, content)).toBe(IN_PACK);

      const after = await get(index, bucket, 'k3');
      expect(after).toEqual({
        ...before,
        inlineBytes: null,
        segments: [{ blobId: pack.blobId, offsetBytes: 3 * LARGE_BYTES, lengthBytes: LARGE_BYTES }],
      });
    });

    test('are adopted once, and then claimed and read no more', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      const content = await read(index, pack);
      expect(await adopt(index, pack, content)).toBe(IN_PACK);
      expect(await adopt(index, pack, content)).toBeNull();
      expect(await index.call(bucket.name, 'readPack', pack)).toBeNull();
      expect(await claim(index, bucket, START_MS + DAY_MS)).toEqual([]);
    });

    test('leave what was deleted or replaced meanwhile as it is', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      const content = await read(index, pack);
      await deleteKeys(index, bucket, ['k1']);
      await commit(index, bucket, objectOf('k2'));
      expect(await adopt(index, pack, content)).toBe(IN_PACK - 2);
      expect(await get(index, bucket, 'k1')).toBeNull();
      expect((await get(index, bucket, 'k2'))?.inlineBytes).toEqual(bytesOf('body of k2'));
      expect((await get(index, bucket, 'k4'))?.segments).toHaveLength(1);
    });

    test('refuse to be adopted with a body that was not written', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      const content = await read(index, pack);
      const bodies = content.bodies.slice(1);
      expect(await adopt(index, pack, { ...content, bodies })).toBeNull();
      expect((await get(index, bucket, 'k0'))?.inlineBytes).not.toBeNull();
      expect(await adopt(index, pack, content)).toBe(IN_PACK);
    });

    test('are no orphans before they are adopted, and go when they are empty', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      const unknown = () => index.call(bucket.name, 'findUnknownBlobs', { blobIds: [pack.blobId] });
      expect(await unknown()).toEqual([]);
      await adopt(index, pack, await read(index, pack));
      expect(await unknown()).toEqual([]);

      const keys = Array.from({ length: IN_PACK }, (_, at) => `k${at}`);
      await deleteKeys(index, bucket, keys.slice(1));
      expect(await condemn(index, bucket, START_MS + DAY_MS)).toEqual([]);
      await deleteKeys(index, bucket, keys.slice(0, 1));
      expect(await condemn(index, bucket, START_MS + DAY_MS)).toEqual([pack.blobId]);
    });

    test('of which all bodies went are given to the sweeper', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      const keys = Array.from({ length: IN_PACK }, (_, at) => `k${at}`);
      await deleteKeys(index, bucket, keys);
      const content = await read(index, pack);
      expect(content.bodies).toEqual([]);
      expect(await adopt(index, pack, content)).toBe(0);
      expect(await condemn(index, bucket, START_MS + DAY_MS)).toEqual([pack.blobId]);
    });

    test('are claimed when they are full or old, by one caller at a time', async (index) => {
      const bucket = await makeBucket(index);
      const pack = await fill(index, bucket);
      // Whoever filled it writes it; then it is anybody's.
      expect(await claim(index, bucket, START_MS)).toEqual([]);
      expect(await claim(index, bucket, START_MS + 600_000)).toEqual([pack]);
      expect(await claim(index, bucket, START_MS + 600_000)).toEqual([]);
      await adopt(index, pack, await read(index, pack));

      await commit(index, bucket, objectOf('little'));
      expect(await claim(index, bucket, START_MS + 2 * DAY_MS)).toEqual([]);
      await commit(index, bucket, largeObject('much', 1));
      expect(await claim(index, bucket, START_MS + 2 * DAY_MS)).toEqual([]);
      const [old] = await claim(index, bucket, START_MS + 4 * DAY_MS);
      if (old === undefined) throw new Error('Nothing was claimed.');
      // It gets no body more.
      await commit(index, bucket, objectOf('later'));
      const content = await read(index, old);
      expect(content.bodies.map(({ bytes }) => bytes.length)).toEqual([14, LARGE_BYTES]);
      expect(await adopt(index, old, content)).toBe(2);
      expect((await get(index, bucket, 'later'))?.inlineBytes).toEqual(bytesOf('body of later'));
      expect((await get(index, bucket, 'little'))?.segments).toHaveLength(1);
    });

    test('do not take what is empty, encrypted or has long metadata', async (index) => {
      const bucket = await makeBucket(index);
      await commit(index, bucket, objectOf('empty', { inlineBytes: new Uint8Array(0) } as never));
      const encryption = { kind: 'server', wrappedKey: 'id.wrapped' } as const;
      await commit(index, bucket, largeObject('encrypted', 1, { encryption }));
      const userMetadata = { long: 'x'.repeat(600) };
      await commit(index, bucket, largeObject('long', 1, { userMetadata }));
      await commit(index, bucket, largeObject('plain', 2));
      const [pack] = await claim(index, bucket, START_MS + 2 * DAY_MS);
      if (pack === undefined) throw new Error('Nothing was claimed.');
      const content = await read(index, pack);
      expect(await adopt(index, pack, content)).toBe(1);
      for (const key of ['empty', 'encrypted', 'long'])
        expect((await get(index, bucket, key))?.inlineBytes, key).not.toBeNull();
    });

    test('keep versions, and what is changed of one that waits', async (index) => {
      const bucket = await makeBucket(index);
      const versioned = { ...bucket, versioning: 'enabled' } as const;
      await commit(index, versioned, largeObject('k', 1));
      await commit(index, versioned, largeObject('k', 2));
      await index.call(bucket.name, 'updateVersion', {
        bucket: refOf(versioned),
        key: objectOf('k').key,
        versionId: null,
        change: { tags: { colour: 'red' } },
        bypassGovernance: false,
        nowMs: START_MS,
      });
      const [pack] = await claim(index, bucket, START_MS + 2 * DAY_MS);
      if (pack === undefined) throw new Error('Nothing was claimed.');
      expect(await adopt(index, pack, await read(index, pack))).toBe(2);
      const { versions } = await index.call(bucket.name, 'listVersions', {
        bucket: refOf(versioned),
        prefix: '',
        delimiter: '',
        afterKey: '',
        afterVersionId: '',
        maxKeys: 10,
      });
      const offsets = await Promise.all(
        versions.map(async ({ versionId }) => {
          const found = await index.call(bucket.name, 'getVersion', {
            bucket: refOf(versioned),
            key: objectOf('k').key,
            versionId,
          });
          return found?.kind === 'object'
            ? [found.object.segments[0]?.offsetBytes, found.object.tags]
            : null;
        }),
      );
      expect(offsets).toEqual([
        [LARGE_BYTES, { colour: 'red' }],
        [0, {}],
      ]);
    });

    test('move what lives to another pack when more than half is gone', async (index) => {
      const bucket = await makeBucket(index);
      const { blobId: from } = await fillAndAdopt(index, bucket);
      const most = Array.from({ length: 9 }, (_, at) => `k${at}`);
      await deleteKeys(index, bucket, most.slice(2));
      expect(await sparse(index, bucket)).toEqual([]);
      expect((await incarnation(index, bucket))?.hasSparsePacks).toBe(false);
      await deleteKeys(index, bucket, most.slice(0, 2));
      expect((await incarnation(index, bucket))?.hasSparsePacks).toBe(true);
      const [pack] = await sparse(index, bucket);
      expect(pack).toEqual({
        blobId: from,
        sizeBytes: expect.any(Number),
        endBytes: IN_PACK * LARGE_BYTES,
        references: 7,
        isHeld: false,
      });

      const versions = await packed(index, bucket, from, allKeys);
      expect(versions.map(({ key, offsetBytes }) => [key, offsetBytes]).toSorted()).toEqual(
        allKeys
          .slice(9)
          .map((key, at) => [key, (at + 9) * LARGE_BYTES])
          .toSorted(),
      );
      const before = await get(index, bucket, 'k12');
      const to = blobIn(bucket);
      expect(await move(index, bucket, from, to, versions)).toBe(true);
      expect(await move(index, bucket, from, to, versions)).toBe(true);
      expect(await get(index, bucket, 'k12')).toEqual({
        ...before,
        segments: [{ blobId: to, offsetBytes: 12 * LARGE_BYTES + 5, lengthBytes: LARGE_BYTES }],
      });
      expect(await sparse(index, bucket)).toEqual([]);
      expect(await condemn(index, bucket, START_MS + DAY_MS)).toEqual([from]);
      await deleteKeys(index, bucket, allKeys);
      expect(await condemn(index, bucket, START_MS + DAY_MS)).toEqual([from, to]);
    });

    test('leave in the old pack what changed before it could move', async (index) => {
      const bucket = await makeBucket(index);
      const { blobId: from } = await fillAndAdopt(index, bucket);
      const versions = await packed(index, bucket, from, ['k0', 'k1', 'k2']);
      await deleteKeys(index, bucket, ['k0']);
      await commit(index, bucket, objectOf('k1', { segments: [], sizeBytes: 3 } as never));
      const replaced = await get(index, bucket, 'k1');
      const to = blobIn(bucket);
      expect(await move(index, bucket, from, to, versions)).toBe(true);
      expect(await get(index, bucket, 'k0')).toBeNull();
      expect(await get(index, bucket, 'k1')).toEqual(replaced);
      expect((await get(index, bucket, 'k2'))?.segments[0]?.blobId).toBe(to);
      expect((await get(index, bucket, 'k3'))?.segments[0]?.blobId).toBe(from);
      // Nothing lies any more where this one says: it is no pack's business.
      expect(await move(index, bucket, from, blobIn(bucket), versions)).toBe(false);
      await deleteKeys(index, bucket, ['k2']);
      expect(await condemn(index, bucket, START_MS + DAY_MS)).toEqual([to]);
    });

    test('are left until more is gone', async (index) => {
      const bucket = await makeBucket(index);
      const { blobId } = await fillAndAdopt(index, bucket);
      await deleteKeys(index, bucket, allKeys.slice(0, 9));
      const leave = (sparseReferences: number) =>
        index.call(bucket.name, 'leavePack', {
          bucket: refOf(bucket),
          blobId,
          sparseReferences,
        });
      // One less than now at least.
      await leave(100);
      expect(await sparse(index, bucket)).toEqual([]);
      await deleteKeys(index, bucket, ['k9']);
      expect(await sparse(index, bucket)).toHaveLength(1);
      await leave(4);
      await deleteKeys(index, bucket, ['k10']);
      expect(await sparse(index, bucket)).toEqual([]);
      await deleteKeys(index, bucket, ['k11']);
      expect(await sparse(index, bucket)).toHaveLength(1);
    });

    test('move versions with their locks and tags', async (index) => {
      const bucket = await makeBucket(index);
      const versioned = { ...bucket, versioning: 'enabled' } as const;
      const lock = { mode: 'GOVERNANCE', retainUntilMs: START_MS + DAY_MS, legalHold: true };
      await commit(index, versioned, largeObject('k', 1, { tags: { a: 'b' }, lock } as never));
      const locked = await get(index, versioned, 'k');
      await commit(index, versioned, largeObject('k', 2));
      const [pack] = await claim(index, bucket, START_MS + 2 * DAY_MS);
      if (pack === undefined || locked === null) throw new Error('Nothing was claimed.');
      await adopt(index, pack, await read(index, pack));
      const versions = await packed(index, bucket, pack.blobId, ['k', 'k', 'missing']);
      expect(versions).toHaveLength(2);
      const to = blobIn(bucket);
      expect(await move(index, bucket, pack.blobId, to, versions)).toBe(true);
      const moved = await index.call(bucket.name, 'getVersion', {
        bucket: refOf(versioned),
        key: locked.key,
        versionId: locked.versionId,
      });
      expect(moved).toMatchObject({
        kind: 'object',
        object: {
          ...locked,
          inlineBytes: null,
          segments: [{ blobId: to, offsetBytes: 5, lengthBytes: LARGE_BYTES }],
        },
      });
    });
  });
}
