// What an isolate shows while a bucket's object is flooded: what is seconds old, and never what
// another isolate has made private or deleted before that. An object that is down is another thing.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { CallableObject } from '../../../src/adapters/cloudflare/clients/object-call.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import {
  bucketObject,
  freshBucketName,
  objectOf,
  PRIVATE,
  PUBLIC,
  recordOf,
  refOf,
} from '../kit/bucket.ts';
import {
  type ColoIsolate,
  createColo,
  createColoIsolate,
  createTestClock,
} from '../kit/colo-isolate.ts';

const key = 'private' as ObjectKey;

/** `queues`: calls of others take their time before. */
type Behaviour = 'works' | 'refuses' | 'breaks' | 'hangs' | 'queues';

/** The objects as an isolate reaches them; the test says how they behave. */
function createBehavingBuckets() {
  const state: { is: Behaviour } = { is: 'works' };
  const calls = { count: 0 };
  const overloaded = () => {
    const text = 'Durable Object is overloaded. Too many requests queued.';
    return Promise.reject(Object.assign(new Error(text), { overloaded: true, retryable: true }));
  };
  const answers = {
    refuses: overloaded,
    breaks: () => Promise.reject(new Error('expected by the test')),
    hangs: () => new Promise<never>(() => undefined),
  } as const;
  const buckets = {
    idFromName: (name: string) => env.BUCKETS.idFromName(name),
    get(id: DurableObjectId) {
      calls.count += 1;
      if (state.is === 'queues') {
        const stub = env.BUCKETS.get(id) as unknown as CallableObject;
        const call = async (...values: Parameters<CallableObject['call']>) => {
          await scheduler.wait(500);
          return stub.call(...values);
        };
        return { call };
      }
      return state.is === 'works' ? env.BUCKETS.get(id) : { call: answers[state.is] };
    },
  } as unknown as typeof env.BUCKETS;
  return { buckets, state, calls };
}

async function makeBucket() {
  const name = freshBucketName();
  const { call } = bucketObject(name);
  const record = await call('createBucket', { bucket: recordOf(name, PUBLIC) });
  const bucket = refOf(record);
  const object = objectOf(key, 'e1');
  await call('commitObject', { bucket, object, condition: null, newReferences: [] });
  return { name };
}

const closeBy = async (by: ColoIsolate, name: BucketName) =>
  (await by.open(name)).call('setBucketAccess', { access: PRIVATE });

/** A reader of one colo and an owner in another, who closes the bucket once it was read. */
async function closeWhileRead(options: { indexLimitMs?: number; hungMs?: number } = {}) {
  const { name } = await makeBucket();
  const clock = createTestClock();
  const { buckets, state, calls } = createBehavingBuckets();
  const far = { ...options, buckets };
  const reader = createColoIsolate(clock, createColo(), undefined, undefined, far);
  const owner = createColoIsolate(clock, createColo());
  await expect.poll(async () => (await readOrNull(reader, name))?.state).toBe('e1');
  await closeBy(owner, name);
  return { name, clock, state, calls, reader };
}

describe('while strangers flood the object of a bucket that was made private', () => {
  it('an isolate shows it for ten seconds, however long they go on', async () => {
    const { name, clock, state, reader } = await closeWhileRead();
    state.is = 'refuses';
    clock.ms += 9999;
    expect((await reader.read(name, key)).state).toBe('e1');
    clock.ms += 1;
    for (const passedMs of [0, 500, 1000, 5000, 60_000, 1_800_000]) {
      clock.ms += passedMs;
      await expect(reader.read(name, key)).rejects.toMatchObject({ code: 'SlowDown' });
    }
    state.is = 'works';
    clock.ms += 1000;
    expect((await reader.read(name, key)).state).toBe('closed');
  });

  it('it is asked by one request for each key and second', async () => {
    const { name, clock, state, calls, reader } = await closeWhileRead();
    state.is = 'refuses';
    clock.ms += 60_000;
    const before = calls.count;
    for (let at = 0; at < 20; at++)
      await expect(reader.read(name, key)).rejects.toMatchObject({ code: 'SlowDown' });
    expect(calls.count - before).toBe(1);
  });

  it('a call that waits in the queue is no outage, and counts in the end', async () => {
    const { name, clock, state, reader } = await closeWhileRead({
      indexLimitMs: 100,
      hungMs: 15_000,
    });
    clock.ms += 11_000;
    state.is = 'queues';
    await expect(reader.read(name, key)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    await expect(reader.read(name, key)).rejects.toMatchObject({ code: 'SlowDown' });
    await reader.settle();
    expect(await reader.read(name, key)).toEqual({ state: 'closed', tier: 'memory' });
  });
});

describe('an object that is down', () => {
  it('is known by a call that breaks: what is public goes on for an hour', async () => {
    const { name } = await makeBucket();
    const clock = createTestClock();
    const { buckets, state } = createBehavingBuckets();
    const reader = createColoIsolate(clock, createColo(), undefined, undefined, { buckets });
    await reader.read(name, key);
    state.is = 'breaks';
    clock.ms += 3_600_000;
    expect((await reader.read(name, key)).state).toBe('e1');
  });

  it('is known by a call that gets no word for longer than any queue', async () => {
    const { name } = await makeBucket();
    const clock = createTestClock();
    const { buckets, state } = createBehavingBuckets();
    const impatient = { buckets, indexLimitMs: 20, hungMs: 50 };
    const reader = createColoIsolate(clock, createColo(), undefined, undefined, impatient);
    const patient = { ...impatient, indexLimitMs: 15_000 };
    await createColoIsolate(clock, createColo(), undefined, undefined, patient).read(name, key);
    await expect.poll(async () => (await readOrNull(reader, name))?.state).toBe('e1');
    state.is = 'hangs';
    clock.ms += 9000;
    expect((await reader.read(name, key)).state).toBe('e1');
    await reader.settle();
    for (let minutes = 0; minutes < 50; minutes++) {
      clock.ms += 59_000;
      expect((await reader.read(name, key)).state).toBe('e1');
    }
    // Nobody has asked for so long that it may be back.
    clock.ms += 60_000;
    await expect(reader.read(name, key)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  });
});

/** A read with little patience, on a machine that may be busy. */
async function readOrNull(isolate: ColoIsolate, name: BucketName) {
  try {
    return await isolate.read(name, key);
  } catch {
    await isolate.settle();
    return null;
  }
}
