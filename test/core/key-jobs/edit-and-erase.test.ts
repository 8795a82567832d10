// Changes of headers, metadata, tags and storage class of many objects, with undo; and emptying a
// bucket of every version.
import { describe, expect, it } from 'vitest';
import { startKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { KeyJobTask, ObjectEdit } from '../../../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import {
  createMemoryCore,
  GRACE_SECONDS,
  key,
  openTestBucket,
  sampleBytes,
} from '../memory-core.ts';
import {
  allVersions,
  BLOB_BYTES,
  bytesAt,
  names,
  put,
  run,
  undo,
  withVersions,
} from './key-jobs-kit.ts';

const editOf = (change: Partial<ObjectEdit>, prefix = ''): KeyJobTask => ({
  kind: 'edit',
  selection: { prefix, keys: null },
  change: { headers: {}, ...change },
});
const ERASE: KeyJobTask = { kind: 'erase', selection: { prefix: '', keys: null } };

async function objectAt(bucket: BucketHandle, name: string) {
  const found = await bucket.call('getVersion', { key: key(name), versionId: null });
  if (found?.kind !== 'object') throw new Error('not there');
  return found.object;
}

describe('an edit of many objects', () => {
  it.each([false, true])(
    'sets, takes away, merges, keeps the bytes, and is undone (versions: %s)',
    async (isVersioned) => {
      const core = createMemoryCore();
      const bucket = await (isVersioned ? withVersions(core) : openTestBucket(core));
      const many = Array.from({ length: 120 }, (_, at) => `a/${String(at).padStart(3, '0')}`);
      for (const name of [...many, 'b']) await put(core, bucket, name);
      const before = await objectAt(bucket, 'a/007');
      core.advanceSeconds(60);
      const change = {
        headers: { cacheControl: 'no-cache', contentType: null },
        metadata: { name: null, camera: 'X100' },
        tags: { kind: 'photo' },
        storageClass: 'STANDARD_IA',
      };
      const job = await run(core, bucket, editOf(change, 'a/'));
      expect(job).toMatchObject({ state: 'done', canUndo: true, total: 120 });
      expect(job.counts).toMatchObject({ done: 120, bytes: 120 * BLOB_BYTES, conflicts: 0 });
      const edited = await objectAt(bucket, 'a/007');
      expect(edited).toMatchObject({
        userMetadata: { camera: 'X100' },
        tags: { kind: 'photo' },
        storageClass: 'STANDARD_IA',
        etag: before.etag,
        lastModifiedMs: core.ports.clock.nowMs(),
      });
      expect(edited.headers).toEqual({
        ...before.headers,
        cacheControl: 'no-cache',
        contentType: undefined,
      });
      expect((await objectAt(bucket, 'b')).userMetadata).toEqual({ name: 'b' });

      // A repeated edit changes nothing, and leaves nothing to undo.
      const again = await run(core, bucket, editOf(change, 'a/'));
      expect(again.counts.done).toBe(120);
      expect((await objectAt(bucket, 'a/007')).versionId).toBe(edited.versionId);
      expect((await undo(core, bucket, again)).counts.done).toBe(0);

      await put(core, bucket, 'a/008', 77);
      const undone = await undo(core, bucket, job);
      expect(undone.counts).toMatchObject({ done: 119, missing: 1 });
      const { headers, userMetadata, tags, storageClass } = before;
      expect(await objectAt(bucket, 'a/007')).toMatchObject({
        headers,
        userMetadata,
        tags,
        storageClass,
      });
      core.advanceSeconds(GRACE_SECONDS + 10);
      await sweep(core);
      expect(await bytesAt(core, bucket, 'a/007')).toEqual(sampleBytes(BLOB_BYTES, 5));
    },
  );

  it('of tags alone makes no version, and is undone where they are still the same', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (const name of ['a', 'b']) await put(core, bucket, name);
    const { versionId } = await objectAt(bucket, 'a');
    const job = await run(core, bucket, editOf({ tags: { kind: 'photo' } }));
    expect(await objectAt(bucket, 'a')).toMatchObject({ versionId, tags: { kind: 'photo' } });
    await run(core, bucket, {
      ...editOf({ tags: { kind: 'x' } }),
      selection: { prefix: 'b', keys: null },
    } as KeyJobTask);
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 1, missing: 1 });
    expect([(await objectAt(bucket, 'a')).tags, (await objectAt(bucket, 'b')).tags]).toEqual([
      {},
      { kind: 'x' },
    ]);
    expect(await allVersions(bucket)).toEqual(['a *', 'b *']);
  });

  it('leaves what would have too much, and says so', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const name of ['a', 'b']) await put(core, bucket, name);
    const tags = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`x${at}`, '']));
    await run(core, bucket, editOf({ tags }, 'a'));
    const more = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`y${at}`, '']));
    const job = await run(core, bucket, editOf({ tags: more }));
    expect(job.counts).toMatchObject({ done: 1, conflicts: 1 });
    expect(await bucket.call('listKeyJobFailures', { id: job.id })).toEqual([
      { key: 'a', reason: 'invalid' },
    ]);
    const large = await run(core, bucket, editOf({ metadata: { large: 'x'.repeat(2048) } }));
    expect(large.counts).toMatchObject({ done: 0, conflicts: 2 });
    const nothing = startKeyJob(core, bucket, { task: editOf({}), accountId: ROOT_ACCOUNT.id });
    await expect(nothing).rejects.toMatchObject({ code: 'InvalidRequest' });
  });
});

describe('an edit to the last byte that an object can have', () => {
  it.each([
    ['metadata, whose names count', { metadata: { name: 'x'.repeat(2044) } }, 1],
    ['metadata of a byte more', { metadata: { name: 'x'.repeat(2045) } }, 0],
    ['headers, whose names do not count', { headers: { cacheControl: 'x'.repeat(8192) } }, 1],
    ['headers of a byte more', { headers: { cacheControl: 'x'.repeat(8193) } }, 0],
  ])('is counted as S3 counts: %s', async (_, change, done) => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, 'a');
    const { counts } = await run(core, bucket, editOf(change));
    expect(counts).toMatchObject({ done, conflicts: 1 - done });
  });
});

describe('emptying a bucket', () => {
  it('removes every version of every key for good, in several steps', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (let at = 0; at < 300; at++) await put(core, bucket, 'a', at);
    for (const name of ['0', 'b', 'c', 'gone']) await put(core, bucket, name);
    await run(core, bucket, { kind: 'delete', selection: { prefix: 'gone', keys: null } });
    const job = await run(core, bucket, ERASE);
    expect(job).toMatchObject({ state: 'done', canUndo: false });
    expect(job.counts).toMatchObject({ done: 5, bytes: 304 * BLOB_BYTES, missing: 0, locked: 0 });
    expect(await allVersions(bucket)).toEqual([]);
  });

  it('leaves what is locked', async () => {
    const core = createMemoryCore();
    const bucket = await withVersions(core);
    for (const name of ['a', 'b']) for (const seed of [1, 2]) await put(core, bucket, name, seed);
    const versionId = (await objectAt(bucket, 'a')).versionId;
    await bucket.call('updateVersion', {
      key: key('a'),
      versionId,
      change: { hasLegalHold: true },
      bypassGovernance: false,
      nowMs: core.ports.clock.nowMs(),
    });
    const job = await run(core, bucket, ERASE);
    expect(job.counts).toMatchObject({ done: 1, locked: 1 });
    expect(await allVersions(bucket)).toEqual(['a *']);
    expect(await names(bucket)).toEqual(['a']);
  });
});
