import { createScheduledController } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createDoDirectory } from '../../src/adapters/cloudflare/do-directory.ts';
import { createR2BlobStore } from '../../src/adapters/cloudflare/r2-blob-store.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import type { AccountId, BlobId } from '../../src/ports/domain.ts';
import worker from '../../src/worker.ts';
import { patternBytes, sourceOf } from '../contract/bodies.ts';
import { bucketObject, freshBucketName, PUBLIC, recordOf } from './bucket.ts';

it('the cron trigger sweeps: a blob that no row mentions goes once it is older than the grace', async () => {
  const name = freshBucketName();
  const directory = createDoDirectory(env.DIRECTORY, {
    clock: systemClock,
    background: { run: () => undefined },
    hostFreshSeconds: 5,
  });
  await directory.call('addBucket', { ownerId: 'owner' as AccountId, name, createdAtMs: 0 });
  const { id } = await bucketObject(name).call('createBucket', { bucket: recordOf(name, PUBLIC) });
  const store = createR2BlobStore(env.BLOBS);
  const identity = { bucket: name, key: 'a', headers: {}, userMetadata: {}, part: null } as never;
  // Ids begin with the time of their making: one of 1970, one of the far future.
  const [old, young] = [`${id}/${'0'.repeat(27)}` as BlobId, `${id}/${'z'.repeat(27)}` as BlobId];
  for (const blobId of [old, young]) await store.write(blobId, sourceOf(patternBytes(10)), identity);

  await worker.scheduled(createScheduledController(), { ...env, QUAYSIDE_LOG_LEVEL: 'error' } as typeof env);

  const left = await store.list({ prefix: `${id}/`, after: '', limit: 10 });
  expect(left.blobIds).toEqual([young]);
});
