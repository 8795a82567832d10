import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createDoMetadataIndex } from '../../src/adapters/cloudflare/do-metadata-index.ts';
import { createKvLeases } from '../../src/adapters/cloudflare/kv-leases.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { metadataIndexContract } from '../contract/metadata-index.contract.ts';
import { freshBucketName, PRIVATE, PUBLIC, recordOf, refOf } from './bucket.ts';
import { counting } from './counting.ts';

const leases = createKvLeases(systemClock);

metadataIndexContract({ name: 'Durable Objects', make: () => createDoMetadataIndex(env.BUCKETS, systemClock, leases) });

/** An index as a new isolate has it, with its calls to the platform counted. */
function isolate() {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const counted = counting(env.BUCKETS);
  return { index: createDoMetadataIndex(counted.target, clock, leases), clock, rpcs: () => counted.calls.get ?? 0 };
}

describe('index over RPC', () => {
  it('asks for a bucket record once, and again when it is known to have changed', async () => {
    const name = freshBucketName();
    const [here, elsewhere] = [isolate(), isolate()];
    const made = await here.index.call(name, 'createBucket', { bucket: recordOf(name, PUBLIC) });
    for (let at = 0; at < 3; at++) expect(await here.index.call(name, 'getBucket', { name })).toEqual(made);
    expect(here.rpcs()).toBe(2);

    const changed = await elsewhere.index.call(name, 'setBucketAccess', { bucket: refOf(made), access: PRIVATE });
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

  it('repeats a query after a passing failure on a fresh stub, and never a commit', async () => {
    const name = freshBucketName();
    let failures = 0;
    const failing = {
      idFromName: (text: string) => env.BUCKETS.idFromName(text),
      get(id: DurableObjectId) {
        const stub = env.BUCKETS.get(id);
        if (failures === 0) return stub;
        failures -= 1;
        return { call: () => Promise.reject(Object.assign(new Error('expected by the test'), { retryable: true })) };
      },
    } as unknown as typeof env.BUCKETS;
    const index = createDoMetadataIndex(failing, systemClock, leases);
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
    const overloaded = Object.assign(new Error('expected by the test'), { retryable: true, overloaded: true });
    const failing = {
      idFromName: (text: string) => env.BUCKETS.idFromName(text),
      get: () => ({ call: () => Promise.reject(overloaded) }),
    } as unknown as typeof env.BUCKETS;
    const name = freshBucketName();
    const asked = createDoMetadataIndex(failing, systemClock, leases).call(name, 'getBucket', { name });
    await expect(asked).rejects.toMatchObject({ code: 'SlowDown' });
  });
});
