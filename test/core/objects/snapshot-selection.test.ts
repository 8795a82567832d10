// Snapshots of prefixes and keys, as ZIP files read them.
import { describe, expect, it, vi } from 'vitest';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import {
  openSnapshot,
  type SnapshotObject,
  snapshotSelection,
} from '../../../src/core/objects/snapshot-selection.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { ObjectVersion } from '../../../src/domain/nouns.ts';
import {
  ATTRIBUTES,
  createMemoryCore,
  key,
  openTestBucket,
  putBytes,
  sampleBytes,
} from '../memory-core.ts';

const named = (name: string) => ({ key: key(name), versionId: null, condition: null });

async function stocked(objects: Readonly<Record<string, Uint8Array>>) {
  const core = createMemoryCore();
  const bucket = await openTestBucket(core);
  const put = (name: string, bytes: Uint8Array) => putBytes(core, bucket, name, bytes);
  for (const [name, bytes] of Object.entries(objects)) await put(name, bytes);
  const snapshot = (prefix = '', maxObjects = 5000) =>
    snapshotSelection(
      core,
      bucket,
      { keys: [], prefixes: [prefix] },
      { maxObjects, mayRead: () => undefined },
    );
  const read = async (object: SnapshotObject) => {
    const body = await openSnapshot(core, bucket, object);
    return body === null
      ? new Uint8Array()
      : new Uint8Array(await new Response(body as ReadableStream<Uint8Array>).arrayBuffer());
  };
  return { core, bucket, put, snapshot, read };
}

describe('a snapshot of a prefix', () => {
  it('stays what it was, whatever becomes of the objects', async () => {
    const objects = {
      deleted: sampleBytes(5),
      large: sampleBytes(70_000),
      replaced: sampleBytes(200),
      none: sampleBytes(0),
    };
    const { core, bucket, put, snapshot, read } = await stocked(objects);
    const taken = await snapshot();
    await deleteObjects(core, bucket, [named('deleted'), named('none')]);
    await put('replaced', sampleBytes(300, 9));
    await put('new', sampleBytes(1));
    expect(taken.map((object) => object.key)).toEqual(['deleted', 'large', 'none', 'replaced']);
    for (const object of taken)
      expect(await read(object)).toEqual(objects[object.key as keyof typeof objects]);
  });

  it('reads on from page to page, and no further than it may', async () => {
    const names = Array.from({ length: 1203 }, (_, n) => `p/${String(n).padStart(5, '0')}`);
    const { snapshot } = await stocked(
      Object.fromEntries([...names, 'other'].map((name) => [name, sampleBytes(1)])),
    );
    expect((await snapshot('p/')).map((object) => object.key)).toEqual(names);
    await expect(snapshot('p/', 1202)).rejects.toThrow('more than 1202 objects');
    await expect(snapshot('p/', 1203)).resolves.toHaveLength(1203);
  });

  it('reads nothing of what is too much', async () => {
    const names = Array.from({ length: 1203 }, (_, n) => [`p/${n}`, sampleBytes(1)] as const);
    const { core, snapshot } = await stocked(Object.fromEntries(names));
    const call = vi.spyOn(core.ports.metadataIndex, 'call');
    await expect(snapshot('p/', 1202)).rejects.toThrow('more than 1202 objects');
    expect(call.mock.calls.map(([, name]) => name)).toEqual(['listObjects', 'listObjects']);
  });

  it('is refused where reading it takes more calls than a request may make', async () => {
    const { core, bucket } = await stocked({});
    for (let n = 0; n < 20; n++) await putBytes(core, bucket, `in-the-index/${n}`, sampleBytes(10));
    for (let n = 0; n < 20; n++) await putBytes(core, bucket, `blobs/${n}`, sampleBytes(1000));
    const take = (prefix: string, subrequestsMax: number) => {
      const limited = { ...core, settings: { ...core.settings, subrequestsMax } };
      return snapshotSelection(
        limited,
        bucket,
        { keys: [], prefixes: [prefix] },
        { maxObjects: 50, mayRead: () => undefined },
      );
    };
    // A list, a batch of rows, and three for each body; a hundred for all else.
    expect(await take('blobs/', 162)).toHaveLength(20);
    await expect(take('blobs/', 161)).rejects.toMatchObject({ code: 'InvalidRequest' });
    expect(await take('in-the-index/', 161)).toHaveLength(20);
  });

  it('checks for each key whether it may be read', async () => {
    const { core, bucket } = await stocked({ a: sampleBytes(1), secret: sampleBytes(1) });
    const mayRead = ({ key }: ObjectVersion) => {
      if (key === 'secret') throw new StorageError('AccessDenied');
    };
    await expect(
      snapshotSelection(core, bucket, { keys: [], prefixes: [''] }, { maxObjects: 9, mayRead }),
    ).rejects.toThrow('Access Denied');
  });

  it('yields to the event loop while the checks of many keys take long', async () => {
    const names = Array.from({ length: 40 }, (_, i) => [`${i}`, sampleBytes(1)]);
    const { core, bucket } = await stocked(Object.fromEntries(names));
    let isRunning = true;
    let turns = 0;
    const count = () => {
      turns++;
      if (isRunning) setImmediate(count);
    };
    const mayRead = () => {
      const beganAtMs = performance.now();
      while (performance.now() - beganAtMs < 5);
      if (turns === 0) count();
    };
    await snapshotSelection(
      core,
      bucket,
      { keys: [], prefixes: [''] },
      { maxObjects: 40, mayRead },
    );
    isRunning = false;
    expect(turns).toBeGreaterThan(10);
  });

  it('reads a body again that it could not pin, and fails when that has changed', async () => {
    const { core, bucket, put, snapshot, read } = await stocked({});
    const roomy = { ...core, settings: { ...core.settings, inlineBodyMaxBytes: 1_000_000 } };
    const megabyte = (n: number) => new Uint8Array(1_000_000).fill(n);
    // Long metadata keeps a body in the index.
    const changes = {
      attributes: { ...ATTRIBUTES, userMetadata: { long: 'x'.repeat(600) } },
    };
    for (let n = 0; n < 6; n++) await putBytes(roomy, bucket, `${n}`, megabyte(n), changes);
    const taken = await snapshot();
    const late = taken.filter(({ body }) => body === null);
    expect(late.map((object) => object.key)).toEqual(['4', '5']);
    await put('5', sampleBytes(3));
    await put('0', sampleBytes(3));
    const [first, , , , fourth, fifth] = taken;
    if (first === undefined || fourth === undefined || fifth === undefined)
      throw new Error('too few');
    expect(await read(first)).toEqual(megabyte(0));
    expect(await read(fourth)).toEqual(megabyte(4));
    await expect(read(fifth)).rejects.toThrow('changed while');
    await deleteObjects(core, bucket, [named('4')]);
    await expect(read(fourth)).rejects.toThrow('changed while');
  });
});

describe('a snapshot of a selection', () => {
  it('has each object once, however often it is selected', async () => {
    const names = ['a', 'a/', 'a/b', 'a/b/c', 'a0', 'b', '\u{1f600}/x', '\uffff', '\uffff\uffff'];
    const { core, bucket } = await stocked(
      Object.fromEntries(names.map((name) => [name, sampleBytes(1)])),
    );
    const options = { maxObjects: 50, mayRead: () => undefined };
    const keysOf = async (keys: readonly string[], prefixes: readonly string[]) =>
      (await snapshotSelection(core, bucket, { keys, prefixes }, options)).map(({ key }) => key);

    const some = ['b', 'a/b/c', 'a', 'b', 'a0', '\uffff\uffff'];
    expect((await keysOf(some, ['a/b', 'a/', 'a/b/', '\u{1f600}'])).toSorted()).toEqual(
      names.filter((name) => name !== '\uffff').toSorted(),
    );
    expect((await keysOf(names, [''])).toSorted()).toEqual(names.toSorted());
    expect((await keysOf(names, ['\uffff'])).toSorted()).toEqual(names.toSorted());
    expect((await keysOf([...names].reverse(), [])).toSorted()).toEqual(names.toSorted());
    expect(await keysOf([], ['zzz'])).toEqual([]);
  });

  it('is refused with a key that is not there, and beyond its bound', async () => {
    const { core, bucket } = await stocked({ a: sampleBytes(1), b: sampleBytes(1) });
    const take = (keys: readonly string[], maxObjects: number) =>
      snapshotSelection(
        core,
        bucket,
        { keys, prefixes: [] },
        {
          maxObjects,
          mayRead: () => undefined,
        },
      );
    await expect(take(['a', 'c'], 2)).rejects.toMatchObject({
      code: 'NoSuchKey',
      fields: { Key: 'c' },
    });
    await expect(take(['a', 'b'], 1)).rejects.toThrow('more than 1 objects');
    await expect(take(['a', 'b'], 2)).resolves.toHaveLength(2);
  });
});
