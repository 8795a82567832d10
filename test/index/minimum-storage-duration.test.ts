// What leaves a colder class too early, against numbers worked out by hand: bytes times the days
// that are short.
import { describe, expect, it } from 'vitest';
import type { KeyAction } from '../../src/domain/keys/key-jobs.ts';
import type { LifecycleAction } from '../../src/domain/lifecycle.ts';
import type { BucketRef, ObjectVersion, VersionId, Versioning } from '../../src/domain/nouns.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import {
  asKey,
  blobIn,
  bucketRecord,
  completionOf,
  deletionOf,
  fresh,
  keyJobOf,
  newReferenceOf,
  objectIn,
  objectOf,
  partOf,
  START_MS,
  segmentsObjectOf,
  uploadOf,
  versionDeletionOf,
  wholeOf,
} from '../contract/index/samples.ts';
import { openMigrated } from './kit/open-migrated.ts';

const DAY = 86_400_000;
const SIZE = 1000;

function openWorld(versioning: Versioning = 'off') {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const bucket: BucketRef = { ...index.createBucket({ bucket: bucketRecord() }), versioning };
  const at = (days: number) => START_MS + days * DAY;
  const act = (action: LifecycleAction, days: number) =>
    index.applyLifecycle({
      ...{
        bucket,
        actions: [action],
        run: { setAtMs: 0, startedAtMs: 0, place: null },
        nowMs: at(days),
      },
    });
  return {
    index,
    bucket,
    at,
    act,
    put(key: string, days: number, changes: Partial<ObjectVersion> = {}): VersionId {
      const given = {
        sizeBytes: SIZE,
        storageClass: 'STANDARD_IA',
        lastModifiedMs: at(days),
        ...changes,
      };
      const object = objectOf(key, given);
      return index.commitObject({ bucket, object, condition: null, newReferences: [] }).versionId;
    },
    drop: (key: string, days: number) =>
      index.deleteObjects({ bucket, ...deletionOf([key], at(days)) }),
    dropVersion(key: string, versionId: VersionId, days: number) {
      index.deleteObjects({ bucket, ...versionDeletionOf(key, versionId, at(days)) });
    },
    transition: (key: string, versionId: VersionId, days: number, storageClass: string) =>
      act({ kind: 'transition', key: asKey(key), versionId, storageClass }, days),
    /** All that was counted besides storage, by meter, with the hours that it stands in. */
    counted() {
      const hours = index.closeStorageHours({ name: bucket.name, nowMs: at(1000), limit: 1000 });
      const rows = hours.filter(({ of }) => of.kind === 'commits');
      return rows.map(({ hourMs, used: [one] }) => ({
        meter: one?.meter,
        hourMs,
        quantity: one?.quantity,
      }));
    },
    /** The sums of it, and nothing else. */
    short(): Record<string, bigint> {
      const sums: Record<string, bigint> = {};
      for (const { meter = '', quantity = 0n } of this.counted())
        sums[meter] = (sums[meter] ?? 0n) + quantity;
      return sums;
    },
  };
}
const byteDays = (days: number, bytes: number | bigint = SIZE) =>
  BigInt(bytes) * BigInt(days * DAY);

describe('an object that leaves its class early', () => {
  it('owes the rest of the minimum storage duration once, in the hour of deletion', () => {
    const world = openWorld();
    world.put('a', 0);
    for (const _ of [1, 2]) world.drop('a', 10.5);
    const hourMs = world.at(10.5) - (world.at(10.5) % HOUR_MS);
    expect(world.counted()).toEqual([
      { meter: 'early-delete/STANDARD_IA', hourMs, quantity: byteDays(19.5) },
    ]);
  });

  it('owes nothing for bytes that others share, and the last of them owes them', () => {
    const { index, bucket, at, ...world } = openWorld();
    for (const [day, key] of ['a', 'b', 'c'].entries()) {
      const blobId = blobIn(bucket);
      const changes = { storageClass: 'STANDARD_IA', lastModifiedMs: at(day) };
      const object = segmentsObjectOf(key, [wholeOf(blobId, SIZE)], changes);
      const newReferences = [{ ...newReferenceOf(blobId, SIZE), digest: { sha256Hex: 'same' } }];
      index.commitObject({ bucket, object, condition: null, newReferences });
    }
    const { versionId } =
      objectIn(index.getVersion({ bucket, key: asKey('b'), versionId: null })) ?? {};
    world.drop('a', 3);
    if (versionId !== undefined) world.transition('b', versionId, 4, 'STANDARD');
    expect(world.short()).toEqual({ 'class-a/STANDARD': 1n });
    world.drop('c', 5);
    expect(world.short()).toMatchObject({ 'early-delete/STANDARD_IA': byteDays(27) });
  });

  it('owes by its class: 30 days, 90 days, nothing', () => {
    const world = openWorld();
    for (const storageClass of [
      'STANDARD',
      'STANDARD_IA',
      'ONEZONE_IA',
      'GLACIER_IR',
      'INTELLIGENT_TIERING',
    ]) {
      world.put(storageClass, 0, { storageClass });
      world.drop(storageClass, 29);
    }
    expect(world.short()).toEqual({
      'early-delete/STANDARD_IA': byteDays(1),
      'early-delete/ONEZONE_IA': byteDays(1),
      'early-delete/GLACIER_IR': byteDays(61),
    });
  });

  it('owes nothing from the end of the time on, and to the millisecond before', () => {
    const world = openWorld();
    for (const [key, days] of [
      ['a', 30] as const,
      ['b', 45] as const,
      ['c', 30 - 1 / DAY] as const,
    ]) {
      world.put(key, 0);
      world.drop(key, days);
    }
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': BigInt(SIZE) });
  });

  it('owes it when it is overwritten, by whatever', () => {
    const world = openWorld();
    world.put('a', 0);
    world.put('a', 10, { storageClass: 'STANDARD' });
    world.put('b', 0);
    world.put('b', 25);
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': byteDays(20) + byteDays(5) });
  });

  it('owes it however large it is: 5 TiB for 30 days pass 2^63', () => {
    const world = openWorld();
    const size = 5 * 2 ** 40;
    for (const key of ['a', 'b', 'c']) {
      world.put(key, 0, { sizeBytes: size });
      world.drop(key, 0);
    }
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': 3n * byteDays(30, size) });
  });
});

describe('a lifecycle', () => {
  it('starts the duration at the move into the class, which counts as a write', () => {
    const world = openWorld();
    const versionId = world.put('a', 0, { storageClass: 'STANDARD' });
    world.transition('a', versionId, 40, 'STANDARD_IA');
    // Again the same: nothing.
    world.transition('a', versionId, 41, 'STANDARD_IA');
    world.drop('a', 50);
    expect(world.short()).toEqual({
      'class-a/STANDARD_IA': 1n,
      'early-delete/STANDARD_IA': byteDays(20),
    });
  });

  it('owes what is short of the class that it moves an object out of', () => {
    const world = openWorld();
    const versionId = world.put('a', 0);
    world.transition('a', versionId, 10, 'GLACIER_IR');
    world.act(
      { kind: 'expire', key: asKey('a'), versionId, markerId: fresh('v') as VersionId },
      60,
    );
    expect(world.short()).toEqual({
      'class-a/GLACIER_IR': 1n,
      'early-delete/STANDARD_IA': byteDays(20),
      'early-delete/GLACIER_IR': byteDays(40),
    });
  });
});

describe('a bucket with versions', () => {
  it('owes nothing for what is kept, and for each version when it goes for good', () => {
    const world = openWorld('enabled');
    const first = world.put('a', 0);
    const second = world.put('a', 5, { sizeBytes: 7 });
    world.drop('a', 6);
    expect(world.short()).toEqual({});
    world.dropVersion('a', first, 10);
    // The marker goes, the version comes back and is current again: still the same one.
    const [marker] = world.index.listVersions({
      ...{
        bucket: world.bucket,
        prefix: '',
        delimiter: '',
        afterKey: '',
        afterVersionId: '',
        maxKeys: 10,
      },
    }).versions;
    world.dropVersion('a', marker?.versionId ?? first, 11);
    world.dropVersion('a', second, 12);
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': byteDays(20) + byteDays(23, 7) });
  });

  it('owes it for the null version that another replaces', () => {
    const world = openWorld('suspended');
    world.put('a', 0);
    world.put('a', 20);
    world.drop('a', 25);
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': byteDays(10) + byteDays(25) });
  });

  it('keeps the time of an older version that a lifecycle moved', () => {
    const world = openWorld('enabled');
    const first = world.put('a', 0, { storageClass: 'STANDARD' });
    world.put('a', 1, { storageClass: 'STANDARD' });
    world.transition('a', first, 31, 'STANDARD_IA');
    world.act({ kind: 'remove', key: asKey('a'), versionId: first }, 41);
    expect(world.short()).toEqual({
      'class-a/STANDARD_IA': 1n,
      'early-delete/STANDARD_IA': byteDays(20),
    });
  });
});

describe('a new name', () => {
  it('keeps the time; what it replaces owes its own', () => {
    const world = openWorld();
    world.put('a', 0);
    world.put('b', 10);
    const job = keyJobOf('j');
    world.index.createKeyJob({ bucket: world.bucket, job });
    const ids = { versionId: fresh('v') as VersionId, markerId: fresh('v') as VersionId };
    const move: KeyAction = {
      kind: 'move',
      key: asKey('a'),
      toKeys: [asKey('b')],
      mayReplace: true,
      ...ids,
    };
    const step = {
      id: job.id,
      revision: job.revision,
      actions: [move],
      next: { after: '', at: 0 },
    };
    world.index.stepKeyJob({
      bucket: world.bucket,
      ...step,
      elsewhere: {},
      isLast: true,
      nowMs: world.at(15),
    });
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': byteDays(25) });
    world.drop('b', 20);
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': byteDays(25) + byteDays(10) });
  });
});

describe('an upload to a colder class', () => {
  it('owes nothing for parts that go, and counts from its completion', () => {
    const world = openWorld();
    const { index, bucket } = world;
    const [given, done] = [
      uploadOf('a', { storageClass: 'STANDARD_IA' }),
      uploadOf('b', { storageClass: 'STANDARD_IA' }),
    ];
    for (const upload of [given, done]) index.createUpload({ bucket, upload });
    const part = (number: number, sizeBytes: number) =>
      partOf(number, [], { sizeBytes, lastModifiedMs: world.at(0) });
    const [kept, dropped] = [part(1, 600), part(2, 9000)];
    for (const { key, uploadId } of [given, done]) {
      for (const one of [kept, dropped])
        index.commitPart({ bucket, key, uploadId, part: one, newReferences: [] });
    }
    index.commitPart({ bucket, ...done, part: part(2, 8000), newReferences: [] });
    index.abortUpload({ bucket, ...given, nowMs: world.at(1) });
    index.completeUpload({ bucket, ...completionOf(done, [kept], world.at(5)) });
    expect(world.short()).toEqual({});
    world.drop('b', 6);
    expect(world.short()).toEqual({ 'early-delete/STANDARD_IA': byteDays(29, 600) });
  });
});
