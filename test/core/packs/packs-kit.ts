// Small bodies in packs over a core in memory: what the tests of packing and of re-packing share.
import { expect } from 'vitest';
import { getObject } from '../../../src/core/objects/read-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import type { Ports } from '../../../src/ports/index.ts';
import {
  createMemoryCore,
  key,
  type MemoryCore,
  putBytes,
  readWhole,
  sampleBytes,
} from '../memory-core.ts';

export const NAME = 'test-bucket' as BucketName;
/** Ten of them fill a pack. */
export const SIZE = 420_000;
export const IN_PACK = 10;
export const DAY_SECONDS = 86_400;

/** A core in whose buckets such bodies stand inline. */
export function createCore(): MemoryCore {
  const core = createMemoryCore();
  return { ...core, settings: { ...core.settings, inlineBodyMaxBytes: 2 ** 20 } };
}

/** Keys that count from 0. */
export const names = (count: number, prefix = 'k') =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

/** Puts a body of `SIZE` under each key. */
export async function putAll(core: MemoryCore, bucket: BucketHandle, keys: readonly string[]) {
  for (const [at, name] of keys.entries())
    await putBytes(core, bucket, name, sampleBytes(SIZE, at));
}

/** Expects every key to have its bytes. */
export async function expectAll(core: MemoryCore, bucket: BucketHandle, keys: readonly string[]) {
  for (const [at, name] of keys.entries()) {
    const found = await readWhole(core, await getObject(bucket, key(name)));
    expect(Buffer.compare(found, sampleBytes(SIZE, at)), name).toBe(0);
  }
}

/** Ports of which the call of that number fails, before it is done or after. */
export function failingAt(ports: Ports, step: number, isAfter: boolean) {
  let calls = 0;
  const failures: string[] = [];
  async function attempt<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    calls += 1;
    if (calls !== step) return work();
    failures.push(name);
    if (isAfter) await work();
    throw new StorageError('InternalError', { detail: `${name} failed in this test.` });
  }
  const { metadataIndex, blobStore } = ports;
  const changes: Partial<Ports> = {
    metadataIndex: {
      ...metadataIndex,
      call: (bucket, name, input) => attempt(name, () => metadataIndex.call(bucket, name, input)),
    },
    blobStore: {
      ...blobStore,
      put: (id, bytes, identity) => attempt('put', () => blobStore.put(id, bytes, identity)),
      read: (id, range) => attempt('read', () => blobStore.read(id, range)),
    },
  };
  return { changes, failures };
}
