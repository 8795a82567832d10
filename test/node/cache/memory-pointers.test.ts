// The memory tier of pointers: ages, bounds, fill barriers. What it does behind the port is the
// contract of hot metadata.
import { describe, expect, it } from 'vitest';
import {
  createMemoryPointers,
  type MemoryPointersOptions,
} from '../../../src/adapters/shared/memory-pointers.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketId,
  BucketName,
  BucketReadPolicy,
  ObjectKey,
  Pointer,
} from '../../../src/domain/nouns.ts';
import { toPointer } from '../../../src/domain/pointer.ts';
import { addWatermarks } from '../../../src/domain/purge.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { inlineVersion } from '../kit/index-data.ts';

const bucket = 'photos' as BucketName;
const key = 'a' as ObjectKey;
const readPolicy: BucketReadPolicy = {
  bucketId: 'photos~1' as BucketId,
  revision: 1,
  ownerId: 'owner' as AccountId,
  access: PUBLIC_ACCESS,
  settings: NO_SETTINGS,
};
const pointerOf = (name: string): Pointer => toPointer(inlineVersion(name, 'e'));

function make(change: Partial<MemoryPointersOptions> = {}) {
  const clock = { ms: 1_763_000_000_000, nowMs: () => clock.ms };
  const pointers = createMemoryPointers({
    clock,
    maxEntries: 80,
    maxBytes: 1 << 20,
    negativeFreshSeconds: 2,
    freshSeconds: null,
    staleSeconds: 0,
    ...change,
  });
  const fill = (name: ObjectKey = key, ofReadPolicy = readPolicy) =>
    pointers.fill(
      bucket,
      name,
      { readPolicy: ofReadPolicy, pointer: pointerOf(name) },
      pointers.epoch(),
    );
  const isKnown = (name: ObjectKey = key) => pointers.peek(bucket, name) !== null;
  return { clock, pointers, fill, isKnown };
}

describe('memory pointers', () => {
  it('return fresh records at once, and stale ones for a time with their age', () => {
    const { clock, pointers, isKnown } = make({ freshSeconds: 5, staleSeconds: 60 });
    const known = { readPolicy, pointer: pointerOf('a') };
    pointers.fill(bucket, key, known, pointers.epoch(), { sinceStored: 1, sinceValidated: 10 });
    clock.ms += 3999;
    expect(isKnown()).toBe(true);
    clock.ms += 1;
    expect(isKnown()).toBe(false);
    clock.ms += 59_000;
    expect(pointers.look(bucket, key)).toMatchObject({
      readPolicy: { value: readPolicy, stalenessSeconds: 59 },
      pointer: { value: { etag: 'e' }, age: { sinceStored: 64, sinceValidated: 73 } },
    });
    clock.ms += 1000;
    expect(pointers.look(bucket, key)).toEqual({ readPolicy: null, pointer: null });
  });

  it('return exact records for ever, but negative ones only briefly', () => {
    const { clock, pointers, fill, isKnown } = make();
    const none = 'none' as ObjectKey;
    fill();
    pointers.fill(bucket, none, { readPolicy, pointer: null }, pointers.epoch());
    clock.ms += 1999;
    expect(pointers.peek(bucket, none)).toEqual({ readPolicy, pointer: null });
    clock.ms += 1;
    expect(isKnown(none)).toBe(false);
    expect(pointers.look(bucket, none).pointer).toBeNull();
    clock.ms += 1e9;
    expect(isKnown()).toBe(true);
  });

  it('never keep a negative record beyond its time, whatever may be stale', () => {
    const { clock, pointers } = make({ freshSeconds: 5, staleSeconds: 3600 });
    pointers.fill(bucket, key, { readPolicy, pointer: null }, pointers.epoch());
    clock.ms += 2000;
    expect(pointers.look(bucket, key)).toMatchObject({
      readPolicy: { value: readPolicy },
      pointer: null,
    });
  });

  it('return no pointer of an earlier incarnation of the bucket', () => {
    const { pointers, fill, isKnown } = make();
    fill();
    fill('b' as ObjectKey, { ...readPolicy, bucketId: 'photos~2' as BucketId });
    expect(isKnown()).toBe(false);
    expect(pointers.look(bucket, key).pointer).toBeNull();
    expect(isKnown('b' as ObjectKey)).toBe(true);
  });

  it('keep used records when strangers request thousands of missing keys', () => {
    const { pointers, fill, isKnown } = make();
    fill();
    for (let at = 0; at < 5000; at++) {
      pointers.fill(
        bucket,
        `missing-${at}` as ObjectKey,
        { readPolicy, pointer: null },
        pointers.epoch(),
      );
    }
    expect(isKnown()).toBe(true);
  });

  it('stay within their bytes', () => {
    const { pointers, isKnown } = make({ maxBytes: 40_000, maxEntries: 1000 });
    const keys = Array.from({ length: 100 }, (_, at) => `key-${at}` as ObjectKey);
    for (const each of keys) {
      const pointer = toPointer(inlineVersion(each, 'e', new Uint8Array(3000)));
      pointers.fill(bucket, each, { readPolicy, pointer }, pointers.epoch());
    }
    const kept = keys.filter(isKnown);
    expect(kept.length).toBeGreaterThan(5);
    expect(kept.length).toBeLessThan(14);
    expect(kept.at(-1)).toBe('key-99');
  });

  it('store nothing of a key or read policy under a fill barrier, until it is gone', () => {
    const { pointers, fill, isKnown } = make();
    fill();
    pointers.block(bucket, [key]);
    pointers.block(bucket, [key]);
    expect(isKnown()).toBe(false);
    fill();
    expect(isKnown()).toBe(false);
    pointers.unblock(bucket, [key]);
    expect(pointers.isBlocked(bucket, key)).toBe(true);
    fill();
    expect(isKnown()).toBe(false);
    const overtaken = pointers.epoch();
    pointers.unblock(bucket, [key]);
    pointers.fill(bucket, key, { readPolicy, pointer: pointerOf('a') }, overtaken);
    expect(isKnown()).toBe(false);
    fill();
    expect(isKnown()).toBe(true);
    pointers.block(bucket, null);
    expect(pointers.isBlocked(bucket, 'other' as ObjectKey)).toBe(true);
    fill();
    expect(isKnown()).toBe(false);
    pointers.unblock(bucket, null);
    fill();
    expect(isKnown()).toBe(true);
    expect(pointers.isBlocked(bucket, key)).toBe(false);
  });

  it('give nothing older than the watermark of a purge, whoever read the policy', () => {
    const { pointers, fill, isKnown } = make({ freshSeconds: 60, staleSeconds: 3600 });
    const [other, third] = ['other' as ObjectKey, 'third' as ObjectKey];
    fill();
    fill(other);
    const purges = addWatermarks(null, [{ scope: 'key', value: 'a' }], 2);
    const purged = { ...readPolicy, revision: 2, settings: { ...readPolicy.settings, purges } };
    fill(third, purged);
    expect([isKnown(), isKnown(other), isKnown(third)]).toEqual([false, true, true]);
    expect(pointers.look(bucket, key)).toMatchObject({
      readPolicy: { value: purged },
      pointer: null,
    });
    const late = { sinceStored: 0, sinceValidated: 0, revision: 1 };
    pointers.fill(
      bucket,
      key,
      { readPolicy: purged, pointer: pointerOf('a') },
      pointers.epoch(),
      late,
    );
    expect(isKnown()).toBe(false);
    fill(key, purged);
    expect(isKnown()).toBe(true);
  });

  it('are not taken back behind a purge by a read that took longer', () => {
    const { pointers, fill, isKnown } = make({ freshSeconds: 60, staleSeconds: 3600 });
    const purges = addWatermarks(null, [{ scope: 'bucket' }], 2);
    const slow = pointers.epoch();
    fill('other' as ObjectKey, {
      ...readPolicy,
      revision: 2,
      settings: { ...readPolicy.settings, purges },
    });
    pointers.fill(bucket, key, { readPolicy, pointer: pointerOf('a') }, slow);
    expect(isKnown()).toBe(false);
    expect(pointers.look(bucket, key).readPolicy?.value?.revision).toBe(2);
  });
});
