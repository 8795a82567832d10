// The objects family of the metadata index's contract: versions as they were committed, conditions,
// deletion.
import { describe, expect } from 'vitest';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import type { HostingSettings } from '../../../src/domain/hosting.ts';
import type {
  BucketName,
  BucketRef,
  ObjectVersion,
  WriteCondition,
} from '../../../src/domain/nouns.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  asKey,
  blobIn,
  bucketRecord,
  bytesOf,
  condemn,
  deleteKeys,
  deletionOf,
  expectCode,
  get,
  MiB,
  makeBucket,
  newReferenceOf,
  objectOf,
  put,
  putBlob,
  refOf,
  START_MS,
  segmentsObjectOf,
  wholeOf,
} from './samples.ts';

/** Keys that have broken somebody's index. */
const NASTY_KEYS = [
  ' ',
  '/',
  '//',
  '../..',
  'a\u0000b',
  'a\u0000',
  '\uffff',
  '\u{10ffff}',
  '😀',
  '%2F+',
  "'; --",
  'ä',
  'a\u0308',
];

const RICH: Partial<ObjectVersion> = {
  headers: {
    contentType: 'text/plain; charset=utf-8',
    cacheControl: 'max-age=1',
    contentDisposition: 'attachment; filename="ä😀\u0000.txt"',
    contentEncoding: 'gzip',
    contentLanguage: 'de',
    expires: 'not a date',
    websiteRedirectLocation: '/elsewhere',
  },
  userMetadata: JSON.parse('{"__proto__":"x","a":"","long":"ü"}') as Record<string, string>,
  storageClass: 'STANDARD_IA',
  checksum: { algorithm: 'CRC64NVME', type: 'FULL_OBJECT', value: 'AAAAAAAAAAA=' },
  lastModifiedMs: START_MS + 123,
};

const when = (ifMatch: string | null, ifNoneMatch: string | null): WriteCondition => ({
  ifMatch,
  ifNoneMatch,
});

/** Runs the family. */
export function indexObjectsContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  describe(`metadata index, objects: ${subject.name}`, () => {
    test('has no object where none was committed', async (index) => {
      const bucket = await makeBucket(index);
      expect(await get(index, bucket, 'k')).toBe(null);
      const { name } = bucket;
      expect(await index.call(name, 'resolve', { name, key: asKey('k') })).toEqual({
        bucket,
        object: null,
      });
      const nobody = bucketRecord().name;
      expect(await index.call(nobody, 'resolve', { name: nobody, key: asKey('k') })).toEqual({
        bucket: null,
        object: null,
      });
    });

    test('gives a bucket with several of its objects in one call', async (index) => {
      const bucket = await makeBucket(index);
      const { name } = bucket;
      const object = await put(index, bucket, objectOf('a'));
      const ask = (...keys: string[]) =>
        index.call(name, 'resolveAll', { name, keys: keys.map(asKey) });
      expect(await ask('b', 'a')).toEqual({ bucket, objects: [null, object] });
      const nobody = bucketRecord().name;
      const none = await index.call(nobody, 'resolveAll', { name: nobody, keys: [asKey('a')] });
      expect(none).toEqual({ bucket: null, objects: [null] });
    });

    test('gives the rule files of a hosted bucket at the roots of its sites', async (index) => {
      const bucket = await makeBucket(index);
      const { name } = bucket;
      const resolve = async () =>
        (await index.call(name, 'resolve', { name, key: asKey('k') })).bucket?.siteFiles;
      for (const key of ['_headers', 'docs/_redirects', 'other/_headers', 'docs/a']) {
        await put(index, bucket, objectOf(key));
      }
      expect(await resolve()).toBeUndefined();
      const domains = [{ host: 'docs.example', prefix: 'docs/' }];
      const host = (ref: BucketRef, hosting: HostingSettings | null) =>
        index.call(name, 'setBucketSettings', { bucket: ref, settings: { hosting } });
      const hosted = await host(refOf(bucket), { ...HOSTING_DEFAULTS, domains });
      const files = (await resolve())?.map(({ key }) => key).toSorted();
      expect(files).toEqual(['_headers', 'docs/_redirects']);
      const [first] = (await resolve()) ?? [];
      const object = await get(index, hosted, first?.key ?? '');
      expect(first?.versionId).toBe(object?.versionId);
      await deleteKeys(index, hosted, ['_headers', 'docs/_redirects']);
      expect(await resolve()).toBeUndefined();
      await put(index, hosted, objectOf('_redirects'));
      expect((await resolve())?.length).toBe(1);
      await host(refOf(hosted), { ...HOSTING_DEFAULTS, domains, ruleFiles: false });
      expect(await resolve()).toBeUndefined();
    });

    test('gives several objects in the order of the keys asked for', async (index) => {
      const bucket = await makeBucket(index);
      const inline = await put(index, bucket, objectOf('a'));
      const blobId = blobIn(bucket);
      const large = await put(index, bucket, segmentsObjectOf('b', [wholeOf(blobId)]), [
        newReferenceOf(blobId),
      ]);
      const keys = ['b', 'missing', 'a', 'b'].map(asKey);
      const found = await index.call(bucket.name, 'getObjects', { bucket: refOf(bucket), keys });
      expect(found).toEqual([large, null, inline, large]);
      expect(
        await index.call(bucket.name, 'getObjects', { bucket: refOf(bucket), keys: [] }),
      ).toEqual([]);
      const old = { ...refOf(bucket), revision: bucket.revision - 1 };
      await expectCode(
        index.call(bucket.name, 'getObjects', { bucket: old, keys }),
        'BucketChanged',
      );
    });

    test('gives the grants of those keys that have a list', async (index) => {
      const bucket = await makeBucket(index);
      const acl = [{ grantee: { kind: 'group', group: 'AllUsers' }, permission: 'READ' }] as const;
      const named = { userMetadata: { note: '"acl":' } };
      await put(index, bucket, { ...objectOf('inline'), acl, ...named });
      await put(index, bucket, { ...objectOf('plain'), ...named });
      const keys = ['plain', 'missing', 'inline'].map(asKey);
      const call = (ref: BucketRef) => index.call(bucket.name, 'listAcls', { bucket: ref, keys });
      expect(await call(refOf(bucket))).toEqual([{ key: 'inline', acl }]);
      await expectCode(call({ ...refOf(bucket), revision: bucket.revision - 1 }), 'BucketChanged');
    });

    for (const size of [0, 1, 10_240]) {
      test(`gives back an inline body of ${size} bytes with all attributes`, async (index) => {
        const bucket = await makeBucket(index);
        const inlineBytes = new Uint8Array(size).map((_, at) => at);
        const object = await put(
          index,
          bucket,
          objectOf('k', { ...RICH, inlineBytes, sizeBytes: size } as typeof RICH),
        );
        const found = await get(index, bucket, 'k');
        expect(found).toEqual(object);
        expect(Object.keys(found?.userMetadata ?? {})).toContain('__proto__');
        const { name } = bucket;
        expect(await index.call(name, 'resolve', { name, key: object.key })).toEqual({
          bucket,
          object,
        });
      });
    }

    test('gives back segments of all blobs, parts, a composite checksum', async (index) => {
      const owner = await makeBucket(index);
      const bucket = await makeBucket(index);
      const [a, b] = [blobIn(bucket), blobIn(owner)];
      const segments = [
        { blobId: a, offsetBytes: 5 * MiB, lengthBytes: 1 },
        { blobId: b, offsetBytes: 0, lengthBytes: 2 ** 40 },
        { blobId: a, offsetBytes: 0, lengthBytes: 7 },
        { blobId: a, offsetBytes: 7, lengthBytes: 1 },
      ];
      const object = segmentsObjectOf('k', segments, {
        ...RICH,
        checksum: { algorithm: 'SHA256', type: 'COMPOSITE', value: 'abc=-2' },
        parts: [
          { partNumber: 2, sizeBytes: 1, checksum: null },
          { partNumber: 10_000, sizeBytes: 2 ** 40, checksum: 'abc=' },
        ],
      });
      await put(index, bucket, object, [newReferenceOf(a), newReferenceOf(b, 2 ** 40, owner)]);
      expect(await get(index, bucket, 'k')).toEqual(object);
    });

    test('keeps an object of no bytes and no blob', async (index) => {
      const bucket = await makeBucket(index);
      const object = await put(index, bucket, segmentsObjectOf('k', [], { parts: [] }));
      expect(await get(index, bucket, 'k')).toEqual(object);
    });

    test('keeps keys apart, byte for byte', async (index) => {
      const bucket = await makeBucket(index);
      for (const key of NASTY_KEYS) await put(index, bucket, objectOf(key));
      for (const key of NASTY_KEYS) {
        expect(await get(index, bucket, key)).toMatchObject({
          key,
          inlineBytes: bytesOf(`body of ${key}`),
        });
      }
      const other = await makeBucket(index);
      for (const key of NASTY_KEYS) expect(await get(index, other, key)).toBe(null);
    });

    test('replaces a version of any kind by one of any kind', async (index) => {
      const bucket = await makeBucket(index);
      const long = { userMetadata: { long: 'x'.repeat(2000) } };
      const makers = [
        () => put(index, bucket, objectOf('k')),
        () => put(index, bucket, objectOf('k', long)),
        async () => {
          await putBlob(index, bucket, 'k');
          return get(index, bucket, 'k');
        },
        async () => {
          await putBlob(index, bucket, 'k', long);
          return get(index, bucket, 'k');
        },
      ];
      for (const first of makers) {
        for (const second of makers) {
          await first();
          const version = await second();
          expect(await get(index, bucket, 'k')).toEqual(version);
        }
      }
    });

    test('takes a repeated commit for the one that it is', async (index) => {
      const bucket = await makeBucket(index);
      const blobId = blobIn(bucket);
      const input = {
        bucket: refOf(bucket),
        object: segmentsObjectOf('k', [wholeOf(blobId)]),
        condition: when(null, '*'),
        newReferences: [newReferenceOf(blobId)],
      };
      await index.call(bucket.name, 'commitObject', input);
      await index.call(bucket.name, 'commitObject', input);
      await deleteKeys(index, bucket, ['k'], START_MS);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([blobId]);
    });

    test('holds to the conditions of a write', async (index) => {
      const bucket = await makeBucket(index);
      const commit = (condition: WriteCondition, etag: string) =>
        index.call(bucket.name, 'commitObject', {
          bucket: refOf(bucket),
          object: objectOf('k', { etag }),
          condition,
          newReferences: [],
        });
      await expectCode(commit(when('*', null), 'a'), 'NoSuchKey');
      await expectCode(commit(when('a', null), 'a'), 'NoSuchKey');
      await expectCode(commit(when('a', '*'), 'a'), 'NoSuchKey');
      expect(await get(index, bucket, 'k')).toBe(null);
      await commit(when(null, '*'), 'a');
      await expectCode(commit(when(null, '*'), 'b'), 'PreconditionFailed');
      await expectCode(commit(when(null, 'a'), 'b'), 'PreconditionFailed');
      await expectCode(commit(when('b', null), 'b'), 'PreconditionFailed');
      await expectCode(commit(when('a', '*'), 'b'), 'PreconditionFailed');
      expect(await get(index, bucket, 'k')).toMatchObject({ etag: 'a' });
      await commit(when('a', null), 'b');
      await commit(when('*', null), 'c');
      await commit(when(null, 'b'), 'd');
      await commit(when('d', 'c'), 'e');
      expect(await get(index, bucket, 'k')).toMatchObject({ etag: 'e' });
    });

    test('lets one of many writers win under If-None-Match and If-Match', async (index) => {
      const bucket = await makeBucket(index);
      const race = async (condition: WriteCondition) => {
        const rivals = Array.from({ length: 8 }, () => objectOf('k'));
        const outcomes = await Promise.allSettled(
          rivals.map((object) =>
            index.call(bucket.name, 'commitObject', {
              bucket: refOf(bucket),
              object,
              condition,
              newReferences: [],
            }),
          ),
        );
        const won = rivals.filter((_, number) => outcomes[number]?.status === 'fulfilled');
        expect(won).toHaveLength(1);
        expect(await get(index, bucket, 'k')).toEqual(won[0]);
        return won[0]?.etag ?? '';
      };
      const etag = await race(when(null, '*'));
      await race(when(etag, null));
    });

    test('leaves nothing of a commit that it refuses', async (index) => {
      const bucket = await makeBucket(index);
      const before = await put(index, bucket, objectOf('k'));
      const [known, unknown] = [blobIn(bucket), blobIn(bucket)];
      const object = segmentsObjectOf('k', [wholeOf(known), wholeOf(unknown)]);
      await expectCode(put(index, bucket, object, [newReferenceOf(known)]), 'NoSuchBlob');
      expect(await get(index, bucket, 'k')).toEqual(before);
      const blobIds = [known, unknown];
      expect(await index.call(bucket.name, 'findUnknownBlobs', { blobIds })).toEqual(blobIds);
    });

    test('stores an object of 10,000 parts, and refuses one beyond a row', async (index) => {
      const bucket = await makeBucket(index, {
        name: `${'long-name.'.repeat(4)}${bucketRecord().name}` as BucketName,
      });
      const lengthBytes = 5 * 1024 * MiB;
      const blobIds = Array.from({ length: 10_000 }, () => blobIn(bucket));
      const segments = blobIds.map((blobId) => wholeOf(blobId, lengthBytes));
      const checksum = 'x'.repeat(44);
      const parts = blobIds.map((_, at) => ({
        partNumber: at + 1,
        sizeBytes: lengthBytes,
        checksum,
      }));
      const object = segmentsObjectOf('k', segments, {
        ...RICH,
        parts,
        userMetadata: { long: 'x'.repeat(2000) },
      });
      const newReferences = blobIds.map((blobId) => newReferenceOf(blobId, lengthBytes));
      await put(index, bucket, object, newReferences);
      const found = await get(index, bucket, 'k');
      // Compared as text: 20,000 records one by one take seconds.
      expect(JSON.stringify([found?.segments, found?.parts])).toBe(
        JSON.stringify([segments, parts]),
      );
      expect({ ...found, segments: [], parts: [] }).toEqual({ ...object, segments: [], parts: [] });

      const [blobId = blobIn(bucket)] = blobIds;
      const pieces = Array.from({ length: 90_000 }, (_, at) => ({
        blobId,
        offsetBytes: at,
        lengthBytes: 1,
      }));
      await expectCode(put(index, bucket, segmentsObjectOf('k', pieces)), 'InvalidRequest');
      expect(await get(index, bucket, 'k')).toMatchObject({ versionId: object.versionId });
    });

    test('deletes keys and says which were there', async (index) => {
      const bucket = await makeBucket(index);
      for (const key of ['a', 'b', 'c']) await put(index, bucket, objectOf(key));
      const plain = { marker: null, refusal: null };
      expect(await deleteKeys(index, bucket, ['b', 'x', 'a', 'b'])).toEqual([
        { key: 'b', existed: true, ...plain },
        { key: 'x', existed: false, ...plain },
        { key: 'a', existed: true, ...plain },
        { key: 'b', existed: false, ...plain },
      ]);
      expect(await deleteKeys(index, bucket, [])).toEqual([]);
      expect(await get(index, bucket, 'a')).toBe(null);
      expect(await get(index, bucket, 'c')).not.toBe(null);
    });

    test('holds to the condition of a delete, which a missing key never meets', async (index) => {
      const bucket = await makeBucket(index);
      await put(index, bucket, objectOf('k', { etag: 'a' }));
      const drop = (ifMatch: string) =>
        index.call(bucket.name, 'deleteObjects', {
          bucket: refOf(bucket),
          ...deletionOf(['k'], START_MS, {
            ifMatch,
            ifLastModifiedSeconds: null,
            ifSizeBytes: null,
          }),
        });
      const outcome = { key: 'k', existed: true, marker: null, refusal: null };
      expect(await drop('b')).toEqual([{ ...outcome, refusal: 'PreconditionFailed' }]);
      expect(await get(index, bucket, 'k')).not.toBe(null);
      expect(await drop('a')).toEqual([outcome]);
      const missing = { ...outcome, existed: false, refusal: 'NoSuchKey' };
      expect(await drop('a')).toEqual([missing]);
      expect(await drop('*')).toEqual([missing]);
      await put(index, bucket, objectOf('k'));
      expect(await drop('*')).toEqual([outcome]);
    });

    test('refuses each target by itself', async (index) => {
      const bucket = await makeBucket(index);
      await putBlob(index, bucket, 'a', { etag: 'a', sizeBytes: 100 });
      await put(index, bucket, objectOf('b', { etag: 'b' }));
      const when = { ifMatch: 'a', ifLastModifiedSeconds: START_MS / 1000, ifSizeBytes: 100 };
      const deleted = await index.call(bucket.name, 'deleteObjects', {
        bucket: refOf(bucket),
        ...deletionOf(['a', 'b'], START_MS, when),
      });
      expect(deleted.map(({ refusal }) => refusal)).toEqual([null, 'PreconditionFailed']);
      expect(await get(index, bucket, 'a')).toBe(null);
      expect(await get(index, bucket, 'b')).not.toBe(null);
    });
  });
}
