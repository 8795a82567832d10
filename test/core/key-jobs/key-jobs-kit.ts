// Jobs over the names of a bucket in memory: how tests begin and undo them, and what they look at.

import type { Core } from '../../../src/core/core.ts';
import { findKeyJob, startKeyJob, undoKeyJob } from '../../../src/core/key-jobs/start-key-job.ts';
import { type BucketHandle, openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import type { KeyJob, KeyJobTask } from '../../../src/domain/keys/key-jobs.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import {
  ATTRIBUTES,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  readWhole,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';

export const BLOB_BYTES = 40;

export async function put(
  core: Core,
  bucket: BucketHandle,
  name: string,
  seed = name.length,
): Promise<void> {
  await putBytes(core, bucket, name, sampleBytes(BLOB_BYTES, seed), {
    attributes: { ...ATTRIBUTES, userMetadata: { name } },
  });
}

export async function names(bucket: BucketHandle, prefix = ''): Promise<string[]> {
  const all: string[] = [];
  for (let after = ''; ; ) {
    const page = await bucket.call('listObjects', { prefix, delimiter: '', after, maxKeys: 1000 });
    all.push(...page.objects.map((object) => object.key));
    if (!page.isTruncated) return all;
    after = page.lastName ?? '';
  }
}

export async function bytesAt(
  core: Core,
  bucket: BucketHandle,
  name: string,
): Promise<Uint8Array | null> {
  const found = await bucket.call('getVersion', { key: key(name), versionId: null });
  return found?.kind === 'object' ? readWhole(core, found.object) : null;
}

export const moveOf = (
  prefix: string,
  to: string,
  changes: Partial<Extract<KeyJobTask, { kind: 'move' }>> = {},
) =>
  ({
    kind: 'move',
    selection: { prefix, keys: null },
    to,
    toBucket: null,
    conflict: 'refuse',
    ...changes,
  }) as const;

/** Begins a job and waits for its end. */
export async function run(
  core: MemoryCore,
  bucket: BucketHandle,
  task: KeyJobTask,
): Promise<KeyJob> {
  const { id } = await startKeyJob(core, bucket, { task, accountId: ROOT_ACCOUNT.id });
  await core.settle();
  return findKeyJob(core, bucket, id);
}

export async function undo(
  core: MemoryCore,
  bucket: BucketHandle,
  job: KeyJob,
  bypassGovernance = false,
): Promise<KeyJob> {
  const input = { id: job.id, accountId: ROOT_ACCOUNT.id, bypassGovernance };
  const { id } = await undoKeyJob(core, bucket, input);
  await core.settle();
  return findKeyJob(core, bucket, id);
}

export async function withVersions(core: Core, name = 'test-bucket'): Promise<BucketHandle> {
  const bucket = await openTestBucket(core, name);
  await setBucketSettings(core, bucket, { versioning: 'enabled' });
  return openBucket(core, bucket.record().name, () => undefined);
}

export const allVersions = async (bucket: BucketHandle) => {
  const page = await bucket.call('listVersions', {
    prefix: '',
    delimiter: '',
    afterKey: '',
    afterVersionId: '',
    maxKeys: 1000,
  });
  return page.versions.map(
    (version) =>
      `${version.key}${version.isMarker ? ' marker' : ''}${version.isLatest ? ' *' : ''}`,
  );
};

/** What calls of the blob store were made. */
export function watched(core: MemoryCore): { core: MemoryCore; calls: string[] } {
  const calls: string[] = [];
  const blobStore = new Proxy(core.blobStore, {
    get(target, name) {
      calls.push(String(name));
      return Reflect.get(target, name);
    },
  });
  return { core: { ...withPorts(core, { blobStore }), blobStore: core.blobStore }, calls };
}
