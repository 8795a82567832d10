// Packing of small bodies over a store and an index in memory: what fills a pack is written behind
// the PUT, the sweep does what was left undone, and whatever fails, no byte is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { writeDuePacks } from '../../../src/core/packs/write-pack.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId, ObjectVersion } from '../../../src/domain/nouns.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import {
  ATTRIBUTES,
  GRACE_SECONDS,
  key,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { copyOf } from '../multipart-kit.ts';
import {
  createCore,
  DAY_SECONDS,
  expectAll,
  failingAt,
  IN_PACK,
  NAME,
  names,
  putAll,
  SIZE,
} from './packs-kit.ts';

const segmentsOf = async (bucket: BucketHandle, name: string) =>
  (await getObject(bucket, key(name))).segments;

describe('small bodies', () => {
  it('move into one blob behind the PUT that fills it, and read as before', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    const keys = names(IN_PACK);
    await putAll(core, bucket, keys.slice(0, -1));
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(0);
    const before = await getObject(bucket, key('k3'));

    await putBytes(core, bucket, 'k9', sampleBytes(SIZE, 9));
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(1);
    const after = await getObject(bucket, key('k3'));
    const [blobId] = core.blobStore.blobs.keys();
    expect(after).toEqual({
      ...before,
      inlineBytes: null,
      segments: [{ blobId, offsetBytes: 3 * SIZE, lengthBytes: SIZE }],
    });
    await expectAll(core, bucket, keys);
    // Who had read the row before it moved goes on with what it has.
    expect(Buffer.compare(await readWhole(core, before), sampleBytes(SIZE, 3))).toBe(0);
  });

  it('go to blobs of their own while the index is crowded', async () => {
    const core = createCore();
    await openTestBucket(core);
    const { metadataIndex } = core.ports;
    const call: typeof metadataIndex.call = async (name, method, input) => {
      const value = await metadataIndex.call(name, method, input);
      return (
        method === 'getBucket' ? { ...(value as object), isIndexCrowded: true } : value
      ) as never;
    };
    const crowded = withPorts(core, { metadataIndex: { ...metadataIndex, call } });
    const bucket = await openBucket(crowded, NAME, () => undefined);
    const stored = await putBytes(crowded, bucket, 'a', sampleBytes(100));
    expect(stored.inlineBytes).toBeNull();
    const copied = await copyObject(crowded, bucket, copyOf(stored, 'b'));
    expect(copied.segments).toEqual(stored.segments);
    expect(await readWhole(core, await getObject(bucket, key('a')))).toEqual(sampleBytes(100));
  });

  it('are listed in their blob, for a rebuild', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    const attributes = { ...ATTRIBUTES, headers: { contentType: 'text/plain' } };
    await putBytes(core, bucket, 'ä', sampleBytes(SIZE), { attributes });
    await putAll(core, bucket, names(IN_PACK - 1));
    await core.settle();
    const [blob] = core.blobStore.blobs.values();
    const start = blob?.identity.directory?.offsetBytes;
    expect(blob?.identity).toMatchObject({ bucket: NAME, key: 'ä' });
    expect(start).toBe(IN_PACK * SIZE);
    const directory = JSON.parse(new TextDecoder().decode(blob?.bytes.subarray(start)));
    expect(directory).toEqual([
      [0, SIZE, 'ä', { contentType: 'text/plain' }, {}],
      ...names(IN_PACK - 1).map((name, at) => [(at + 1) * SIZE, SIZE, name, {}, {}]),
    ]);
  });

  it('stay where they are while they are few', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    await putBytes(core, bucket, 'a', sampleBytes(100));
    core.advanceSeconds(3 * DAY_SECONDS);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(0);
    await putBytes(core, bucket, 'b', sampleBytes(SIZE));
    core.advanceSeconds(DAY_SECONDS);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(1);
    expect(await readWhole(core, await getObject(bucket, key('a')))).toEqual(sampleBytes(100));
  });

  it('are copied by reference once they have moved, and by value before', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    await putAll(core, bucket, names(IN_PACK));
    await core.settle();
    await putBytes(core, bucket, 'waits', sampleBytes(SIZE, 77));
    const other = await openTestBucket(core, 'other');
    for (const name of ['k2', 'waits'])
      for (const target of [bucket, other])
        await copyObject(core, target, copyOf(await getObject(bucket, key(name)), `copy-${name}`));
    await deleteObjects(
      core,
      bucket,
      [...names(IN_PACK), 'waits'].map((name) => ({ key: key(name) })),
    );
    core.advanceSeconds(GRACE_SECONDS + 1);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(1);
    for (const target of [bucket, other]) {
      const read = async (name: string) => readWhole(core, await getObject(target, key(name)));
      expect(Buffer.compare(await read('copy-k2'), sampleBytes(SIZE, 2))).toBe(0);
      expect(Buffer.compare(await read('copy-waits'), sampleBytes(SIZE, 77))).toBe(0);
    }
  });

  it('go with their pack when the last of it is deleted', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    await putAll(core, bucket, names(IN_PACK));
    await core.settle();
    const deleteKeys = (keys: readonly string[]) =>
      deleteObjects(
        core,
        bucket,
        keys.map((name) => ({ key: key(name) })),
      );
    await deleteKeys(names(IN_PACK).slice(6));
    core.advanceSeconds(GRACE_SECONDS + 1);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(1);
    await deleteKeys(names(6));
    core.advanceSeconds(GRACE_SECONDS + 1);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(0);
  });
});

describe('a crash at any step of packing', () => {
  it.each([
    ['before it is done', false],
    ['after it was done', true],
  ])('%s loses nothing, and the next sweep ends it', async (_when, isAfter) => {
    const seen: string[] = [];
    for (let step = 1; ; step++) {
      const core = createCore();
      const bucket = await openTestBucket(core);
      const keys = names(IN_PACK);
      await putAll(core, bucket, keys.slice(0, -1));
      // The last one waits, too; a claim finds the pack after a day.
      core.advanceSeconds(2 * DAY_SECONDS);
      const { changes, failures } = failingAt(core.ports, step, isAfter);
      const broken = withPorts(core, changes);
      const outcome = await writeDuePacks(broken, NAME, null).catch(() => 'failed' as const);
      if (failures.length === 0) {
        expect(outcome).toEqual({ packs: 1, bodies: IN_PACK - 1 });
        break;
      }
      seen.push(...failures);
      await expectAll(core, bucket, keys.slice(0, -1));

      // What the crash left is no orphan for the sweeper, however old it is.
      core.advanceSeconds(GRACE_SECONDS + DAY_SECONDS);
      await sweep(core);
      await sweep(core);
      expect(await segmentsOf(bucket, 'k3')).toHaveLength(1);
      expect(core.blobStore.blobs.size).toBe(1);
      await expectAll(core, bucket, keys.slice(0, -1));
    }
    expect(seen).toEqual(['claimPacks', 'readPack', 'put', 'adoptPack', 'claimPacks']);
  });

  it('leaves a PUT as it was: the pack is written later', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    const { blobStore } = core.ports;
    const put = () => Promise.reject(new StorageError('ServiceUnavailable'));
    const broken = withPorts(core, { blobStore: { ...blobStore, put } });
    const brokenBucket = await openBucket(broken, NAME, () => undefined);
    await putAll(broken, brokenBucket, names(IN_PACK));
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(0);
    await expectAll(core, bucket, names(IN_PACK));
    core.advanceSeconds(600);
    await sweep(core);
    expect(core.blobStore.blobs.size).toBe(1);
    await expectAll(core, bucket, names(IN_PACK));
  });

  it('does no harm when two write one pack, and the slower one ends last', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    await putAll(core, bucket, names(IN_PACK - 1));
    core.advanceSeconds(2 * DAY_SECONDS);
    const [pack] = await core.ports.metadataIndex.call(NAME, 'claimPacks', {
      name: NAME,
      nowMs: core.ports.clock.nowMs(),
      limit: 1,
    });
    if (pack === undefined) throw new Error('Nothing was claimed.');
    const held: (() => Promise<void>)[] = [];
    const { blobStore } = core.ports;
    const slow = withPorts(core, {
      blobStore: {
        ...blobStore,
        put: (id, bytes, identity) =>
          new Promise((resolve) => {
            held.push(() => blobStore.put(id, bytes, identity).then(resolve));
          }),
      },
    });
    const { writePack } = await import('../../../src/core/packs/write-pack.ts');
    const slowly = writePack(slow, pack);
    while (held.length === 0) await new Promise(setImmediate);
    await deleteObjects(core, bucket, [{ key: key('k4') }]);
    expect(await writePack(core, pack)).toBe(IN_PACK - 2);
    const sizeOf = () => core.blobStore.blobs.get(pack.blobId)?.bytes.length;
    const sizeBytes = sizeOf();
    for (const release of held) await release();
    expect(await slowly).toBeNull();
    expect(sizeOf()).toBe(sizeBytes);
    for (const name of ['k0', 'k8'])
      expect(
        Buffer.compare(
          await readWhole(core, await getObject(bucket, key(name))),
          sampleBytes(SIZE, Number(name.slice(1))),
        ),
      ).toBe(0);
  });
});

/** What happens to a bucket of small files; `key` and `to` count from 0. */
type Step =
  | { readonly do: 'put' | 'delete' | 'read' | 'read-old'; readonly key: number }
  | { readonly do: 'copy'; readonly key: number; readonly to: number }
  | { readonly do: 'pack' | 'crash' | 'sweep' | 'crash-sweep' | 'wait' };

const KEYS = 6;
const keyNumber = fc.nat({ max: KEYS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), key: keyNumber }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom('delete' as const, 'read' as const, 'read-old' as const),
      key: keyNumber,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('copy' as const), key: keyNumber, to: keyNumber }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'pack' as const,
        'crash' as const,
        'sweep' as const,
        'crash-sweep' as const,
        'wait' as const,
      ),
    }),
  },
);

describe('a random history with packing in between', () => {
  it('shows what was written last, by new and by old pointers', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const core = createCore();
        const bucket = await openTestBucket(core);
        const expected = new Map<number, Uint8Array>();
        /** Versions as somebody read them a while ago, with their bytes. */
        const pointers = new Map<number, { version: ObjectVersion; bytes: Uint8Array }>();
        let written = 0;
        const name = (at: number) => `k${at}`;

        async function look(at: number) {
          const bytes = expected.get(at);
          const version = await getObject(bucket, key(name(at))).catch(() => null);
          expect(version === null).toBe(bytes === undefined);
          if (version === null || bytes === undefined) return;
          expect(Buffer.compare(await readWhole(core, version), bytes)).toBe(0);
          pointers.set(at, { version, bytes });
        }

        async function run(one: Step): Promise<void> {
          core.advanceSeconds(1);
          if (one.do === 'put') {
            written += 1;
            const bytes = sampleBytes(SIZE * (1 + (written % 2)), written);
            await putBytes(core, bucket, name(one.key), bytes);
            expected.set(one.key, bytes);
          } else if (one.do === 'delete') {
            await deleteObjects(core, bucket, [{ key: key(name(one.key)) }]);
            expected.delete(one.key);
          } else if (one.do === 'copy') {
            const bytes = expected.get(one.key);
            if (bytes === undefined || one.key === one.to) return;
            const source = await getObject(bucket, key(name(one.key)));
            await copyObject(core, bucket, copyOf(source, name(one.to)));
            expected.set(one.to, bytes);
          } else if (one.do === 'read') await look(one.key);
          else if (one.do === 'read-old') {
            const old = pointers.get(one.key);
            if (old === undefined) return;
            expect(Buffer.compare(await readWhole(core, old.version), old.bytes)).toBe(0);
          } else if (one.do === 'pack') {
            core.advanceSeconds(2 * DAY_SECONDS);
            pointers.clear();
            await writeDuePacks(core, NAME, null);
          } else if (one.do === 'crash') {
            const { changes } = failingAt(core.ports, 1 + (written % 4), written % 3 === 0);
            await writeDuePacks(withPorts(core, changes), NAME, null).catch(() => undefined);
          } else if (one.do === 'crash-sweep') {
            const { changes } = failingAt(core.ports, 1 + (written % 16), written % 3 === 0);
            await sweep(withPorts(core, changes));
          } else if (one.do === 'wait') {
            core.advanceSeconds(GRACE_SECONDS / 2);
            pointers.clear();
          } else await sweep(core);
          await core.settle();
        }

        for (const one of steps) await run(one);
        for (let at = 0; at < KEYS; at++) await look(at);

        // In the end nothing is left of what is gone.
        for (let at = 0; at < KEYS; at++) await run({ do: 'delete', key: at });
        for (let round = 0; round < 3; round++) {
          core.advanceSeconds(GRACE_SECONDS + 2 * DAY_SECONDS);
          await writeDuePacks(core, NAME, null);
          await sweep(core);
        }
        const left: BlobId[] = [...core.blobStore.blobs.keys()];
        expect(left).toEqual([]);
      }),
      { numRuns: fuzzRuns(25) },
    );
  });
});
