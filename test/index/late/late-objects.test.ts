// Objects that the totals count later than they come: what is counted when, and the bytes and
// byte-milliseconds of each hour, whatever concerns such an object first.
import { describe, expect, it } from 'vitest';
import type { BucketRecord, VersionId } from '../../../src/domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../../src/domain/time.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { runIndexCall } from '../../../src/index/call-outcome.ts';
import { createCommandGroups } from '../../../src/index/command-group.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { oldestUncollected } from '../../../src/index/usage/uncollected.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import {
  addressOf,
  bucketRecord,
  deletionOf,
  fresh,
  keyJobOf,
  latePutOf,
  objectOf,
  refOf,
  START_MS,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const OPEN_MS = startOfHour(START_MS);
const HOUR = BigInt(HOUR_MS);
/** Blobs that a PUT leaves uncounted at most. */
const LATE_MAX = 48;

function createWorld() {
  let latestMs = Number.POSITIVE_INFINITY;
  const base = { ...openMigrated(INDEX_SCHEMA), latestMs: () => latestMs };
  const writes: string[] = [];
  const groups = createCommandGroups({
    ...base,
    all(text, ...values) {
      const [, table] =
        /^(?:INSERT (?:OR REPLACE )?INTO|UPDATE|DELETE FROM) (\w+)/.exec(text) ?? [];
      if (table !== undefined) writes.push(table);
      return base.all<never>(text, ...values);
    },
  });
  const index: IndexApi = createBucketIndex(groups.sql);
  const bucket: BucketRecord = index.createBucket({ bucket: bucketRecord() });
  const ref = refOf(bucket);
  /** A PUT after so many milliseconds of the first hour. */
  const put = (key: string, afterMs: number, begunAfterMs = afterMs, sizeBytes = 100) => {
    const times = { atMs: OPEN_MS + afterMs, begunMs: OPEN_MS + begunAfterMs };
    const input = latePutOf(bucket, key, times, { sizeBytes });
    index.commitObject(input);
    return input;
  };
  return {
    base,
    groups,
    index,
    bucket,
    ref,
    put,
    believe: (ms: number) => {
      latestMs = ms;
    },
    /** The tables that something writes, a name for each statement. */
    writesOf(act: () => void) {
      writes.length = 0;
      act();
      return [...writes];
    },
    /** What the row of the totals says itself: bytes and objects. */
    counted: () =>
      base
        .all<{ bytes: number; n: number }>(
          'SELECT current_bytes AS bytes, current_count AS n FROM storage_totals',
        )
        .map(({ bytes, n }) => [bytes, n]),
    /** What the index says: bytes and objects that are current, and all bytes. */
    reported: () =>
      index
        .getStorageTotals({ bucket: ref })
        .map((of) => [of.currentBytes, of.currentCount, of.currentBytes + of.noncurrentBytes]),
    /** Byte-milliseconds of each hour that is over, by its number since the first. */
    hours: (nowMs: number) =>
      index
        .closeStorageHours({ name: bucket.name, nowMs, limit: 1000 })
        .flatMap(({ of, used, hourMs, hourCount }) =>
          of.kind === 'storage'
            ? [[(hourMs - OPEN_MS) / HOUR_MS, hourCount, used[0]?.quantity]]
            : [],
        ),
  };
}

describe('late objects', () => {
  it('write the rows of the object and of its blob alone', () => {
    const { writesOf, put, counted, reported } = createWorld();
    put('first', 10);
    expect(writesOf(() => put('k', 1000))).toEqual(['blobs', 'objects']);
    expect(counted()).toEqual([[100, 1]]);
    expect(reported()).toEqual([[200, 2, 200]]);
  });

  it('are counted with the hour, from when each came', () => {
    const { put, counted, reported, hours } = createWorld();
    put('first', 0);
    put('a', 1000);
    put('b', 2000, 1500, 7);
    expect(counted()).toEqual([[100, 1]]);
    // Nobody has closed the hour when the next one's first object comes.
    put('next', HOUR_MS + 300);
    expect(counted()).toEqual([[307, 4]]);
    put('late', HOUR_MS + 400);
    expect(counted()).toEqual([[307, 4]]);
    const first = 100n * HOUR + 100n * (HOUR - 1000n) + 7n * (HOUR - 2000n);
    const second = 207n * HOUR + 100n * (HOUR - 300n) + 100n * (HOUR - 400n);
    expect(hours(OPEN_MS + 2 * HOUR_MS)).toEqual([
      [0, 1, first],
      [1, 1, second],
    ]);
    expect(reported()).toEqual([[407, 5, 407]]);
    expect(hours(OPEN_MS + 3 * HOUR_MS).at(-1)).toEqual([2, 1, 407n * HOUR]);
  });

  it('are counted before anything happens to them', () => {
    const ends = {
      delete: { bytes: [100], ms: 3000n },
      replace: { bytes: [200], ms: HOUR },
      'replace cold': { bytes: [100, 100], ms: HOUR },
      hide: { bytes: [100], ms: HOUR },
      rename: { bytes: [200], ms: HOUR },
      move: { bytes: [100, 100], ms: HOUR },
    } as const;
    for (const [end, { bytes, ms }] of Object.entries(ends)) {
      const { index, ref, put, reported, hours } = createWorld();
      put('first', 0);
      const { object } = put('k', 1000);
      const nowMs = OPEN_MS + 4000;
      const bucket = end === 'hide' ? { ...ref, versioning: 'enabled' as const } : ref;
      const cold = { storageClass: 'STANDARD_IA' };
      if (end === 'delete' || end === 'hide')
        index.deleteObjects({ bucket, ...deletionOf(['k'], nowMs) });
      if (end.startsWith('replace')) {
        const changes = end === 'replace' ? {} : cold;
        index.commitObject(latePutOf(ref, 'k', { atMs: nowMs }, changes));
      }
      if (end === 'rename') {
        const id = fresh('job');
        index.createKeyJob({ bucket, job: keyJobOf(id), keys: [{ key: object.key, toKey: null }] });
        const ids = { versionId: fresh('v') as VersionId, markerId: fresh('v') as VersionId };
        const toKeys = [objectOf('renamed').key];
        index.stepKeyJob({
          ...{ bucket, id, revision: 1, elsewhere: {}, isLast: true, nowMs },
          actions: [{ kind: 'move', key: object.key, toKeys, mayReplace: false, ...ids }],
          next: { after: '', at: 1 },
        });
      }
      if (end === 'move') {
        const { key, versionId } = object;
        const action = { kind: 'transition', key, versionId, ...cold } as const;
        const run = { setAtMs: 0, startedAtMs: 0, place: null };
        index.applyLifecycle({ bucket, actions: [action], run, nowMs });
      }
      expect([end, ...reported().map(([current]) => current)]).toEqual([end, ...bytes]);
      const all = hours(OPEN_MS + HOUR_MS).reduce((sum, [, , of]) => sum + BigInt(of ?? 0), 0n);
      const kept = end === 'delete' ? 3000n : ms - 1000n;
      expect([end, all]).toEqual([end, 100n * HOUR + 100n * kept]);
    }
  });

  it('are counted at once when their blob is older than what is counted', () => {
    const { put, counted, reported } = createWorld();
    put('first', 1000);
    put('slow', 2000, 500);
    expect(counted()).toEqual([[200, 2]]);
    put('late', 3000);
    // What was counted at once takes nothing along.
    put('slow too', 4000, 600);
    expect(counted()).toEqual([[300, 3]]);
    expect(reported()).toEqual([[400, 4, 400]]);
  });

  it('are counted at once in another hour than that of their blob or of the totals', () => {
    const { put, counted } = createWorld();
    put('begun before', 10, -10);
    put('still not', 20);
    // The one before was counted and began the hour.
    put('late', 30);
    expect(counted()).toEqual([[200, 2]]);
    put('ahead', 40, HOUR_MS + 5);
    expect(counted()).toEqual([[300, 3]]);
    put('next hour', HOUR_MS + 10, HOUR_MS - 10);
    expect(counted()).toEqual([[500, 5]]);
    put('next again', HOUR_MS + 20);
    expect(counted()).toEqual([[600, 6]]);
  });

  it('are counted some at a time, and what is under way may be late still', () => {
    const { put, counted, reported, writesOf } = createWorld();
    put('first', 0);
    for (let at = 1; at <= LATE_MAX; at++) put(`k${at}`, at * 10);
    expect(counted()).toEqual([[100, 1]]);
    put('full', 1000);
    // All but the last sixteen, and the one that is counted at once.
    expect(counted()).toEqual([[3500, 35]]);
    // It began before what stayed.
    const rows = writesOf(() => put('slow', 1001, 400));
    expect(rows).toEqual(['blobs', 'objects']);
    expect(reported()).toEqual([[5100, 51, 5100]]);
    const puts = 300;
    const all = writesOf(() => {
      for (let at = 0; at < puts; at++) put(`more${at}`, 2000 + at);
    });
    const totals = all.filter((table) => table === 'storage_totals').length;
    expect(totals).toBeGreaterThan(7);
    expect(totals).toBeLessThan(12);
  });

  it('are counted once, though their commit is repeated when the object is gone', () => {
    const { index, ref, put, counted, reported } = createWorld();
    put('first', 0);
    const input = put('k', 1000);
    index.commitObject(input);
    expect(reported()).toEqual([[200, 2, 200]]);
    index.deleteObjects({ bucket: ref, ...deletionOf(['k'], OPEN_MS + 2000) });
    index.commitObject(input);
    expect(counted()).toEqual([[200, 2]]);
    expect(reported()).toEqual([[200, 2, 200]]);
    put('later', 3000);
    index.deleteObjects({ bucket: ref, ...deletionOf(['first'], OPEN_MS + 4000) });
    expect(counted()).toEqual([[200, 2]]);
  });

  it('end with their group: what is undone is not counted, what is shared is counted once', () => {
    const { groups, index, bucket, ref, put, counted, reported, hours } = createWorld();
    put('first', 0);
    const commit = (key: string, atMs: number, isNew = false) => {
      const input = latePutOf(bucket, key, { atMs: OPEN_MS + atMs });
      const condition = isNew ? { ifMatch: null, ifNoneMatch: '*' as const } : null;
      return () => runIndexCall(index, 'commitObject', { ...input, condition });
    };
    const remove = (key: string, atMs: number) => () =>
      runIndexCall(index, 'deleteObjects', {
        bucket: ref,
        ...deletionOf([key], OPEN_MS + atMs),
      });
    const outcomes = groups.run<{ readonly isOk: boolean }>([
      commit('a', 1000),
      commit('first', 1000, true),
      commit('b', 1000),
      remove('a', 1000),
      commit('c', 1000),
      commit('b', 1000),
    ]);
    expect(outcomes.map(({ isOk }) => isOk)).toEqual([true, false, true, true, true, true]);
    expect(reported()).toEqual([[300, 3, 300]]);
    // One group has commits of both sides of the hour.
    groups.run([
      commit('d', HOUR_MS - 10),
      commit('e', HOUR_MS + 10),
      remove('d', HOUR_MS + 10),
      commit('f', HOUR_MS + 10),
    ]);
    expect(reported()).toEqual([[500, 5, 500]]);
    expect(hours(OPEN_MS + HOUR_MS)).toEqual([
      [0, 1, 100n * HOUR + 200n * (HOUR - 1000n) + 100n * 10n],
    ]);
    // One of a group concerns a late object: all are counted, though another comes first.
    commit('g', HOUR_MS + 1000)();
    expect(counted()).toEqual([[500, 5]]);
    const slow = latePutOf(bucket, 'slow', { atMs: OPEN_MS + HOUR_MS + 2000, begunMs: OPEN_MS });
    groups.run<{ readonly isOk: boolean }>([
      () => runIndexCall(index, 'commitObject', slow),
      commit('g', HOUR_MS + 2000),
    ]);
    expect(counted()).toEqual([[700, 7]]);
    expect(reported()).toEqual([[700, 7, 700]]);
  });

  it('never count from before the change before them, whatever their clock says', () => {
    const { put, counted, hours } = createWorld();
    put('first', 0);
    put('slow', 5000, -10);
    put('late', 2000, 2000);
    expect(counted()).toEqual([[200, 2]]);
    expect(hours(OPEN_MS + HOUR_MS)).toEqual([[0, 1, 100n * HOUR + 200n * (HOUR - 5000n)]]);
  });

  it('are counted at once where their blob has a row already', () => {
    const { index, put, counted, bucket } = createWorld();
    put('first', 0);
    const input = latePutOf(bucket, 'k', { atMs: OPEN_MS + 1000 });
    index.commitObject({ ...input, mayCountLate: false });
    const { object } = latePutOf(bucket, 'other', { atMs: OPEN_MS + 2000 });
    index.commitObject({ ...input, object: { ...input.object, key: object.key } });
    expect(counted()).toEqual([[300, 3]]);
  });

  it('are the oldest hour that the ledger lacks as long as they are there', () => {
    const { base, bucket, index, ref, put, counted } = createWorld();
    put('first', 0);
    index.deleteObjects({ bucket: ref, ...deletionOf(['first'], OPEN_MS) });
    // Nothing was stored at any time, so no row says that this hour is to be collected.
    expect(oldestUncollected(base, bucket.name)).toBe(null);
    put('k', 1000);
    put('late', 2000);
    expect(counted()).toEqual([[100, 1]]);
    expect(oldestUncollected(base, bucket.name)?.hourMs).toBe(OPEN_MS);
  });

  it('are counted in the hour to which a wrong clock took the totals', () => {
    const { put, believe, counted, reported, hours } = createWorld();
    put('first', 3 * HOUR_MS);
    put('late', 3 * HOUR_MS + 1000);
    expect(counted()).toEqual([[100, 1]]);
    believe(OPEN_MS + 5000);
    expect(hours(OPEN_MS + 5000)).toEqual([]);
    expect(reported()).toEqual([[200, 2, 200]]);
    put('now', 6000);
    believe(OPEN_MS + 4 * HOUR_MS);
    expect(hours(OPEN_MS + HOUR_MS)).toEqual([
      [0, 1, 200n * (HOUR - 5000n) + 100n * (HOUR - 5000n)],
    ]);
    // The hour of the wrong clock comes: its marks are counted already.
    put('then', 3 * HOUR_MS + 500);
    put('then too', 3 * HOUR_MS + 2000);
    put('at last', 3 * HOUR_MS + 3000);
    expect(reported()).toEqual([[600, 6, 600]]);
  });

  it('count against quotas that come after them, and none is late where quotas are', () => {
    const { index, bucket, ref, put, counted } = createWorld();
    put('first', 0);
    put('late', 1000);
    const quotas = { own: { bytes: 250, objects: null }, isShared: false };
    const input = latePutOf(bucket, 'k', { atMs: OPEN_MS + 2000 });
    const limited = { ...ref, quotas };
    expect(() => index.commitObject({ ...input, bucket: limited })).toThrow('leaves no room');
    const few = { ...ref, quotas: { ...quotas, own: { bytes: null, objects: 2 } } };
    expect(() => index.commitObject({ ...input, bucket: few })).toThrow('leaves no room');
    const enough = { ...ref, quotas: { ...quotas, own: { bytes: 300, objects: 3 } } };
    index.commitObject({ ...input, bucket: enough });
    expect(counted()).toEqual([[200, 2]]);
  });

  it('end with their bucket', () => {
    const { index, bucket, ref, put, hours } = createWorld();
    put('first', 0);
    put('k', 1000);
    index.deleteObjects({ bucket: ref, ...deletionOf(['first', 'k'], OPEN_MS + 2000) });
    index.deleteBucket({ bucket: ref, nowMs: OPEN_MS + 3000 });
    expect(hours(OPEN_MS + HOUR_MS)).toEqual([[0, 1, 100n * 2000n + 100n * 1000n]]);
    expect(index.dropOrphanRows({ bucket: addressOf(bucket) }).isDone).toBe(true);
  });
});
