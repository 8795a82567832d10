// A bucket of its own for each test file, and its removal afterwards, objects and uploads included:
// a run against somebody's server leaves nothing behind.
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { removeBucket } from './clients/bucket-work.ts';
import { freshBucketName, type WireClient } from './clients/client.ts';

/** Makes a bucket before the tests of a file or a describe block and removes it after them. */
export function useBucket(client: WireClient): string {
  const bucket = freshBucketName();
  beforeAll(async () => {
    await client.s3.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  afterAll(async () => {
    if (!client.target.isTemporary) await removeBucket(client, bucket);
  });
  return bucket;
}
