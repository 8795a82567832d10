// What every hot metadata must do. `fill` and `evict` come in the orders that races make; a record that an eviction
// overtook must never be seen.
import { describe, expect } from 'vitest';
import { makeBucketId } from '../../src/core/buckets/blob-home.ts';
import { NO_SETTINGS } from '../../src/ports/bucket-settings.ts';
import type { BucketGate, BucketName, ObjectKey, Pointer, VersionId } from '../../src/ports/domain.ts';
import type { HotMetadata } from '../../src/ports/hot-metadata.ts';
import { toGateSettings } from '../../src/ports/pointer.ts';
import { type Subject, testsOf } from './subject.ts';

let made = 0;
function freshBucket(): BucketName {
  made += 1;
  return `hot-${Date.now().toString(36)}-${Math.floor(Math.random() * 36 ** 6).toString(36)}-${made}` as BucketName;
}

function gateOf(bucket: BucketName, revision = 1): BucketGate {
  const access = { acl: 'public-read', policyJson: null, policyPublicPrefixes: [] } as const;
  return { bucketId: makeBucketId(bucket, 'life1'), revision, access, settings: toGateSettings(NO_SETTINGS) };
}

function pointerOf(key: ObjectKey, etag: string): Pointer {
  return {
    key,
    ownerId: null,
    acl: null,
    encryption: null,
    versionId: `version-${etag}` as VersionId,
    isNull: true,
    sizeBytes: 2,
    etag,
    lastModifiedMs: 1_700_000_000_000,
    headers: { contentType: 'text/plain' },
    userMetadata: { a: 'b' },
    storageClass: 'STANDARD',
    segments: [],
    inlineBytes: new Uint8Array([1, 2]),
  };
}

const key = 'ä//../😀' as ObjectKey;

/** Runs the contract. `make` gives a port whose memory is empty for buckets that were not used before. */
export function hotMetadataContract(subject: Subject<HotMetadata>): void {
  const test = testsOf(subject);

  describe(`hot metadata: ${subject.name}`, () => {
    test('knows nothing of what was never filled', async (hot) => {
      expect(await hot.get(freshBucket(), key)).toEqual({ gate: null, pointer: null });
    });

    test('gives back what was filled, from memory', async (hot) => {
      const bucket = freshBucket();
      const [gate, pointer] = [gateOf(bucket), pointerOf(key, 'e1')];
      hot.fill(bucket, key, { gate, pointer }, hot.ticket());
      const found = await hot.get(bucket, key);
      expect(found.gate).toMatchObject({ value: gate, tier: 'memory' });
      expect(found.pointer).toMatchObject({ value: pointer, tier: 'memory' });
      expect(found.pointer?.ageSeconds).toBeGreaterThanOrEqual(0);
      expect(found.pointer?.ageSeconds).toBeLessThan(2);
    });

    test('keeps "there is none" apart from not knowing', async (hot) => {
      const bucket = freshBucket();
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: null }, hot.ticket());
      const found = await hot.get(bucket, key);
      expect(found.pointer).toMatchObject({ value: null, tier: 'memory' });
      const nobody = freshBucket();
      hot.fill(nobody, key, { gate: null, pointer: null }, hot.ticket());
      expect((await hot.get(nobody, key)).gate).toMatchObject({ value: null });
    });

    test('replaces a record by a newer fill', async (hot) => {
      const bucket = freshBucket();
      const gate = gateOf(bucket);
      hot.fill(bucket, key, { gate, pointer: null }, hot.ticket());
      hot.fill(bucket, key, { gate, pointer: pointerOf(key, 'e2') }, hot.ticket());
      expect((await hot.get(bucket, key)).pointer?.value?.etag).toBe('e2');
      hot.fill(bucket, key, { gate, pointer: null }, hot.ticket());
      expect((await hot.get(bucket, key)).pointer?.value).toBeNull();
    });

    test('forgets the pointers of evicted keys, and only those', async (hot) => {
      const bucket = freshBucket();
      const other = 'other' as ObjectKey;
      const gate = gateOf(bucket);
      hot.fill(bucket, key, { gate, pointer: pointerOf(key, 'e1') }, hot.ticket());
      hot.fill(bucket, other, { gate, pointer: pointerOf(other, 'e2') }, hot.ticket());
      hot.evict(bucket, [key]);
      // A tier below may still know it; memory must not.
      expect((await hot.get(bucket, key)).pointer?.tier).not.toBe('memory');
      expect((await hot.get(bucket, other)).pointer?.value?.etag).toBe('e2');
      expect((await hot.get(bucket, other)).gate?.value).toEqual(gate);
    });

    test('forgets "there is none" on eviction too', async (hot) => {
      const bucket = freshBucket();
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: null }, hot.ticket());
      hot.evict(bucket, [key]);
      expect((await hot.get(bucket, key)).pointer?.tier).not.toBe('memory');
    });

    test('forgets the gate on evict(null)', async (hot) => {
      const bucket = freshBucket();
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: pointerOf(key, 'e1') }, hot.ticket());
      hot.evict(bucket, null);
      expect((await hot.get(bucket, key)).gate?.tier).not.toBe('memory');
    });

    test('drops a fill that an eviction of its key overtook', async (hot) => {
      const bucket = freshBucket();
      const ticket = hot.ticket();
      hot.evict(bucket, [key]);
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: pointerOf(key, 'old') }, ticket);
      expect((await hot.get(bucket, key)).pointer?.tier).not.toBe('memory');
    });

    test('drops a fill that an eviction of its gate overtook', async (hot) => {
      const bucket = freshBucket();
      const ticket = hot.ticket();
      hot.evict(bucket, null);
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: pointerOf(key, 'old') }, ticket);
      expect((await hot.get(bucket, key)).gate?.tier).not.toBe('memory');
    });

    test('drops an overtaken fill also after very many other evictions', async (hot) => {
      const bucket = freshBucket();
      const ticket = hot.ticket();
      hot.evict(bucket, [key]);
      for (let other = 0; other < 20_000; other++) hot.evict(bucket, [`key-${other}` as ObjectKey]);
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: pointerOf(key, 'old') }, ticket);
      expect((await hot.get(bucket, key)).pointer?.tier).not.toBe('memory');
    });

    test('takes a fill whose ticket is younger than the eviction', async (hot) => {
      const bucket = freshBucket();
      hot.evict(bucket, [key]);
      hot.evict(bucket, null);
      hot.fill(bucket, key, { gate: gateOf(bucket), pointer: pointerOf(key, 'new') }, hot.ticket());
      expect((await hot.get(bucket, key)).pointer?.value?.etag).toBe('new');
    });

    test('keeps one name apart in two buckets, and a bucket name that begins like another', async (hot) => {
      const [first, second] = [freshBucket(), freshBucket()];
      hot.fill(first, key, { gate: gateOf(first), pointer: pointerOf(key, 'first') }, hot.ticket());
      hot.fill(second, key, { gate: gateOf(second), pointer: pointerOf(key, 'second') }, hot.ticket());
      hot.evict(second, [key]);
      expect((await hot.get(first, key)).pointer?.value?.etag).toBe('first');
    });
  });
}
