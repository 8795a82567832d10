// Re-packing over a store and an index in memory: of a pack of which more than half is dead the
// sweep writes what lives anew; whatever fails, no byte is lost, and nothing is left behind.
import { describe, expect, it } from 'vitest';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { repackSparse } from '../../../src/core/sweep/repack.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import {
  ATTRIBUTES,
  GRACE_SECONDS,
  key,
  type MemoryCore,
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

const LIVING = 4;

const deleteKeys = (core: MemoryCore, bucket: BucketHandle, keys: readonly string[]) =>
  deleteObjects(
    core,
    bucket,
    keys.map((name) => ({ key: key(name) })),
  );

/** A bucket with a pack of which the first four bodies live. */
async function createSparse() {
  const core = createCore();
  const bucket = await openTestBucket(core);
  await putAll(core, bucket, names(IN_PACK));
  await core.settle();
  const [old] = core.blobStore.blobs.keys();
  if (old === undefined) throw new Error('There is no pack.');
  await deleteKeys(core, bucket, names(IN_PACK).slice(LIVING));
  return { core, bucket, old };
}

const repackAll = (core: MemoryCore) => repackSparse(core, NAME, { packs: 100, stopping: null });

/** Lets what nothing refers to go. */
async function sweepOld(core: MemoryCore): Promise<BlobId[]> {
  core.advanceSeconds(GRACE_SECONDS + 1);
  await sweep(core);
  return [...core.blobStore.blobs.keys()];
}

describe('a pack of which more than half is dead', () => {
  it('is written anew, and goes behind the grace of who still reads it', async () => {
    const { core, bucket, old } = await createSparse();
    const pointer = await getObject(bucket, key('k2'));
    await sweep(core);
    expect([...core.blobStore.blobs.keys()]).toHaveLength(2);
    const next = await getObject(bucket, key('k2'));
    expect(next).toEqual({
      ...pointer,
      segments: [{ ...pointer.segments[0], blobId: expect.not.stringMatching(old) }],
    });
    expect(Buffer.compare(await readWhole(core, pointer), sampleBytes(SIZE, 2))).toBe(0);
    core.advanceSeconds(GRACE_SECONDS - 60);
    await sweep(core);
    expect(Buffer.compare(await readWhole(core, pointer), sampleBytes(SIZE, 2))).toBe(0);

    const [left, ...others] = await sweepOld(core);
    expect(others).toEqual([]);
    expect(left).not.toBe(old);
    const blob = left === undefined ? undefined : core.blobStore.blobs.get(left);
    const start = blob?.identity.directory?.offsetBytes ?? 0;
    expect(start).toBe(LIVING * SIZE);
    expect(JSON.parse(new TextDecoder().decode(blob?.bytes.subarray(start)))).toEqual(
      names(LIVING).map((name, at) => [at * SIZE, SIZE, name, {}, {}]),
    );
    await expectAll(core, bucket, names(LIVING));
  });

  it('stays as it is while half of it lives', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    await putAll(core, bucket, names(IN_PACK));
    await core.settle();
    await deleteKeys(core, bucket, names(IN_PACK).slice(IN_PACK / 2 + 1));
    expect(await sweepOld(core)).toHaveLength(1);
    const { segments } = await getObject(bucket, key('k0'));
    await deleteKeys(core, bucket, ['k5', 'k4']);
    await sweep(core);
    expect((await getObject(bucket, key('k0'))).segments).not.toEqual(segments);
  });

  it('is written as often as a half of the rest is gone', async () => {
    const { core, bucket } = await createSparse();
    await sweep(core);
    await deleteKeys(core, bucket, ['k0', 'k1', 'k2']);
    await sweep(core);
    const [left, ...others] = await sweepOld(core);
    expect(others).toEqual([]);
    expect(core.blobStore.blobs.get(left as BlobId)?.bytes.length).toBeLessThan(SIZE + 100);
    const bytes = await readWhole(core, await getObject(bucket, key('k3')));
    expect(Buffer.compare(bytes, sampleBytes(SIZE, 3))).toBe(0);
    await deleteKeys(core, bucket, ['k3']);
    expect(await sweepOld(core)).toEqual([]);
  });

  it('is left while a copy of another bucket lies in it', async () => {
    const { core, bucket, old } = await createSparse();
    const into = await openTestBucket(core, 'other');
    await copyObject(core, into, copyOf(await getObject(bucket, key('k1')), 'copy'));
    const reads: BlobId[] = [];
    const { blobStore } = core.ports;
    const read: typeof blobStore.read = (id, range) => {
      reads.push(id);
      return blobStore.read(id, range);
    };
    const watched = withPorts(core, { blobStore: { ...blobStore, read } });
    for (let round = 0; round < 3; round++) await repackAll(watched);
    // Looked at once, not in each sweep.
    expect(reads.length).toBeLessThanOrEqual(1);
    expect(await sweepOld(core)).toEqual([old]);
    await expectAll(core, bucket, names(LIVING));
    const bytes = await readWhole(core, await getObject(into, key('copy')));
    expect(Buffer.compare(bytes, sampleBytes(SIZE, 1))).toBe(0);
  });

  it('is written anew with the keys that its bodies have by now', async () => {
    const { core, bucket, old } = await createSparse();
    await copyObject(core, bucket, copyOf(await getObject(bucket, key('k1')), 'copy'));
    const task = {
      kind: 'move',
      selection: { prefix: 'k', keys: null },
      to: 'moved/k',
      toBucket: null,
      conflict: 'refuse',
    } as const;
    await startKeyJob(core, bucket, { task, accountId: ROOT_ACCOUNT.id });
    await core.settle();
    const moved = names(LIVING, 'moved/k');
    await expectAll(core, bucket, moved);

    await repackAll(core);
    const [left, ...others] = await sweepOld(core);
    expect(others).toEqual([]);
    expect(left).not.toBe(old);
    await expectAll(core, bucket, moved);
    const copy = await getObject(bucket, key('copy'));
    expect(copy.segments).toEqual((await getObject(bucket, key('moved/k1'))).segments);

    // The next one is found by its own directory, which has the copy's key for both.
    const blob = left === undefined ? undefined : core.blobStore.blobs.get(left);
    const start = blob?.identity.directory?.offsetBytes ?? 0;
    expect(start).toBe(LIVING * SIZE);
    const directory = JSON.parse(new TextDecoder().decode(blob?.bytes.subarray(start)));
    expect(directory.map(([, , name]: [number, number, string]) => name)).toEqual([
      'moved/k0',
      'copy',
      'moved/k2',
      'moved/k3',
    ]);
  });

  it('keeps versions of a key, and what their rows say', async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    const attributes = { ...ATTRIBUTES, headers: { contentType: 'text/plain' } };
    await bucket.call('setBucketSettings', { settings: { versioning: 'enabled' } } as never);
    const versioned = await openBucket(core, NAME, () => undefined);
    for (let at = 0; at < 3; at++)
      await putBytes(core, versioned, 'k', sampleBytes(SIZE, at), { attributes });
    const ids = (
      await versioned.call('listVersions', {
        prefix: '',
        delimiter: '',
        afterKey: '',
        afterVersionId: '',
        maxKeys: 10,
      })
    ).versions.map(({ versionId }) => versionId);
    expect(ids).toHaveLength(3);
    const others = names(IN_PACK - 3, 'x');
    await putAll(core, versioned, others);
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(1);
    const gone = await Promise.all(
      others.map(async (name) => ({
        key: key(name),
        versionId: (await getObject(versioned, key(name))).versionId,
      })),
    );
    await deleteObjects(core, versioned, gone);
    const [old] = core.blobStore.blobs.keys();
    await sweep(core);
    expect(await sweepOld(core)).not.toContain(old);
    for (const [at, versionId] of ids.toReversed().entries()) {
      const stored = await versioned.call('getVersion', { key: key('k'), versionId });
      if (stored?.kind !== 'object') throw new Error('The version is gone.');
      expect(stored.object.headers).toEqual(attributes.headers);
      const bytes = await readWhole(core, stored.object);
      expect(Buffer.compare(bytes, sampleBytes(SIZE, at))).toBe(0);
    }
  });

  it('is left when its directory is damaged, and does not stop others', async () => {
    const { core, bucket, old } = await createSparse();
    const blob = core.blobStore.blobs.get(old);
    blob?.bytes.fill(0, blob.identity.directory?.offsetBytes);
    await repackAll(core);
    expect(await sweepOld(core)).toEqual([old]);
    await expectAll(core, bucket, names(LIVING));
  });

  it('leaves a body where it is that changed while it was written', async () => {
    const { core, bucket } = await createSparse();
    const { blobStore } = core.ports;
    const put: typeof blobStore.put = async (id, bytes, identity) => {
      await blobStore.put(id, bytes, identity);
      await deleteKeys(core, bucket, ['k3']);
      await putBytes(core, bucket, 'k2', sampleBytes(100, 77));
      await copyObject(core, bucket, copyOf(await getObject(bucket, key('k1')), 'copy'));
    };
    await repackAll(withPorts(core, { blobStore: { ...blobStore, put } }));
    await expectAll(core, bucket, names(2));
    const read = async (name: string) => readWhole(core, await getObject(bucket, key(name)));
    expect(Buffer.compare(await read('k2'), sampleBytes(100, 77))).toBe(0);
    expect(Buffer.compare(await read('copy'), sampleBytes(SIZE, 1))).toBe(0);
    await sweepOld(core);
    expect(Buffer.compare(await read('copy'), sampleBytes(SIZE, 1))).toBe(0);
    await deleteKeys(core, bucket, ['k0', 'k1', 'k2', 'copy']);
    expect(await sweepOld(core)).toEqual([]);
  });
});

describe('a pack whose writing takes as long as half of the grace', () => {
  it('is thrown away, for a sweep may think it an orphan; the next one is not', async () => {
    const { core, bucket, old } = await createSparse();
    const { blobStore } = core.ports;
    const put: typeof blobStore.put = async (...written) => {
      await blobStore.put(...written);
      core.advanceSeconds(GRACE_SECONDS / 2 + 1);
    };
    await repackAll(withPorts(core, { blobStore: { ...blobStore, put } }));
    await core.settle();
    expect([...core.blobStore.blobs.keys()]).toEqual([old]);
    await expectAll(core, bucket, names(LIVING));

    await repackAll(core);
    expect(core.blobStore.blobs.size).toBe(2);
    await expectAll(core, bucket, names(LIVING));
  });
});

describe('a crash at any step of re-packing', () => {
  it.each([
    ['before it is done', false],
    ['after it was done', true],
  ])('%s loses nothing, and later sweeps end it', async (_when, isAfter) => {
    const seen: string[] = [];
    for (let step = 1; ; step++) {
      const { core, bucket, old } = await createSparse();
      const { changes, failures } = failingAt(core.ports, step, isAfter);
      await repackAll(withPorts(core, changes)).catch(() => undefined);
      await core.settle();
      if (failures.length === 0) break;
      seen.push(...failures);
      await expectAll(core, bucket, names(LIVING));

      core.advanceSeconds(DAY_SECONDS);
      await sweep(core);
      const left = await sweepOld(core);
      expect(left).toHaveLength(1);
      expect(left).not.toContain(old);
      await expectAll(core, bucket, names(LIVING));
    }
    expect(seen).toEqual([
      'getBucket',
      'findSparsePacks',
      'read',
      'findPackedVersions',
      'put',
      'repack',
    ]);
  });
});

describe('churn of small files', () => {
  it('leaves at most twice and a half of what lives', { timeout: 120_000 }, async () => {
    const core = createCore();
    const bucket = await openTestBucket(core);
    const alive = new Map<string, number>();
    let random = 1;
    const next = (below: number) => {
      random = (random * 48_271) % 2_147_483_647;
      return random % below;
    };
    for (let at = 0; at < 20_000; at++) {
      const name = `k${at}`;
      const lengthBytes = 1 + next(4096);
      await putBytes(core, bucket, name, sampleBytes(lengthBytes, at));
      alive.set(name, at);
      if (alive.size > 500) {
        const all = [...alive.keys()];
        const gone = all[next(all.length)] ?? name;
        await deleteKeys(core, bucket, [gone]);
        alive.delete(gone);
      }
      if (at % 2500 === 0) {
        core.advanceSeconds(GRACE_SECONDS + 1);
        await sweep(core);
      }
    }
    // What waits inline is written, packs are written anew, old ones go.
    core.advanceSeconds(2 * DAY_SECONDS);
    await sweep(core);
    await sweepOld(core);
    await sweepOld(core);
    let livingBytes = 0;
    for (const [name, at] of alive) {
      const version = await getObject(bucket, key(name));
      const bytes = await readWhole(core, version);
      expect(Buffer.compare(bytes, sampleBytes(bytes.length, at))).toBe(0);
      if (version.inlineBytes === null) livingBytes += bytes.length;
    }
    const stored = [...core.blobStore.blobs.values()];
    const storedBytes = stored.reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(livingBytes).toBeGreaterThan(500_000);
    expect(storedBytes / livingBytes).toBeLessThan(2.5);
  });
});
