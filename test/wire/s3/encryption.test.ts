// Encryption at rest as its users meet it: keys of their own (SSE-C), the server's (SSE-S3), named
// ones (SSE-KMS), the default of a bucket. That the stored bytes are encrypted is for test/node and
// test/workerd to prove.
import { createHash, randomBytes } from 'node:crypto';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteBucketEncryptionCommand,
  GetBucketEncryptionCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutBucketEncryptionCommand,
  PutObjectCommand,
  UpdateObjectEncryptionCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { freshBucketName, sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError, expectFailure } from '../kit/clients/xml.ts';
import { PART_MIN_BYTES } from '../kit/multipart-kit.ts';
import { md5Hex } from '../kit/reference-checksums.ts';

const { s3, send, anonymous } = client;
const { other } = client.target;

function customerKey() {
  const bytes = randomBytes(32);
  const SSECustomerKey = bytes.toString('base64');
  const SSECustomerKeyMD5 = createHash('md5').update(bytes).digest('base64');
  const sdk = { SSECustomerAlgorithm: 'AES256', SSECustomerKey, SSECustomerKeyMD5 };
  const copySource = {
    CopySourceSSECustomerAlgorithm: 'AES256',
    CopySourceSSECustomerKey: SSECustomerKey,
    CopySourceSSECustomerKeyMD5: SSECustomerKeyMD5,
  };
  const headers = {
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'x-amz-server-side-encryption-customer-key': SSECustomerKey,
    'x-amz-server-side-encryption-customer-key-md5': SSECustomerKeyMD5,
  };
  return { sdk, copySource, headers };
}

const MINE = customerKey();
const OTHER = customerKey();
const BODY = sampleBytes(200_000, 91);

/** The admin call for named keys. */
const adminKeys = (method: 'GET' | 'POST', body?: object) =>
  send({
    method,
    query: { 'x-quayside-kms-keys': '' },
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
const keyId = `wire/${randomBytes(6).toString('hex')}`;

describeCore('encryption at rest', () => {
  const bucket = useBucket(client);
  const bytesOf = async (Key: string, more: object = {}) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key, ...more }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };

  beforeAll(async () => {
    const made = await adminKeys('POST', { id: keyId });
    expect([made.status, JSON.parse(made.text)]).toEqual([
      201,
      expect.objectContaining({ id: keyId, state: 'enabled' }),
    ]);
  });

  const kinds = [
    ['SSE-C', MINE.sdk, MINE.sdk],
    ['SSE-S3', { ServerSideEncryption: 'AES256' }, {}],
    ['SSE-KMS', { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: keyId }, {}],
    ['DSSE-KMS', { ServerSideEncryption: 'aws:kms:dsse', SSEKMSKeyId: keyId }, {}],
  ] as const;

  it.each(kinds)(
    '%s gives back what was put, small and large, whole and in ranges',
    async (name, write, read) => {
      for (const body of [Buffer.from('small'), BODY]) {
        const Key = `${name}-${body.length}`;
        const put = await s3.send(
          new PutObjectCommand({ Bucket: bucket, Key, Body: body, ...write, Metadata: { a: 'b' } }),
        );
        expect(put.ServerSideEncryption).toBe(
          'ServerSideEncryption' in write ? write.ServerSideEncryption : undefined,
        );
        expect(put.ETag === `"${md5Hex(body)}"`).toBe(name === 'SSE-S3');
        const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key, ...read }));
        expect(head).toMatchObject({
          ContentLength: body.length,
          ETag: put.ETag,
          Metadata: { a: 'b' },
        });
        expect((await bytesOf(Key, read)).equals(body)).toBe(true);
        const [from, to] = [Math.floor(body.length / 3), body.length - 2];
        const range = await bytesOf(Key, { ...read, Range: `bytes=${from}-${to}` });
        expect(range.equals(body.subarray(from, to + 1))).toBe(true);
      }
    },
  );

  it.each(kinds)('%s goes with parts, put and copied', async (name, write, read) => {
    const Key = `parts-${name}`;
    const from = { Bucket: bucket, Key: `source-of-${name}` };
    const source = sampleBytes(PART_MIN_BYTES + 1000, 92);
    await s3.send(new PutObjectCommand({ ...from, Body: source, ...OTHER.sdk }));
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket: bucket, Key, ...write }),
    );
    const part = { Bucket: bucket, Key, UploadId, ...read };
    const first = await s3.send(
      new UploadPartCopyCommand({
        ...part,
        PartNumber: 1,
        CopySource: `${bucket}/${from.Key}`,
        CopySourceRange: `bytes=500-${PART_MIN_BYTES + 499}`,
        ...OTHER.copySource,
      }),
    );
    const second = await s3.send(new UploadPartCommand({ ...part, PartNumber: 2, Body: BODY }));
    const Parts = [first.CopyPartResult, second].map((done, i) => ({
      PartNumber: i + 1,
      ETag: done?.ETag,
    }));
    await s3.send(new CompleteMultipartUploadCommand({ ...part, MultipartUpload: { Parts } }));
    const whole = Buffer.concat([source.subarray(500, PART_MIN_BYTES + 500), BODY]);
    expect((await bytesOf(Key, read)).equals(whole)).toBe(true);
    expect((await bytesOf(Key, { ...read, PartNumber: 2 })).equals(BODY)).toBe(true);
    const border = await bytesOf(Key, {
      ...read,
      Range: `bytes=${PART_MIN_BYTES - 10}-${PART_MIN_BYTES + 9}`,
    });
    expect(border.equals(whole.subarray(PART_MIN_BYTES - 10, PART_MIN_BYTES + 10))).toBe(true);
  });

  it('is changed by a copy', async () => {
    const put = { Bucket: bucket, Key: 'to-copy', Body: BODY, ...MINE.sdk };
    await s3.send(new PutObjectCommand(put));
    const copy = { Bucket: bucket, CopySource: `${bucket}/to-copy` };
    await expectFailure(
      s3.send(new CopyObjectCommand({ ...copy, Key: 'copied' })),
      400,
      'InvalidRequest',
    );
    const targets = [{}, OTHER.sdk, { ServerSideEncryption: 'AES256' as const }];
    for (const [i, target] of targets.entries()) {
      const Key = `copied-${i}`;
      await s3.send(new CopyObjectCommand({ ...copy, Key, ...MINE.copySource, ...target }));
      expect((await bytesOf(Key, 'SSECustomerKey' in target ? target : {})).equals(BODY)).toBe(
        true,
      );
    }
  });

  it('with a client’s key asks for that key', async () => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'own', Body: 'x', ...MINE.sdk }));
    for (const wrong of [{}, OTHER.headers]) {
      expectError(
        await send({ method: 'GET', bucket, key: 'own', headers: wrong }),
        400,
        'InvalidRequest',
      );
      expect((await send({ method: 'HEAD', bucket, key: 'own', headers: wrong })).status).toBe(400);
    }
    const { status, headers } = await send({
      method: 'GET',
      bucket,
      key: 'own',
      headers: MINE.headers,
    });
    expect(status).toBe(200);
    expect(headers['x-amz-server-side-encryption-customer-algorithm']).toBe('AES256');
  });

  it('with a KMS key ends and begins again with that key', async () => {
    const put = { Bucket: bucket, Key: 'kms', Body: 'x', ServerSideEncryption: 'aws:kms' as const };
    const other = `${keyId}/2`;
    await adminKeys('POST', { id: other });
    await s3.send(new PutObjectCommand({ ...put, SSEKMSKeyId: other }));
    expect(
      JSON.parse((await adminKeys('POST', { id: other, state: 'disabled' })).text),
    ).toMatchObject({
      state: 'disabled',
    });
    expectError(await send({ method: 'GET', bucket, key: 'kms' }), 400, 'KMS.DisabledException');
    const refused = s3.send(new PutObjectCommand({ ...put, SSEKMSKeyId: other }));
    await expectFailure(refused, 400, 'KMS.DisabledException');
    const { keys } = JSON.parse((await adminKeys('GET')).text);
    expect(keys).toContainEqual(expect.objectContaining({ id: other, state: 'disabled' }));
    expect(JSON.stringify(keys)).not.toMatch(/wrapped/i);
    await adminKeys('POST', { id: other, state: 'enabled' });
    expect((await bytesOf('kms')).toString()).toBe('x');
    const unknown = s3.send(new PutObjectCommand({ ...put, SSEKMSKeyId: `${keyId}/none` }));
    await expectFailure(unknown, 400, 'KMS.NotFoundException');
    expectError(
      await adminKeys('POST', { id: `${keyId}/none`, state: 'enabled' }),
      400,
      'KMS.NotFoundException',
    );
    expectError(await adminKeys('POST', { name: 'x' }), 400, 'InvalidRequest');
    expectError(
      await anonymous({ method: 'GET', query: { 'x-quayside-kms-keys': '' } }),
      403,
      'AccessDenied',
    );
  });

  it('goes from the server’s key to a named one and to the next, where it stands', async () => {
    const next = `${keyId}/next`;
    await adminKeys('POST', { id: next });
    const Key = 'rotated';
    const update = (KMSKeyArn: string, of = Key) =>
      s3.send(
        new UpdateObjectEncryptionCommand({
          Bucket: bucket,
          Key: of,
          ObjectEncryption: { SSEKMS: { KMSKeyArn } },
        }),
      );
    const head = () => s3.send(new HeadObjectCommand({ Bucket: bucket, Key }));
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key, Body: BODY, ServerSideEncryption: 'AES256' }),
    );
    const before = await head();
    // SDKs want what looks like an ARN; the name of the key is its end.
    for (const id of [keyId, next]) {
      await update(id === next ? `arn:aws:kms:us-east-1:123456789012:key/${id}` : id);
      const { ETag, LastModified, ServerSideEncryption, SSEKMSKeyId } = await head();
      expect({ ETag, LastModified }).toEqual({
        ETag: before.ETag,
        LastModified: before.LastModified,
      });
      expect({ ServerSideEncryption, SSEKMSKeyId }).toEqual({
        ServerSideEncryption: 'aws:kms',
        SSEKMSKeyId: id,
      });
      expect((await bytesOf(Key)).equals(BODY)).toBe(true);
    }
    // Nothing of it hangs on the key before.
    await adminKeys('POST', { id: next, state: 'disabled' });
    expectError(await send({ method: 'GET', bucket, key: Key }), 400, 'KMS.DisabledException');
    await adminKeys('POST', { id: next, state: 'enabled' });
    await expectFailure(update(`${keyId}/none`), 400, 'KMS.NotFoundException');
    await expectFailure(update(keyId, 'missing'), 404, 'NoSuchKey');
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'plain', Body: 'x' }));
    await expectFailure(update(keyId, 'plain'), 400, 'InvalidRequest');
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'own-still', Body: 'x', ...MINE.sdk }),
    );
    await expectFailure(update(keyId, 'own-still'), 400, 'InvalidRequest');
    const put = (body: string) =>
      send({ method: 'PUT', bucket, key: Key, query: { encryption: '' }, body });
    expectError(await put('<ObjectEncryption/>'), 400, 'InvalidRequest');
    expectError(
      await put('<ObjectEncryption><SSE-KMS/></ObjectEncryption>'),
      400,
      'InvalidRequest',
    );
    expectError(await put('<ObjectEncryption><SSE-S3/></ObjectEncryption>'), 400, 'MalformedXML');
    expectError(
      await anonymous({ method: 'PUT', bucket, key: Key, query: { encryption: '' } }),
      403,
      'AccessDenied',
    );
    expect((await bytesOf(Key)).equals(BODY)).toBe(true);
  });

  it.skipIf(other === null)(
    'a KMS key is for the buckets of those accounts that it was given to',
    async () => {
      const theirs = freshBucketName();
      const signer = { accessKey: other?.accessKey ?? '', secretKey: other?.secretKey ?? '' };
      const id = `${keyId}/granted`;
      expect((await send({ method: 'PUT', bucket: theirs, signer })).status).toBe(200);
      const headers = {
        'x-amz-server-side-encryption': 'aws:kms',
        'x-amz-server-side-encryption-aws-kms-key-id': id,
      };
      const put = (key: string) =>
        send({ method: 'PUT', bucket: theirs, key, headers, body: 'x', signer });
      expect(JSON.parse((await adminKeys('POST', { id })).text)).toMatchObject({
        id,
        accounts: [],
      });
      expectError(await put('early'), 400, 'KMS.NotFoundException');
      const given = await adminKeys('POST', { id, accounts: [other?.accountId] });
      expect([given.status, JSON.parse(given.text)]).toMatchObject([
        200,
        { accounts: [other?.accountId] },
      ]);
      expect((await put('given')).status).toBe(200);
      await adminKeys('POST', { id, accounts: [] });
      expectError(await put('late'), 400, 'KMS.NotFoundException');
      expect((await send({ method: 'GET', bucket: theirs, key: 'given', signer })).text).toBe('x');
      expectError(await adminKeys('POST', { id, accounts: ['no account'] }), 400, 'InvalidRequest');
      expect((await send({ method: 'DELETE', bucket: theirs, key: 'given', signer })).status).toBe(
        204,
      );
      expect((await send({ method: 'DELETE', bucket: theirs, signer })).status).toBe(204);
    },
  );

  describe('by default of the bucket', () => {
    const defaults = useBucket(client);

    it('holds from when it is configured until it is not', async () => {
      const Rules = [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' as const } }];
      const get = () => s3.send(new GetBucketEncryptionCommand({ Bucket: defaults }));
      await expectFailure(get(), 404, 'ServerSideEncryptionConfigurationNotFoundError');
      const configuration = { Bucket: defaults, ServerSideEncryptionConfiguration: { Rules } };
      await s3.send(new PutBucketEncryptionCommand(configuration));
      expect((await get()).ServerSideEncryptionConfiguration?.Rules).toMatchObject(Rules);
      const object = { Bucket: defaults, Key: 'k' };
      expect(await s3.send(new PutObjectCommand({ ...object, Body: BODY }))).toMatchObject({
        ServerSideEncryption: 'AES256',
      });
      expect(await s3.send(new HeadObjectCommand(object))).toMatchObject({
        ServerSideEncryption: 'AES256',
      });
      await s3.send(new DeleteBucketEncryptionCommand({ Bucket: defaults }));
      expect(
        (await s3.send(new PutObjectCommand({ ...object, Body: BODY }))).ServerSideEncryption,
      ).toBeUndefined();
    });
  });

  describe('and the public', () => {
    const open = useBucket(client);
    const read = (key: string, headers: Record<string, string> = {}, method = 'GET') =>
      anonymous({ method, bucket: open, key, headers });

    beforeAll(async () => {
      await openToEveryone(client, open);
      await s3.send(new PutObjectCommand({ Bucket: open, Key: 'own', Body: BODY, ...MINE.sdk }));
      for (const [Key, Body] of [
        ['small', Buffer.from('small')],
        ['large', BODY],
      ] as const) {
        await s3.send(
          new PutObjectCommand({ Bucket: open, Key, Body, ServerSideEncryption: 'AES256' }),
        );
        const kms = { ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId: keyId };
        await s3.send(new PutObjectCommand({ Bucket: open, Key: `kms-${Key}`, Body, ...kms }));
      }
    });

    it('may read what the server encrypts, again, in ranges and by condition', async () => {
      for (const key of ['small', 'large', 'kms-small', 'kms-large']) {
        const body = key.endsWith('small') ? Buffer.from('small') : BODY;
        for (const _ of [1, 2, 3]) {
          const reply = await read(key);
          expect([reply.status, reply.body.equals(body)]).toEqual([200, true]);
          expect(reply.headers['x-amz-server-side-encryption']).toBe(
            key.startsWith('kms') ? 'aws:kms' : 'AES256',
          );
          expect((await read(key, { 'if-none-match': reply.headers.etag ?? '' })).status).toBe(304);
        }
        const part = await read(key, { range: 'bytes=2-4' });
        expect([part.status, part.body.equals(body.subarray(2, 5))]).toEqual([206, true]);
        const head = await read(key, {}, 'HEAD');
        expect([head.status, head.headers['content-length']]).toEqual([200, `${body.length}`]);
      }
    });

    it('needs the key of what a client encrypted', async () => {
      for (const _ of [1, 2]) {
        expectError(await read('own'), 400, 'InvalidRequest');
        expect((await read('own', {}, 'HEAD')).status).toBe(400);
        expectError(await read('own', { 'if-none-match': '*' }), 400, 'InvalidRequest');
      }
      expectError(await read('own', OTHER.headers), 400, 'InvalidRequest');
      const reply = await read('own', MINE.headers);
      expect([reply.status, reply.body.equals(BODY)]).toEqual([200, true]);
      expectError(await read('small', MINE.headers), 400, 'InvalidRequest');
    });
  });
});
