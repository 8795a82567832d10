// Lifecycle runs over a real index: what they do, cost, and survive.
import { beforeEach, describe, expect, it } from 'vitest';
import { previewLifecycle } from '../../../src/core/lifecycle/preview-lifecycle.ts';
import { type PageBudget, runLifecycle } from '../../../src/core/lifecycle/run-lifecycle.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { updateVersion } from '../../../src/core/objects/update-version.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { BucketSettings } from '../../../src/domain/bucket-settings.ts';
import type { LifecycleRule } from '../../../src/domain/lifecycle.ts';
import type { ObjectFacts } from '../../../src/domain/object-facts.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { startUpload } from '../multipart-kit.ts';
import { afterDays, LONE_MARKERS, rule } from './samples.ts';

const DAY = 24 * 3600;
const NONE = { expire: 0, remove: 0, transition: 0, abort: 0 };

let core: MemoryCore;
let bucket: BucketHandle;
beforeEach(async () => {
  core = createMemoryCore();
  bucket = await openTestBucket(core);
});

const set = (settings: Partial<BucketSettings>) => setBucketSettings(core, bucket, settings);
const rules = async (...all: LifecycleRule[]) => {
  const named = all.map((one, i) => ({ ...one, id: `r${i}` }));
  const setAtMs = core.ports.clock.nowMs();
  await set({
    lifecycle: { rules: named, transitionMinimum: 'all_storage_classes_128K', setAtMs },
  });
};
const put = (name: string, facts: Partial<ObjectFacts> = {}, sizeBytes = 20) =>
  putBytes(core, bucket, name, sampleBytes(sizeBytes), { facts });
const run = (pages = 100, on = core) =>
  runLifecycle(on, bucket.record().name, { pages, stopping: null } satisfies PageBudget);
const names = async () => {
  const input = { prefix: '', delimiter: '', after: '', maxKeys: 1000 };
  return (await bucket.call('listObjects', input)).objects.map((object) => object.key);
};
/** Keys of versions, the latest with a star, markers with a minus. */
const versions = async () => {
  const input = {
    prefix: '',
    delimiter: '',
    afterKey: '',
    afterVersionId: '' as const,
    maxKeys: 1000,
  };
  const { versions: all } = await bucket.call('listVersions', input);
  return all.map((one) => `${one.isMarker ? '-' : ''}${one.key}${one.isLatest ? '*' : ''}`);
};

/** Makes a core that records the calls of its index. */
function watched(): { core: MemoryCore; calls: string[] } {
  const calls: string[] = [];
  const metadataIndex: MetadataIndex = {
    call(name, method, input) {
      calls.push(method);
      return core.ports.metadataIndex.call(name, method, input);
    },
  };
  return { core: withPorts(core, { metadataIndex }), calls };
}

describe('a run', () => {
  it('ends what a rule is due for, at the midnight after its days', async () => {
    await put('tmp/a');
    await put('tmp/tagged', { tags: { keep: 'no' } });
    await put('kept');
    await rules(
      rule({ filter: { prefix: 'tmp/', tags: { keep: 'no' } }, expiration: afterDays(1) }),
      rule({ filter: { prefix: 'tmp/' }, expiration: afterDays(3) }),
    );
    expect(await run()).toEqual(NONE);
    // The test began at midnight: one whole day, then the rest of the next.
    core.advanceSeconds(2 * DAY - 1);
    expect(await run()).toEqual(NONE);
    core.advanceSeconds(1);
    expect(await run()).toEqual({ ...NONE, expire: 1 });
    expect(await names()).toEqual(['kept', 'tmp/a']);
    core.advanceSeconds(2 * DAY);
    expect(await run()).toEqual({ ...NONE, expire: 1 });
    expect(await names()).toEqual(['kept']);
  });

  it('adds a marker in a versioned bucket, then removes versions and the marker', async () => {
    await set({ versioning: 'enabled' });
    await put('a');
    await rules(
      rule({
        expiration: afterDays(1),
        noncurrentExpiration: { noncurrentDays: 1, newerVersions: null },
      }),
      rule({ filter: { prefix: 'b' }, expiration: LONE_MARKERS }),
    );
    core.advanceSeconds(2 * DAY);
    expect(await run()).toEqual({ ...NONE, expire: 1 });
    expect(await versions()).toEqual(['-a*', 'a']);
    core.advanceSeconds(2 * DAY);
    expect(await run()).toEqual({ ...NONE, remove: 1 });
    expect(await versions()).toEqual(['-a*']);
    core.advanceSeconds(DAY);
    expect(await run()).toEqual({ ...NONE, remove: 1 });
    expect(await versions()).toEqual([]);
  });

  it('keeps the newest of the older versions, and what is locked', async () => {
    await set({ versioning: 'enabled', objectLock: { defaultRetention: null } });
    const held = await put('a', { lock: { retention: null, hasLegalHold: true } });
    for (let i = 0; i < 5; i++) await put('a');
    await rules(rule({ noncurrentExpiration: { noncurrentDays: 1, newerVersions: 2 } }));
    core.advanceSeconds(2 * DAY);
    expect(await run()).toEqual({ ...NONE, remove: 2 });
    expect(await versions()).toEqual(['a*', 'a', 'a', 'a']);
    const change = { hasLegalHold: false };
    await updateVersion(core, bucket, { key: key('a'), versionId: held.versionId, change });
    core.advanceSeconds(DAY);
    expect(await run()).toEqual({ ...NONE, remove: 1 });
  });

  it('changes classes, each once, and gives uploads up', async () => {
    await put('big', {}, 200_000);
    await put('small');
    await startUpload(core, bucket, 'u');
    await rules(
      rule({
        transitions: [{ days: 0, dateMs: null, storageClass: 'GLACIER_IR' }],
        abortUploadsAfterDays: 1,
      }),
    );
    core.advanceSeconds(DAY);
    expect(await run()).toEqual({ ...NONE, transition: 1 });
    core.advanceSeconds(DAY);
    expect(await run()).toEqual({ ...NONE, abort: 1 });
    const found = await bucket.call('getVersion', { key: key('big'), versionId: null });
    expect(found).toMatchObject({ object: { storageClass: 'GLACIER_IR' } });
  });

  it('of a short day needs no midnight', async () => {
    core = { ...core, settings: { ...core.settings, lifecycleDaySeconds: 10 } };
    await put('a');
    await rules(rule({ expiration: afterDays(2) }));
    core.advanceSeconds(19);
    expect(await run()).toEqual(NONE);
    core.advanceSeconds(1);
    expect(await run()).toEqual({ ...NONE, expire: 1 });
  });
});

describe('what a run costs', () => {
  it('is nothing without a rule that can be due', async () => {
    const { core: noting, calls } = watched();
    await put('a');
    await sweep(noting);
    expect(calls.filter((call) => /Lifecycle$/.test(call))).toEqual([]);
    await rules(rule({ isEnabled: false, expiration: afterDays(1) }));
    calls.length = 0;
    await run(100, noting);
    expect(calls).toEqual(['getBucket']);
  });

  it('is one read once the day is through, until the rules change or midnight comes', async () => {
    const { core: noting, calls } = watched();
    await put('a');
    await rules(rule({ expiration: afterDays(9) }));
    const askedInRun = async () => {
      calls.length = 0;
      await run(100, noting);
      return calls;
    };
    expect(await askedInRun()).toEqual([
      'getBucket',
      'getLifecycleRun',
      'scanLifecycle',
      'applyLifecycle',
    ]);
    core.advanceSeconds(DAY - 1);
    expect(await askedInRun()).toEqual(['getBucket', 'getLifecycleRun']);
    core.advanceSeconds(1);
    expect(await askedInRun()).toContain('scanLifecycle');
    core.advanceSeconds(1);
    await rules(rule({ expiration: afterDays(8) }));
    expect(await askedInRun()).toContain('scanLifecycle');
  });
});

describe('a run that is cut short', () => {
  beforeEach(async () => {
    for (let i = 0; i < 300; i++) await put(`k${String(i).padStart(3, '0')}`, {}, 1);
    await rules(
      rule({ filter: { prefix: 'k' }, expiration: afterDays(1), abortUploadsAfterDays: 1 }),
    );
    core.advanceSeconds(2 * DAY);
  });

  it('by its budget goes on at its place', async () => {
    const budget = { pages: 1, stopping: null };
    expect(await runLifecycle(core, bucket.record().name, budget)).toEqual({
      ...NONE,
      expire: 250,
    });
    expect(budget.pages).toBe(0);
    // What was written behind the place waits for the next run.
    await put('k000', {}, 1);
    core.advanceSeconds(2 * DAY);
    expect(await run()).toEqual({ ...NONE, expire: 50 });
    expect(await names()).toEqual(['k000']);
    expect(await run()).toEqual({ ...NONE, expire: 1 });
  });

  it('by the end of the process goes on at its place', async () => {
    const ending = new AbortController();
    ending.abort();
    const budget = { pages: 100, stopping: ending.signal };
    // The page under way is done, and noted.
    expect(await runLifecycle(core, bucket.record().name, budget)).toEqual({
      ...NONE,
      expire: 250,
    });
    expect(await sweep(core, { stopping: ending.signal })).toEqual({
      deletedBlobs: 0,
      releasedReferences: 0,
    });
    expect((await names()).length).toBe(50);
    expect(await run()).toEqual({ ...NONE, expire: 50 });
  });

  it('by a failure has lost nothing: the place is that of the last commit', async () => {
    let applied = 0;
    const metadataIndex: MetadataIndex = {
      async call(name, method, input) {
        if (method === 'applyLifecycle' && ++applied === 2) throw new Error('power cut');
        return core.ports.metadataIndex.call(name, method, input);
      },
    };
    await expect(run(100, withPorts(core, { metadataIndex }))).rejects.toThrow('power cut');
    expect((await names()).length).toBe(50);
    expect(await run()).toEqual({ ...NONE, expire: 50 });
  });

  it('by a change of the rules does no more of the old ones', async () => {
    let applied = 0;
    const metadataIndex: MetadataIndex = {
      async call(name, method, input) {
        if (method === 'applyLifecycle' && ++applied === 2) await set({ lifecycle: null });
        return core.ports.metadataIndex.call(name, method, input);
      },
    };
    expect(await run(100, withPorts(core, { metadataIndex }))).toEqual({ ...NONE, expire: 250 });
    expect((await names()).length).toBe(50);
  });

  it('by the end of its bucket stops', async () => {
    const metadataIndex: MetadataIndex = {
      async call(name, method, input) {
        if (method === 'scanLifecycle') {
          await deleteObjects(
            core,
            bucket,
            (await names()).map((name) => ({ key: key(name) })),
          );
          await core.ports.metadataIndex.call(name, 'deleteBucket', {
            ...{
              bucket: { ...bucket.record(), versioning: 'off' as const },
              nowMs: core.ports.clock.nowMs(),
            },
          });
        }
        return core.ports.metadataIndex.call(name, method, input);
      },
    };
    expect(await run(100, withPorts(core, { metadataIndex }))).toEqual(NONE);
  });
});

describe('between looking and acting', () => {
  /** Runs with something that happens before the first action. */
  const runAfter = (happening: () => Promise<unknown>) => {
    const metadataIndex: MetadataIndex = {
      async call(name, method, input) {
        if (method === 'applyLifecycle') await happening();
        return core.ports.metadataIndex.call(name, method, input);
      },
    };
    return run(100, withPorts(core, { metadataIndex }));
  };

  it('an object that was written anew stays', async () => {
    await put('a');
    await rules(rule({ expiration: afterDays(1) }));
    core.advanceSeconds(2 * DAY);
    expect(await runAfter(() => put('a'))).toEqual(NONE);
    expect(await names()).toEqual(['a']);
  });

  it('a version that became current again stays, and one that was locked', async () => {
    await set({ versioning: 'enabled', objectLock: { defaultRetention: null } });
    const old = await put('a');
    const newer = await put('a');
    const locked = await put('b');
    await put('b');
    await rules(rule({ noncurrentExpiration: { noncurrentDays: 1, newerVersions: null } }));
    core.advanceSeconds(2 * DAY);
    const happening = async () => {
      await deleteObjects(core, bucket, [{ key: key('a'), versionId: newer.versionId }]);
      const change = { hasLegalHold: true };
      await updateVersion(core, bucket, { key: key('b'), versionId: locked.versionId, change });
    };
    expect(await runAfter(happening)).toEqual(NONE);
    const found = await bucket.call('getVersion', { key: key('a'), versionId: null });
    expect(found).toMatchObject({ object: { versionId: old.versionId } });
    expect(await versions()).toEqual(['a*', 'b*', 'b']);
  });
});

it('hot metadata forgets what a run ends', async () => {
  await put('a');
  await rules(rule({ expiration: afterDays(1) }));
  core.advanceSeconds(2 * DAY);
  const evicted: unknown[] = [];
  const hotMetadata = {
    ...core.ports.hotMetadata,
    evict: (...given: unknown[]) => void evicted.push(given),
  };
  await run(100, withPorts(core, { hotMetadata: hotMetadata as typeof core.ports.hotMetadata }));
  expect(evicted).toContainEqual([bucket.record().name, ['a']]);
});

describe('a dry run', () => {
  it('lists what would go, page by page, and does nothing', async () => {
    for (let i = 0; i < 3; i++) await put(`tmp/${i}`);
    await put('kept');
    await rules(rule({ filter: { prefix: 'tmp/' }, expiration: afterDays(1) }));
    const opened = await openBucket(core, bucket.record().name, () => undefined);
    const preview = (atMs: number, from: Parameters<typeof previewLifecycle>[2]['from'] = null) =>
      previewLifecycle(core, opened, { atMs, from });
    const nowMs = core.ports.clock.nowMs();
    expect(await preview(nowMs)).toEqual({ due: [], next: null });
    const later = await preview(nowMs + 2 * DAY * 1000);
    expect(later.due.map(({ subject, decision }) => [subject.key, decision])).toEqual(
      ['tmp/0', 'tmp/1', 'tmp/2'].map((name) => [name, { kind: 'expire', ruleId: 'r0' }]),
    );
    expect(later.next).toBeNull();
    const from = {
      phase: 'objects',
      prefix: 'tmp/',
      afterKey: 'tmp/1',
      afterId: '',
      newerVersions: 0,
    } as const;
    expect((await preview(nowMs + 2 * DAY * 1000, from)).due).toHaveLength(1);
    expect(await names()).toHaveLength(4);
    expect(await preview(nowMs)).toEqual({ due: [], next: null });
  });

  it('has at most a thousand lines', async () => {
    for (let i = 0; i < 1010; i++) await put(`k${String(i).padStart(4, '0')}`, {}, 1);
    await rules(rule({ expiration: afterDays(1) }));
    const opened = await openBucket(core, bucket.record().name, () => undefined);
    const atMs = core.ports.clock.nowMs() + 2 * DAY * 1000;
    const first = await previewLifecycle(core, opened, { atMs, from: null });
    expect(first.due).toHaveLength(1000);
    const rest = await previewLifecycle(core, opened, { atMs, from: first.next });
    expect([rest.due.length, rest.next]).toEqual([10, null]);
  });
});
