// One pass over what clients do every day: enough to trust a deployment, fast enough for
// production.
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describe, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client } from '../kit/clients/suite.ts';
import { expectError, expectFailure } from '../kit/clients/xml.ts';

describe('smoke', () => {
  const Bucket = useBucket(client);
  const { s3 } = client;

  it('lists the bucket', async () => {
    const { Buckets } = await s3.send(new ListBucketsCommand());
    expect(Buckets?.map(({ Name }) => Name)).toContain(Bucket);
  });

  it('puts, heads, gets, copies and deletes an object', async () => {
    const Body = sampleBytes(100_000);
    const put = await s3.send(
      new PutObjectCommand({ Bucket, Key: 'a/b.bin', Body, Metadata: { colour: 'blue' } }),
    );
    const head = await s3.send(new HeadObjectCommand({ Bucket, Key: 'a/b.bin' }));
    expect(head).toMatchObject({
      ContentLength: 100_000,
      ETag: put.ETag,
      Metadata: { colour: 'blue' },
    });
    await s3.send(new CopyObjectCommand({ Bucket, Key: 'c', CopySource: `${Bucket}/a/b.bin` }));
    const got = await s3.send(new GetObjectCommand({ Bucket, Key: 'c' }));
    expect(Buffer.from((await got.Body?.transformToByteArray()) ?? []).equals(Body)).toBe(true);
    await s3.send(new DeleteObjectCommand({ Bucket, Key: 'c' }));
    await expectFailure(s3.send(new GetObjectCommand({ Bucket, Key: 'c' })), 404, 'NoSuchKey');
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket }));
    expect(Contents?.map(({ Key }) => Key)).toEqual(['a/b.bin']);
  });

  it('completes a multipart upload', async () => {
    const Key = 'multipart';
    const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key }));
    const part = await s3.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: 1, Body: sampleBytes(1000) }),
    );
    const Parts = [{ PartNumber: 1, ETag: part.ETag }];
    await s3.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
    );
    const got = await s3.send(new GetObjectCommand({ Bucket, Key }));
    expect((await got.Body?.transformToByteArray())?.length).toBe(1000);
  });

  it('serves another signer and a presigned URL', async () => {
    const url = client.url(Bucket, 'by aws4fetch');
    const put = await client.aws.fetch(url, { method: 'PUT', body: 'hello' });
    expect(put.status).toBe(200);
    const presigned = await getSignedUrl(s3, new GetObjectCommand({ Bucket, Key: 'by aws4fetch' }));
    expect(await (await fetch(presigned)).text()).toBe('hello');
    expectError(
      await client.anonymous({ method: 'GET', bucket: Bucket, key: 'by aws4fetch' }),
      403,
      'AccessDenied',
    );
  });
});
