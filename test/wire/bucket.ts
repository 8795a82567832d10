// A bucket of its own for each test file, and its removal afterwards, objects and uploads included: a run against
// somebody's server leaves nothing behind.
import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll } from 'vitest';
import { freshBucketName, type WireClient } from './client.ts';

/** Removes a bucket with everything in it. */
export async function removeBucket(client: WireClient, bucket: string): Promise<void> {
  for (;;) {
    const page = await client.s3.send(new ListObjectsV2Command({ Bucket: bucket, EncodingType: 'url' }));
    const keys = (page.Contents ?? []).map(({ Key }) => ({ Key: decodeURIComponent((Key ?? '').replace(/\+/g, ' ')) }));
    if (keys.length === 0) break;
    await client.s3.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys, Quiet: true } }));
  }
  const uploads = await client.s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  for (const { Key, UploadId } of uploads.Uploads ?? []) {
    await client.s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
  }
  await client.s3.send(new DeleteBucketCommand({ Bucket: bucket }));
}

/** Makes a bucket before the tests of a file or a describe block and removes it after them. */
export function useBucket(client: WireClient): string {
  const bucket = freshBucketName();
  beforeAll(async () => {
    await client.s3.send(new CreateBucketCommand({ Bucket: bucket }));
  });
  // The folder of a server of our own goes as a whole.
  afterAll(async () => {
    if (client.target.home === 'other') await removeBucket(client, bucket);
  });
  return bucket;
}
