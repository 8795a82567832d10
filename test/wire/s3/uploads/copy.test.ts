// CopyObject: within a bucket and across, what is kept and what is replaced, conditions on the
// source and the target, and spellings of x-amz-copy-source.
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { freshBucketName, sampleBytes } from '../../kit/clients/client.ts';
import { encodeKey } from '../../kit/clients/sign.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, expectFailure, xmlRoot } from '../../kit/clients/xml.ts';
import { checksumOf, md5Hex } from '../../kit/reference-checksums.ts';

const { s3, send } = client;
const BODY = sampleBytes(70_000, 5);
const ETAG = `"${md5Hex(BODY)}"`;
const PAST = 'Sat, 01 Jan 2000 00:00:00 GMT';
const FUTURE = 'Tue, 01 Jan 2090 00:00:00 GMT';

describeCore('CopyObject', () => {
  const bucket = useBucket(client);
  const other = useBucket(client);
  const from = `${bucket}/source`;

  beforeAll(async () => {
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'source',
        Body: BODY,
        ContentType: 'text/x-source',
        CacheControl: 'no-cache',
        Metadata: { from: 'source' },
        ChecksumAlgorithm: 'SHA256',
      }),
    );
  });

  const copy = (key: string, headers: Record<string, string> = {}, source = from) =>
    send({ method: 'PUT', bucket, key, headers: { 'x-amz-copy-source': source, ...headers } });
  const bytesAt = async (Bucket: string, Key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from((await Body?.transformToByteArray()) ?? []);
  };

  it('answers with the ETag and the date of the new object', async () => {
    const reply = await copy('answer');
    expect(reply.status, reply.text).toBe(200);
    const result = xmlRoot(reply.text, 'CopyObjectResult');
    expect(result.ETag).toBe(ETAG);
    expect(result.LastModified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  it.each(['same', 'other'])(
    'copies bytes, headers, metadata and checksum to the %s bucket',
    async (where) => {
      const Bucket = where === 'same' ? bucket : other;
      await s3.send(new CopyObjectCommand({ Bucket, Key: 'copied', CopySource: from }));
      expect((await bytesAt(Bucket, 'copied')).equals(BODY)).toBe(true);
      const head = await s3.send(
        new HeadObjectCommand({ Bucket, Key: 'copied', ChecksumMode: 'ENABLED' }),
      );
      expect(head).toMatchObject({
        ContentType: 'text/x-source',
        CacheControl: 'no-cache',
        Metadata: { from: 'source' },
      });
      expect(head.ChecksumSHA256).toBe(checksumOf('SHA256', BODY));
    },
  );

  it('replaces metadata and headers when told to', async () => {
    const headers = {
      'x-amz-metadata-directive': 'REPLACE',
      'content-type': 'text/x-new',
      'x-amz-meta-new': '1',
    };
    await copy('replaced', headers);
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'replaced' }));
    expect(head).toMatchObject({ ContentType: 'text/x-new', Metadata: { new: '1' } });
    expect(head.CacheControl).toBeUndefined();
    expect(head.Metadata).not.toHaveProperty('from');
  });

  it('ignores new metadata without that, and knows only two directives', async () => {
    await copy('kept', { 'x-amz-meta-new': '1', 'content-type': 'text/x-new' });
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'kept' }));
    expect(head).toMatchObject({ ContentType: 'text/x-source', Metadata: { from: 'source' } });
    expectError(
      await copy('kept', { 'x-amz-metadata-directive': 'MERGE' }),
      400,
      'InvalidArgument',
    );
  });

  it('onto itself needs a change', async () => {
    expectError(await copy('source'), 400, 'InvalidRequest');
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'itself', Body: 'me', Metadata: { a: '1' } }),
    );
    const headers = { 'x-amz-metadata-directive': 'REPLACE', 'x-amz-meta-b': '2' };
    expect((await copy('itself', headers, `${bucket}/itself`)).status).toBe(200);
    const got = await send({ method: 'GET', bucket, key: 'itself' });
    expect([got.text, got.headers['x-amz-meta-b'], got.headers['x-amz-meta-a']]).toEqual([
      'me',
      '2',
      undefined,
    ]);
  });

  it('takes a new checksum algorithm', async () => {
    const headers = { 'x-amz-checksum-algorithm': 'CRC32C' };
    const result = xmlRoot((await copy('rechecked', headers)).text, 'CopyObjectResult');
    expect(result.ChecksumCRC32C).toBe(checksumOf('CRC32C', BODY));
  });

  it('is independent of its source from then on', async () => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'short-lived', Body: BODY }));
    await copy('survivor', {}, `${bucket}/short-lived`);
    await s3.send(
      new CopyObjectCommand({
        Bucket: other,
        Key: 'survivor',
        CopySource: `${bucket}/short-lived`,
      }),
    );
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'short-lived', Body: 'other bytes' }),
    );
    await send({ method: 'DELETE', bucket, key: 'short-lived' });
    expect((await bytesAt(bucket, 'survivor')).equals(BODY)).toBe(true);
    expect((await bytesAt(other, 'survivor')).equals(BODY)).toBe(true);
  });

  it('copies an empty object, and a copy of a copy', async () => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'empty', Body: new Uint8Array() }));
    await copy('empty-2', {}, `${bucket}/empty`);
    expect((await copy('empty-3', {}, `${bucket}/empty-2`)).status).toBe(200);
    expect((await bytesAt(bucket, 'empty-3')).length).toBe(0);
    await copy('second', {}, from);
    await copy('third', {}, `${bucket}/second`);
    expect((await bytesAt(bucket, 'third')).equals(BODY)).toBe(true);
  });

  it.each(['ü ñ/日本', 'a+b', 'a%20b', 'q?versionId=x', 'a//b', 'h#h'])(
    'finds the source %j',
    async (key) => {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: key }));
      for (const lead of ['', '/']) {
        const reply = await copy('found', {}, `${lead}${bucket}/${encodeKey(key)}`);
        expect(reply.status, reply.text).toBe(200);
        expect((await bytesAt(bucket, 'found')).toString()).toBe(key);
      }
      const whole = encodeURIComponent(`${bucket}/${key}`);
      expect((await copy('found', {}, whole)).status).toBe(200);
    },
  );

  it('reads + in the source as a space, which s5cmd sends, and %2B as a plus', async () => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a b', Body: 'space' }));
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'a+b', Body: 'plus' }));
    const read = { 'a+b': 'space', 'a%20b': 'space', 'a%2Bb': 'plus' };
    for (const [written, expected] of Object.entries(read)) {
      const response = await copy('from-plus', {}, `${bucket}/${written}`);
      expect(response.status, response.text).toBe(200);
      expect((await bytesAt(bucket, 'from-plus')).toString(), written).toBe(expected);
    }
  });

  it('refuses a source that is none', async () => {
    expectError(await copy('x', {}, `${bucket}/missing`), 404, 'NoSuchKey');
    expectError(await copy('x', {}, `${freshBucketName()}/source`), 404, 'NoSuchBucket');
    expectError(await copy('x', {}, 'noslash'), 400, 'InvalidArgument');
    expectError(await copy('x', {}, `${bucket}/`), 400, 'InvalidArgument');
    expectError(await send({ method: 'GET', bucket, key: 'x' }), 404, 'NoSuchKey');
    const missing = send({
      method: 'PUT',
      bucket: freshBucketName(),
      key: 'x',
      headers: { 'x-amz-copy-source': from },
    });
    expectError(await missing, 404, 'NoSuchBucket');
  });

  const match = 'x-amz-copy-source-if-match';
  const noneMatch = 'x-amz-copy-source-if-none-match';
  const modified = 'x-amz-copy-source-if-modified-since';
  const unmodified = 'x-amz-copy-source-if-unmodified-since';
  it.each([
    [200, { [match]: ETAG }],
    [200, { [match]: '*' }],
    [412, { [match]: '"00000000000000000000000000000000"' }],
    [200, { [noneMatch]: '"00000000000000000000000000000000"' }],
    [412, { [noneMatch]: ETAG }],
    [200, { [modified]: PAST }],
    [412, { [unmodified]: PAST }],
    [200, { [unmodified]: FUTURE }],
    [200, { [match]: ETAG, [unmodified]: PAST }],
    [412, { [noneMatch]: ETAG, [modified]: PAST }],
  ] as [number, Record<string, string>][])('answers %i to %j', async (status, headers) => {
    const reply = await copy('conditional', headers);
    expect(reply.status, reply.text).toBe(status);
    if (status === 412) expectError(reply, 412, 'PreconditionFailed');
  });

  it('honours conditions on the target', async () => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'taken', Body: 'mine' }));
    expectError(await copy('taken', { 'if-none-match': '*' }), 412, 'PreconditionFailed');
    expect((await bytesAt(bucket, 'taken')).toString()).toBe('mine');
    expect((await copy('free', { 'if-none-match': '*' })).status).toBe(200);
  });

  it('fails for the SDK with a named error', async () => {
    const command = new CopyObjectCommand({
      Bucket: bucket,
      Key: 'x',
      CopySource: `${bucket}/missing`,
    });
    await expectFailure(s3.send(command), 404, 'NoSuchKey');
  });
});
