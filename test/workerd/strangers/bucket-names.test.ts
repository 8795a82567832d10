// What strangers can do with bucket names that nobody has: none of them makes a Durable Object,
// nor more than a bounded number of calls of the directory; names that exist go on meanwhile.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createBucketNames } from '../../../src/adapters/cloudflare/clients/bucket-names.ts';
import { createDoDirectory } from '../../../src/adapters/cloudflare/clients/do-directory.ts';
import { createDoMetadataIndex } from '../../../src/adapters/cloudflare/clients/do-metadata-index.ts';
import { createBucketFeeds } from '../../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import {
  createColoTier,
  type KnownBucketName,
} from '../../../src/adapters/cloudflare/pointers/colo-tier.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import type { Log } from '../../../src/ports/system.ts';
import { bucketObject, freshBucketName, noteName, PUBLIC, recordOf } from '../kit/bucket.ts';
import { createColo, createTestClock } from '../kit/colo-isolate.ts';
import { counting } from '../kit/counting.ts';
import { createIsolate } from '../kit/isolate.ts';
import { makePublicBucket } from '../kit/public-bucket.ts';

const log: Log = { info: () => undefined, error: () => undefined };
const key = 'k' as ObjectKey;

/** The names and the index of an isolate, with what they call counted. */
function createNamesIsolate(clock = createTestClock(), open = createColo()) {
  const directoryCalls = counting(env.DIRECTORY);
  const bucketCalls = counting(env.BUCKETS);
  const behind: Promise<unknown>[] = [];
  const background = {
    run: (_label: string, work: () => Promise<unknown>) => void behind.push(work()),
  };
  const directory = createDoDirectory(directoryCalls.target, {
    clock,
    background,
    hostFreshSeconds: 5,
  });
  const state: { failure: StorageError | null } = { failure: null };
  const names = createBucketNames({
    clock,
    background,
    colo: createColoTier({ clock, log, limitMs: 15_000, idOf: (bucket) => bucket, open }),
    ask: async (name) => {
      if (state.failure !== null) throw state.failure;
      return directory.call('getBucketName', { name });
    },
  });
  const index = createDoMetadataIndex(
    bucketCalls.target,
    names,
    clock,
    createBucketFeeds(clock),
    3,
  );
  return {
    clock,
    open,
    names,
    index,
    state,
    asked: () => directoryCalls.calls.get ?? 0,
    objects: () => bucketCalls.calls.get ?? 0,
    settle: async () => {
      await Promise.all(behind.splice(0));
    },
  };
}

describe('a bucket name that nobody has', () => {
  it('makes no object, whatever is looked up', async () => {
    const { index, objects } = createNamesIsolate();
    const name = freshBucketName();
    expect(await index.call(name, 'getBucket', { name })).toBe(null);
    expect(await index.call(name, 'resolve', { name, key })).toEqual({
      bucket: null,
      object: null,
    });
    expect(await index.call(name, 'resolveAll', { name, keys: [key, key] })).toEqual({
      bucket: null,
      objects: [null, null],
    });
    expect(await index.call(name, 'listIncarnations', { name })).toEqual([]);
    expect(objects()).toBe(0);
  });

  it('makes none by any request of a stranger, nor by a signed one', async () => {
    const { count } = createIsolate();
    for (const init of [
      {},
      { method: 'HEAD' },
      { method: 'PUT', body: 'x' },
      {
        method: 'OPTIONS',
        headers: { origin: 'https://a', 'access-control-request-method': 'GET' },
      },
      { headers: { origin: 'https://a' } },
    ] as readonly RequestInit[]) {
      for (const path of ['', '/', '/a/b', '?list-type=2']) {
        const cost = await count(`http://files.example/${freshBucketName()}${path}`, init);
        expect(cost).toMatchObject({ index: {} });
        expect(cost.status).toBeGreaterThanOrEqual(403);
      }
    }
  });

  it('costs the directory a bounded number of calls, and others none of theirs', async () => {
    const { index, asked, objects, clock } = createNamesIsolate();
    const theirs = freshBucketName();
    await bucketObject(theirs).call('createBucket', { bucket: recordOf(theirs, PUBLIC) });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1000 }, () => {
        const name = freshBucketName();
        return index.call(name, 'resolve', { name, key });
      }),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected');
    expect(asked()).toBe(50);
    expect(refused.length).toBe(950);
    expect(refused[0]).toMatchObject({ reason: { code: 'SlowDown' } });
    expect(objects()).toBe(0);
    // Whoever signs is asked for at once; and strangers again in a second.
    expect(await index.call(theirs, 'getBucket', { name: theirs })).toMatchObject({ name: theirs });
    expect((await index.call(theirs, 'resolve', { name: theirs, key })).bucket).not.toBe(null);
    clock.ms += 1000;
    const name = freshBucketName();
    expect(await index.call(name, 'resolve', { name, key })).toEqual({
      bucket: null,
      object: null,
    });
  });

  it('spares an overloaded directory the look-ups of strangers first', async () => {
    const { names, state, clock, asked } = createNamesIsolate();
    state.failure = new StorageError('SlowDown');
    await expect(names.find(freshBucketName(), true)).rejects.toMatchObject({ code: 'SlowDown' });
    state.failure = null;
    await expect(names.find(freshBucketName(), true)).rejects.toMatchObject({ code: 'SlowDown' });
    expect(asked()).toBe(0);
    expect(await names.find(freshBucketName(), false)).toBe(null);
    clock.ms += 5000;
    expect(await names.find(freshBucketName(), true)).toBe(null);
  });

  it('is believed missing for two seconds by strangers, never by who signs', async () => {
    const { names, clock, asked } = createNamesIsolate();
    const name = freshBucketName();
    expect(await names.find(name, true)).toBe(null);
    await noteName(name);
    const before = asked();
    expect([names.find(name, true), asked()]).toEqual([null, before]);
    clock.ms += 2000;
    expect(await names.find(name, true)).toEqual({ location: null });
    const other = freshBucketName();
    expect(await names.find(other, true)).toBe(null);
    await noteName(other);
    expect(await names.find(other, false)).toEqual({ location: null });
    expect(names.find(other, true)).toEqual({ location: null });
  });
});

describe('a bucket name that exists', () => {
  it('is asked for once in a day, by one isolate of a colo', async () => {
    const first = createNamesIsolate();
    const name = freshBucketName();
    await noteName(name);
    expect(await first.names.find(name, true)).toEqual({ location: null });
    await first.settle();
    const second = createNamesIsolate(first.clock, first.open);
    expect(await second.names.find(name, true)).toEqual({ location: null });
    expect([first.asked(), second.asked()]).toEqual([1, 0]);
    first.clock.ms += 86_399_999;
    expect(second.names.find(name, false)).toEqual({ location: null });
    first.clock.ms += 1;
    await second.names.find(name, false);
    expect(second.asked()).toBe(1);
  });

  it('is asked for once by a herd', async () => {
    const { names, asked } = createNamesIsolate();
    const name = freshBucketName();
    await noteName(name);
    const found = await Promise.all(Array.from({ length: 500 }, () => names.find(name, true)));
    expect(found.every((noted) => noted?.location === null)).toBe(true);
    expect(asked()).toBe(1);
  });

  it('is believed while the directory fails; others fail, and make no object', async () => {
    const { index, state, objects } = createNamesIsolate();
    const name = freshBucketName();
    await bucketObject(name).call('createBucket', { bucket: recordOf(name, PUBLIC) });
    await index.call(name, 'resolve', { name, key });
    state.failure = new StorageError('InternalError');
    const before = objects();
    expect((await index.call(name, 'resolve', { name, key })).bucket).not.toBe(null);
    const other = freshBucketName();
    await expect(index.call(other, 'resolve', { name: other, key })).rejects.toMatchObject({
      code: 'InternalError',
    });
    expect(objects()).toBe(before + 1);
  });

  it('is taken as the release before did while the directory runs that release', async () => {
    const { index, state } = createNamesIsolate();
    const name = freshBucketName();
    await bucketObject(name).call('createBucket', { bucket: recordOf(name, PUBLIC) });
    state.failure = new StorageError('ServiceUnavailable');
    expect((await index.call(name, 'resolve', { name, key })).bucket).not.toBe(null);
  });

  it('is forgotten once the directory has forgotten it', async () => {
    const { index, names, clock, objects, settle } = createNamesIsolate();
    const name = freshBucketName();
    await noteName(name);
    expect(await index.call(name, 'getBucket', { name })).toBe(null);
    expect(objects()).toBe(1);
    const directory = createDoDirectory(env.DIRECTORY, {
      clock,
      background: { run: () => undefined },
      hostFreshSeconds: 0,
    });
    await directory.call('forgetBucketName', { name, addedBeforeMs: 1 });
    clock.ms += 10_000;
    expect(await index.call(name, 'getBucket', { name })).toBe(null);
    await settle();
    expect(await index.call(name, 'getBucket', { name })).toBe(null);
    expect(objects()).toBe(2);
    expect(await names.find(name, false)).toBe(null);
  });

  it('is read by an isolate that knows nothing with one call of the directory', async () => {
    const { url, put } = await makePublicBucket();
    await put('hot', new Uint8Array(10));
    const { count } = createIsolate();
    expect(await count(url('hot'))).toMatchObject({
      status: 200,
      directory: { get: 1 },
      index: { get: 1 },
    });
    expect(await count(url('other'))).toMatchObject({
      status: 404,
      directory: {},
      index: { get: 1 },
    });
  });
});

it('an entry of the colo that this program did not write counts for nothing', async () => {
  const open = createColo();
  const clock = createTestClock();
  const colo = createColoTier({ clock, log, limitMs: 15_000, idOf: (bucket) => bucket, open });
  const bucket = 'shop' as BucketName;
  const known: KnownBucketName = { noted: { location: 'weur' }, askedAtMs: 5 };
  await colo.putName(bucket, known);
  expect(await colo.readName(bucket)).toEqual(known);
  const cache = await open();
  const headers = { 'cache-control': 'public, max-age=60' };
  for (const text of ['{"v":2}', 'null', '{', '']) {
    const url = 'https://pointers.quayside.invalid/shop/name';
    await cache.put(url, new Response(text, { headers }));
    expect(await colo.readName(bucket)).toBe(null);
  }
});
