// Work on whole buckets and many keys at once, for tests and benches: nothing here needs a test
// runner.
import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListMultipartUploadsCommand,
  ListObjectVersionsCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { publicPolicy } from '../../../access-samples.ts';
import type { WireClient } from './client.ts';
import { createAgent } from './transport.ts';

/** Runs a task for each item, `width` at a time. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  task: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++)
      await task(items[index] as Item, index);
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
}

/** Lets everyone read the objects of a bucket, or those under a prefix: the usual policy. */
export async function openToEveryone(
  client: WireClient,
  bucket: string,
  prefix = '',
): Promise<void> {
  await client.s3.send(
    new PutBucketPolicyCommand({ Bucket: bucket, Policy: publicPolicy(bucket, prefix) }),
  );
}

/** Puts an object of one byte at each key. */
export async function putKeys(
  client: WireClient,
  bucket: string,
  keys: readonly string[],
): Promise<void> {
  const agent = createAgent(client.target.url, { keepAlive: true, maxSockets: 16 });
  try {
    await inParallel(keys, 16, async (key) => {
      const reply = await client.send({ method: 'PUT', bucket, key, body: 'x', agent });
      if (reply.status !== 200) throw new Error(`PUT ${key}: ${reply.status} ${reply.text}`);
    });
  } finally {
    agent.destroy();
  }
}

/** Removes a bucket with everything in it. */
export async function removeBucket(client: WireClient, bucket: string): Promise<void> {
  for (;;) {
    const page = await client.s3.send(
      new ListObjectVersionsCommand({ Bucket: bucket, EncodingType: 'url' }),
    );
    const Objects = [...(page.Versions ?? []), ...(page.DeleteMarkers ?? [])].map(
      ({ Key, VersionId }) => ({
        Key: decodeURIComponent((Key ?? '').replace(/\+/g, ' ')),
        VersionId,
      }),
    );
    if (Objects.length === 0) break;
    await client.s3.send(
      new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } }),
    );
  }
  const uploads = await client.s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
  for (const { Key, UploadId } of uploads.Uploads ?? []) {
    await client.s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
  }
  await client.s3.send(new DeleteBucketCommand({ Bucket: bucket }));
}
