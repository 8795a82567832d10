// Additional checksums of multipart uploads: of the whole object or of its parts' checksums, given
// with each part and with the completion, kept and returned; and refused when they are wrong.
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListPartsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError } from '../../kit/clients/xml.ts';
import {
  complete,
  completed,
  PART_MIN_BYTES,
  putPart,
  sendPart,
  startUpload,
} from '../../kit/multipart-kit.ts';
import {
  ALGORITHMS,
  type Algorithm,
  checksumHeader,
  checksumOf,
  compositeOf,
} from '../../kit/reference-checksums.ts';

const { s3, send } = client;
const BODIES = [sampleBytes(PART_MIN_BYTES, 71), sampleBytes(1234, 72)] as const;
const WHOLE = Buffer.concat(BODIES);

const TYPES: [Algorithm, 'COMPOSITE' | 'FULL_OBJECT'][] = [
  ['CRC32', 'COMPOSITE'],
  ['CRC32C', 'COMPOSITE'],
  ['SHA1', 'COMPOSITE'],
  ['SHA256', 'COMPOSITE'],
  ['CRC32', 'FULL_OBJECT'],
  ['CRC32C', 'FULL_OBJECT'],
  ['CRC64NVME', 'FULL_OBJECT'],
];

const expectedValue = (algorithm: Algorithm, type: string) =>
  type === 'COMPOSITE' ? compositeOf(algorithm, BODIES) : checksumOf(algorithm, WHOLE);

describeCore('checksums of a multipart upload', () => {
  const bucket = useBucket(client);

  it.each(TYPES)(
    '%s %s goes all the way through the SDK',
    async (ChecksumAlgorithm, ChecksumType) => {
      const Key = `${ChecksumAlgorithm}-${ChecksumType}`;
      const target = { Bucket: bucket, Key };
      const field = `Checksum${ChecksumAlgorithm}` as const;
      const created = await s3.send(
        new CreateMultipartUploadCommand({ ...target, ChecksumAlgorithm, ChecksumType }),
      );
      expect(created).toMatchObject({ ChecksumAlgorithm, ChecksumType });
      const upload = { ...target, UploadId: created.UploadId };
      const Parts = [];
      for (const [index, Body] of BODIES.entries()) {
        const PartNumber = index + 1;
        const part = await s3.send(
          new UploadPartCommand({ ...upload, PartNumber, Body, ChecksumAlgorithm }),
        );
        expect(part[field]).toBe(checksumOf(ChecksumAlgorithm, Body));
        Parts.push({ PartNumber, ETag: part.ETag, [field]: part[field] });
      }
      const listed = await s3.send(new ListPartsCommand(upload));
      expect(listed).toMatchObject({ ChecksumAlgorithm, ChecksumType });
      expect(listed.Parts?.map((part) => part[field])).toEqual(
        BODIES.map((body) => checksumOf(ChecksumAlgorithm, body)),
      );
      const done = await s3.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } }),
      );
      const expected = expectedValue(ChecksumAlgorithm, ChecksumType);
      expect({ value: done[field], type: done.ChecksumType }).toEqual({
        value: expected,
        type: ChecksumType,
      });
      const head = await s3.send(new HeadObjectCommand({ ...target, ChecksumMode: 'ENABLED' }));
      expect({ value: head[field], type: head.ChecksumType }).toEqual({
        value: expected,
        type: ChecksumType,
      });
      // For a whole-object checksum the SDK examines what it reads.
      const got = await s3.send(new GetObjectCommand(target));
      expect((await got.Body?.transformToByteArray())?.length).toBe(WHOLE.length);
    },
  );

  it('are shown part by part in the attributes', async () => {
    const attributes = await s3.send(
      new GetObjectAttributesCommand({
        Bucket: bucket,
        Key: 'SHA256-COMPOSITE',
        ObjectAttributes: ['Checksum', 'ObjectParts', 'ObjectSize'],
      }),
    );
    expect(attributes.ObjectSize).toBe(WHOLE.length);
    expect(attributes.Checksum).toMatchObject({
      ChecksumSHA256: compositeOf('SHA256', BODIES),
      ChecksumType: 'COMPOSITE',
    });
    expect(attributes.ObjectParts?.TotalPartsCount).toBe(2);
    expect(
      attributes.ObjectParts?.Parts?.map((part) => [
        part.PartNumber,
        part.Size,
        part.ChecksumSHA256,
      ]),
    ).toEqual(BODIES.map((body, index) => [index + 1, body.length, checksumOf('SHA256', body)]));
  });

  it('come with a read by part number as those of the part', async () => {
    for (const [index, body] of BODIES.entries()) {
      const input = {
        Bucket: bucket,
        Key: 'SHA256-COMPOSITE',
        PartNumber: index + 1,
        ChecksumMode: 'ENABLED',
      } as const;
      const part = await s3.send(new GetObjectCommand(input));
      expect(part).toMatchObject({
        ChecksumSHA256: checksumOf('SHA256', body),
        ChecksumType: 'COMPOSITE',
      });
      expect((await part.Body?.transformToByteArray())?.length).toBe(body.length);
    }
  });

  it.each(ALGORITHMS)('%s of a part is examined', async (algorithm) => {
    const uploadId = await startUpload(bucket, 'parts', { 'x-amz-checksum-algorithm': algorithm });
    const header = checksumHeader(algorithm);
    const put = (value: string) =>
      sendPart(bucket, 'parts', uploadId, 1, { body: 'x', headers: { [header]: value } });
    expectError(await put(checksumOf(algorithm, Buffer.from('y'))), 400, 'BadDigest');
    const right = await put(checksumOf(algorithm, Buffer.from('x')));
    expect([right.status, right.headers[header]]).toEqual([
      200,
      checksumOf(algorithm, Buffer.from('x')),
    ]);
  });

  it('of the completion must be those of the parts', async () => {
    const uploadId = await startUpload(bucket, 'mismatch', {
      'x-amz-checksum-algorithm': 'SHA256',
    });
    const value = checksumOf('SHA256', Buffer.from('x'));
    const part = await putPart(bucket, 'mismatch', uploadId, 1, 'x', {
      'x-amz-checksum-sha256': value,
    });
    const extra = (sha256: string) => [
      { ...part, extra: `<ChecksumSHA256>${sha256}</ChecksumSHA256>` },
    ];
    const wrong = checksumOf('SHA256', Buffer.from('y'));
    expectError(await complete(bucket, 'mismatch', uploadId, extra(wrong)), 400, 'InvalidPart');
    expectError(await send({ method: 'GET', bucket, key: 'mismatch' }), 404, 'NoSuchKey');
    await completed(bucket, 'mismatch', uploadId, extra(value));
  });

  it('of the whole object are examined at the completion', async () => {
    const headers = { 'x-amz-checksum-algorithm': 'CRC32', 'x-amz-checksum-type': 'FULL_OBJECT' };
    const uploadId = await startUpload(bucket, 'whole', headers);
    const parts = [
      await putPart(bucket, 'whole', uploadId, 1, 'x', {
        'x-amz-checksum-crc32': checksumOf('CRC32', Buffer.from('x')),
      }),
    ];
    const named = parts.map((part) => ({
      ...part,
      extra: `<ChecksumCRC32>${checksumOf('CRC32', Buffer.from('x'))}</ChecksumCRC32>`,
    }));
    const wrong = { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-type': 'FULL_OBJECT' };
    expectError(await complete(bucket, 'whole', uploadId, named, wrong), 400, 'BadDigest');
    expectError(await send({ method: 'GET', bucket, key: 'whole' }), 404, 'NoSuchKey');
    const right = { ...wrong, 'x-amz-checksum-crc32': checksumOf('CRC32', Buffer.from('x')) };
    await completed(bucket, 'whole', uploadId, named, right);
  });

  it.each([
    ['CRC64NVME', 'COMPOSITE'],
    ['SHA1', 'FULL_OBJECT'],
    ['SHA256', 'FULL_OBJECT'],
    ['MD4', 'COMPOSITE'],
    ['CRC32', 'PARTIAL'],
  ])('cannot be %s %s', async (algorithm, type) => {
    const headers = { 'x-amz-checksum-algorithm': algorithm, 'x-amz-checksum-type': type };
    const reply = await send({
      method: 'POST',
      bucket,
      key: 'impossible',
      query: { uploads: '' },
      headers,
    });
    expectError(reply, 400, 'InvalidRequest');
  });

  it('go with parts that bring none, when the upload asked for none', async () => {
    const uploadId = await startUpload(bucket, 'none');
    await completed(bucket, 'none', uploadId, [await putPart(bucket, 'none', uploadId, 1, 'x')]);
    expect((await send({ method: 'GET', bucket, key: 'none' })).text).toBe('x');
  });
});
