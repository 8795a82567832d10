// What small bodies ask of Cloudflare until they lie in a pack: rows written, as workerd counts
// them. bench/lib/operation-counts.ts has the numbers.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { COMMITS_PER_GROUP, PACKED_BODIES } from '../../bench/lib/operation-counts.ts';
import { NO_EXPECTATION } from '../../src/core/objects/body-expectation.ts';
import { deleteObjects } from '../../src/core/objects/delete-objects.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { getObject } from '../../src/core/objects/read-object.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../../src/core/parse-names.ts';
import { repackSparse } from '../../src/core/sweep/repack.ts';
import { patternBytes, sourceOf } from '../contract/bodies.ts';
import { bucketObject, freshBucketName, PUBLIC, recordOf } from './kit/bucket.ts';
import { createIsolate } from './kit/isolate.ts';
import { watchRows } from './kit/watch-rows.ts';

/** A bucket in which something is stored, and PUTs of 10 KiB into it. */
async function createWorld() {
  const name = freshBucketName();
  const isolate = createIsolate();
  await bucketObject(name).call('createBucket', { bucket: recordOf(name, PUBLIC) });
  const bucket = await openBucket(isolate.core, name, () => undefined);
  const put = (key: string, lengthBytes = 10_240) =>
    putObject(isolate.core, bucket, {
      key: parseObjectKey(key),
      attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
      body: sourceOf(patternBytes(lengthBytes)),
      expectation: NO_EXPECTATION,
      condition: null,
    });
  // What the bucket keeps of its first object.
  await put('large', 20_000);
  const rows = await watchRows(env.BUCKETS.get(env.BUCKETS.idFromName(name)));
  return { isolate, bucket, put, rows };
}

it('a full pack costs as many rows as the table of costs says', {
  timeout: 120_000,
}, async () => {
  const { isolate, bucket, put, rows } = await createWorld();
  for (let at = 0; at < PACKED_BODIES.bodies; at++) await put(`folder/file-${at}`);
  await isolate.settle();
  const list = await env.BLOBS.list({ prefix: `b/${bucket.record().id}/` });
  const pack = list.objects.find(({ size }) => size > 4 * 2 ** 20);
  expect({ bodies: PACKED_BODIES.bodies, rows: rows(), sizeBytes: pack?.size }).toEqual(
    PACKED_BODIES,
  );
  const { segments } = await getObject(bucket, parseObjectKey('folder/file-7'));
  expect(segments.map(({ offsetBytes }) => offsetBytes)).toEqual([7 * 10_240]);
});

it('a pack that is written anew costs a row for each body that lives, and three', {
  timeout: 120_000,
}, async () => {
  const { isolate, bucket, put, rows } = await createWorld();
  const keys = Array.from({ length: PACKED_BODIES.bodies }, (_, at) => `folder/file-${at}`);
  for (const key of keys) await put(key);
  await isolate.settle();
  const living = 180;
  const gone = keys.slice(living).map((key) => ({ key: parseObjectKey(key) }));
  await deleteObjects(isolate.core, bucket, gone);
  const before = rows();
  await repackSparse(isolate.core, bucket.record().name, { packs: 8, stopping: null });
  expect(rows() - before).toBe(living + 3);
  const { segments } = await getObject(bucket, parseObjectKey('folder/file-7'));
  expect(segments.map(({ offsetBytes }) => offsetBytes)).toEqual([7 * 10_240]);
  const list = await env.BLOBS.list({ prefix: `b/${bucket.record().id}/` });
  const pack = list.objects.find(({ key }) => key.endsWith(segments[0]?.blobId ?? ''));
  expect(pack?.size).toBeLessThan(living * 10_400);
});

it('PUTs that come at once share the row of totals', { timeout: 120_000 }, async () => {
  const { isolate, put, rows } = await createWorld();
  let next = 0;
  const client = async () => {
    for (let at = next++; at < PACKED_BODIES.bodies; at = next++) await put(`folder/file-${at}`);
  };
  await Promise.all(Array.from({ length: 32 }, client));
  await isolate.settle();
  // At least 4 of the 32 clients come together, whatever the machine does meanwhile.
  const shared = PACKED_BODIES.bodies * (1 - 1 / COMMITS_PER_GROUP);
  expect(rows()).toBeLessThan(PACKED_BODIES.rows - shared);
});
