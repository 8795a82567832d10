// A disk that is full: writes are refused as such, nothing that was acknowledged is lost, reads go
// on, and once there is room so do writes.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openSqliteMetadataIndex,
  type SqliteMetadataIndex,
} from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import type { StorageError } from '../../../src/domain/errors.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../../core/memory-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const BODY_BYTES = 16 * 1024;

describe('a full disk', () => {
  let index: SqliteMetadataIndex;
  let core: MemoryCore;
  let bucket: BucketHandle;
  let crash: unknown = null;

  beforeAll(async () => {
    const path = join(temporaryFolder(), 'index.sqlite');
    const thread = new Worker(new URL('../kit/small-index-writer.ts', import.meta.url), {
      workerData: { path },
    });
    index = await openSqliteMetadataIndex({
      path,
      thread,
      watcher: { block() {}, unblock() {} },
      onCrash(error) {
        crash = error;
      },
    });
    const { metadataIndex, directory, ledger } = index;
    const memory = withPorts(createMemoryCore(), { metadataIndex, directory, ledger });
    core = { ...memory, settings: { ...memory.settings, inlineBodyMaxBytes: BODY_BYTES } };
    bucket = await openTestBucket(core);
  });
  afterAll(() => index.close());

  /**
   * Writes that come together, as clients send them: those that were acknowledged, and why the
   * others were not.
   */
  async function writeMany(names: readonly string[], sizeBytes = BODY_BYTES) {
    const outcomes = await Promise.allSettled(
      names.map((name) => putBytes(core, bucket, name, sampleBytes(sizeBytes, name.length))),
    );
    return {
      kept: names.filter((_, at) => outcomes[at]?.status === 'fulfilled'),
      codes: new Set(
        outcomes.flatMap((one) =>
          one.status === 'rejected' ? (one.reason as StorageError).code : [],
        ),
      ),
    };
  }

  const named = (start: string, count: number) =>
    Array.from({ length: count }, (_, n) => `${start}${n}`);

  it('refuses writes with StorageFull, loses nothing, and recovers with free room', async () => {
    const kept: string[] = [];
    let codes = new Set<string>();
    for (let round = 0; codes.size === 0 && round < 20; round++) {
      const written = await writeMany(named(`${round}-`, 10));
      kept.push(...written.kept);
      codes = written.codes;
    }
    expect([...codes]).toEqual(['StorageFull']);
    expect(kept.length).toBeGreaterThan(20);

    // A body beside the index goes to the store first, and is taken back when the commit finds no
    // room.
    const blobs = core.blobStore.blobs.size;
    const large = await writeMany(named('large-', 200), BODY_BYTES + 1);
    await core.settle();
    expect([...large.codes]).toEqual(['StorageFull']);
    expect(core.blobStore.blobs.size).toBe(blobs + large.kept.length);

    const all = await index.metadataIndex.call(bucket.record().name, 'listObjects', {
      bucket: bucket.record(),
      prefix: '',
      delimiter: '',
      after: '',
      maxKeys: 1000,
    });
    expect(all.objects.map((object) => `${object.key}`).toSorted()).toEqual(
      [...kept, ...large.kept].toSorted(),
    );
    for (const name of kept) {
      const version = await getObject(bucket, key(name));
      expect(await readWhole(core, version)).toEqual(sampleBytes(BODY_BYTES, name.length));
    }

    await deleteObjects(
      core,
      bucket,
      kept.map((name) => ({ key: key(name) })),
    );
    const again = await writeMany(named('again-', 5));
    expect([again.kept.length, crash]).toEqual([5, null]);
  });
});
