// Snapshots of prefixes and keys, as ZIP files read them.
import { describe, expect, it, vi } from 'vitest';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { createSnapshotReader } from '../../../src/core/objects/snapshot-reader.ts';
import { type Snapshot, snapshotSelection } from '../../../src/core/objects/snapshot-selection.ts';
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
  const reader = (taken: Snapshot) => createSnapshotReader(core, bucket, taken);
  const read = async (taken: Snapshot, at: number, open = reader(taken)) => {
    const body = await open(at);
    return body === null
      ? new Uint8Array()
      : new Uint8Array(await new Response(body as ReadableStream<Uint8Array>).arrayBuffer());
  };
  return { core, bucket, put, snapshot, reader, read };
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
    const keys = taken.objects.map((object) => object.key);
    expect(keys).toEqual(['deleted', 'large', 'none', 'replaced']);
    for (const [at, name] of keys.entries())
      expect(await read(taken, at)).toEqual(objects[name as string as keyof typeof objects]);
  });

  it('reads on from page to page, and no further than it may', async () => {
    const names = Array.from({ length: 1203 }, (_, n) => `p/${String(n).padStart(5, '0')}`);
    const { snapshot } = await stocked(
      Object.fromEntries([...names, 'other'].map((name) => [name, sampleBytes(1)])),
    );
    expect((await snapshot('p/')).objects.map((object) => object.key)).toEqual(names);
    await expect(snapshot('p/', 1202)).rejects.toThrow('more than 1202 objects');
    expect((await snapshot('p/', 1203)).objects).toHaveLength(1203);
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
    const take = async (prefix: string, subrequestsMax: number) => {
      const limited = { ...core, settings: { ...core.settings, subrequestsMax } };
      const { objects, isPastTiers } = await snapshotSelection(
        limited,
        bucket,
        { keys: [], prefixes: [prefix] },
        { maxObjects: 50, mayRead: () => undefined },
      );
      return { objects: objects.length, isPastTiers };
    };
    // A list, a batch of rows, and three for each body; a hundred for all else.
    expect(await take('blobs/', 162)).toEqual({ objects: 20, isPastTiers: false });
    // Past the near tiers each body is one.
    expect(await take('blobs/', 161)).toEqual({ objects: 20, isPastTiers: true });
    expect(await take('blobs/', 122)).toEqual({ objects: 20, isPastTiers: true });
    await expect(take('blobs/', 121)).rejects.toMatchObject({ code: 'InvalidRequest' });
    expect(await take('in-the-index/', 121)).toEqual({ objects: 20, isPastTiers: false });
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
    const late = taken.objects.filter(({ body }) => body === null);
    expect(late.map((object) => object.key)).toEqual(['4', '5']);
    await put('5', sampleBytes(3));
    await put('0', sampleBytes(3));
    expect(await read(taken, 0)).toEqual(megabyte(0));
    expect(await read(taken, 4)).toEqual(megabyte(4));
    await expect(read(taken, 5)).rejects.toThrow('changed while');
    await deleteObjects(core, bucket, [named('4')]);
    await expect(read(taken, 4)).rejects.toThrow('changed while');
  });

  it('reads rows again in pages, also of bodies that lie in a pack by then', async () => {
    const { core, bucket, snapshot, reader, read } = await stocked({});
    const roomy = { ...core, settings: { ...core.settings, inlineBodyMaxBytes: 100_000 } };
    const body = (n: number) => sampleBytes(100_000, n);
    // Long metadata keeps a body in the index.
    const long = { attributes: { ...ATTRIBUTES, userMetadata: { long: 'x'.repeat(600) } } };
    for (let n = 100; n < 130; n++) await putBytes(roomy, bucket, `${n}`, body(n), long);
    for (let n = 130; n < 171; n++) await putBytes(roomy, bucket, `${n}`, body(n));
    const taken = await snapshot();
    expect(taken.objects.filter((object) => object.body === null)).toHaveLength(30);
    await putBytes(roomy, bucket, 'fills the pack', body(1));
    await core.settle();

    const call = vi.spyOn(core.ports.metadataIndex, 'call');
    const stored = vi.spyOn(core.ports.blobStore, 'read');
    const open = reader(taken);
    for (let at = 0; at < 71; at++)
      expect(Buffer.compare(await read(taken, at, open), body(100 + at)), `${at}`).toBe(0);
    expect(call.mock.calls.map(([, name]) => name)).toEqual(Array(3).fill('getObjects'));
    expect(stored).toHaveBeenCalledTimes(3);
  });
});

describe('bodies of packs', () => {
  const body = (n: number) => sampleBytes(100_000, n);
  /** 84 files in two packs, written in another order than that of their names. */
  async function packed() {
    const world = await stocked({});
    const { core, bucket } = world;
    const roomy = { ...core, settings: { ...core.settings, inlineBodyMaxBytes: 100_000 } };
    for (let n = 0; n < 84; n++)
      await putBytes(roomy, bucket, `${100 + ((n * 37) % 84)}`, body((n * 37) % 84));
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(2);
    return world;
  }

  it('that lie beside each other come by one read of a MiB', async () => {
    const { core, snapshot, reader, read } = await packed();
    const taken = await snapshot();
    const stored = vi.spyOn(core.ports.blobStore, 'read');
    const open = reader(taken);
    for (const [at, object] of taken.objects.entries())
      expect(Buffer.compare(await read(taken, at, open), body(object.listedAt))).toBe(0);
    expect(taken.objects.map((object) => object.key).toSorted()).toEqual(
      Array.from({ length: 84 }, (_, n) => `${100 + n}`),
    );
    // Ten bodies fill a MiB, and each pack has 42.
    expect(stored).toHaveBeenCalledTimes(10);
    for (const [, range] of stored.mock.calls)
      expect(range.lengthBytes).toBeLessThanOrEqual(2 ** 20);
  });

  it('that lie far from each other come one by one', async () => {
    const { core, bucket, reader, read } = await packed();
    // The first and the third of the first pack, and one of the second.
    const keys = ['100', '174', '183'];
    const options = { maxObjects: 50, mayRead: () => undefined };
    const selection = { keys, prefixes: [] };
    const all = await snapshotSelection(core, bucket, selection, options);
    expect(all.isPastTiers).toBe(false);
    const taken = { ...all, isPastTiers: true };
    const stored = vi.spyOn(core.ports.blobStore, 'read');
    const open = reader(taken);
    for (const [at, object] of taken.objects.entries())
      expect(await read(taken, at, open)).toEqual(body(Number(object.key) - 100));
    expect(stored.mock.calls.map(([, range]) => range.lengthBytes)).toEqual(Array(3).fill(100_000));
  });

  it('fail alone, with the read that they came by', async () => {
    const { core, snapshot, reader, read } = await packed();
    const taken = await snapshot();
    const open = reader(taken);
    vi.spyOn(core.ports.blobStore, 'read').mockRejectedValueOnce(new StorageError('ObjectDamaged'));
    for (let at = 0; at < 10; at++)
      await expect(read(taken, at, open)).rejects.toMatchObject({ code: 'ObjectDamaged' });
    expect(await read(taken, 10, open)).toHaveLength(100_000);
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
      (await snapshotSelection(core, bucket, { keys, prefixes }, options)).objects.map(
        ({ key }) => key,
      );

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
    expect((await take(['a', 'b'], 2)).objects).toHaveLength(2);
  });
});
