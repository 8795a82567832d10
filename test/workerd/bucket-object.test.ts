// The Durable Object of a bucket as callers meet it: durable, atomic with its publication, silent for strangers.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import type { BucketObject } from '../../src/adapters/cloudflare/bucket-object.ts';
import type { BucketName, ObjectKey } from '../../src/ports/domain.ts';
import { bucketObject, freshBucketName, objectOf, PRIVATE, PUBLIC, published, recordOf, refOf } from './bucket.ts';

/** Waits until the object has nothing left to publish. */
function publicationOf(name: BucketName): Promise<void> {
  return runInDurableObject(bucketObject(name).stub(), (object: BucketObject) => object.alarm());
}

/** Kills the object where it stands. */
async function crash(stub: DurableObjectStub<BucketObject>): Promise<void> {
  const killed = runInDurableObject(stub, (_, state) => state.abort('crash of the test'));
  await expect(killed).rejects.toThrow('crash of the test');
}

async function makeBucket(access = PUBLIC) {
  const name = freshBucketName();
  const { call, stub } = bucketObject(name);
  const bucket = refOf(await call('createBucket', { bucket: recordOf(name, access) }));
  const put = (key: string, etag: string) =>
    call('commitObject', { bucket, object: objectOf(key, etag), condition: null, arrivals: [] });
  const resolve = (key: string) => call('resolve', { name, key: key as ObjectKey });
  return { name, bucket, call, stub, put, resolve };
}

describe('bucket object', () => {
  it('keeps what was committed when it is evicted', async () => {
    const { put, stub, resolve } = await makeBucket();
    await put('a', 'e1');
    await evictDurableObject(stub());
    expect((await resolve('a')).object).toEqual(objectOf('a', 'e1'));
  });

  it('gives failures as StorageErrors', async () => {
    const { call, bucket } = await makeBucket();
    const wrong = { ...bucket, revision: 99 };
    await expect(call('getVersion', { bucket: wrong, key: 'a' as ObjectKey, versionId: null })).rejects.toMatchObject({
      code: 'BucketChanged',
    });
    await expect(call('nonsense' as 'getVersion', {} as never)).rejects.toMatchObject({ code: 'InternalError' });
  });

  it('makes no tables for a stranger who asks for a name that nobody has', async () => {
    const name = freshBucketName();
    const { call, stub } = bucketObject(name);
    expect(await call('getBucket', { name })).toBeNull();
    expect(await call('resolve', { name, key: 'a' as ObjectKey })).toEqual({ bucket: null, object: null });
    const tables = await runInDurableObject(stub(), (_, { storage }) =>
      storage.sql.exec('SELECT count(*) AS n FROM sqlite_master').one(),
    );
    expect(tables).toEqual({ n: 0 });
    expect(await published(name, 'a')).toEqual({ gate: null, pointer: null });
  });

  it('refuses a database that a newer program wrote, and leaves it alone', async () => {
    const { put, stub, call, name, resolve } = await makeBucket();
    await put('a', 'e1');
    const setVersion = (version: string) =>
      runInDurableObject(stub(), (_, { storage }) => {
        storage.sql.exec(`UPDATE schema_versions SET version = ${version} WHERE name = 'publication'`);
      });
    await setVersion('version + 98');
    await evictDurableObject(stub());
    const refused = { code: 'InternalError', cause: expect.stringContaining('newer Quayside') };
    await expect(call('getBucket', { name })).rejects.toMatchObject(refused);
    await setVersion('version - 98');
    await evictDurableObject(stub());
    expect((await resolve('a')).object?.etag).toBe('e1');
  });
});

describe('publication', () => {
  it('begins when the public first asks, and follows every commit from then on', async () => {
    const { name, put, resolve } = await makeBucket();
    await put('a', 'e1');
    await publicationOf(name);
    expect(await published(name, 'a')).toEqual({ gate: null, pointer: null });

    await resolve('a');
    await publicationOf(name);
    expect(await published(name, 'a')).toMatchObject({
      gate: { g: { revision: 1, access: PUBLIC } },
      pointer: { p: { etag: 'e1', inlineBytes: 'AQID' } },
    });

    await put('a', 'e2');
    await publicationOf(name);
    expect((await published(name, 'a')).pointer?.p?.etag).toBe('e2');
  });

  it('writes nothing for what the public did not ask for or may not see', async () => {
    const { name, put, resolve } = await makeBucket(PRIVATE);
    await put('a', 'e1');
    await resolve('a');
    await put('a', 'e2');
    await publicationOf(name);
    expect(await published(name, 'a')).toMatchObject({ gate: { g: { access: PRIVATE } }, pointer: null });
  });

  it('is part of the commit: where it cannot be noted, nothing is committed', async () => {
    const { put, stub, resolve } = await makeBucket();
    await put('a', 'e1');
    await resolve('a');
    await runInDurableObject(stub(), (_, { storage }) => {
      storage.sql.exec('DELETE FROM publication');
    });
    await expect(put('a', 'e2')).rejects.toMatchObject({ code: 'InternalError' });
    expect((await resolve('a')).object?.etag).toBe('e1');
  });

  it('is resumed by the alarm after a crash between commit and KV', async () => {
    const { name, put, resolve, stub } = await makeBucket();
    await put('a', 'e1');
    await resolve('a');
    await publicationOf(name);
    // The name was written a moment ago, so the object waits before it writes again; it dies in that second.
    await put('a', 'e2');
    await crash(stub());
    expect((await published(name, 'a')).pointer?.p?.etag).toBe('e1');
    expect(await runDurableObjectAlarm(stub())).toBe(true);
    expect((await published(name, 'a')).pointer?.p?.etag).toBe('e2');
  });

  it('holds through a storm of overwrites: KV never goes back and ends at the state of the index', async () => {
    const { name, put, resolve } = await makeBucket();
    const keys = ['a', 'b', 'c'];
    for (const key of keys) {
      await put(key, 'first');
      await resolve(key);
    }
    const seen = new Map<string, number[]>(keys.map((key) => [key, []]));
    let isStorming = true;
    const watch = (async () => {
      while (isStorming) {
        for (const key of keys) seen.get(key)?.push((await published(name, key)).pointer?.s ?? 0);
        // Local KV answers without leaving the process: without a pause here no timer would ever fire.
        await scheduler.wait(2);
      }
    })();
    try {
      await Promise.all(Array.from({ length: 120 }, (_, at) => put(keys[at % 3] ?? 'a', `e${at}`)));
      await publicationOf(name);
    } finally {
      isStorming = false;
      await watch;
    }
    for (const key of keys) {
      const sequences = seen.get(key) ?? [];
      expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      expect((await published(name, key)).pointer?.p?.etag).toBe((await resolve(key)).object?.etag);
    }
  });
});
