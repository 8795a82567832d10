// What small bodies ask of Cloudflare until they lie in a pack: rows written, as workerd counts
// them. bench/lib/operation-counts.ts has the numbers.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { PACKED_BODIES } from '../../bench/lib/operation-counts.ts';
import { NO_EXPECTATION } from '../../src/core/objects/body-expectation.ts';
import { putObject } from '../../src/core/objects/put-object.ts';
import { getObject } from '../../src/core/objects/read-object.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../../src/core/parse-names.ts';
import { patternBytes, sourceOf } from '../contract/bodies.ts';
import { bucketObject, freshBucketName, PUBLIC, recordOf } from './kit/bucket.ts';
import { createIsolate } from './kit/isolate.ts';
import { watchRows } from './kit/watch-rows.ts';

it('a full pack costs as many rows and calls as the table of costs says', {
  timeout: 120_000,
}, async () => {
  const name = freshBucketName();
  const isolate = createIsolate();
  await bucketObject(name).call('createBucket', { bucket: recordOf(name, PUBLIC) });
  const bucket = await openBucket(isolate.core, name, () => undefined);
  const bytes = patternBytes(10_240);
  const put = (at: number) =>
    putObject(isolate.core, bucket, {
      key: parseObjectKey(`folder/file-${at}`),
      attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
      body: sourceOf(bytes),
      expectation: NO_EXPECTATION,
      condition: null,
    });
  // What the bucket keeps of its first object.
  await putObject(isolate.core, bucket, {
    key: parseObjectKey('large'),
    attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
    body: sourceOf(patternBytes(20_000)),
    expectation: NO_EXPECTATION,
    condition: null,
  });
  const rows = await watchRows(env.BUCKETS.get(env.BUCKETS.idFromName(name)));
  for (let at = 0; at < PACKED_BODIES.bodies; at++) await put(at);
  await isolate.settle();
  const list = await env.BLOBS.list({ prefix: `b/${bucket.record().id}/` });
  const pack = list.objects.find(({ size }) => size > 4 * 2 ** 20);
  expect({ bodies: PACKED_BODIES.bodies, rows: rows(), sizeBytes: pack?.size }).toEqual(
    PACKED_BODIES,
  );
  const { segments } = await getObject(bucket, parseObjectKey('folder/file-7'));
  expect(segments.map(({ offsetBytes }) => offsetBytes)).toEqual([7 * 10_240]);
});
