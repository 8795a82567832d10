// Buckets: their life, their names, their listing, and what S3 knows of them that this server does
// not.
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  GetBucketLocationCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3';
import { afterAll, expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { removeBucket } from '../../kit/clients/bucket-work.ts';
import { freshBucketName } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, S3_NAMESPACE, xmlRoot } from '../../kit/clients/xml.ts';

const { s3, send, anonymous } = client;

describeCore('bucket life', () => {
  it('is created, found and deleted', async () => {
    const bucket = freshBucketName();
    const created = await send({ method: 'PUT', bucket });
    expect(created.status, created.text).toBe(200);
    expect(created.headers.location).toBe(`/${bucket}`);
    expect(created.body.length).toBe(0);
    const head = await send({ method: 'HEAD', bucket });
    expect(head.status).toBe(200);
    expect(head.headers['x-amz-bucket-region']).toMatch(/^[a-z0-9-]+$/);
    expect((await send({ method: 'DELETE', bucket })).status).toBe(204);
    expect((await send({ method: 'HEAD', bucket })).status).toBe(404);
    expectError(await send({ method: 'DELETE', bucket }), 404, 'NoSuchBucket');
  });

  it('accepts a slash after the name', async () => {
    const path = `/${freshBucketName()}/`;
    expect((await send({ method: 'PUT', path })).status).toBe(200);
    expect((await send({ method: 'HEAD', path })).status).toBe(200);
    expect((await send({ method: 'GET', path })).status).toBe(200);
    expect((await send({ method: 'DELETE', path })).status).toBe(204);
  });

  it('can be made again by its owner without losing an object', async () => {
    const bucket = freshBucketName();
    await send({ method: 'PUT', bucket });
    await send({ method: 'PUT', bucket, key: 'kept', body: 'x' });
    expect((await send({ method: 'PUT', bucket })).status).toBe(200);
    expect((await send({ method: 'GET', bucket, key: 'kept' })).text).toBe('x');
    await removeBucket(client, bucket);
  });

  it('ends with the uploads that were never completed', async () => {
    const bucket = freshBucketName();
    await send({ method: 'PUT', bucket });
    const { UploadId } = await s3.send(
      new CreateMultipartUploadCommand({ Bucket: bucket, Key: 'k' }),
    );
    const part = {
      method: 'PUT',
      bucket,
      key: 'k',
      query: { uploadId: UploadId ?? '', partNumber: '1' },
      body: 'x',
    };
    expect((await send(part)).status).toBe(200);
    expect((await send({ method: 'DELETE', bucket })).status).toBe(204);
    expectError(await send(part), 404, 'NoSuchBucket');
    await send({ method: 'PUT', bucket });
    expectError(await send(part), 404, 'NoSuchUpload');
    expect(
      (await s3.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [],
    ).toEqual([]);
    await removeBucket(client, bucket);
  });

  it('is empty when made again after a deletion', async () => {
    const bucket = freshBucketName();
    await send({ method: 'PUT', bucket });
    await send({ method: 'PUT', bucket, key: 'old', body: 'x' });
    expectError(await send({ method: 'DELETE', bucket }), 409, 'BucketNotEmpty');
    await send({ method: 'DELETE', bucket, key: 'old' });
    expect((await send({ method: 'DELETE', bucket })).status).toBe(204);
    expectError(await send({ method: 'PUT', bucket, key: 'old', body: 'x' }), 404, 'NoSuchBucket');
    await send({ method: 'PUT', bucket });
    expectError(await send({ method: 'GET', bucket, key: 'old' }), 404, 'NoSuchKey');
    await removeBucket(client, bucket);
  });

  it('takes a location constraint and tells its location', async () => {
    const Bucket = freshBucketName();
    await s3.send(new CreateBucketCommand({ Bucket }));
    const located = await send({ method: 'GET', bucket: Bucket, query: { location: '' } });
    expect(located.status).toBe(200);
    expect(located.text).toContain(`<LocationConstraint xmlns="${S3_NAMESPACE}"`);
    await s3.send(new GetBucketLocationCommand({ Bucket }));
    await s3.send(new HeadBucketCommand({ Bucket }));
    await s3.send(new DeleteBucketCommand({ Bucket }));
  });

  it('refuses a create request that is not XML', async () => {
    const reply = await send({
      method: 'PUT',
      bucket: freshBucketName(),
      body: '<CreateBucketConfiguration><',
    });
    expectError(reply, 400, 'MalformedXML');
  });
});

describeCore('bucket names', () => {
  const long = 'a'.repeat(64);
  const wrong = [
    'ab',
    long,
    'Upper',
    'under_score',
    'a..b',
    '-start',
    'end-',
    '.start',
    '192.168.1.1',
    'a b',
    'xn--a',
  ];
  it.each(wrong)('may not be %j', async (name) => {
    const path = `/${encodeURIComponent(name)}`;
    expectError(await send({ method: 'PUT', path }), 400, 'InvalidBucketName');
  });

  const right = ['a.b', 'a--b', '123', `${'b'.repeat(50)}.9`];
  it.each(right)('may be like %j', async (shape) => {
    const bucket = `${shape}${freshBucketName()}`.slice(0, 63);
    expect((await send({ method: 'PUT', bucket })).status).toBe(200);
    expect((await send({ method: 'DELETE', bucket })).status).toBe(204);
  });

  it.each(['GET', 'HEAD', 'DELETE'])('of no bucket are answered to %s with 404', async (method) => {
    const reply = await send({ method, bucket: freshBucketName() });
    if (method === 'HEAD') expect([reply.status, reply.body.length]).toEqual([404, 0]);
    else expect(expectError(reply, 404, 'NoSuchBucket').BucketName).toMatch(/^wire-/);
  });

  it.each(['GET', 'PUT', 'DELETE'])(
    'of no bucket are answered to %s of a key with NoSuchBucket',
    async (method) => {
      expectError(await send({ method, bucket: freshBucketName(), key: 'k' }), 404, 'NoSuchBucket');
    },
  );
});

describeCore('the list of buckets', () => {
  const prefix = freshBucketName();
  const names = ['a', 'b', 'c'].map((letter) => `${prefix}-${letter}`);

  afterAll(async () => {
    for (const bucket of names) await send({ method: 'DELETE', bucket });
  });

  it('shows each with its date, in order, and pages', async () => {
    for (const Bucket of names) await s3.send(new CreateBucketCommand({ Bucket }));
    const whole = await send({ method: 'GET' });
    const root = xmlRoot(whole.text, 'ListAllMyBucketsResult');
    expect(root['@xmlns']).toBe(S3_NAMESPACE);
    expect(root.Owner.ID).toMatch(/\S/);
    const shown: { Name: string; CreationDate: string }[] = root.Buckets.Bucket;
    const own = shown.filter(({ Name }) => Name.startsWith(prefix));
    expect(own.map(({ Name }) => Name)).toEqual(names);
    expect(own[0]?.CreationDate).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

    const paged: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await s3.send(
        new ListBucketsCommand({ Prefix: prefix, MaxBuckets: 1, ContinuationToken }),
      );
      expect(page.Buckets?.length).toBe(1);
      paged.push(page.Buckets?.[0]?.Name);
      ContinuationToken = page.ContinuationToken;
    } while (ContinuationToken !== undefined);
    expect(paged).toEqual(names);
  });
});

describeCore('what S3 knows and this server does not', () => {
  const bucket = useBucket(client);

  const subresources = [
    ['GET', 'replication'],
    ['GET', 'inventory'],
    ['PUT', 'replication'],
    ['DELETE', 'replication'],
  ] as const;
  it.each(subresources)('answers %s ?%s with 501 and names it', async (method, name) => {
    const reply = await send({ method, bucket, query: { [name]: '' } });
    expect(expectError(reply, 501, 'NotImplemented').Message.toLowerCase()).toContain(name);
  });

  it('has no torrent of any object, and shows nobody else that', async () => {
    await send({ method: 'PUT', bucket, key: 'torrent', body: 'x' });
    const call = { method: 'GET', bucket, key: 'torrent', query: { torrent: '' } };
    expectError(await send(call), 404, 'NoSuchKey');
    expectError(await anonymous(call), 403, 'AccessDenied');
  });

  it('has no class from which an object must be restored', async () => {
    const body = '<RestoreRequest><Days>1</Days></RestoreRequest>';
    const restore = { method: 'POST', bucket, key: 'k', query: { restore: '' }, body };
    expectError(await send(restore), 404, 'NoSuchKey');
    await send({ method: 'PUT', bucket, key: 'k', body: 'x' });
    expectError(await send(restore), 403, 'InvalidObjectState');
  });

  it.each([
    ['x-amz-write-offset-bytes', '0'],
    ['if-modified-since', 'Thu, 01 Jan 2026 00:00:00 GMT'],
  ])('answers a PUT with %s with 501, names it and stores nothing', async (name, value) => {
    const reply = await send({
      method: 'PUT',
      bucket,
      key: 'refused',
      body: 'x',
      headers: { [name]: value },
    });
    expect(expectError(reply, 501, 'NotImplemented').Message.toLowerCase()).toContain(name);
    expectError(await send({ method: 'GET', bucket, key: 'refused' }), 404, 'NoSuchKey');
  });

  it('does not know a method of its own', async () => {
    for (const method of ['PATCH', 'PURGE']) {
      expectError(await send({ method, bucket, key: 'k' }), 405, 'MethodNotAllowed');
    }
    expectError(await send({ method: 'POST', bucket, key: 'k' }), 405, 'MethodNotAllowed');
  });
});
