// The versions family of the metadata index's contract: what a key stands for in a bucket that
// keeps versions, or kept them once; deleting, hiding, uncovering; the listing of all versions;
// changes of one; locks.
import { describe, expect } from 'vitest';
import type { BucketRef, Versioning, VersionName } from '../../../src/domain/nouns.ts';
import type { VersionChange } from '../../../src/domain/object-facts.ts';
import type {
  ListVersionsInput,
  ListVersionsPage,
  MetadataIndex,
} from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  asKey,
  blobIn,
  condemn,
  expectCode,
  get,
  makeBucket,
  newReferenceOf,
  OWNER,
  objectOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  versionDeletionOf,
  wholeOf,
} from './samples.ts';

/** A bucket as a caller sees it whose record says so. */
const as = (bucket: BucketRef, versioning: Versioning): BucketRef => ({
  ...refOf(bucket),
  versioning,
});

async function write(
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
  etag: string,
): Promise<VersionName> {
  const object = objectOf(key, { etag });
  const made = await index.call(bucket.name, 'commitObject', {
    bucket,
    object,
    condition: null,
    newReferences: [],
  });
  return made.isNull ? 'null' : made.versionId;
}

async function drop(
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
  versionId: VersionName | null = null,
) {
  const [deleted] = await index.call(bucket.name, 'deleteObjects', {
    bucket,
    ...versionDeletionOf(key, versionId),
  });
  return deleted;
}

const read = (
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
  versionId: VersionName | null,
) => index.call(bucket.name, 'getVersion', { bucket, key: asKey(key), versionId });

/** The keys of a plain listing. */
async function listKeys(index: MetadataIndex, bucket: BucketRef): Promise<string[]> {
  const input = { bucket: refOf(bucket), prefix: '', delimiter: '', after: '', maxKeys: 1000 };
  return (await index.call(bucket.name, 'listObjects', input)).objects.map(({ key }) => key);
}

/** `etag` of objects and `-` of markers, the latest of a key with a `*`. */
async function all(index: MetadataIndex, bucket: BucketRef, maxKeys = 1000): Promise<string[]> {
  const names: string[] = [];
  let [afterKey, afterVersionId]: [string, VersionName | ''] = ['', ''];
  for (;;) {
    const input: ListVersionsInput = {
      bucket,
      prefix: '',
      delimiter: '',
      afterKey,
      afterVersionId,
      maxKeys,
    };
    const page: ListVersionsPage = await index.call(bucket.name, 'listVersions', input);
    for (const { key, isMarker, isLatest, etag } of page.versions) {
      names.push(`${key}:${isMarker ? '-' : etag}${isLatest ? '*' : ''}`);
    }
    if (!page.isTruncated || page.last === null) return names;
    [afterKey, afterVersionId] = [page.last.key, page.last.versionId];
  }
}

/** Runs the contract. */
export function indexVersionsContract(subject: Subject<MetadataIndex>): void {
  describe(`metadata index, versions: ${subject.name}`, () => {
    const test = testsOf(subject);

    test('keeps replaced versions once they are on, the first as null', async (index) => {
      const bucket = await makeBucket(index);
      expect(await write(index, as(bucket, 'off'), 'k', 'before')).toBe('null');
      const on = as(bucket, 'enabled');
      const first = await write(index, on, 'k', 'first');
      const second = await write(index, on, 'k', 'second');
      expect(await all(index, on)).toEqual(['k:second*', 'k:first', 'k:before']);
      expect(await read(index, on, 'k', first)).toMatchObject({
        kind: 'object',
        isLatest: false,
        object: { etag: 'first' },
      });
      expect(await read(index, on, 'k', 'null')).toMatchObject({
        object: { etag: 'before', isNull: true },
      });
      expect(await read(index, on, 'k', second)).toMatchObject({
        isLatest: true,
        object: { etag: 'second' },
      });
      expect(await read(index, on, 'k', null)).toEqual(await read(index, on, 'k', second));
      expect(await listKeys(index, bucket)).toEqual(['k']);
    });

    test('hides a key behind a marker, and uncovers it when the marker goes', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      const first = await write(index, on, 'k', 'first');
      const hidden = await drop(index, on, 'k');
      expect(hidden).toMatchObject({ existed: true, refusal: null, marker: { isNull: false } });
      expect(await read(index, on, 'k', null)).toMatchObject({ kind: 'marker', isLatest: true });
      expect(await listKeys(index, bucket)).toEqual([]);
      expect(await all(index, on)).toEqual(['k:-*', 'k:first']);
      const refused = index.call(bucket.name, 'deleteBucket', { bucket: on, nowMs: START_MS });
      await expect(refused).rejects.toMatchObject({
        code: 'BucketNotEmpty',
        message: 'The bucket you tried to delete is not empty: 1 older version, 1 delete marker.',
      });
      const markerId = hidden?.marker?.versionId ?? null;
      expect(await drop(index, on, 'k', markerId)).toMatchObject({
        marker: { versionId: markerId },
      });
      expect(await read(index, on, 'k', null)).toMatchObject({
        kind: 'object',
        object: { versionId: first },
      });
      expect(await all(index, on)).toEqual(['k:first*']);
      expect(await listKeys(index, bucket)).toEqual(['k']);
    });

    test('makes a marker of a key that was never there, and one on top', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      expect(await drop(index, on, 'k')).toMatchObject({ existed: false, marker: {} });
      await drop(index, on, 'k');
      expect(await all(index, on)).toEqual(['k:-*', 'k:-']);
      await write(index, on, 'k', 'new');
      expect(await all(index, on)).toEqual(['k:new*', 'k:-', 'k:-']);
    });

    test('goes back to the version before when the latest is deleted for good', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      const ids = [
        await write(index, on, 'k', 'a'),
        await write(index, on, 'k', 'b'),
        await write(index, on, 'k', 'c'),
      ];
      await drop(index, on, 'k', ids[1]);
      expect(await all(index, on)).toEqual(['k:c*', 'k:a']);
      await drop(index, on, 'k', ids[2]);
      expect(await all(index, on)).toEqual(['k:a*']);
      expect((await get(index, on, 'k'))?.etag).toBe('a');
      expect(await drop(index, on, 'k', ids[2])).toMatchObject({ existed: false, marker: null });
      await drop(index, on, 'k', ids[0]);
      expect(await read(index, on, 'k', null)).toBe(null);
      await index.call(bucket.name, 'deleteBucket', { bucket: on, nowMs: START_MS });
    });

    test('has one null version while suspended, wherever it stands', async (index) => {
      const bucket = await makeBucket(index);
      const [on, suspended] = [as(bucket, 'enabled'), as(bucket, 'suspended')];
      await write(index, as(bucket, 'off'), 'k', 'null1');
      await write(index, on, 'k', 'kept');
      expect(await write(index, suspended, 'k', 'null2')).toBe('null');
      expect(await all(index, suspended)).toEqual(['k:null2*', 'k:kept']);
      await write(index, suspended, 'k', 'null3');
      expect(await all(index, suspended)).toEqual(['k:null3*', 'k:kept']);
      expect(await drop(index, suspended, 'k')).toMatchObject({ marker: { isNull: true } });
      expect(await all(index, suspended)).toEqual(['k:-*', 'k:kept']);
      await drop(index, suspended, 'k', 'null');
      expect(await all(index, suspended)).toEqual(['k:kept*']);
      await drop(index, suspended, 'k');
      await write(index, suspended, 'k', 'null4');
      expect(await all(index, suspended)).toEqual(['k:null4*', 'k:kept']);
    });

    test('lists by key, the latest first; page by page as in one', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      await write(index, as(bucket, 'off'), 'b', 'b0');
      for (const [key, etag] of [
        ['a', 'a1'],
        ['b', 'b1'],
        ['a', 'a2'],
        ['c/d', 'd1'],
        ['b', 'b2'],
        ['c/d', 'd2'],
      ] as const)
        await write(index, on, key, etag);
      await drop(index, on, 'b');
      await drop(index, on, 'z');
      const whole = ['a:a2*', 'a:a1', 'b:-*', 'b:b2', 'b:b1', 'b:b0', 'c/d:d2*', 'c/d:d1', 'z:-*'];
      for (const maxKeys of [1, 2, 3, 4, 8, 9, 10])
        expect(await all(index, on, maxKeys)).toEqual(whole);
      const page = (input: object) =>
        index.call(bucket.name, 'listVersions', {
          ...{
            bucket: on,
            prefix: '',
            delimiter: '',
            afterKey: '',
            afterVersionId: '' as const,
            maxKeys: 100,
          },
          ...input,
        });
      const rolled = await page({ delimiter: '/' });
      expect(rolled.commonPrefixes).toEqual(['c/']);
      expect(rolled.versions.map(({ key }) => key)).toEqual(['a', 'a', 'b', 'b', 'b', 'b', 'z']);
      expect((await page({ prefix: 'c/' })).versions).toHaveLength(2);
      expect((await page({ afterKey: 'b' })).versions.map(({ key }) => key)).toEqual([
        'c/d',
        'c/d',
        'z',
      ]);
      expect((await page({ afterKey: 'b', afterVersionId: 'null' })).versions[0]?.key).toBe('c/d');
      // A version that is named with a key outside of what is listed means nothing.
      const afterVersionId = (await page({ prefix: 'b' })).versions[0]?.versionId;
      const keysBehind = async (input: object) =>
        (await page({ ...input, afterVersionId })).versions.map(({ key }) => key);
      expect(await keysBehind({ afterKey: 'b' })).toEqual(['b', 'b', 'b', 'c/d', 'c/d', 'z']);
      expect(await keysBehind({ afterKey: 'b', prefix: 'c/' })).toEqual(['c/d', 'c/d']);
      expect(await keysBehind({ afterKey: 'c/', delimiter: '/' })).toEqual(['z']);
    });

    test('keeps the bytes of every version, and frees them with it', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      const [old, next] = [blobIn(bucket), blobIn(bucket)];
      for (const blobId of [old, next]) {
        await index.call(bucket.name, 'commitObject', {
          bucket: on,
          object: segmentsObjectOf('k', [wholeOf(blobId)]),
          condition: null,
          newReferences: [newReferenceOf(blobId)],
        });
      }
      await drop(index, on, 'k');
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([]);
      const { versions } = await index.call(bucket.name, 'listVersions', {
        ...{
          bucket: on,
          prefix: '',
          delimiter: '',
          afterKey: '',
          afterVersionId: '' as const,
          maxKeys: 9,
        },
      });
      await drop(index, on, 'k', versions[2]?.versionId);
      expect(await condemn(index, bucket, START_MS + 1)).toEqual([old]);
    });

    test('orders versions as they were committed, even when a clock goes back', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      const [early, late] = [objectOf('k', { etag: 'second' }), objectOf('k', { etag: 'first' })];
      for (const object of [late, early]) {
        await index.call(bucket.name, 'commitObject', {
          bucket: on,
          object,
          condition: null,
          newReferences: [],
        });
      }
      expect(await all(index, on)).toEqual(['k:second*', 'k:first']);
      // The same commit again is the same write, though its id was moved.
      await index.call(bucket.name, 'commitObject', {
        bucket: on,
        object: early,
        condition: null,
        newReferences: [],
      });
      expect(await all(index, on)).toEqual(['k:second*', 'k:first']);
    });

    test('locks new versions as the bucket says, unless they bring a retention', async (index) => {
      const bucket = await makeBucket(index);
      const on = {
        ...as(bucket, 'enabled'),
        defaultRetention: { mode: 'GOVERNANCE', days: 1, years: null },
      } as const;
      const lockOf = async (key: string) => (await get(index, on, key))?.lock;
      const untilMs = objectOf('k').lastModifiedMs + 24 * 3600 * 1000;
      await write(index, on, 'k', 'e');
      expect(await lockOf('k')).toEqual({
        retention: { mode: 'GOVERNANCE', untilMs },
        hasLegalHold: null,
      });
      const own = {
        retention: { mode: 'COMPLIANCE', untilMs: untilMs + 9 },
        hasLegalHold: true,
      } as const;
      const object = objectOf('own', { lock: own });
      await index.call(bucket.name, 'commitObject', {
        bucket: on,
        object,
        condition: null,
        newReferences: [],
      });
      expect(await lockOf('own')).toEqual(own);
    });

    test('changes tags, grants and lock of a version, and nothing else', async (index) => {
      const bucket = await makeBucket(index);
      const on = as(bucket, 'enabled');
      const first = await write(index, on, 'k', 'first');
      await write(index, on, 'k', 'second');
      const update = (
        versionId: VersionName | null,
        change: VersionChange,
        bypassGovernance = false,
      ) =>
        index.call(bucket.name, 'updateVersion', {
          ...{ bucket: on, key: asKey('k'), versionId, change, bypassGovernance, nowMs: START_MS },
        });
      const acl = [{ grantee: { kind: 'account', id: OWNER }, permission: 'READ' }] as const;
      const before = await get(index, on, 'k');
      expect(await update(null, { tags: { a: 'x'.repeat(600) } })).toEqual({
        ...before,
        tags: { a: 'x'.repeat(600) },
      });
      expect(await get(index, on, 'k')).toEqual({ ...before, tags: { a: 'x'.repeat(600) } });
      const encryption = { kind: 'server', wrappedKey: 'anew' } as const;
      expect(await update(null, { encryption })).toMatchObject({ encryption, etag: before?.etag });
      await update(first, { acl, hasLegalHold: true });
      await expectCode(update(first, { encryption }), 'AccessDenied');
      expect(await read(index, on, 'k', first)).toMatchObject({
        object: { acl, lock: { hasLegalHold: true }, tags: {} },
      });
      expect(await drop(index, on, 'k', first)).toMatchObject({ refusal: 'AccessDenied' });
      await update(first, {
        hasLegalHold: false,
        retention: { mode: 'COMPLIANCE', untilMs: START_MS + 9 },
      });
      expect(await drop(index, on, 'k', first)).toMatchObject({ refusal: 'AccessDenied' });
      await expectCode(update(first, { retention: null }, true), 'AccessDenied');
      await expectCode(
        update(first, { retention: { mode: 'COMPLIANCE', untilMs: START_MS + 8 } }, true),
        'AccessDenied',
      );
      await expectCode(update('null', { tags: {} }), 'NoSuchVersion');
      await drop(index, on, 'k');
      await expectCode(update(null, { tags: {} }), 'MethodNotAllowed');
    });
  });
}
