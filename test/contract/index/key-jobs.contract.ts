// Jobs over many keys, sizes of prefixes and search: what each platform's SQLite must do of it.
import { beforeEach, describe, expect, it } from 'vitest';
import type { KeyAction } from '../../../src/domain/keys/key-jobs.ts';
import type { VersionId } from '../../../src/domain/nouns.ts';
import type { ObjectLock } from '../../../src/domain/object-facts.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import type { Subject } from '../subject.ts';
import {
  asKey,
  blobIn,
  fresh,
  keyJobOf,
  makeBucket,
  newReferenceOf,
  objectOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  wholeOf,
} from './samples.ts';

export function indexNamesContract({ name, make }: Subject<MetadataIndex>): void {
  describe(`metadata index, names: ${name}`, () => {
    let index: MetadataIndex;
    beforeEach(async () => {
      index = await make();
    });

    async function filled(keys: readonly string[], versioning: 'off' | 'enabled' = 'off') {
      const record = await makeBucket(index);
      const bucket = { ...refOf(record), versioning };
      for (const key of keys) {
        const blobId = blobIn(record);
        const object = segmentsObjectOf(key, [wholeOf(blobId)]);
        await index.call(bucket.name, 'commitObject', {
          bucket,
          object,
          condition: null,
          newReferences: [newReferenceOf(blobId)],
        });
      }
      const list = async () => {
        const page = { bucket, prefix: '', delimiter: '', after: '', maxKeys: 100 };
        return (await index.call(bucket.name, 'listObjects', page)).objects.map(({ key }) => key);
      };
      return { bucket, list };
    }
    const ids = () => ({
      versionId: fresh('version') as VersionId,
      markerId: fresh('version') as VersionId,
    });
    const moveOf = (key: string, toKey: string): KeyAction => ({
      kind: 'move',
      key: asKey(key),
      toKeys: [asKey(toKey)],
      ...ids(),
      mayReplace: false,
    });

    it.each(['off', 'enabled'] as const)(
      'moves, takes back and refuses a step twice (versions %s)',
      async (versioning) => {
        const { bucket, list } = await filled(['a/1', 'a/2', 'b/2'], versioning);
        const id = fresh('job');
        await index.call(bucket.name, 'createKeyJob', { bucket, job: keyJobOf(id) });
        const step = (revision: number, actions: readonly KeyAction[], isLast: boolean) =>
          index.call(bucket.name, 'stepKeyJob', {
            ...{ bucket, id, revision, actions, isLast, elsewhere: {}, nowMs: START_MS },
            next: { after: 'a/2', at: 0 },
          });
        const actions = [moveOf('a/1', 'b/1'), moveOf('a/2', 'b/2'), moveOf('a/3', 'b/3')];
        expect((await step(1, actions, false))?.outcomes).toEqual(['done', 'conflict', 'missing']);
        expect(await step(1, actions, false)).toBe(null);
        expect(await list()).toEqual(['a/2', 'b/1', 'b/2']);
        const items = await index.call(bucket.name, 'listKeyJobItems', {
          bucket,
          id,
          before: 100,
          limit: 10,
        });
        expect(items).toMatchObject([{ at: 1, kind: 'moved', key: 'a/1', toKey: 'b/1' }]);
        const [item] = items;
        const undo: KeyAction = {
          ...{ kind: 'unmove', key: asKey('a/1'), toKey: asKey('b/1'), ...ids() },
          movedId: item?.versionId ?? ('' as VersionId),
          leftMarkerId: item?.markerId ?? null,
        };
        expect((await step(2, [undo], true))?.job).toMatchObject({
          state: 'done',
          counts: { done: 2 },
        });
        expect(await list()).toEqual(['a/1', 'a/2', 'b/2']);
        expect(await step(3, [], true)).toBe(null);
      },
    );

    it.each(['off', 'enabled'] as const)(
      'copies, takes back, and says what it left (versions %s)',
      async (versioning) => {
        const { bucket, list } = await filled(['a/1', 'a/2', 'b/2'], versioning);
        const id = fresh('job');
        await index.call(bucket.name, 'createKeyJob', { bucket, job: keyJobOf(id) });
        const step = (revision: number, actions: readonly KeyAction[]) =>
          index.call(bucket.name, 'stepKeyJob', {
            ...{ bucket, id, revision, actions, isLast: false, elsewhere: {}, nowMs: START_MS + 1 },
            next: { after: 'a/2', at: 0 },
            refused: [{ key: asKey('x'.repeat(1000)), reason: 'conflict' }],
          });
        const copyOf = (key: string, toKeys: readonly string[], mayReplace = false): KeyAction => {
          const { versionId } = ids();
          return {
            kind: 'copy',
            key: asKey(key),
            toKeys: toKeys.map(asKey),
            versionId,
            mayReplace,
          };
        };
        const copied = await step(1, [
          copyOf('a/1', ['b/1']),
          copyOf('a/2', ['b/2']),
          copyOf('a/2', ['b/2', 'b/2 (1)']),
          copyOf('a/2', ['b/2'], true),
          copyOf('a/3', ['b/3']),
          copyOf('a/1', ['a/1'], true),
        ]);
        const outcomes = ['done', 'conflict', 'done', 'done', 'missing', 'conflict'];
        expect(copied?.outcomes).toEqual(outcomes);
        expect(copied?.job.counts).toMatchObject({ done: 3, bytes: 300, conflicts: 3, missing: 1 });
        expect(await list()).toEqual(['a/1', 'a/2', 'b/1', 'b/2', 'b/2 (1)']);
        const failures = await index.call(bucket.name, 'listKeyJobFailures', { bucket, id });
        expect(failures.map(({ key, reason }) => [key.slice(0, 3), reason])).toEqual([
          ['xxx', 'conflict'],
          ['a/2', 'conflict'],
          ['a/3', 'missing'],
          ['a/1', 'conflict'],
        ]);

        const items = await index.call(bucket.name, 'listKeyJobItems', {
          bucket,
          id,
          before: 100,
          limit: 10,
        });
        expect(items.map(({ kind, toKey }) => [kind, toKey])).toEqual([
          ['copied', 'b/2'],
          ['copied', 'b/2 (1)'],
          ['copied', 'b/1'],
        ]);
        const undo = items.map(({ toKey, versionId }): KeyAction => {
          return { kind: 'uncopy', key: toKey ?? asKey('none'), copyId: versionId };
        });
        expect((await step(2, [...undo, ...undo.slice(2)]))?.outcomes).toEqual([
          'done',
          'done',
          'done',
          'missing',
        ]);
        // Without versions what a copy replaced is gone.
        expect(await list()).toEqual(versioning === 'off' ? ['a/1', 'a/2'] : ['a/1', 'a/2', 'b/2']);
      },
    );

    it.each(['off', 'enabled'] as const)(
      'edits what did not change meanwhile, and erases all (versions %s)',
      async (versioning) => {
        const { bucket, list } = await filled(['a', 'b'], versioning);
        const id = fresh('job');
        await index.call(bucket.name, 'createKeyJob', { bucket, job: keyJobOf(id) });
        const step = async (revision: number, actions: readonly KeyAction[]) => {
          const stepped = await index.call(bucket.name, 'stepKeyJob', {
            ...{ bucket, id, revision, actions, isLast: false, elsewhere: {}, nowMs: START_MS + 1 },
            next: { after: 'b', at: 0 },
          });
          return stepped?.outcomes;
        };
        const read = async (key: string) => {
          const [object] = await index.call(bucket.name, 'getObjects', {
            bucket,
            keys: [asKey(key)],
          });
          if (!object) throw new Error('not there');
          return object;
        };
        const before = await read('a');
        const { headers, userMetadata, storageClass, tags } = before;
        const old = { headers, userMetadata, storageClass, tags };
        const attributes = { ...old, headers: { contentType: 'text/x' }, tags: { a: 'b' } };
        const editOf = (changes: Partial<Extract<KeyAction, { kind: 'edit' }>>): KeyAction => ({
          kind: 'edit',
          key: asKey('a'),
          onlyVersionId: before.versionId,
          onlyTags: null,
          versionId: ids().versionId,
          attributes,
          ...changes,
        });
        expect(
          await step(1, [
            editOf({ onlyTags: { other: 'tag' } }),
            editOf({ key: asKey('none') }),
            editOf({}),
            editOf({}),
          ]),
        ).toEqual(['missing', 'missing', 'done', 'missing']);
        const edited = await read('a');
        expect(edited).toMatchObject({ ...attributes, segments: before.segments });
        const items = await index.call(bucket.name, 'listKeyJobItems', {
          bucket,
          id,
          before: 100,
          limit: 10,
        });
        expect(items).toMatchObject([{ kind: 'edited', key: 'a', versionId: edited.versionId }]);
        expect(JSON.parse(items[0]?.detail ?? '')).toEqual({ before: old, tags: { a: 'b' } });

        const { versionId } = edited;
        const onlyTags = { ...attributes, tags: { c: 'd' } };
        const unchanged = editOf({ onlyVersionId: versionId });
        const tagged = editOf({ onlyVersionId: versionId, attributes: onlyTags });
        expect(await step(2, [unchanged, tagged])).toEqual(['done', 'done']);
        expect(await read('a')).toMatchObject({ versionId, tags: { c: 'd' } });

        const erase = ['a', 'b', 'c'].map((key): KeyAction => ({ kind: 'erase', key: asKey(key) }));
        expect(await step(3, erase)).toEqual(['done', 'done', 'missing']);
        expect(await list()).toEqual([]);
        const versions = await index.call(bucket.name, 'listVersions', {
          bucket,
          ...{ prefix: '', delimiter: '', afterKey: '', afterVersionId: '', maxKeys: 10 },
        });
        expect(versions.versions).toEqual([]);
        const job = await index.call(bucket.name, 'getKeyJob', { bucket, id });
        expect(job?.counts).toMatchObject({ done: 5, missing: 4 });
      },
    );

    it('locks objects where they stand, and refuses what their retention forbids', async () => {
      const { bucket } = await filled(['a'], 'enabled');
      const id = fresh('job');
      await index.call(bucket.name, 'createKeyJob', { bucket, job: keyJobOf(id) });
      const read = async () => {
        const [object] = await index.call(bucket.name, 'getObjects', {
          bucket,
          keys: [asKey('a')],
        });
        if (!object) throw new Error('not there');
        return object;
      };
      const before = await read();
      const { headers, userMetadata, storageClass, tags, versionId: onlyVersionId } = before;
      const attributes = { headers, userMetadata, storageClass, tags };
      const lockOf = (retention: ObjectLock['retention'], changes: object = {}): KeyAction => ({
        ...{ kind: 'edit', key: asKey('a'), onlyVersionId, onlyTags: tags, attributes },
        ...{ versionId: ids().versionId, lock: { retention, bypassGovernance: false } },
        ...changes,
      });
      const retention = { mode: 'GOVERNANCE', untilMs: START_MS + 1000 } as const;
      const bypassing = { lock: { retention: null, bypassGovernance: true } };
      const stepped = await index.call(bucket.name, 'stepKeyJob', {
        ...{ bucket, id, revision: 1, isLast: true, elsewhere: {}, nowMs: START_MS },
        next: { after: 'a', at: 0 },
        actions: [
          lockOf(retention),
          lockOf({ ...retention, untilMs: START_MS + 999 }),
          lockOf(null, { ...bypassing, onlyLock: null }),
        ],
      });
      expect(stepped?.outcomes).toEqual(['done', 'locked', 'missing']);
      const lock = { retention, hasLegalHold: null };
      expect(await read()).toEqual({ ...before, lock });
      const page = { bucket, id, before: 100, limit: 10 };
      const [item] = await index.call(bucket.name, 'listKeyJobItems', page);
      expect(JSON.parse(item?.detail ?? '').lock).toEqual({ before: null, after: lock });
    });

    it('stores listed keys until the job ends, and the first failures', async () => {
      const { bucket } = await filled([]);
      const id = fresh('job');
      const keys = Array.from({ length: 1200 }, (_, at) => ({
        key: asKey(`${at}`.padStart(4, '0')),
        toKey: at % 2 === 0 ? null : asKey(`to ${at}`),
      }));
      await index.call(bucket.name, 'createKeyJob', { bucket, job: keyJobOf(id), keys });
      const read = (at: number, limit: number) =>
        index.call(bucket.name, 'listKeyJobKeys', { bucket, id, at, limit });
      const all = [...(await read(0, 500)), ...(await read(500, 500)), ...(await read(1000, 500))];
      expect(all).toEqual(keys);
      expect(await read(450, 100)).toEqual(keys.slice(450, 500));
      expect(await read(1200, 100)).toEqual([]);
      const gone = keys.map(({ key }) => ({ key, reason: 'missing' as const }));
      for (const [revision, refused] of [gone.slice(0, 60), gone.slice(60)].entries()) {
        await index.call(bucket.name, 'stepKeyJob', {
          ...{ bucket, id, revision: revision + 1, actions: [], elsewhere: {}, nowMs: START_MS },
          ...{ next: { after: '', at: 0 }, refused, isLast: revision === 1 },
        });
      }
      expect(await read(0, 500)).toEqual([]);
      const failures = await index.call(bucket.name, 'listKeyJobFailures', { bucket, id });
      expect(failures).toEqual(gone.slice(0, 100));
      expect(await index.call(bucket.name, 'getKeyJob', { bucket, id })).toMatchObject({
        counts: { missing: 1200 },
      });
    });

    it('measures prefixes once it has counted, and from then on with each commit', async () => {
      const { bucket } = await filled(['a/1', 'a/2', 'b']);
      const measure = () =>
        index.call(bucket.name, 'measurePrefixes', { bucket, prefixes: ['', 'a/', 'c'] });
      expect(await measure()).toEqual({ state: 'off', sizes: [] });
      expect(await index.call(bucket.name, 'countAllKeys', { bucket })).toEqual({ state: 'ready' });
      const size = (objects: number, bytes: number) => ({ objects, bytes, otherBytes: 0 });
      expect((await measure()).sizes).toEqual([size(3, 300), size(2, 200), size(0, 0)]);
      const object = objectOf('c', { sizeBytes: 5 });
      await index.call(bucket.name, 'commitObject', {
        bucket,
        object,
        condition: null,
        newReferences: [],
      });
      expect((await measure()).sizes).toEqual([size(4, 305), size(2, 200), size(1, 5)]);
    });

    it('finds text in keys without case and accents, by scan and index', async () => {
      const { bucket } = await filled([
        'Straße/Über.JPG',
        'photos/naïve.jpg',
        'photos/other.png',
        '日本語/写真集.txt',
      ]);
      const find = async (needle: string, prefix = '') => {
        const input = { bucket, prefix, needle, limit: 10, after: null };
        const found = await index.call(bucket.name, 'searchKeys', input);
        expect(found.isComplete).toBe(true);
        return found.objects.map(({ key }) => key);
      };
      const expectFound = async () => {
        expect(await find('.jpg')).toEqual(['Straße/Über.JPG', 'photos/naïve.jpg']);
        expect(await find('NAIVE')).toEqual(['photos/naïve.jpg']);
        expect(await find('uber')).toEqual(['Straße/Über.JPG']);
        expect(await find('写真集')).toEqual(['日本語/写真集.txt']);
        expect(await find('photos', 'photos/')).toEqual([]);
        expect(await find('.jpg', 'photos/')).toEqual(['photos/naïve.jpg']);
        expect(await find('" OR "a')).toEqual([]);
      };
      await expectFound();
      while (!(await index.call(bucket.name, 'indexKeys', { bucket, nowMs: START_MS })).isDone);
      await expectFound();
      await index.call(bucket.name, 'commitObject', {
        bucket,
        object: objectOf('new.jpg'),
        condition: null,
        newReferences: [],
      });
      expect(await find('ew.jp')).toEqual(['new.jpg']);
    });
  });
}
