// Browser form uploads: policies signed in both ways, what a form may say, and what its answer
// looks like.
import { createHmac } from 'node:crypto';
import { GetObjectCommand, HeadObjectCommand, PutBucketAclCommand } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { xmlRoot } from '../../kit/clients/xml.ts';
import { eventually } from '../../kit/eventually.ts';
import { md5Hex } from '../../kit/reference-checksums.ts';

const { s3, target } = client;
const hmac = (key: string | Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest();

type Fields = Readonly<Record<string, string>>;

/** The fields of a form whose policy allows just them, signed with Signature Version 4. */
function signed(bucket: string, fields: Fields, extra: unknown[] = []): Fields {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const credential = `${target.accessKey}/${day}/us-east-1/s3/aws4_request`;
  const all = {
    ...fields,
    'x-amz-algorithm': 'AWS4-HMAC-SHA256',
    'x-amz-credential': credential,
    'x-amz-date': `${day}T000000Z`,
  };
  const conditions = [
    { bucket },
    ...Object.entries(all).map(([name, value]) => ({ [name]: value })),
    ...extra,
  ];
  const expiration = new Date(Date.now() + 600_000).toISOString();
  const policy = Buffer.from(JSON.stringify({ expiration, conditions })).toString('base64');
  const key = [day, 'us-east-1', 's3', 'aws4_request'].reduce<Buffer>(
    (secret, text) => hmac(secret, text),
    Buffer.from(`AWS4${target.secretKey}`),
  );
  return { ...all, policy, 'x-amz-signature': hmac(key, policy).toString('hex') };
}

async function post(
  bucket: string,
  fields: Fields,
  body: Uint8Array | string,
  fileName = 'file.txt',
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append(
    'file',
    new Blob([typeof body === 'string' ? body : new Uint8Array(body)], { type: 'text/x-form' }),
    fileName,
  );
  const reply = await fetch(`${target.url}/${bucket}`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
  });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

describeCore('PostObject', () => {
  const bucket = useBucket(client);
  const bodyOf = async (Key: string) =>
    (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToByteArray();

  it('stores the file, with headers and metadata of the form', async () => {
    const fields = {
      key: ['dir/$', '{filename}'].join(''),
      'Content-Type': 'text/x-own',
      'x-amz-meta-who': 'me',
      'Cache-Control': 'no-cache',
    };
    const { key: _, ...rest } = fields;
    const reply = await post(
      bucket,
      { ...signed(bucket, rest, [['starts-with', '$key', 'dir/']]), key: fields.key },
      'hello',
      'ü.txt',
    );
    expect(reply.status, reply.text).toBe(204);
    expect(reply.headers.get('etag')).toBe(`"${md5Hex(Buffer.from('hello'))}"`);
    const head = await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: 'dir/ü.txt' }));
    expect(head).toMatchObject({
      ContentType: 'text/x-own',
      CacheControl: 'no-cache',
      Metadata: { who: 'me' },
      ContentLength: 5,
    });
  });

  it.each([0, 1, 16 * 1024, 16 * 1024 + 1, 3_000_001])(
    'stores %i bytes as they are',
    async (sizeBytes) => {
      const body = sampleBytes(sizeBytes, 3);
      const reply = await post(bucket, signed(bucket, { key: `size-${sizeBytes}` }), body);
      expect(reply.status, reply.text).toBe(204);
      expect(Buffer.from((await bodyOf(`size-${sizeBytes}`)) ?? []).equals(body)).toBe(true);
    },
  );

  it('takes the type from the field that the policy checks, not from the file part', async () => {
    const typeOf = async (Key: string) =>
      (await s3.send(new HeadObjectCommand({ Bucket: bucket, Key }))).ContentType;
    const unnamed = await post(
      bucket,
      signed(bucket, { key: 'page.html', acl: 'public-read' }),
      '<p>',
    );
    expect(unnamed.status, unnamed.text).toBe(204);
    expect(await typeOf('page.html')).toBe('binary/octet-stream');
    const read = await eventually(
      () => client.anonymous({ method: 'GET', bucket, key: 'page.html' }),
      ({ status }) => status === 200,
    );
    expect(read.headers['content-type']).toBe('binary/octet-stream');
    const smuggled = await post(
      bucket,
      { ...signed(bucket, { key: 'never' }), 'Content-Type': 'text/html' },
      '<p>',
    );
    expect([smuggled.status, xmlRoot(smuggled.text, 'Error').Code]).toEqual([403, 'AccessDenied']);
    const named = signed(bucket, { key: 'typed' }, [['starts-with', '$Content-Type', 'image/']]);
    expect((await post(bucket, named, 'x')).status).toBe(403);
    expect((await post(bucket, { ...named, 'Content-Type': 'image/png' }, 'x')).status).toBe(204);
    expect(await typeOf('typed')).toBe('image/png');
  });

  it('answers as the form asks', async () => {
    const done = md5Hex(Buffer.from('x'));
    const created = await post(
      bucket,
      signed(bucket, { key: 'a b', success_action_status: '201' }),
      'x',
    );
    expect(created.status).toBe(201);
    const document = xmlRoot(created.text, 'PostResponse');
    expect([document.Bucket, document.Key, document.ETag]).toEqual([bucket, 'a b', `"${done}"`]);
    expect(document).not.toHaveProperty('@xmlns');
    expect(document.Location).toBe(`${target.url}/${bucket}/a%20b`);
    const page = 'https://example.com/done?n=1';
    const redirected = await post(
      bucket,
      signed(bucket, { key: 'r', success_action_redirect: page }),
      'x',
    );
    expect(redirected.status).toBe(303);
    expect(redirected.headers.get('location')).toBe(
      `${page}&bucket=${bucket}&key=r&etag=%22${done}%22`,
    );
    const odd = await post(bucket, signed(bucket, { key: 'r', success_action_status: '404' }), 'x');
    expect(odd.status).toBe(204);
  });

  it('takes policies that are signed the older way', async () => {
    const document = {
      expiration: new Date(Date.now() + 600_000).toISOString(),
      conditions: [{ bucket }, { key: 'old' }],
    };
    const policy = Buffer.from(JSON.stringify(document)).toString('base64');
    const signature = createHmac('sha1', target.secretKey).update(policy).digest('base64');
    const reply = await post(
      bucket,
      { key: 'old', AWSAccessKeyId: target.accessKey, policy, signature },
      'x',
    );
    expect(reply.status, reply.text).toBe(204);
  });

  it('gives the object the ACL that the form names', async () => {
    for (const [acl, status] of [
      ['public-read', 200],
      ['private', 403],
    ] as const) {
      expect((await post(bucket, signed(bucket, { key: 'listed', acl }), 'x')).status).toBe(204);
      const read = await eventually(
        () => client.anonymous({ method: 'GET', bucket, key: 'listed' }),
        (reply) => reply.status === status,
      );
      expect(read.status).toBe(status);
    }
    const odd = await post(bucket, signed(bucket, { key: 'listed', acl: 'nobody' }), 'x');
    expect([odd.status, xmlRoot(odd.text, 'Error').Code]).toEqual([400, 'InvalidArgument']);
  });

  it('is for everybody where everybody may write', async () => {
    const write = () => post(bucket, { key: 'anyones', acl: 'public-read' }, 'x');
    expect((await write()).status).toBe(403);
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read-write' }));
    expect((await write()).status).toBe(204);
    expect((await client.anonymous({ method: 'GET', bucket, key: 'anyones' })).text).toBe('x');
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'private' }));
  });

  it('refuses what the policy does not allow, and stores nothing', async () => {
    const good = signed(bucket, { key: 'never' }, [['content-length-range', 1, 10]]);
    const refusals: [Fields, string, number, string][] = [
      [{ key: 'never' }, 'x', 403, 'AccessDenied'],
      [{ ...good, acl: 'public-read' }, 'x', 403, 'AccessDenied'],
      [{ ...good, key: 'never2' }, 'x', 403, 'AccessDenied'],
      [{ ...good, 'x-amz-signature': '0'.repeat(64) }, 'x', 403, 'SignatureDoesNotMatch'],
      [
        { ...good, 'x-amz-credential': `nobody/20260101/us-east-1/s3/aws4_request` },
        'x',
        403,
        'InvalidAccessKeyId',
      ],
      [good, 'x'.repeat(11), 400, 'EntityTooLarge'],
      [good, '', 400, 'EntityTooSmall'],
      [
        { ...good, 'x-amz-checksum-sha256': Buffer.alloc(32).toString('base64') },
        'x',
        400,
        'BadDigest',
      ],
    ];
    for (const [fields, body, status, code] of refusals) {
      const reply = await post(bucket, fields, body);
      expect([reply.status, xmlRoot(reply.text, 'Error').Code], reply.text).toEqual([status, code]);
    }
    await expect(bodyOf('never')).rejects.toMatchObject({ name: 'NoSuchKey' });
  });

  it('wants a form', async () => {
    const reply = await client.anonymous({ method: 'POST', bucket, body: 'x' });
    expect([reply.status, xmlRoot(reply.text, 'Error').Code]).toEqual([412, 'PreconditionFailed']);
  });
});
