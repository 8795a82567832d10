// The lifecycle family of the metadata index's contract: what a scan finds, in bounds and page by
// page; what actions do, and what they leave alone; how far a run came.
import { describe, expect } from 'vitest';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type {
  LifecycleAction,
  LifecycleBounds,
  LifecycleCursor,
  LifecyclePhase,
  LifecycleRun,
  LifecycleSubject,
} from '../../../src/domain/lifecycle.ts';
import type { BucketRef, VersionId } from '../../../src/domain/nouns.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import {
  asKey,
  condemn,
  deletionOf,
  get,
  makeBucket,
  objectOf,
  put,
  putBlob,
  refOf,
  START_MS,
  startUpload,
} from './samples.ts';

const ALL: LifecycleBounds = {
  endUpToMs: START_MS + 1e9,
  moveUpToMs: null,
  moveMinBytes: Number.MAX_SAFE_INTEGER,
  moveUnlessIn: [],
  markersUpToMs: START_MS + 1e9,
};
const NONE: LifecycleBounds = { ...ALL, endUpToMs: null, markersUpToMs: null };
const RUN: LifecycleRun = { setAtMs: 1, startedAtMs: 2, place: null };
const HELD = { retention: null, hasLegalHold: true };

const startOf = (phase: LifecyclePhase, prefix = ''): LifecycleCursor => ({
  ...{ phase, prefix, afterKey: '', afterId: '', newerVersions: 0 },
});
/** A bucket as a caller sees it whose record says that versions are on. */
const keeping = (bucket: BucketRef): BucketRef => ({ ...refOf(bucket), versioning: 'enabled' });

const scan = (index: MetadataIndex, bucket: BucketRef, place: LifecycleCursor, bounds = ALL) =>
  index.call(bucket.name, 'scanLifecycle', { bucket: refOf(bucket), cursor: place, bounds });

/** All pages from the start of a phase. */
async function scanAll(
  index: MetadataIndex,
  bucket: BucketRef,
  phase: LifecyclePhase,
  bounds = ALL,
  prefix = '',
) {
  const pages: (readonly LifecycleSubject[])[] = [];
  for (let place: LifecycleCursor | null = startOf(phase, prefix); place !== null; ) {
    const page: ReturnType<IndexApi['scanLifecycle']> = await scan(index, bucket, place, bounds);
    pages.push(page.subjects);
    place = page.next;
  }
  return pages;
}
const keysOf = (subjects: readonly LifecycleSubject[]) => subjects.map(({ key }) => key);

const apply = (
  index: MetadataIndex,
  bucket: BucketRef,
  actions: readonly LifecycleAction[],
  run = RUN,
) => index.call(bucket.name, 'applyLifecycle', { bucket, actions, run, nowMs: START_MS + 5 });

async function write(
  index: MetadataIndex,
  bucket: BucketRef,
  key: string,
  changes = {},
): Promise<VersionId> {
  const object = objectOf(key, changes);
  const input = { bucket, object, condition: null, newReferences: [] };
  return (await index.call(bucket.name, 'commitObject', input)).versionId;
}

async function hide(index: MetadataIndex, bucket: BucketRef, key: string): Promise<VersionId> {
  const [deleted] = await index.call(bucket.name, 'deleteObjects', {
    bucket,
    ...deletionOf([key]),
  });
  return deleted?.marker?.versionId as VersionId;
}

const MARKER = 'zzzzzzzzz-marker' as VersionId;

export function indexLifecycleContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  describe(`lifecycle: ${subject.name}`, () => {
    test('finds current objects in bounds, with tags and locks', async (index) => {
      const bucket = await makeBucket(index);
      await put(
        index,
        bucket,
        objectOf('a', { tags: { t: '1' }, lock: HELD, lastModifiedMs: START_MS }),
      );
      await put(
        index,
        bucket,
        objectOf('b', { lastModifiedMs: START_MS + 1, storageClass: 'GLACIER_IR' }),
      );
      await put(
        index,
        bucket,
        objectOf('c', { lastModifiedMs: START_MS + 1, tags: { long: 'x'.repeat(900) } }),
      );
      const [found] = await scanAll(index, bucket, 'objects', { ...ALL, endUpToMs: START_MS });
      expect(found).toMatchObject([
        { kind: 'current', key: 'a', lastModifiedMs: START_MS, tags: { t: '1' }, lock: HELD },
      ]);
      const moves = {
        ...NONE,
        moveUpToMs: START_MS + 1,
        moveMinBytes: 0,
        moveUnlessIn: ['GLACIER_IR'],
      };
      const [moved] = await scanAll(index, bucket, 'objects', moves);
      expect(moved).toMatchObject([
        { key: 'a' },
        { key: 'c', tags: { long: 'x'.repeat(900) }, lock: null },
      ]);
      expect(await scanAll(index, bucket, 'objects', { ...moves, moveMinBytes: 1000 })).toEqual([
        [],
      ]);
      expect(await scanAll(index, bucket, 'objects', NONE)).toEqual([[]]);
    });

    test('keeps to a prefix, whatever its last character', async (index) => {
      const bucket = await makeBucket(index);
      for (const key of ['a', 'p', 'p/1', 'p/\u{10ffff}', 'p0', 'q'])
        await put(index, bucket, objectOf(key));
      expect((await scanAll(index, bucket, 'objects', ALL, 'p/')).map(keysOf)).toEqual([
        ['p/1', 'p/\u{10ffff}'],
      ]);
    });

    test('ends a page at 250, and goes on behind it', async (index) => {
      const bucket = await makeBucket(index);
      const keys = Array.from({ length: 251 }, (_, i) => `k${String(i).padStart(3, '0')}`);
      for (const key of keys) await put(index, bucket, objectOf(key));
      const pages = await scanAll(index, bucket, 'objects');
      expect(pages.map(({ length }) => length)).toEqual([250, 1]);
      expect(pages.flatMap(keysOf)).toEqual(keys);
    });

    test('finds older versions and counts those that are newer, across pages', async (index) => {
      const bucket = await makeBucket(index);
      const on = keeping(bucket);
      await write(index, on, 'a');
      await write(index, on, 'a', { lastModifiedMs: START_MS + 7 });
      for (let i = 0; i < 255; i++)
        await write(index, on, 'many', { lastModifiedMs: START_MS + i });
      const pages = await scanAll(index, on, 'versions');
      expect(pages.map(({ length }) => length)).toEqual([250, 5]);
      const [first, ...rest] = pages.flat();
      expect(first).toMatchObject({
        kind: 'noncurrent',
        key: 'a',
        replacedAtMs: START_MS + 7,
        newerVersions: 0,
      });
      expect(rest.map((one) => one.kind === 'noncurrent' && one.newerVersions)).toEqual(
        rest.map((_, i) => i),
      );
      const [some] = await scanAll(index, on, 'versions', { ...ALL, endUpToMs: START_MS + 3 });
      // The newest of those that were replaced by then comes behind many that were replaced later.
      expect(some).toMatchObject([
        { newerVersions: 251 },
        { newerVersions: 252 },
        { newerVersions: 253 },
      ]);
    });

    test('finds markers that hide nothing, and those that are older', async (index) => {
      const bucket = await makeBucket(index);
      const on = keeping(bucket);
      const lone = await hide(index, on, 'lone');
      await write(index, on, 'hidden');
      await hide(index, on, 'hidden');
      const older = await hide(index, on, 'written again');
      await write(index, on, 'written again');
      const [found = []] = await scanAll(index, on, 'versions');
      expect(found).toMatchObject([
        { kind: 'noncurrent', key: 'hidden', isMarker: false, newerVersions: 0 },
        { kind: 'lone-marker', key: 'lone', versionId: lone, lastModifiedMs: START_MS },
        { kind: 'noncurrent', key: 'written again', isMarker: true, versionId: older },
      ]);
      expect(
        (await scanAll(index, on, 'versions', { ...ALL, markersUpToMs: START_MS - 1 })).map(keysOf),
      ).toEqual([['hidden', 'written again']]);
    });

    test('finds uploads that began by then', async (index) => {
      const bucket = await makeBucket(index);
      const [one, two] = [
        await startUpload(index, bucket, 'k'),
        await startUpload(index, bucket, 'k'),
      ];
      const uploads = [one, two].sort((a, b) => (a.uploadId < b.uploadId ? -1 : 1));
      const [found] = await scanAll(index, bucket, 'uploads');
      expect(found).toEqual(
        uploads.map(({ key, uploadId, createdAtMs }) => ({
          kind: 'upload',
          key,
          uploadId,
          createdAtMs,
        })),
      );
      expect(await scanAll(index, bucket, 'uploads', { ...ALL, endUpToMs: START_MS - 1 })).toEqual([
        [],
      ]);
      const behind = { ...startOf('uploads'), afterKey: 'k', afterId: uploads[0]?.uploadId ?? '' };
      expect((await scan(index, bucket, behind)).subjects).toMatchObject([
        { uploadId: uploads[1]?.uploadId },
      ]);
    });

    test('ends a current object only if it is still that one', async (index) => {
      const bucket = await makeBucket(index);
      const off = refOf(bucket);
      const gone = await write(index, off, 'gone');
      const replaced = await write(index, off, 'replaced');
      await write(index, off, 'replaced');
      const locked = await write(index, off, 'locked', { lock: HELD });
      const end = (key: string, versionId: VersionId) =>
        ({ kind: 'expire', key: asKey(key), versionId, markerId: MARKER }) as const;
      const actions = [
        end('gone', gone),
        end('replaced', replaced),
        end('locked', locked),
        end('missing', gone),
      ];
      expect(await apply(index, off, actions)).toEqual({
        expire: 1,
        remove: 0,
        transition: 0,
        abort: 0,
      });
      const [left = []] = await scanAll(index, bucket, 'objects');
      expect(keysOf(left)).toEqual(['locked', 'replaced']);
    });

    test('hides a current version where versions are kept, locked or not', async (index) => {
      const bucket = await makeBucket(index);
      const on = keeping(bucket);
      const versionId = await write(index, on, 'k', { lock: HELD });
      const action = { kind: 'expire', key: asKey('k'), versionId, markerId: MARKER } as const;
      expect(await apply(index, on, [action])).toMatchObject({ expire: 1 });
      expect(await get(index, on, 'k')).toBeNull();
      expect(await apply(index, on, [action])).toMatchObject({ expire: 0 });
      const [found] = await scanAll(index, on, 'versions');
      expect(found).toMatchObject([{ kind: 'noncurrent', versionId, replacedAtMs: START_MS + 5 }]);
    });

    test('removes older versions and lone markers, no latest, no locked', async (index) => {
      const bucket = await makeBucket(index);
      const on = keeping(bucket);
      const [old, held] = [
        await write(index, on, 'k'),
        await write(index, on, 'k', { lock: HELD }),
      ];
      const current = await write(index, on, 'k');
      await write(index, on, 'hidden');
      const hiding = await hide(index, on, 'hidden');
      const lone = await hide(index, on, 'lone');
      const remove = (key: string, versionId: VersionId) =>
        ({ kind: 'remove', key: asKey(key), versionId }) as const;
      const actions = [
        remove('k', old),
        remove('k', held),
        remove('k', current),
        remove('hidden', hiding),
      ];
      expect(await apply(index, on, [...actions, remove('lone', lone)])).toMatchObject({
        remove: 2,
      });
      const [left = []] = await scanAll(index, on, 'versions');
      expect(left.map((one) => one.kind !== 'upload' && one.versionId)).toEqual([
        expect.any(String),
        held,
      ]);
      expect((await get(index, on, 'k'))?.versionId).toBe(current);
    });

    test('removes all due older versions of a key at once, in any order', async (index) => {
      const bucket = await makeBucket(index);
      const on = keeping(bucket);
      const remove = (key: string, versionId: VersionId) =>
        ({ kind: 'remove', key: asKey(key), versionId }) as const;
      for (const key of ['newest first', 'oldest first']) {
        const older = [
          await write(index, on, key),
          await write(index, on, key),
          await write(index, on, key),
        ];
        const current = await write(index, on, key);
        const due = key === 'newest first' ? older.toReversed() : older;
        const actions = due.map((versionId) => remove(key, versionId));
        expect(await apply(index, on, actions)).toMatchObject({ remove: 3 });
        expect((await get(index, on, key))?.versionId).toBe(current);
      }
      expect((await scanAll(index, on, 'versions')).flat()).toEqual([]);
    });

    test('removes a marker only together with all that it hides', async (index) => {
      const bucket = await makeBucket(index);
      const on = keeping(bucket);
      const remove = (versionId: VersionId) =>
        ({ kind: 'remove', key: asKey('k'), versionId }) as const;
      const older = [await write(index, on, 'k'), await write(index, on, 'k')];
      const hiding = await hide(index, on, 'k');
      expect(await apply(index, on, [remove(hiding)])).toMatchObject({ remove: 0 });
      expect(await apply(index, on, [...older, hiding].map(remove))).toMatchObject({ remove: 3 });
      expect((await scanAll(index, on, 'versions')).flat()).toEqual([]);
    });

    test('frees blobs of what it removes, and changes classes in place', async (index) => {
      const bucket = await makeBucket(index);
      const off = refOf(bucket);
      const blobId = await putBlob(index, bucket, 'blob');
      const { versionId } = (await get(index, off, 'blob')) ?? { versionId: MARKER };
      const end = { kind: 'expire', key: asKey('blob'), versionId, markerId: MARKER } as const;
      await apply(index, off, [end]);
      expect(await condemn(index, bucket, START_MS + 6)).toEqual([blobId]);
      const on = keeping(bucket);
      const old = await write(index, on, 'k');
      const now = await write(index, on, 'k');
      const move = (id: VersionId) =>
        ({
          kind: 'transition',
          key: asKey('k'),
          versionId: id,
          storageClass: 'GLACIER_IR',
        }) as const;
      expect(await apply(index, on, [move(old), move(now), move(MARKER)])).toMatchObject({
        transition: 2,
      });
      expect(await get(index, on, 'k')).toMatchObject({
        versionId: now,
        storageClass: 'GLACIER_IR',
      });
      const [found] = await scanAll(index, on, 'versions');
      expect(found).toMatchObject([{ versionId: old, storageClass: 'GLACIER_IR' }]);
    });

    test('gives uploads up', async (index) => {
      const bucket = await makeBucket(index);
      const { key, uploadId } = await startUpload(index, bucket, 'k');
      const abort = { kind: 'abort', key, uploadId } as const;
      expect(await apply(index, refOf(bucket), [abort])).toMatchObject({ abort: 1 });
      expect(await apply(index, refOf(bucket), [abort])).toMatchObject({ abort: 0 });
    });

    test('remembers how far a run came, for the life of the bucket', async (index) => {
      const bucket = await makeBucket(index);
      const runOf = (one: BucketRef) =>
        index.call(one.name, 'getLifecycleRun', { bucket: refOf(one) });
      expect(await runOf(bucket)).toBeNull();
      const run = { ...RUN, place: startOf('versions', 'p/') };
      await apply(index, refOf(bucket), [], run);
      expect(await runOf(bucket)).toEqual(run);
      await apply(index, refOf(bucket), []);
      expect(await runOf(bucket)).toEqual(RUN);
      await index.call(bucket.name, 'deleteBucket', { bucket: refOf(bucket), nowMs: START_MS });
      expect(await runOf(await makeBucket(index, { name: bucket.name }))).toBeNull();
    });

    test('says which lives have rules', async (index) => {
      const lifecycle = {
        rules: [],
        transitionMinimum: 'all_storage_classes_128K',
        setAtMs: 1,
      } as const;
      const bucket = await makeBucket(index, { settings: { ...NO_SETTINGS, lifecycle } });
      const other = await makeBucket(index);
      const livesOf = async ({ name }: BucketRef) =>
        (await index.call(name, 'listIncarnations', { name })).map(
          ({ hasLifecycle }) => hasLifecycle,
        );
      expect([await livesOf(bucket), await livesOf(other)]).toEqual([[true], [false]]);
    });
  });
}
