// The Durable Object of a bucket as callers meet it: durable, atomic with its publication, silent
// for strangers.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { CallableObject } from '../../src/adapters/cloudflare/clients/object-call.ts';
import type { ReaderState } from '../../src/adapters/cloudflare/pointers/feed-state.ts';
import { PROTOCOL } from '../../src/adapters/cloudflare/protocol.ts';
import type { AccountId, BlobId, BucketName, ObjectKey, UploadId } from '../../src/domain/nouns.ts';
import { unwrapOutcome } from '../../src/index/call-outcome.ts';
import { accountQueueId, type Delivery } from '../../src/ports/outbox.ts';
import {
  bucketObject,
  freshBucketName,
  objectOf,
  PUBLIC,
  published,
  recordOf,
  refOf,
} from './kit/bucket.ts';
import { watchRows } from './kit/watch-rows.ts';

async function directoryCall<Value>(name: string, input: unknown): Promise<Value> {
  const directory = env.DIRECTORY.get(env.DIRECTORY.idFromName('directory'));
  const reply = await (directory as unknown as CallableObject).call(name, input, PROTOCOL);
  return unwrapOutcome<Value>(reply);
}

async function makeBucket(access = PUBLIC) {
  const name = freshBucketName();
  const { call, stub } = bucketObject(name);
  const bucket = refOf(await call('createBucket', { bucket: recordOf(name, access) }));
  const put = (key: string, etag: string) =>
    call('commitObject', {
      bucket,
      object: objectOf(key, etag),
      condition: null,
      newReferences: [],
    });
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

  it('runs commits that come at once together, each by itself', async () => {
    const { call, bucket, name, put, resolve } = await makeBucket();
    // What the bucket keeps of its first object.
    await put('first', 'e');
    const rows = await watchRows(env.BUCKETS.get(env.BUCKETS.idFromName(name)));
    const wrong = { ...bucket, revision: 99 };
    const refused = call('commitObject', {
      bucket: wrong,
      object: objectOf('refused', 'e'),
      condition: null,
      newReferences: [],
    });
    await Promise.all([
      ...Array.from({ length: 40 }, (_, at) => put(`k${at}`, `e${at}`)),
      expect(refused).rejects.toMatchObject({ code: 'BucketChanged' }),
    ]);
    // Two for each, and one for each group; alone it would be 120.
    expect(rows()).toBeLessThan(100);
    expect((await resolve('k17')).object).toEqual(objectOf('k17', 'e17'));
    expect((await resolve('refused')).object).toBeNull();
    const [totals] = await call('getStorageTotals', { bucket });
    expect(totals?.currentCount).toBe(41);
  });

  it('runs commits of parts that come at once together, too', async () => {
    const { call, bucket, name, put } = await makeBucket();
    await put('first', 'e');
    const { key, versionId: _, ...attributes } = objectOf('large', 'e');
    const upload = {
      ...attributes,
      key,
      uploadId: 'upload' as UploadId,
      createdAtMs: Date.now(),
      checksumAlgorithm: null,
      checksumType: null,
      initiatorId: null,
    };
    await call('createUpload', { bucket, upload });
    const rows = await watchRows(env.BUCKETS.get(env.BUCKETS.idFromName(name)));
    const commitPart = (partNumber: number) => {
      const blobId = `${bucket.id}/part-${partNumber}` as BlobId;
      const segments = [{ blobId, offsetBytes: 0, lengthBytes: 7 }];
      const part = {
        partNumber,
        sizeBytes: 7,
        md5: `md5-${partNumber}`,
        lastModifiedMs: Date.now(),
        checksum: null,
        segments,
      };
      const newReferences = [{ blobId, sizeBytes: 7, ownerBucket: null }];
      return call('commitPart', {
        bucket,
        key,
        uploadId: upload.uploadId,
        part,
        newReferences,
      });
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => commitPart(at + 1)));
    // Two for each, and one for each group; alone it would be 60.
    expect(rows()).toBeLessThan(50);
    const [totals] = await call('getStorageTotals', { bucket });
    expect([totals?.partCount, totals?.partBytes]).toEqual([20, 140]);
  });

  it('tells its owner once when its room gets less', async () => {
    const name = freshBucketName();
    const accountId = `account-${name}` as AccountId;
    const times = { isEnabled: true, createdAtMs: 1 };
    const account = { ...times, id: accountId, displayName: 'x', revision: 1 };
    await directoryCall('addAccount', { account });
    const settings = { url: 'https://hooks.example/', description: '', types: ['*'], secrets: [] };
    const webhook = { ...times, ...settings, id: `wh_${name}`, accountId };
    await directoryCall('putWebhook', { webhook, known: null, max: 1 });
    const { call, stub } = bucketObject(name);
    const record = { ...recordOf(name, PUBLIC), ownerId: accountId };
    const bucket = refOf(await call('createBucket', { bucket: record }));
    /** A commit that leaves so much in use; then the alarm goes off, if there is one. */
    const fill = async (usedBytes: number, key: string) => {
      await runInDurableObject(stub(), (_instance, { storage }) => {
        const value = { value: usedBytes, configurable: true };
        Object.defineProperty(storage.sql, 'databaseSize', value);
      });
      const object = objectOf(key, key);
      await call('commitObject', { bucket, object, condition: null, newReferences: [] });
      await runDurableObjectAlarm(stub());
    };
    await fill(6_999_999_999, 'a');
    await fill(8_600_000_000, 'b');
    await fill(8_700_000_000, 'c');
    await evictDurableObject(stub());
    await fill(8_600_000_000, 'd');

    const { deliveries } = await directoryCall<{ deliveries: readonly Delivery[] }>(
      'listDeliveries',
      {
        queueId: accountQueueId(accountId),
        endpointId: webhook.id,
        state: 'waiting',
        before: null,
        limit: 10,
      },
    );
    const told = deliveries.map(({ type, payload }) => [type, JSON.parse(payload ?? '').data]);
    const maxBytes = '10000000000';
    const data = { percent: 85, usedPercent: 86, usedBytes: '8600000000', maxBytes };
    expect(told).toEqual([['index.crossed', { bucket: name, ...data }]]);
  });

  it('gives failures as StorageErrors', async () => {
    const { call, bucket } = await makeBucket();
    const wrong = { ...bucket, revision: 99 };
    await expect(
      call('getVersion', { bucket: wrong, key: 'a' as ObjectKey, versionId: null }),
    ).rejects.toMatchObject({
      code: 'BucketChanged',
    });
    // A call of another release, as far as the object can tell.
    await expect(call('nonsense' as 'getVersion', {} as never)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
  });

  it('makes no tables for a stranger who asks for a name that nobody has', async () => {
    const name = freshBucketName();
    const { call, stub } = bucketObject(name);
    expect(await call('getBucket', { name })).toBeNull();
    expect(await call('resolve', { name, key: 'a' as ObjectKey })).toEqual({
      bucket: null,
      object: null,
    });
    const both = { name, keys: ['a', 'b'] as ObjectKey[] };
    expect(await call('resolveAll', both)).toEqual({ bucket: null, objects: [null, null] });
    const tables = await runInDurableObject(stub(), (_, { storage }) =>
      storage.sql.exec('SELECT count(*) AS n FROM sqlite_master').one(),
    );
    expect(tables).toEqual({ n: 0 });
    expect(await published(name)).toBeNull();
  });

  it('refuses a database that a newer program wrote, and leaves it alone', async () => {
    const { put, stub, call, name, resolve } = await makeBucket();
    await put('a', 'e1');
    const setVersion = (version: string) =>
      runInDurableObject(stub(), (_, { storage }) => {
        storage.sql.exec(
          `UPDATE schema_versions SET version = ${version}, readable_by = ${version}
           WHERE name = 'index'`,
        );
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
  /**
   * Asks until KV has the page, as a flood of readers would; inside the object, so that a slow
   * machine floods it too.
   */
  async function flood(name: BucketName, stub: DurableObjectStub): Promise<void> {
    await runInDurableObject(stub, async (object) => {
      const asked = object as unknown as CallableObject;
      for (let round = 0; round < 100; round++) {
        for (let lookup = 0; lookup < 1000; lookup++)
          void asked.call('resolve', { name, key: 'hot' });
        await scheduler.wait(100);
        if ((await published(name)) !== null) return;
      }
      throw new Error('it was never published');
    });
  }

  it('begins when a bucket is read too often, and says so to readers', async () => {
    const { name, put, stub } = await makeBucket();
    await put('hot', 'e1');
    await put('cold', 'e1');
    await flood(name, stub());
    const page = await published(name);
    expect([...(page?.pointers.values() ?? [])]).toMatchObject([
      { key: 'cold', etag: 'e1' },
      { key: 'hot', etag: 'e1', inlineBytes: new Uint8Array([1, 2, 3]) },
    ]);
    await put('hot', 'e2');
    const cursor = { feedId: page?.feedId, sequence: page?.sequence, cuts: 1 };
    const reply = await (stub() as unknown as CallableObject).call(
      'resolve',
      { name, key: 'hot' },
      PROTOCOL,
      { cursor, hasPage: true } as ReaderState,
    );
    expect(reply).toMatchObject({
      isOk: true,
      news: { isOffloaded: true, changes: [['hot', (page?.sequence ?? 0) + 1]], cuts: [] },
    });
  });

  it('does not happen for a few readers', async () => {
    const { name, put, resolve } = await makeBucket();
    await put('hot', 'e1');
    for (let reader = 0; reader < 100; reader++) await resolve('hot');
    expect(await published(name)).toBeNull();
  });
});
