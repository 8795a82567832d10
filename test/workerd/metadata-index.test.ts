import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createDoMetadataIndex } from '../../src/adapters/cloudflare/clients/do-metadata-index.ts';
import { createBucketFeeds } from '../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { metadataIndexContract } from '../contract/index/metadata-index.contract.ts';
import { partOf, uploadOf } from '../contract/index/samples.ts';
import {
  EVERY_NAME,
  freshBucketName,
  objectOf,
  PRIVATE,
  PUBLIC,
  recordOf,
  refOf,
} from './kit/bucket.ts';
import { counting } from './kit/counting.ts';

const feeds = createBucketFeeds(systemClock);
/** For how long a link may show what was read. */
const FRESH_SECONDS = 3;

metadataIndexContract({
  name: 'Durable Objects',
  make: () => createDoMetadataIndex(env.BUCKETS, EVERY_NAME, systemClock, feeds, FRESH_SECONDS),
});

/** An index as a new isolate has it, with its calls to the platform counted. */
function isolate() {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const counted = counting(env.BUCKETS);
  return {
    index: createDoMetadataIndex(counted.target, EVERY_NAME, clock, feeds, FRESH_SECONDS),
    clock,
    rpcs: () => counted.calls.get ?? 0,
  };
}

describe('index over RPC', () => {
  it('asks for a bucket record once, and again when it is known to have changed', async () => {
    const name = freshBucketName();
    const [here, elsewhere] = [isolate(), isolate()];
    const made = await here.index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    for (let at = 0; at < 3; at++)
      expect(await here.index.call(name, 'getBucket', { name })).toEqual(made);
    expect(here.rpcs()).toBe(2);

    const changed = await elsewhere.index.call(name, 'setBucketAccess', {
      bucket: refOf(made),
      access: PRIVATE,
    });
    expect(await here.index.call(name, 'getBucket', { name })).toEqual(made);
    const stale = here.index.call(name, 'listObjects', {
      bucket: refOf(made),
      prefix: '',
      delimiter: '',
      after: '',
      maxKeys: 1,
    });
    await expect(stale).rejects.toMatchObject({ code: 'BucketChanged' });
    expect(await here.index.call(name, 'getBucket', { name })).toEqual(changed);
  });

  it('believes a bucket record for five seconds at most', async () => {
    const name = freshBucketName();
    const [here, elsewhere] = [isolate(), isolate()];
    const made = await here.index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    await here.index.call(name, 'getBucket', { name });
    await elsewhere.index.call(name, 'deleteBucket', { bucket: refOf(made), nowMs: 0 });
    here.clock.ms += 4999;
    expect(await here.index.call(name, 'getBucket', { name })).toEqual(made);
    here.clock.ms += 1;
    expect(await here.index.call(name, 'getBucket', { name })).toBeNull();
  });

  it('never remembers that there is no bucket', async () => {
    const name = freshBucketName();
    const [here, elsewhere] = [isolate(), isolate()];
    expect(await here.index.call(name, 'getBucket', { name })).toBeNull();
    await elsewhere.index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    expect(await here.index.call(name, 'getBucket', { name })).toMatchObject({ name });
  });

  it('asks for an upload once, and learns from the commit that it ended elsewhere', async () => {
    const name = freshBucketName();
    const [here, elsewhere] = [isolate(), isolate()];
    const bucket = refOf(
      await here.index.call(name, 'createBucket', { bucket: recordOf(name, PRIVATE) }),
    );
    const upload = uploadOf('k');
    const { key, uploadId } = upload;
    const address = { bucket, key, uploadId };
    const commit = { ...address, part: partOf(1, []), newReferences: [] };
    const read = (at: typeof here) => at.index.call(name, 'getUpload', address);
    const noUpload = { code: 'NoSuchUpload' };
    await here.index.call(name, 'createUpload', { bucket, upload });
    const before = here.rpcs();
    for (let time = 0; time < 10; time++) expect(await read(here)).toEqual(upload);
    expect(here.rpcs()).toBe(before);
    expect(await read(elsewhere)).toEqual(upload);
    await elsewhere.index.call(name, 'abortUpload', { ...address, nowMs: 0 });
    await expect(read(elsewhere)).rejects.toMatchObject(noUpload);

    expect(await read(here)).toEqual(upload);
    await expect(here.index.call(name, 'commitPart', commit)).rejects.toMatchObject(noUpload);
    await expect(read(here)).rejects.toMatchObject(noUpload);
    const another = uploadOf('other');
    const { key: otherKey, uploadId: otherId } = another;
    const other = { bucket, key: otherKey, uploadId: otherId };
    await here.index.call(name, 'createUpload', { bucket, upload: another });
    await elsewhere.index.call(name, 'abortUpload', { ...other, nowMs: 0 });
    here.clock.ms += 59_999;
    expect(await here.index.call(name, 'getUpload', other)).toEqual(another);
    here.clock.ms += 1;
    await expect(here.index.call(name, 'getUpload', other)).rejects.toMatchObject(noUpload);
  });

  describe('behind a link', () => {
    async function stocked() {
      const name = freshBucketName();
      const [here, elsewhere] = [isolate(), isolate()];
      const made = await here.index.call(name, 'createBucket', { bucket: recordOf(name, PRIVATE) });
      const bucket = refOf(made);
      const put = (at: typeof here, etag: string) =>
        at.index.call(name, 'commitObject', {
          bucket,
          object: objectOf('k', etag),
          condition: null,
          newReferences: [],
        });
      const read = async (mayBeStale: boolean) => {
        const key = objectOf('k', '').key;
        const found = await here.index.call(name, 'getVersion', {
          bucket,
          key,
          versionId: null,
          mayBeStale,
        });
        return found?.kind === 'object' ? found.object.etag : null;
      };
      return { name, here, elsewhere, bucket, put, read };
    }

    it('reads a version once, and again when it is seconds old', async () => {
      const { here, elsewhere, put, read } = await stocked();
      await put(here, 'one');
      expect(await read(true)).toBe('one');
      const before = here.rpcs();
      for (let time = 0; time < 10; time++) expect(await read(true)).toBe('one');
      expect(here.rpcs()).toBe(before);
      await put(elsewhere, 'two');
      here.clock.ms += 2999;
      expect(await read(true)).toBe('one');
      here.clock.ms += 1;
      expect(await read(true)).toBe('two');
    });

    it('is exact for those who sign the header, and after writes through here', async () => {
      const { here, elsewhere, put, read } = await stocked();
      await put(here, 'one');
      expect(await read(true)).toBe('one');
      await put(elsewhere, 'two');
      expect(await read(false)).toBe('two');
      await put(here, 'three');
      expect(await read(true)).toBe('three');
    });

    it('keeps nothing of a read that was under way when a write through here was', async () => {
      const { here, put, read } = await stocked();
      await put(here, 'one');
      for (const etag of ['two', 'three', 'four']) {
        await Promise.all([read(true), put(here, etag), read(true)]);
        expect(await read(true)).toBe(etag);
      }
    });

    it('never misses what has just been made', async () => {
      const { elsewhere, put, read } = await stocked();
      expect(await read(true)).toBe(null);
      await put(elsewhere, 'one');
      expect(await read(true)).toBe('one');
    });

    it('asks again when the bucket is known to have changed', async () => {
      const { name, here, elsewhere, bucket, put, read } = await stocked();
      await put(here, 'one');
      await read(true);
      await elsewhere.index.call(name, 'setBucketAccess', { bucket, access: PUBLIC });
      const moved = { ...bucket, revision: bucket.revision + 1 };
      const { key } = objectOf('k', '');
      const before = here.rpcs();
      await here.index.call(name, 'getVersion', {
        bucket: moved,
        key,
        versionId: null,
        mayBeStale: true,
      });
      expect(here.rpcs()).toBe(before + 1);
    });
  });

  it('repeats a query after a passing failure on a fresh stub, and never a commit', async () => {
    const name = freshBucketName();
    let failures = 0;
    const failing = {
      idFromName: (text: string) => env.BUCKETS.idFromName(text),
      get(id: DurableObjectId) {
        const stub = env.BUCKETS.get(id);
        if (failures === 0) return stub;
        failures -= 1;
        return {
          call: () =>
            Promise.reject(Object.assign(new Error('expected by the test'), { retryable: true })),
        };
      },
    } as unknown as typeof env.BUCKETS;
    const index = createDoMetadataIndex(failing, EVERY_NAME, systemClock, feeds, FRESH_SECONDS);
    failures = 2;
    expect(await index.call(name, 'getBucket', { name })).toBeNull();
    failures = 1;
    const commit = index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    await expect(commit).rejects.toMatchObject({
      code: 'InternalError',
      message: expect.stringContaining('not known'),
    });
    expect(await index.call(name, 'getBucket', { name })).toBeNull();
  });

  it('asks the client to slow down when the object is overloaded', async () => {
    const overloaded = Object.assign(new Error('expected by the test'), {
      retryable: true,
      overloaded: true,
    });
    const failing = {
      idFromName: (text: string) => env.BUCKETS.idFromName(text),
      get: () => ({ call: () => Promise.reject(overloaded) }),
    } as unknown as typeof env.BUCKETS;
    const name = freshBucketName();
    const asked = createDoMetadataIndex(
      failing,
      EVERY_NAME,
      systemClock,
      feeds,
      FRESH_SECONDS,
    ).call(name, 'getBucket', { name });
    await expect(asked).rejects.toMatchObject({ code: 'SlowDown' });
  });
});
