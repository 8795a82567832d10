// Locks of many objects by one job: retention and legal hold where they stand, what a retention
// refuses, with and without the bypass, and what of it can be taken back.
import { beforeEach, describe, expect, it } from 'vitest';
import { updateVersion } from '../../../src/core/objects/update-version.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import type { EditedLock, KeyJobTask, ObjectEdit } from '../../../src/domain/keys/key-jobs.ts';
import type { DefaultRetention, RetentionMode } from '../../../src/domain/object-facts.ts';
import { createMemoryCore, key, type MemoryCore } from '../memory-core.ts';
import { allVersions, put, run, undo, withVersions } from './key-jobs-kit.ts';

const DAY_MS = 24 * 3600 * 1000;
let core: MemoryCore;
let bucket: BucketHandle;

async function lockable(defaultRetention: DefaultRetention | null = null): Promise<void> {
  await setBucketSettings(core, bucket, { objectLock: { defaultRetention } });
}

beforeEach(async () => {
  core = createMemoryCore();
  bucket = await withVersions(core);
  await lockable();
});

const retained = (mode: RetentionMode, days: number) => ({
  mode,
  untilMs: core.ports.clock.nowMs() + days * DAY_MS,
});
const editOf = (lock: Partial<EditedLock>, change: Partial<ObjectEdit> = {}): KeyJobTask => ({
  kind: 'edit',
  selection: { prefix: '', keys: null },
  change: { headers: {}, ...change, lock: { bypassGovernance: false, ...lock } },
});
const lockAt = async (name: string, versionId: string | null = null) => {
  const named = { key: key(name), versionId: versionId as null };
  const entry = await bucket.call('getVersion', named);
  if (entry?.kind !== 'object') throw new Error('not there');
  return entry.object;
};
const locksOf = async (...names: string[]) => {
  const objects = await Promise.all(names.map((name) => lockAt(name)));
  return objects.map(({ lock }) => lock);
};
const failuresOf = (id: string) => bucket.call('listKeyJobFailures', { id });

describe('a job that locks many objects', () => {
  it('puts a legal hold on them where they stand, lifts it, and takes both back', async () => {
    const many = Array.from({ length: 120 }, (_, at) => `${at}`);
    for (const name of many) await put(core, bucket, name);
    const before = await lockAt('7');
    const job = await run(core, bucket, editOf({ hasLegalHold: true }));
    expect(job).toMatchObject({ canUndo: true, counts: { done: 120, locked: 0 } });
    expect(await lockAt('7')).toEqual({ ...before, lock: { retention: null, hasLegalHold: true } });

    const again = await run(core, bucket, editOf({ hasLegalHold: true }));
    expect((await undo(core, bucket, again)).counts.done).toBe(0);
    expect((await undo(core, bucket, job)).counts.done).toBe(120);
    expect(await lockAt('7')).toEqual(before);

    const lifted = await run(core, bucket, editOf({ hasLegalHold: false }));
    expect((await lockAt('7')).lock?.hasLegalHold).toBe(false);
    await undo(core, bucket, lifted);
    expect((await lockAt('7')).lock).toBeNull();
  });

  it('leaves retentions that it may not replace, and says which', async () => {
    for (const name of ['c', 'g', 'over', 'short']) await put(core, bucket, name);
    const set = (name: string, mode: RetentionMode, days: number) =>
      updateVersion(core, bucket, {
        ...{ key: key(name), versionId: null },
        change: { retention: retained(mode, days) },
      });
    await set('c', 'COMPLIANCE', 10);
    await set('g', 'GOVERNANCE', 10);
    await set('over', 'COMPLIANCE', 1);
    await set('short', 'GOVERNANCE', 3);
    const before = await locksOf('c', 'g');
    core.advanceSeconds((2 * DAY_MS) / 1000);

    const retention = retained('GOVERNANCE', 5);
    const plain = await run(core, bucket, editOf({ retention }));
    expect(plain).toMatchObject({ canUndo: true, counts: { done: 2, locked: 2, missing: 0 } });
    expect(await failuresOf(plain.id)).toEqual([
      { key: 'c', reason: 'locked' },
      { key: 'g', reason: 'locked' },
    ]);
    const hold = { retention, hasLegalHold: null };
    expect(await locksOf('c', 'g', 'over', 'short')).toEqual([...before, hold, hold]);

    const bypassing = await run(core, bucket, editOf({ retention, bypassGovernance: true }));
    expect(await failuresOf(bypassing.id)).toEqual([{ key: 'c', reason: 'locked' }]);
    expect(await locksOf('c', 'g')).toEqual([before[0], hold]);
    const none = await run(core, bucket, editOf({ retention: null, bypassGovernance: true }));
    expect(none.counts).toMatchObject({ done: 3, locked: 1 });
    expect(await locksOf('g', 'over', 'short')).toEqual([null, null, null]);
  });

  it('of governance is taken back by its bypass alone; compliance by nothing', async () => {
    for (const name of ['a', 'b', 'c']) await put(core, bucket, name);
    const task = editOf({ retention: retained('GOVERNANCE', 5) });
    const job = await run(core, bucket, task);
    await updateVersion(core, bucket, {
      ...{ key: key('c'), versionId: null },
      change: { retention: retained('GOVERNANCE', 6) },
    });
    const plain = await undo(core, bucket, job);
    expect(plain.counts).toMatchObject({ done: 0, locked: 2, missing: 1 });
    const bypassing = await undo(core, bucket, job, true);
    expect(bypassing.counts).toMatchObject({ done: 2, locked: 0, missing: 1 });
    expect(await locksOf('a', 'b')).toEqual([null, null]);
    expect((await lockAt('c')).lock?.retention).toEqual(retained('GOVERNANCE', 6));

    const forGood = await run(core, bucket, editOf({ retention: retained('COMPLIANCE', 5) }));
    expect(forGood).toMatchObject({ canUndo: false, counts: { done: 2, locked: 1 } });
    await expect(undo(core, bucket, forGood, true)).rejects.toMatchObject({
      code: 'InvalidRequest',
    });
  });

  it('with other headers locks the new version, and leaves the old one its own', async () => {
    await lockable({ mode: 'GOVERNANCE', days: 30, years: null });
    await put(core, bucket, 'a');
    const old = await lockAt('a');
    const change = { headers: { cacheControl: 'no-cache' } };
    const job = await run(core, bucket, editOf({ hasLegalHold: true }, change));
    const edited = await lockAt('a');
    const byDefault = retained('GOVERNANCE', 30);
    expect(edited.lock).toEqual({ retention: byDefault, hasLegalHold: true });
    // A new version overrides nothing: shorter than the default needs no bypass.
    const retention = retained('GOVERNANCE', 1);
    await run(core, bucket, editOf({ retention }, { headers: { cacheControl: 'no-store' } }));
    expect((await lockAt('a')).lock).toEqual({ retention, hasLegalHold: null });
    expect((await lockAt('a', old.versionId)).lock).toEqual(old.lock);
    expect((await lockAt('a', edited.versionId)).lock).toEqual(edited.lock);
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 0, missing: 1 });
    expect(await allVersions(bucket)).toEqual(['a *', 'a', 'a']);
  });

  it('with other headers is taken back as a version with the lock of before', async () => {
    await put(core, bucket, 'a');
    const hold = { ...{ key: key('a'), versionId: null }, change: { hasLegalHold: true } };
    const old = await updateVersion(core, bucket, hold);
    const change = { headers: { cacheControl: 'no-cache' } };
    const lock = { hasLegalHold: false, retention: retained('GOVERNANCE', 1) };
    const job = await run(core, bucket, editOf(lock, change));
    expect((await undo(core, bucket, job)).counts).toMatchObject({ done: 1, locked: 0 });
    expect(await lockAt('a')).toMatchObject({ headers: old.headers, lock: old.lock });
    expect(await allVersions(bucket)).toEqual(['a *', 'a', 'a']);
  });
});
