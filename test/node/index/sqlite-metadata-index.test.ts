import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryHotMetadata } from '../../../src/adapters/node/cache/memory-hot-metadata.ts';
import {
  createWriterThread,
  startIndexWriter,
} from '../../../src/adapters/node/index/index-writer-client.ts';
import {
  type CommitWatcher,
  openSqliteMetadataIndex,
  type SqliteMetadataIndex,
} from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import { createMemoryPointers } from '../../../src/adapters/shared/memory-pointers.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type {
  AccessKeyId,
  Account,
  BucketName,
  BucketRecord,
  ObjectKey,
} from '../../../src/domain/nouns.ts';
import { toPointer, toReadPolicy } from '../../../src/domain/pointer.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { deletionOf, objectIn } from '../../contract/index/samples.ts';
import { bucketRecord, commitOf, inlineVersion, refOf } from '../kit/index-data.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const opened: SqliteMetadataIndex[] = [];
/**
 * For tests that want no watcher; each uses a bucket of its own. Starting a writer thread takes
 * longer than they do.
 */
let shared: SqliteMetadataIndex;
beforeAll(async () => {
  shared = await openIndex();
});
afterAll(async () => {
  await Promise.all(opened.map((index) => index.close()));
});

const nobody: CommitWatcher = { block() {}, unblock() {} };

function freshPath(): string {
  return join(temporaryFolder(), 'index.sqlite');
}

async function openIndex(
  watcher: CommitWatcher = nobody,
  path = freshPath(),
): Promise<SqliteMetadataIndex> {
  const onCrash = (error: unknown) => {
    throw error;
  };
  const index = await openSqliteMetadataIndex({ path, watcher, onCrash });
  opened.push(index);
  return index;
}

let named = 0;
async function createBucket(
  index: SqliteMetadataIndex,
  name = `bucket-${++named}`,
): Promise<BucketRecord> {
  return index.metadataIndex.call(name as BucketName, 'createBucket', {
    bucket: bucketRecord(name),
  });
}

async function etagOf(
  { metadataIndex }: SqliteMetadataIndex,
  bucket: BucketRecord,
  key: string,
): Promise<string | undefined> {
  const input = { bucket: refOf(bucket), key: key as ObjectKey, versionId: null };
  return objectIn(await metadataIndex.call(bucket.name, 'getVersion', input))?.etag;
}

describe('commands', () => {
  it('are seen by every read that begins after their response', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const writeAndRead = async (writer: number) => {
      for (let round = 0; round < 25; round++) {
        const object = inlineVersion(`key-${writer}`, `${round}`);
        await index.metadataIndex.call(bucket.name, 'commitObject', commitOf(bucket, object));
        expect(await etagOf(index, bucket, `key-${writer}`)).toBe(`${round}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_, writer) => writeAndRead(writer)));
  });

  it('that come together are committed together', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const before = index.counts();
    const commits = Array.from({ length: 400 }, (_, at) =>
      index.metadataIndex.call(
        bucket.name,
        'commitObject',
        commitOf(bucket, inlineVersion(`key-${at}`, 'e')),
      ),
    );
    await Promise.all(commits);
    const after = index.counts();
    expect(after.commands - before.commands).toBe(400);
    expect(after.transactions - before.transactions).toBeLessThanOrEqual(4);
  });

  it('that fail harm no other of their group', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const commit = (key: string, ifNoneMatch: string | null) =>
      index.metadataIndex.call(bucket.name, 'commitObject', {
        ...commitOf(bucket, inlineVersion(key, key)),
        condition: { ifMatch: null, ifNoneMatch },
      });
    const outcomes = await Promise.allSettled([
      commit('a', '*'),
      commit('a', '*'),
      commit('b', null),
      commit('a', '*'),
    ]);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
    ]);
    expect(outcomes[1]).toMatchObject({
      reason: { name: 'StorageError', code: 'PreconditionFailed' },
    });
    expect(await etagOf(index, bucket, 'b')).toBe('b');
  });

  it('store an inline body that is a window on a larger buffer, and do not detach it', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const buffer = new Uint8Array(100_000).fill(7);
    const window = buffer.subarray(500, 510);
    const exact = new Uint8Array([9, 8]);
    for (const [key, inlineBytes] of [['window', window] as const, ['exact', exact] as const]) {
      const object = inlineVersion(key, 'e', inlineBytes);
      await index.metadataIndex.call(bucket.name, 'commitObject', commitOf(bucket, object));
      const found = await index.metadataIndex.call(bucket.name, 'getVersion', {
        bucket: refOf(bucket),
        key: key as ObjectKey,
        versionId: null,
      });
      expect(objectIn(found)?.inlineBytes).toEqual(new Uint8Array(inlineBytes));
    }
    expect(window).toEqual(new Uint8Array(10).fill(7));
    expect(exact).toEqual(new Uint8Array([9, 8]));
  });

  it('beyond the bound of the queue are refused with SlowDown', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const commits = Array.from({ length: 4300 }, (_, at) =>
      index.metadataIndex.call(
        bucket.name,
        'commitObject',
        commitOf(bucket, inlineVersion(`key-${at}`, 'e')),
      ),
    );
    const outcomes = await Promise.allSettled(commits);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBe(4300 - 4096);
    expect(refused[0]).toMatchObject({ reason: { code: 'SlowDown' } });
    await index.metadataIndex.call(
      bucket.name,
      'commitObject',
      commitOf(bucket, inlineVersion('after', 'e')),
    );
  });

  it('with more inline bytes than may wait are refused with SlowDown', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const body = new Uint8Array(256 * 1024);
    const commits = Array.from({ length: 130 }, (_, at) =>
      index.metadataIndex.call(
        bucket.name,
        'commitObject',
        commitOf(bucket, inlineVersion(`key-${at}`, 'e', body)),
      ),
    );
    const outcomes = await Promise.allSettled(commits);
    expect(outcomes.filter((outcome) => outcome.status === 'rejected').length).toBe(2);
  });
});

describe('watcher', () => {
  it('is called before a command is sent and before its response, also when it fails', async () => {
    const calls: string[] = [];
    const index = await openIndex({
      block: (bucket, keys) => calls.push(`block ${bucket} ${keys}`),
      unblock: (bucket, keys) => calls.push(`unblock ${bucket} ${keys}`),
    });
    const bucket = await createBucket(index, 'photos');
    expect(calls.splice(0)).toEqual(['block photos null', 'unblock photos null']);
    const commit = index.metadataIndex.call(
      bucket.name,
      'commitObject',
      commitOf(bucket, inlineVersion('a', 'e')),
    );
    expect(calls).toEqual(['block photos a']);
    await commit.then(() => calls.push('answered'));
    expect(calls.splice(0)).toEqual(['block photos a', 'unblock photos a', 'answered']);
    await index.metadataIndex
      .call(bucket.name, 'deleteObjects', {
        bucket: { ...refOf(bucket), revision: 99 },
        ...deletionOf(['a', 'b'], 1),
      })
      .catch(() => calls.push('refused'));
    expect(calls.splice(0)).toEqual(['block photos a,b', 'unblock photos a,b', 'refused']);
  });

  it('hears of the read policy too when a rule file changes, whose version is in it', async () => {
    const calls: string[] = [];
    const index = await openIndex({
      block: (_bucket, keys) => calls.push(`block ${keys}`),
      unblock: (_bucket, keys) => calls.push(`unblock ${keys}`),
    });
    const bucket = await createBucket(index, 'photos');
    calls.splice(0);
    const object = inlineVersion('docs/_redirects', 'e');
    await index.metadataIndex.call(bucket.name, 'commitObject', commitOf(bucket, object));
    const ofBoth = (word: string) => [`${word} null`, `${word} docs/_redirects`];
    expect(calls).toEqual([...ofBoth('block'), ...ofBoth('unblock')]);
  });

  it('lets no reader of the hot tier see an older state than any reader has seen', {
    timeout: 60_000,
  }, async () => {
    const pointers = createMemoryPointers({
      clock: systemClock,
      maxEntries: 100,
      maxBytes: 1 << 20,
      negativeFreshSeconds: 60,
      freshSeconds: null,
      staleSeconds: 0,
    });
    const hot = createMemoryHotMetadata(pointers, 10_000);
    const index = await openIndex(hot);
    const bucket = await createBucket(index);
    const key = 'a' as ObjectKey;
    const readPolicy = { ...toReadPolicy(bucket), access: PUBLIC_ACCESS };
    let acknowledged = 0;
    let isOver = false;

    /** Reads as delivery does: from memory, else the index, whose row gets there some ticks later. */
    const read = async (delayTicks: number): Promise<number> => {
      const { pointer } = await hot.find(bucket.name, key, async () => {
        const { object } = await index.metadataIndex.call(bucket.name, 'resolve', {
          name: bucket.name,
          key,
        });
        for (let tick = 0; tick < delayTicks; tick++)
          await new Promise((resolve) => setImmediate(resolve));
        return { readPolicy, pointer: object === null ? null : toPointer(object) };
      });
      return Number(pointer?.etag ?? 0);
    };

    const problems: string[] = [];
    let hits = 0;
    const reader = async (delayTicks: number) => {
      while (!isOver) {
        const atLeast = acknowledged;
        const cachedNow = hot.peek(bucket.name, key)?.pointer?.etag;
        if (cachedNow !== undefined) hits += 1;
        const truth = await etagOf(index, bucket, key);
        // In one tick: what memory says must be what the database says, whether its answer has
        // arrived or not.
        if (cachedNow !== undefined && cachedNow !== truth)
          problems.push(`memory ${cachedNow}, index ${truth}`);
        const seen = await read(delayTicks);
        if (seen < atLeast) problems.push(`acknowledged ${atLeast}, seen ${seen}`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const writer = async () => {
      for (let version = 1; version <= 150; version++) {
        await index.metadataIndex.call(
          bucket.name,
          'commitObject',
          commitOf(bucket, inlineVersion(key, `${version}`)),
        );
        acknowledged = version;
        for (let tick = 0; tick < version % 7; tick++)
          await new Promise((resolve) => setImmediate(resolve));
      }
      isOver = true;
    };
    await Promise.all([writer(), reader(0), reader(1), reader(3)]);
    expect(problems).toEqual([]);
    expect(hits).toBeGreaterThan(0);
    expect(await read(0)).toBe(150);
  });
});

describe('caches', () => {
  it('keep a bucket record, and drop it when a command on the bucket is sent', async () => {
    const index = shared;
    const bucket = await createBucket(index);
    const get = () => index.metadataIndex.call(bucket.name, 'getBucket', { name: bucket.name });
    const known = await get();
    expect(await get()).toBe(known);
    const access = PUBLIC_ACCESS;
    const changing = index.metadataIndex.call(bucket.name, 'setBucketAccess', {
      bucket: refOf(bucket),
      access,
    });
    expect(await get()).not.toBe(known);
    const changed = await changing;
    expect(await get()).toEqual(changed);
    await index.metadataIndex.call(bucket.name, 'deleteBucket', {
      bucket: refOf(changed),
      nowMs: 1,
    });
    expect(await get()).toBeNull();
  });

  it('keep an access key, and drop it when an account changes', async () => {
    const { directory } = shared;
    const account = { id: 'account-1', displayName: 'One' } as Account;
    const id = 'AKIA0123456789ABCDEF' as AccessKeyId;
    const get = () => directory.call('getAccessKey', { id });
    expect(await get()).toBeNull();
    await directory.call('putAccount', { account, keys: [{ id, secret: 's1' }] });
    const known = await get();
    expect(known).toMatchObject({ id, secret: 's1', account });
    expect(await get()).toBe(known);
    await directory.call('putAccount', { account, keys: [] });
    expect(await get()).toBeNull();
  });
});

describe('life', () => {
  it('closes after the commands under way, and refuses later ones', async () => {
    const path = freshPath();
    const index = await openIndex(nobody, path);
    const bucket = await createBucket(index);
    const commits = Array.from({ length: 20 }, (_, at) =>
      index.metadataIndex.call(
        bucket.name,
        'commitObject',
        commitOf(bucket, inlineVersion(`key-${at}`, 'e')),
      ),
    );
    await index.close();
    await Promise.all(commits);
    const late = index.metadataIndex.call(
      bucket.name,
      'commitObject',
      commitOf(bucket, inlineVersion('late', 'e')),
    );
    await expect(late).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    const again = await openIndex(nobody, path);
    expect(await etagOf(again, bucket, 'key-19')).toBe('e');
    expect(await etagOf(again, bucket, 'late')).toBeUndefined();
  });

  it('does not open a database of a newer program', async () => {
    const path = freshPath();
    await (await openIndex(nobody, path)).close();
    const database = new DatabaseSync(path);
    database.exec('UPDATE schema_versions SET version = 999, readable_by = 999');
    database.close();
    await expect(openIndex(nobody, path)).rejects.toThrow(/newer Quayside/);
  });

  it('does not open what is no database', async () => {
    await expect(openIndex(nobody, tmpdir())).rejects.toThrow();
  });

  it('rejects what waits when the writer dies, says so once, and takes nothing more', async () => {
    const path = freshPath();
    const thread = createWriterThread(path);
    const crashed = Promise.withResolvers<unknown>();
    const replied: string[] = [];
    const writer = await startIndexWriter(path, crashed.resolve, thread);
    const call = (name: string) =>
      writer.call(
        { target: 'index', name: 'createBucket', input: { bucket: bucketRecord(name) } },
        { weightBytes: 0, onReply: () => replied.push(name) },
      );
    await call('bucket-1');
    const waiting = call('bucket-2');
    void thread.terminate();
    await expect(waiting).rejects.toMatchObject({ code: 'InternalError' });
    expect(await crashed.promise).toBeInstanceOf(Error);
    await expect(call('bucket-3')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
    expect(replied).toEqual(['bucket-1', 'bucket-2', 'bucket-3']);
    await writer.close();
  });
});
