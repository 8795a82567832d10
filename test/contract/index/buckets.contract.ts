// The buckets family of the metadata index's contract: records, revisions, lives of a name.
import { describe, expect } from 'vitest';
import type { BucketAccess } from '../../../src/domain/bucket-access.ts';
import {
  type BucketSettings,
  type CorsRule,
  NO_SETTINGS,
  type WebsiteConfiguration,
} from '../../../src/domain/bucket-settings.ts';
import type { BucketRecord, BucketRef, UploadId } from '../../../src/domain/nouns.ts';
import type { PurgeScope } from '../../../src/domain/purge.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  addressOf,
  asKey,
  blobIn,
  bucketRecord,
  condemn,
  deleteKeys,
  deletionOf,
  expectCode,
  get,
  makeBucket,
  OWNER,
  objectOf,
  partOf,
  put,
  putBlob,
  putBlobPart,
  refOf,
  START_MS,
  STRANGER,
  startUpload,
  uploadOf,
} from './samples.ts';

const PUBLIC: BucketAccess = {
  acl: [
    { grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' },
    { grantee: { kind: 'account', id: OWNER }, permission: 'FULL_CONTROL' },
  ],
  policyJson: '{"Statement":"ä😀"}',
  ownership: 'BucketOwnerPreferred',
  publicAccessBlock: {
    blockPublicAcls: false,
    ignorePublicAcls: true,
    blockPublicPolicy: false,
    restrictPublicBuckets: true,
  },
  hasPublicObjects: true,
  publicReads: {
    open: ['', 'öffentlich/'],
    mayOpen: ['a'],
    closed: ['b'],
    mayClose: ['c'],
    isAclHeard: true,
    isAllOwned: false,
    listing: 'ask',
  },
};

const CORS_RULE: CorsRule = {
  id: 'ä😀',
  allowedMethods: ['GET', 'PUT'],
  allowedOrigins: ['https://*.example'],
  allowedHeaders: ['*'],
  exposeHeaders: ['etag'],
  maxAgeSeconds: null,
};

const WEBSITE: WebsiteConfiguration = {
  redirectAllTo: null,
  indexSuffix: 'index.html',
  errorKey: null,
  routingRules: [],
};

/** Every call that names the bucket it decided on. */
function callsOn(index: MetadataIndex, bucket: BucketRef): Promise<unknown>[] {
  const { name } = bucket;
  const address = { bucket, key: asKey('k'), uploadId: 'none' as UploadId };
  const page = { bucket, prefix: '', delimiter: '' };
  const pack = { blobId: blobIn(bucket), sizeBytes: 1, endBytes: 1, sparseReferences: 0 };
  return [
    index.call(name, 'getVersion', { bucket, key: asKey('k'), versionId: null }),
    index.call(name, 'listObjects', { ...page, after: '', maxKeys: 10 }),
    index.call(name, 'listObjects', { ...page, after: '', maxKeys: 0 }),
    index.call(name, 'getUpload', address),
    index.call(name, 'listParts', { ...address, afterPartNumber: 0, maxParts: 10 }),
    index.call(name, 'listUploads', { ...page, afterKey: '', afterUploadId: '', maxUploads: 10 }),
    index.call(name, 'setBucketAccess', { bucket, access: PUBLIC }),
    index.call(name, 'setBucketSettings', { bucket, settings: { cors: null } }),
    index.call(name, 'deleteBucket', { bucket, nowMs: START_MS }),
    index.call(name, 'commitObject', {
      bucket,
      object: objectOf('k'),
      condition: null,
      newReferences: [],
    }),
    index.call(name, 'deleteObjects', { bucket, ...deletionOf(['k']) }),
    index.call(name, 'createUpload', { bucket, upload: uploadOf('k') }),
    index.call(name, 'commitPart', { ...address, part: partOf(1, []), newReferences: [] }),
    index.call(name, 'completeUpload', {
      ...address,
      parts: [],
      object: {
        versionId: objectOf('k').versionId,
        etag: '-',
        lastModifiedMs: START_MS,
        checksum: null,
        parts: [],
      },
      condition: null,
    }),
    index.call(name, 'abortUpload', { ...address, nowMs: START_MS }),
    index.call(name, 'findSparsePacks', { bucket, limit: 1 }),
    index.call(name, 'findPackedVersions', { bucket, blobId: pack.blobId, keys: [] }),
    index.call(name, 'leavePack', { bucket, blobId: pack.blobId, sparseReferences: 0 }),
    index.call(name, 'repack', {
      bucket,
      from: pack.blobId,
      to: pack,
      bodies: [],
      nowMs: START_MS,
    }),
  ];
}

async function expectAllRefused(index: MetadataIndex, bucket: BucketRef): Promise<void> {
  // All are heard from the first: one may be refused before those in front of it.
  await Promise.all(callsOn(index, bucket).map((call) => expectCode(call, 'BucketChanged')));
}

/** Runs the family. */
export function indexBucketsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  describe(`metadata index, buckets: ${subject.name}`, () => {
    test('gives back a bucket as it was made', async (index) => {
      const bucket = bucketRecord({ access: PUBLIC, revision: 7 });
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toBe(null);
      expect(await index.call(bucket.name, 'createBucket', { bucket })).toEqual(bucket);
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(bucket);
    });

    test('refuses a name that lives, telling own from foreign', async (index) => {
      const bucket = await makeBucket(index);
      const again = bucketRecord({ name: bucket.name });
      await expect(
        index.call(bucket.name, 'createBucket', { bucket: again }),
      ).rejects.toMatchObject({
        code: 'BucketAlreadyOwnedByYou',
        fields: { BucketName: bucket.name },
      });
      const foreign = { ...again, ownerId: STRANGER };
      await expectCode(
        index.call(bucket.name, 'createBucket', { bucket: foreign }),
        'BucketAlreadyExists',
      );
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(bucket);
    });

    test('lets one of many creators win', async (index) => {
      const first = bucketRecord();
      const rivals = [first, ...[1, 2, 3].map(() => bucketRecord({ name: first.name }))];
      const outcomes = await Promise.allSettled(
        rivals.map((bucket) => index.call(first.name, 'createBucket', { bucket })),
      );
      const won = rivals.filter((_, number) => outcomes[number]?.status === 'fulfilled');
      expect(won).toHaveLength(1);
      expect(await index.call(first.name, 'getBucket', { name: first.name })).toEqual(won[0]);
    });

    test('moves the revision on with the access, and refuses older ones', async (index) => {
      const bucket = await makeBucket(index);
      await put(index, bucket, objectOf('k'));
      const changed = await index.call(bucket.name, 'setBucketAccess', {
        bucket: refOf(bucket),
        access: PUBLIC,
      });
      expect(changed).toEqual({ ...bucket, revision: 2, access: PUBLIC });
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(changed);
      await expectAllRefused(index, refOf(bucket));
      expect(await get(index, changed, 'k')).not.toBe(null);
    });

    test('changes named settings alone, and moves the revision on', async (index) => {
      const bucket = await makeBucket(index, { access: PUBLIC });
      const set = (record: BucketRecord, settings: Partial<BucketSettings>) =>
        index.call(bucket.name, 'setBucketSettings', { bucket: refOf(record), settings });
      const first = await set(bucket, { cors: [CORS_RULE] });
      expect(first).toEqual({
        ...bucket,
        revision: 2,
        settings: { ...NO_SETTINGS, cors: [CORS_RULE] },
      });
      await expectAllRefused(index, refOf(bucket));
      const second = await set(first, { website: WEBSITE });
      expect(second.settings).toEqual({ ...NO_SETTINGS, cors: [CORS_RULE], website: WEBSITE });
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(second);
      const { bucket: resolved } = await index.call(bucket.name, 'resolve', {
        name: bucket.name,
        key: asKey('k'),
      });
      expect(resolved).toEqual(second);
      const closed = await index.call(bucket.name, 'setBucketAccess', {
        bucket: refOf(second),
        access: { acl: null },
      });
      expect(closed.settings).toEqual(second.settings);
      const third = await set(closed, { cors: null });
      expect(third).toEqual({
        ...closed,
        revision: 5,
        settings: { ...NO_SETTINGS, website: WEBSITE },
      });
    });

    test('moves invalidation watermarks with the revision, and keeps them', async (index) => {
      const bucket = await makeBucket(index);
      const purge = (record: BucketRecord, scopes: readonly PurgeScope[]) =>
        index.call(bucket.name, 'purgeBucket', { bucket: refOf(record), scopes });
      const first = await purge(bucket, [{ scope: 'key', value: 'a' }]);
      expect(first).toMatchObject({
        revision: 2,
        settings: {
          purges: { latest: 2, bucket: 0, others: [{ scope: 'key', value: 'a', revision: 2 }] },
        },
      });
      await expectCode(purge(bucket, [{ scope: 'bucket' }]), 'BucketChanged');
      const settings = { website: WEBSITE };
      const other = await index.call(bucket.name, 'setBucketSettings', {
        bucket: refOf(first),
        settings,
      });
      expect(other.settings.purges).toEqual(first.settings.purges);
      const all = await purge(other, [{ scope: 'bucket' }]);
      expect(all.settings).toEqual({
        ...other.settings,
        purges: { latest: 4, bucket: 4, others: [] },
      });
    });

    test('never lets object lock be without versioning', async (index) => {
      const bucket = await makeBucket(index);
      const set = (record: BucketRecord, settings: Partial<BucketSettings>) =>
        index.call(bucket.name, 'setBucketSettings', { bucket: refOf(record), settings });
      const objectLock = { defaultRetention: null };
      await expectCode(set(bucket, { objectLock }), 'InvalidBucketState');
      const suspended = await set(bucket, { versioning: 'suspended' });
      await expectCode(set(suspended, { objectLock }), 'InvalidBucketState');
      const locked = await set(suspended, { versioning: 'enabled', objectLock });
      expect(locked.settings).toEqual({ ...NO_SETTINGS, versioning: 'enabled', objectLock });
      await expectCode(set(locked, { versioning: 'suspended' }), 'InvalidBucketState');
      await expectCode(set(locked, { versioning: null }), 'InvalidBucketState');
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(locked);
    });

    test('gives a bucket that is made with settings back with them', async (index) => {
      const bucket = bucketRecord({
        settings: { ...NO_SETTINGS, cors: [CORS_RULE], website: WEBSITE },
      });
      await index.call(bucket.name, 'createBucket', { bucket });
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(bucket);
    });

    test('refuses another incarnation, another name and a later revision', async (index) => {
      const bucket = await makeBucket(index);
      await expectAllRefused(index, {
        ...refOf(bucket),
        id: bucketRecord({ name: bucket.name }).id,
      });
      await expectAllRefused(index, { ...refOf(bucket), revision: 2 });
      await expectAllRefused(index, refOf(bucketRecord()));
    });

    test('deletes an empty bucket only', async (index) => {
      const bucket = await makeBucket(index);
      const drop = () =>
        index.call(bucket.name, 'deleteBucket', { bucket: refOf(bucket), nowMs: START_MS });
      await put(index, bucket, objectOf('k'));
      await put(index, bucket, objectOf('l'));
      await startUpload(index, bucket, 'm');
      await expect(drop()).rejects.toMatchObject({
        code: 'BucketNotEmpty',
        message: 'The bucket you tried to delete is not empty: 2 objects, 1 unfinished upload.',
      });
      await deleteKeys(index, bucket, ['k', 'l']);
      await drop();
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toBe(null);
      await expectAllRefused(index, refOf(bucket));
    });

    test('deletes a bucket with uploads in progress, which its sweep then drops', async (index) => {
      const bucket = await makeBucket(index);
      const { name } = bucket;
      const address = addressOf(bucket);
      const uploads = await Promise.all(['a', 'b'].map((key) => startUpload(index, bucket, key)));
      const parts = await Promise.all(
        uploads.map((upload) => putBlobPart(index, bucket, upload, 1)),
      );
      const blobIds = parts.flatMap((part) => part.segments.map(({ blobId }) => blobId)).sort();
      const dropUploads = (nowMs = START_MS) =>
        index.call(name, 'dropUploadsOfIncarnation', { bucket: address, nowMs });
      // Not those of a bucket that lives.
      expect(await dropUploads()).toEqual({ isDone: true });
      await index.call(name, 'deleteBucket', { bucket: refOf(bucket), nowMs: START_MS });
      const [first] = uploads;
      if (first === undefined) throw new Error('no upload');
      await expectCode(putBlobPart(index, bucket, first, 2), 'BucketChanged');

      // Another life of the name has nothing of it, and the old one waits for its uploads.
      const again = await makeBucket(index, { name });
      await index.call(name, 'forgetIncarnation', { bucket: address });
      expect(await index.call(name, 'listIncarnations', { name })).toHaveLength(2);
      const page = { prefix: '', delimiter: '', afterKey: '', afterUploadId: '', maxUploads: 10 };
      const listed = await index.call(name, 'listUploads', { bucket: refOf(again), ...page });
      expect(listed.uploads).toEqual([]);

      expect(await condemn(index, bucket, START_MS + 2)).toEqual([]);
      expect(await dropUploads(START_MS + 1)).toEqual({ isDone: true });
      expect(await dropUploads(START_MS + 1)).toEqual({ isDone: true });
      expect((await condemn(index, bucket, START_MS + 2)).sort()).toEqual(blobIds);
      await index.call(name, 'forgetBlobs', { bucket: address, blobIds });
      await index.call(name, 'forgetIncarnation', { bucket: address });
      expect(await index.call(name, 'listIncarnations', { name })).toHaveLength(1);
    });

    test('drops the uploads of a deleted bucket in steps', async (index) => {
      const bucket = await makeBucket(index);
      // One more than a call drops.
      await Promise.all(Array.from({ length: 101 }, () => startUpload(index, bucket, 'k')));
      await index.call(bucket.name, 'deleteBucket', { bucket: refOf(bucket), nowMs: START_MS });
      const input = { bucket: addressOf(bucket), nowMs: START_MS };
      expect(await index.call(bucket.name, 'dropUploadsOfIncarnation', input)).toEqual({
        isDone: false,
      });
      expect(await index.call(bucket.name, 'dropUploadsOfIncarnation', input)).toEqual({
        isDone: true,
      });
      await index.call(bucket.name, 'forgetIncarnation', { bucket: addressOf(bucket) });
      expect(await index.call(bucket.name, 'listIncarnations', { name: bucket.name })).toEqual([]);
    });

    test('gives a name that is made again an empty life of its own', async (index) => {
      const old = await makeBucket(index, { access: PUBLIC });
      await put(index, old, objectOf('k'));
      await deleteKeys(index, old, ['k']);
      await index.call(old.name, 'deleteBucket', { bucket: refOf(old), nowMs: START_MS });
      const bucket = await makeBucket(index, { name: old.name, ownerId: STRANGER });
      expect(await index.call(bucket.name, 'getBucket', { name: bucket.name })).toEqual(bucket);
      expect(await get(index, bucket, 'k')).toBe(null);
      await expectAllRefused(index, refOf(old));
    });

    test('lists the lives of a name and how far each was swept', async (index) => {
      const old = await makeBucket(index);
      const { name } = old;
      await index.call(name, 'setSweptUpTo', { bucket: addressOf(old), sweptUpTo: `${old.id}/5` });
      await index.call(name, 'deleteBucket', { bucket: refOf(old), nowMs: START_MS });
      const bucket = await makeBucket(index, { name });
      await makeBucket(index);
      expect(await index.call(name, 'listIncarnations', { name })).toEqual([
        {
          bucket: addressOf(old),
          isDeleted: true,
          sweptUpTo: `${old.id}/5`,
          hasLifecycle: false,
          hasCompression: false,
          hasKeyJobs: false,
          searchedAtMs: null,
          levelsUsedAtMs: null,
          idleUploadMs: null,
          selectionEndsMs: null,
          dropRowsEndMs: null,
          packDueMs: null,
          hasSparsePacks: false,
        },
        {
          bucket: addressOf(bucket),
          isDeleted: false,
          sweptUpTo: '',
          hasLifecycle: false,
          hasCompression: false,
          hasKeyJobs: false,
          searchedAtMs: null,
          levelsUsedAtMs: null,
          idleUploadMs: null,
          selectionEndsMs: null,
          dropRowsEndMs: null,
          packDueMs: null,
          hasSparsePacks: false,
        },
      ]);
    });

    test('forgets a deleted incarnation after its last blob, no live one', async (index) => {
      const bucket = await makeBucket(index);
      const { name } = bucket;
      const address = addressOf(bucket);
      const livesLeft = async () => (await index.call(name, 'listIncarnations', { name })).length;
      const forget = () => index.call(name, 'forgetIncarnation', { bucket: address });
      await forget();
      expect(await livesLeft()).toBe(1);

      const blobId = await putBlob(index, bucket, 'k');
      await deleteKeys(index, bucket, ['k'], START_MS);
      await index.call(name, 'deleteBucket', { bucket: refOf(bucket), nowMs: START_MS });
      await forget();
      expect(await livesLeft()).toBe(1);

      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobId]);
      await forget();
      expect(await livesLeft()).toBe(1);
      await index.call(name, 'forgetBlobs', { bucket: address, blobIds: [blobId] });
      await forget();
      await forget();
      expect(await livesLeft()).toBe(0);
      expect(
        await index.call(name, 'createBucket', { bucket: bucketRecord({ name }) }),
      ).toMatchObject({
        ownerId: OWNER,
      });
    });
  });
}
