// The current versions that the Node index keeps in memory: what they say is what the database
// says, in every tick.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openSqliteMetadataIndex,
  type SqliteMetadataIndex,
} from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import type { StorageError } from '../../../src/domain/errors.ts';
import type { BucketName, BucketRecord, ObjectKey } from '../../../src/domain/nouns.ts';
import type { ResolvedVersion } from '../../../src/ports/metadata-index.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { deletionOf, objectIn } from '../../contract/index/samples.ts';
import { bucketRecord, commitOf, inlineVersion, refOf } from '../kit/index-data.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

let index: SqliteMetadataIndex;
beforeAll(async () => {
  index = await openSqliteMetadataIndex({
    path: join(temporaryFolder(), 'index.sqlite'),
    watcher: { block() {}, unblock() {} },
    onCrash(error) {
      throw error;
    },
  });
});
afterAll(() => index.close());

const KEY = 'a' as ObjectKey;
let named = 0;

/** A bucket whose record is known here, as it is to everyone who has opened it. */
async function createBucket(name = `bucket-${++named}`): Promise<BucketRecord> {
  await index.metadataIndex.call(name as BucketName, 'createBucket', {
    bucket: bucketRecord(name),
  });
  return open(name as BucketName);
}

async function open(name: BucketName): Promise<BucketRecord> {
  const bucket = await index.metadataIndex.call(name, 'getBucket', { name });
  if (bucket === null) throw new Error(`no bucket ${name}`);
  return bucket;
}

const find = (bucket: BucketRecord, key = KEY): Promise<ResolvedVersion | null> =>
  index.metadataIndex.call(bucket.name, 'getVersion', {
    bucket: refOf(bucket),
    key,
    versionId: null,
  });
const write = (bucket: BucketRecord, etag: string, bytes?: Uint8Array<ArrayBuffer>) =>
  index.metadataIndex.call(
    bucket.name,
    'commitObject',
    commitOf(bucket, inlineVersion(KEY, etag, bytes)),
  );
const remove = (bucket: BucketRecord) =>
  index.metadataIndex.call(bucket.name, 'deleteObjects', {
    bucket: refOf(bucket),
    ...deletionOf([KEY], 1),
  });

describe('the current version of a key', () => {
  it('is read once, and again after a write', async () => {
    const bucket = await createBucket();
    await write(bucket, 'one');
    const first = await find(bucket);
    expect(await find(bucket)).toBe(first);
    await write(bucket, 'two');
    expect(objectIn(await find(bucket))?.etag).toBe('two');
    await remove(bucket);
    expect(await find(bucket)).toBeNull();
  });

  it('is read at once with its bucket where both are known, not while either changes', async () => {
    const bucket = await createBucket();
    const peek = () => index.metadataIndex.peekCurrent?.(bucket.name, KEY) ?? null;
    await write(bucket, 'one');
    expect(peek()).toBeNull();
    await find(bucket);
    const first = peek();
    expect(first).toMatchObject({ bucket: { revision: bucket.revision }, object: { etag: 'one' } });
    expect(peek()).toBe(first);
    const writing = write(bucket, 'two');
    expect(peek()).toBeNull();
    await writing;
    expect(peek()).toBeNull();
    await find(bucket);
    expect(peek()?.object.etag).toBe('two');
    const changing = index.metadataIndex.call(bucket.name, 'setBucketAccess', {
      bucket: refOf(bucket),
      access: PUBLIC_ACCESS,
    });
    expect(peek()).toBeNull();
    await changing;
    expect(peek()).toBeNull();
    const changed = await open(bucket.name);
    expect(peek()).toMatchObject({ bucket: changed, object: { etag: 'two' } });
    await remove(changed);
    expect(peek()).toBeNull();
  });

  it('is not kept while a command on it runs, nor left out after one that failed', async () => {
    const bucket = await createBucket();
    await write(bucket, 'one');
    const known = await find(bucket);
    const refused = index.metadataIndex.call(bucket.name, 'commitObject', {
      ...commitOf(bucket, inlineVersion(KEY, 'two')),
      condition: { ifMatch: 'other', ifNoneMatch: null },
    });
    const meanwhile = await find(bucket);
    expect(meanwhile).toEqual(known);
    expect(meanwhile).not.toBe(known);
    await expect(refused).rejects.toMatchObject({ code: 'PreconditionFailed' });
    const after = await find(bucket);
    expect(after).not.toBe(meanwhile);
    expect(await find(bucket)).toBe(after);
  });

  it('is as its tags and lists were changed', async () => {
    const bucket = await createBucket();
    await write(bucket, 'one');
    await find(bucket);
    await index.metadataIndex.call(bucket.name, 'updateVersion', {
      bucket: refOf(bucket),
      key: KEY,
      versionId: null,
      change: { tags: { colour: 'red' } },
      bypassGovernance: false,
      nowMs: 1,
    });
    expect(objectIn(await find(bucket))?.tags).toEqual({ colour: 'red' });
  });

  it('is refused to callers with an older record of the bucket', async () => {
    const bucket = await createBucket();
    await write(bucket, 'one');
    const known = await find(bucket);
    await index.metadataIndex.call(bucket.name, 'setBucketAccess', {
      bucket: refOf(bucket),
      access: PUBLIC_ACCESS,
    });
    await expect(find(bucket)).rejects.toMatchObject({ code: 'BucketChanged' });
    const changed = await open(bucket.name);
    await expect(find(bucket)).rejects.toMatchObject({ code: 'BucketChanged' });
    expect(await find(changed)).toBe(known);
    await index.metadataIndex.call(bucket.name, 'purgeBucket', {
      bucket: refOf(changed),
      scopes: [{ scope: 'bucket' }],
    });
    await expect(find(changed)).rejects.toMatchObject({ code: 'BucketChanged' });
    expect(await find(await open(bucket.name))).toEqual(known);
  });

  it('is none of an earlier bucket of that name', async () => {
    const earlier = await createBucket();
    await write(earlier, 'one');
    await find(earlier);
    await remove(earlier);
    await index.metadataIndex.call(earlier.name, 'deleteBucket', {
      bucket: refOf(earlier),
      nowMs: 1,
    });
    const later = await createBucket(earlier.name);
    expect(await find(later)).toBeNull();
    await expect(find(earlier)).rejects.toMatchObject({ code: 'BucketChanged' });
    await write(later, 'two');
    expect(objectIn(await find(later))?.etag).toBe('two');
    await expect(find(earlier)).rejects.toMatchObject({ code: 'BucketChanged' });
  });

  it('does not stay when others need its room', async () => {
    const bucket = await createBucket();
    await write(bucket, 'one');
    const known = await find(bucket);
    const body = new Uint8Array(1024 * 1024);
    for (let i = 0; i < 9; i++) {
      const key = `large-${i}` as ObjectKey;
      await index.metadataIndex.call(
        bucket.name,
        'commitObject',
        commitOf(bucket, inlineVersion(key, 'e', body)),
      );
      await find(bucket, key);
    }
    const again = await find(bucket);
    expect(again).toEqual(known);
    expect(again).not.toBe(known);
  });

  it('is what the database says, in every tick of a crowd of changes', async () => {
    const name = (await createBucket()).name;
    let isOver = false;
    let looks = 0;
    let kept = 0;
    const problems: string[] = [];
    const ask = (bucket: BucketRecord) =>
      index.metadataIndex
        .call(name, 'getObjects', { bucket: refOf(bucket), keys: [KEY] })
        .then(([object]) => object?.etag);
    /**
     * One question to memory between two past it: the writer is another thread, and may commit
     * between any of them.
     */
    const look = async () => {
      const bucket = await open(name);
      const [before, found, after] = await Promise.all([ask(bucket), find(bucket), ask(bucket)]);
      looks += 1;
      if (found !== null && found === (await find(bucket))) kept += 1;
      const etag = objectIn(found)?.etag;
      if (etag !== before && etag !== after)
        problems.push(`${etag} between ${before} and ${after}`);
    };
    const reader = async () => {
      while (!isOver) {
        await look().catch((error: StorageError) => {
          if (error.code !== 'BucketChanged') problems.push(String(error));
        });
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const writer = async () => {
      for (let step = 0; step < 200; step++) {
        const bucket = await open(name);
        if (step % 10 === 9) await remove(bucket);
        else if (step % 10 === 5) {
          await index.metadataIndex.call(name, 'setBucketAccess', {
            bucket: refOf(bucket),
            access: PUBLIC_ACCESS,
          });
        } else await write(bucket, `${step}`);
        for (let tick = 0; tick < step % 5; tick++)
          await new Promise((resolve) => setImmediate(resolve));
      }
      isOver = true;
    };
    await Promise.all([writer(), reader(), reader()]);
    expect(problems).toEqual([]);
    expect(looks).toBeGreaterThan(100);
    expect(kept).toBeGreaterThan(20);
  });
});
