// A core over a data folder of its own: index and blobs are files, as the server has them, and the
// clock is the test's.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { INDEX_NAME } from '../../../src/adapters/node/disk/data-folder.ts';
// biome-ignore format: path and name together are longer than a line.
import { createDecompressingBlobStore }
  from '../../../src/adapters/shared/decompressing-blob-store.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { isSameBytes } from '../../contract/bodies.ts';
import {
  createMemoryCore,
  GRACE_SECONDS,
  key,
  MASTER_KEYS,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../../core/memory-core.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Above what stands inline, so that each object has a blob. */
export const BLOB_BYTES = 40_000;

export type StoredCore = {
  readonly dataDir: string;
  readonly core: MemoryCore;
  readonly bucket: BucketHandle;
};

/**
 * Opens a folder, a fresh one by default. It has the file of the master key that the core encrypts
 * with.
 */
export async function openStoredCore(dataDir = temporaryFolder()): Promise<StoredCore> {
  const memory = createMemoryCore(join(dataDir, INDEX_NAME));
  const core = withPorts(memory, {
    blobStore: createDecompressingBlobStore(createFsBlobStore(dataDir, false)),
  });
  const [masterKey] = MASTER_KEYS;
  writeFileSync(join(dataDir, 'master-key'), `${masterKey?.key.toBase64()}\n`, { mode: 0o600 });
  writeFileSync(join(dataDir, 'root-key.json'), '{"accessKey":"a","secretKey":"b"}\n', {
    mode: 0o600,
  });
  return { dataDir, core, bucket: await openTestBucket(core) };
}

/** Bytes that a name and a seed stand for. */
export const bytesOf = (name: string, seed = 0) =>
  sampleBytes(BLOB_BYTES + name.length, name.charCodeAt(0) + seed);

/** Stores an object for each name, each with a blob. */
export async function putAll(
  { core, bucket }: StoredCore,
  names: readonly string[],
  seed = 0,
): Promise<void> {
  await Promise.all(names.map((name) => putBytes(core, bucket, name, bytesOf(name, seed))));
}

/** The names that a restored folder gives back as other bytes than were put, or not at all. */
export async function lostIn(
  dataDir: string,
  names: readonly string[],
  seed = 0,
): Promise<string[]> {
  const { core, bucket } = await openStoredCore(dataDir);
  const lost: string[] = [];
  for (const name of names) {
    const found = await getObject(bucket, key(name))
      .then((version) => readWhole(core, version))
      .catch(() => null);
    if (found === null || !isSameBytes(found, bytesOf(name, seed))) lost.push(name);
  }
  return lost;
}

/** The grace is over for everything that is unreferenced now. */
export function passGrace({ core }: StoredCore): void {
  core.advanceSeconds(GRACE_SECONDS + 1);
}
