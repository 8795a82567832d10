// Many uploads at the same time, in every way that a body can come: the server uses its buffers
// again and again, and no byte of one body may come to another. What is announced and what is read
// back are compared with digests of the client's own.
import {
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { inParallel } from '../../kit/clients/bucket-work.ts';
import { cut, SIGNED_CHUNKS, signedChunks } from '../../kit/clients/chunked.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { ALGORITHMS, checksumHeader, checksumOf, md5Hex } from '../../kit/reference-checksums.ts';

const UPLOADS = 48;
const AT_ONCE = 16;
const { s3, send } = client;

/** From a few bytes to more than one write of the server, at its edges too. */
const sizeOf = (index: number) =>
  [10, 65_536, 100_001, 262_144, 1_050_624, 1_050_625, 2_500_000][index % 7] ?? 0;

describeCore('many uploads at once', () => {
  const bucket = useBucket(client);

  async function expectStored(Key: string, body: Buffer): Promise<void> {
    const { status, body: stored } = await send({ method: 'GET', bucket, key: Key });
    expect([Key, status, stored.length, stored.equals(body)]).toEqual([
      Key,
      200,
      body.length,
      true,
    ]);
  }

  /** One upload; Its number chooses: a hashed body, signed chunks, an encrypted object, or a part. */
  async function upload(index: number): Promise<void> {
    const Body = sampleBytes(sizeOf(index), index + 1);
    const Key = `${index}`;
    const algorithm = ALGORITHMS[index % ALGORITHMS.length] ?? 'CRC32';
    const way = index % 4;
    if (way === 0) {
      const headers = { [checksumHeader(algorithm)]: checksumOf(algorithm, Body) };
      const put = await send({ method: 'PUT', bucket, key: Key, body: Body, headers });
      expect([put.status, put.headers.etag]).toEqual([200, `"${md5Hex(Body)}"`]);
    } else if (way === 1) {
      const put = await send({
        method: 'PUT',
        bucket,
        key: Key,
        payloadHash: SIGNED_CHUNKS,
        headers: {
          'content-encoding': 'aws-chunked',
          'x-amz-decoded-content-length': `${Body.length}`,
        },
        makeBody: (seed) => signedChunks(seed, cut(Body, 70_000)),
      });
      expect([put.status, put.headers.etag]).toEqual([200, `"${md5Hex(Body)}"`]);
    } else if (way === 3) {
      const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket: bucket, Key }));
      const part = await s3.send(
        new UploadPartCommand({ Bucket: bucket, Key, UploadId, PartNumber: 1, Body }),
      );
      expect(part.ETag).toBe(`"${md5Hex(Body)}"`);
      return;
    } else {
      const put = await s3.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key,
          Body,
          ChecksumAlgorithm: algorithm,
          ServerSideEncryption: 'AES256',
        }),
      );
      expect(put[`Checksum${algorithm}`]).toBe(checksumOf(algorithm, Body));
    }
    await expectStored(Key, Body);
  }

  it('are stored whole, each its own', async () => {
    await inParallel(
      Array.from({ length: UPLOADS }, (_, index) => index),
      AT_ONCE,
      upload,
    );
  });
});
