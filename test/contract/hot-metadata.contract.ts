// What every hot metadata must do. Answers and evictions come in the orders that races make; a
// record that an eviction overtook must never be kept. `make` gives ports that wait for the index
// no longer than a second.
import { describe, expect } from 'vitest';
import type { BucketName, BucketReadPolicy, ObjectKey } from '../../src/domain/nouns.ts';
import type { HotMetadata, KnownMetadata } from '../../src/ports/caches/hot-metadata.ts';
import { accessWithReads } from '../access-samples.ts';
import { pointerOf, readPolicyOf } from './pointer-samples.ts';
import { type Subject, testsOf } from './subject.ts';

let made = 0;
function freshBucket(): BucketName {
  made += 1;
  const random = Math.floor(Math.random() * 36 ** 6).toString(36);
  return `hot-${Date.now().toString(36)}-${random}-${made}` as BucketName;
}

const key = 'ä//../😀' as ObjectKey;

/** A look-up whose answer is that of the index. */
const asking = (known: KnownMetadata) => async () => known;
const neverAsk = () => Promise.reject(new Error('must not be asked'));

/**
 * Runs the contract. `make` gives a port whose memory is empty for buckets that were not used
 * before.
 */
export function hotMetadataContract(subject: Subject<HotMetadata>): void {
  const test = testsOf(subject);

  describe(`hot metadata: ${subject.name}`, () => {
    test('knows nothing of what nobody asked for, and asks', async (hot) => {
      const bucket = freshBucket();
      expect(hot.peek(bucket, key)).toBeNull();
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      expect(await hot.find(bucket, key, asking(known))).toEqual({
        ...known,
        tier: 'index',
        stale: null,
      });
    });

    test('gives back what it loaded, from memory and at once', async (hot) => {
      const bucket = freshBucket();
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      await hot.find(bucket, key, asking(known));
      expect(hot.peek(bucket, key)).toEqual(known);
      expect(hot.find(bucket, key, neverAsk)).toEqual({ ...known, tier: 'memory', stale: null });
    });

    test('keeps "there is none" apart from not knowing', async (hot) => {
      const bucket = freshBucket();
      await hot.find(bucket, key, asking({ readPolicy: readPolicyOf(bucket), pointer: null }));
      expect(hot.peek(bucket, key)).toEqual({ readPolicy: readPolicyOf(bucket), pointer: null });
      const nobody = freshBucket();
      await hot.find(nobody, key, asking({ readPolicy: null, pointer: null }));
      expect(hot.peek(nobody, key)).toEqual({ readPolicy: null, pointer: null });
      expect(hot.peek(nobody, 'other' as ObjectKey)).toEqual({ readPolicy: null, pointer: null });
    });

    test('needs no pointer to say that nobody may read', async (hot) => {
      const bucket = freshBucket();
      const open = readPolicyOf(bucket);
      const readPolicy: BucketReadPolicy = {
        ...open,
        access: accessWithReads({ open: ['open/'] }),
      };
      await hot.find(bucket, key, asking({ readPolicy, pointer: pointerOf(key, 'hidden') }));
      expect(hot.peek(bucket, 'other' as ObjectKey)).toEqual({ readPolicy, pointer: null });
      expect(hot.peek(bucket, 'open/a' as ObjectKey)).toBeNull();
    });

    test('passes on a failure and asks again the next time', async (hot) => {
      const bucket = freshBucket();
      const failure = new Error('expected by the test');
      await expect(hot.find(bucket, key, () => Promise.reject(failure))).rejects.toBe(failure);
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      expect(await hot.find(bucket, key, asking(known))).toMatchObject(known);
    });

    test('does not wait for ever', async (hot) => {
      const bucket = freshBucket();
      const hanging = () => new Promise<KnownMetadata>(() => undefined);
      await expect(hot.find(bucket, key, hanging)).rejects.toMatchObject({
        code: 'ServiceUnavailable',
      });
      const known = { readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') };
      expect(await hot.find(bucket, key, asking(known))).toMatchObject(known);
    });

    test('forgets the pointers of evicted keys, and only those', async (hot) => {
      const bucket = freshBucket();
      const other = 'other' as ObjectKey;
      const readPolicy = readPolicyOf(bucket);
      await hot.find(bucket, key, asking({ readPolicy, pointer: pointerOf(key, 'e1') }));
      await hot.find(bucket, other, asking({ readPolicy, pointer: pointerOf(other, 'e2') }));
      hot.evict(bucket, [key]);
      expect(hot.peek(bucket, key)).toBeNull();
      expect(hot.peek(bucket, other)).toMatchObject({ readPolicy, pointer: { etag: 'e2' } });
      expect(
        await hot.find(bucket, key, asking({ readPolicy, pointer: pointerOf(key, 'e3') })),
      ).toMatchObject({
        pointer: { etag: 'e3' },
        tier: 'index',
      });
    });

    test('forgets "there is none" on eviction too', async (hot) => {
      const bucket = freshBucket();
      await hot.find(bucket, key, asking({ readPolicy: readPolicyOf(bucket), pointer: null }));
      hot.evict(bucket, [key]);
      expect(hot.peek(bucket, key)).toBeNull();
    });

    test('forgets the readPolicy on evict(null)', async (hot) => {
      const bucket = freshBucket();
      await hot.find(
        bucket,
        key,
        asking({ readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'e1') }),
      );
      hot.evict(bucket, null);
      expect(hot.peek(bucket, key)).toBeNull();
    });

    for (const keys of [[key], null]) {
      const what = keys === null ? 'its readPolicy' : 'its key';

      test(`keeps nothing of an answer that an eviction of ${what} overtook`, async (hot) => {
        const bucket = freshBucket();
        const answer = Promise.withResolvers<KnownMetadata>();
        const asked = hot.find(bucket, key, () => answer.promise);
        hot.evict(bucket, keys);
        answer.resolve({ readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'old') });
        await asked;
        expect(hot.peek(bucket, key)).toBeNull();
      });

      test(`shares no load from before an eviction of ${what} with later calls`, async (hot) => {
        const bucket = freshBucket();
        const [before, after] = [
          Promise.withResolvers<KnownMetadata>(),
          Promise.withResolvers<KnownMetadata>(),
        ];
        const first = hot.find(bucket, key, () => before.promise);
        hot.evict(bucket, keys);
        const second = hot.find(bucket, key, () => after.promise);
        after.resolve({ readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'new') });
        expect(await second).toMatchObject({ pointer: { etag: 'new' } });
        before.resolve({ readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'old') });
        await first;
        expect(hot.peek(bucket, key)?.pointer?.etag).toBe('new');
      });
    }

    test('keeps nothing overtaken also after very many other evictions', async (hot) => {
      const bucket = freshBucket();
      const answer = Promise.withResolvers<KnownMetadata>();
      const asked = hot.find(bucket, key, () => answer.promise);
      hot.evict(bucket, [key]);
      for (let other = 0; other < 20_000; other++) hot.evict(bucket, [`key-${other}` as ObjectKey]);
      answer.resolve({ readPolicy: readPolicyOf(bucket), pointer: pointerOf(key, 'old') });
      await asked;
      expect(hot.peek(bucket, key)).toBeNull();
    });

    test('keeps equal keys of two buckets apart, also by name prefixes', async (hot) => {
      const [first, second] = [freshBucket(), freshBucket()];
      await hot.find(
        first,
        key,
        asking({ readPolicy: readPolicyOf(first), pointer: pointerOf(key, 'first') }),
      );
      await hot.find(
        second,
        key,
        asking({ readPolicy: readPolicyOf(second), pointer: pointerOf(key, 'second') }),
      );
      hot.evict(second, [key]);
      expect(hot.peek(first, key)?.pointer?.etag).toBe('first');
    });
  });
}
