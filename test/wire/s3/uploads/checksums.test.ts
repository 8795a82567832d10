// Digests of single objects: Content-MD5, the payload hash of the signature and the five additional
// checksums, as headers; kept, returned when asked for, and refused when wrong. Trailers are in
// chunked.test.ts.
import { GetObjectCommand, HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError } from '../../kit/clients/xml.ts';
import {
  ALGORITHMS,
  checksumHeader,
  checksumOf,
  digestOf,
  md5Base64,
} from '../../kit/reference-checksums.ts';

const { s3, send } = client;
const BODY = sampleBytes(40_000, 41);

describe('the reference checksums', () => {
  it.each([
    ['CRC32', 'cbf43926'],
    ['CRC32C', 'e3069283'],
    ['CRC64NVME', 'ae8b14860a799888'],
    ['SHA1', 'f7c3bc1d808e04732adf679965ccc34ca7ae3441'],
    ['SHA256', '15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225'],
  ] as const)('%s of "123456789" is %s', (algorithm, hex) => {
    expect(digestOf(algorithm, Buffer.from('123456789')).toString('hex')).toBe(hex);
  });
});

describeCore('checksums', () => {
  const bucket = useBucket(client);
  const put = (key: string, headers: Record<string, string>, body: Uint8Array | string = BODY) =>
    send({ method: 'PUT', bucket, key, body, headers });
  const expectAbsent = async (key: string) =>
    expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');

  it.each(ALGORITHMS)(
    '%s made by the SDK is kept and returned when asked for',
    async (algorithm) => {
      const Key = `sdk-${algorithm}`;
      const put = await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key, Body: BODY, ChecksumAlgorithm: algorithm }),
      );
      const field = `Checksum${algorithm}` as const;
      expect(put[field]).toBe(checksumOf(algorithm, BODY));
      const head = await s3.send(
        new HeadObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }),
      );
      expect(head[field]).toBe(checksumOf(algorithm, BODY));
      expect(head.ChecksumType).toBe('FULL_OBJECT');
      // The SDK examines the body against the checksum while it reads.
      const got = await s3.send(
        new GetObjectCommand({ Bucket: bucket, Key, ChecksumMode: 'ENABLED' }),
      );
      expect((await got.Body?.transformToByteArray())?.length).toBe(BODY.length);
      const silent = await send({ method: 'GET', bucket, key: Key });
      expect(silent.headers[checksumHeader(algorithm)]).toBeUndefined();
    },
  );

  it.each(ALGORITHMS)('%s in a header alone is examined', async (algorithm) => {
    const header = checksumHeader(algorithm);
    const right = await put(`right-${algorithm}`, { [header]: checksumOf(algorithm, BODY) });
    expect(right.status, right.text).toBe(200);
    expect(right.headers[header]).toBe(checksumOf(algorithm, BODY));
    const wrong = await put(`wrong-${algorithm}`, {
      [header]: checksumOf(algorithm, Buffer.from('else')),
    });
    expectError(wrong, 400, 'BadDigest');
    await expectAbsent(`wrong-${algorithm}`);
  });

  it.each(ALGORITHMS)('%s of nothing is right too', async (algorithm) => {
    const reply = await put(
      `empty-${algorithm}`,
      { [checksumHeader(algorithm)]: checksumOf(algorithm, Buffer.alloc(0)) },
      '',
    );
    expect(reply.status, reply.text).toBe(200);
  });

  it.each(['!!!!', 'AAAA', 'bad'])('are refused where the value is none: %s', async (value) => {
    expectError(await put('no-digest', { 'x-amz-checksum-crc32': value }), 400, 'BadDigest');
    await expectAbsent('no-digest');
  });

  it.each([
    ['two checksums', { 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-crc32c': 'AAAAAA==' }],
    ['an unknown algorithm', { 'x-amz-sdk-checksum-algorithm': 'CRC16' }],
    [
      'another algorithm than announced',
      { 'x-amz-sdk-checksum-algorithm': 'SHA1', 'x-amz-checksum-crc32': 'AAAAAA==' },
    ],
  ] as [string, Record<string, string>][])('are refused: %s', async (name, headers) => {
    expectError(await put(name, headers), 400, 'InvalidRequest');
    await expectAbsent(name);
  });

  it('leave an overwritten object as it was when the new one is wrong', async () => {
    await put('kept', {}, 'old');
    expectError(await put('kept', { 'x-amz-checksum-crc32': 'AAAAAA==' }), 400, 'BadDigest');
    expect((await send({ method: 'GET', bucket, key: 'kept' })).text).toBe('old');
  });
});

describeCore('Content-MD5 and the payload hash', () => {
  const bucket = useBucket(client);
  const put = (headers: Record<string, string>, payloadHash?: string) =>
    send({
      method: 'PUT',
      bucket,
      key: 'k',
      body: BODY,
      headers,
      ...(payloadHash ? { payloadHash } : {}),
    });

  it('accept what is right', async () => {
    expect((await put({ 'content-md5': md5Base64(BODY) })).status).toBe(200);
    expect((await put({ 'content-md5': md5Base64(BODY) }, 'UNSIGNED-PAYLOAD')).status).toBe(200);
    await send({ method: 'DELETE', bucket, key: 'k' });
  });

  it.each([
    ['BadDigest', { 'content-md5': md5Base64(Buffer.from('else')) }, undefined],
    ['InvalidDigest', { 'content-md5': 'not base64 at all' }, undefined],
    ['InvalidDigest', { 'content-md5': 'AAAA' }, undefined],
    ['XAmzContentSHA256Mismatch', {}, 'a'.repeat(64)],
    ['InvalidArgument', {}, 'neither hash nor keyword'],
  ] as [string, Record<string, string>, string | undefined][])(
    'refuse as %s: %j %j',
    async (code, headers, hash) => {
      expectError(await put(headers, hash), 400, code);
      expectError(await send({ method: 'GET', bucket, key: 'k' }), 404, 'NoSuchKey');
    },
  );
});
