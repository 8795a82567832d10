// Signatures in the Authorization header: what is accepted, and for everything else the right
// refusal, before it matters whether a bucket or a key exists.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { type Call, freshBucketName } from '../kit/clients/client.ts';
import { exchange } from '../kit/clients/http.ts';
import { amzDate, sha256Hex } from '../kit/clients/sign.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';

const { send, anonymous } = client;
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describeCore('a signature', () => {
  const bucket = useBucket(client);
  const get: Call = { method: 'GET', bucket, key: 'missing' };
  const expectAccepted = async (call: Partial<Call>) => {
    expectError(await send({ ...get, ...call }), 404, 'NoSuchKey');
  };

  it.each(['auto', 'us-east-1', 'eu-central-1', 'anything-9'])('may name the region %s', (region) =>
    expectAccepted({ signer: { region } }),
  );

  it('may be 14 minutes old or early', async () => {
    await expectAccepted({ sign: { date: minutesAgo(14) } });
    await expectAccepted({ sign: { date: minutesAgo(-14) } });
  });

  it.each([16, -16, 60 * 24, 60 * 24 * 365])('may not be %i minutes old', async (minutes) => {
    expectError(
      await send({ ...get, sign: { date: minutesAgo(minutes) } }),
      403,
      'RequestTimeTooSkewed',
    );
  });

  it('may cover Date instead of X-Amz-Date', () =>
    expectAccepted({ sign: { useDateHeader: true } }));

  it.each([
    {
      query: [
        ['b', ''],
        ['a b', 'c+d%'],
        ['ü', '日'],
        ['~', '*'],
        ['A', '2'],
        ['a', '1'],
      ],
    },
    {
      query: [
        ['a', '2'],
        ['a', '1'],
        ['a', ''],
      ],
    },
    { query: [['empty', '']], sentQuery: 'empty' },
    { headers: { 'x-amz-meta-x': '  two   spaces  ' } },
    { headers: { 'x-amz-meta-z': '', 'x-amz-meta-a': 'ü', 'content-type': 'a/b; c="d"' } },
  ] as Partial<Call>[])('covers odd query strings and header values: %j', (call) =>
    expectAccepted(call),
  );

  it('is case-sensitive about everything but hex in the query', async () => {
    const query = [['prefix', 'ü/']] as const;
    const reply = await send({ method: 'GET', bucket, query, sentQuery: 'prefix=%c3%bc%2f' });
    expect(reply.status, reply.text).toBe(200);
  });

  it('by a wrong secret does not match, and the answer tells what was signed', async () => {
    const error = expectError(
      await send({ ...get, signer: { secretKey: 'wrong' } }),
      403,
      'SignatureDoesNotMatch',
    );
    expect(error.AWSAccessKeyId).toBe(client.target.accessKey);
    expect(error.StringToSign).toMatch(/^AWS4-HMAC-SHA256\n/);
    expect(error.CanonicalRequest).toMatch(/^GET\n/);
    expect(JSON.stringify(error)).not.toContain(client.target.secretKey);
  });

  it('by an unknown key is refused as such, whether or not the bucket exists', async () => {
    const signer = { accessKey: 'AKIAUNKNOWNUNKNOWN00' };
    expectError(await send({ ...get, signer }), 403, 'InvalidAccessKeyId');
    expectError(
      await send({ ...get, bucket: freshBucketName(), signer }),
      403,
      'InvalidAccessKeyId',
    );
    expectError(await send({ method: 'GET', signer }), 403, 'InvalidAccessKeyId');
  });

  const changes: [string, Partial<Call>][] = [
    ['path', { signedPath: `/${bucket}/another` }],
    ['query', { query: { prefix: 'a' }, sentQuery: 'prefix=b' }],
  ];
  it.each(changes)('does not match another %s', async (_, change) => {
    expectError(await send({ ...get, ...change }), 403, 'SignatureDoesNotMatch');
  });

  it('does not match a changed method, header or body', async () => {
    const { headers, ...rest } = client.prepared({ ...get, headers: { 'x-amz-meta-a': '1' } });
    for (const change of [{ method: 'DELETE' }, { headers: { ...headers, 'x-amz-meta-a': '2' } }]) {
      const changed = await exchange(client.target.url, { ...rest, headers, ...change });
      expectError(changed, 403, 'SignatureDoesNotMatch');
    }
    const put = await send({
      method: 'PUT',
      bucket,
      key: 'k',
      body: 'other',
      payloadHash: sha256Hex('body'),
    });
    expectError(put, 400, 'XAmzContentSHA256Mismatch');
    expectError(await send({ ...get, key: 'k' }), 404, 'NoSuchKey');
  });

  it('must cover every x-amz header', async () => {
    const reply = await send({
      ...get,
      method: 'PUT',
      body: 'x',
      unsignedHeaders: { 'x-amz-meta-a': 'smuggled' },
    });
    expectError(reply, 403, 'AccessDenied');
    expectError(await send(get), 404, 'NoSuchKey');
  });

  it.each([
    ['another service', { service: 'ec2' }],
    ['another day', { scopeDate: '20200101' }],
  ])('for %s is malformed', async (_, sign) => {
    const reply = await send({ ...get, sign });
    expect([400, 403]).toContain(reply.status);
    expect(reply.text).toMatch(
      /<Code>(AuthorizationHeaderMalformed|SignatureDoesNotMatch)<\/Code>/,
    );
  });
});

describeCore('an Authorization header', () => {
  const bucket = useBucket(client);
  const now = amzDate(new Date());
  const scope = `${client.target.accessKey}/${now.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const with64 = 'a'.repeat(64);
  const attempt = (authorization: string, more: Record<string, string> = {}) =>
    anonymous({ method: 'GET', bucket, key: 'k', headers: { authorization, ...more } });

  it.each([
    'AWS4-HMAC-SHA256',
    'AWS4-HMAC-SHA256 ',
    'AWS4-HMAC-SHA256 Credential=x',
    `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host`,
    `AWS4-HMAC-SHA256 Credential=${scope}, Signature=${with64}`,
    `AWS4-HMAC-SHA256 Credential=a/b/c, SignedHeaders=host, Signature=${with64}`,
    `AWS4-HMAC-SHA256 Credential=${client.target.accessKey}/x/us-east-1/s3/aws4_request, ` +
      `SignedHeaders=host, Signature=${with64}`,
    `AWS4-HMAC-SHA256 Credential=${scope.replace('aws4', 'aws5')}, SignedHeaders=host, ` +
      `Signature=${with64}`,
  ])('like %j is malformed', async (authorization) => {
    const reply = await attempt(authorization, {
      'x-amz-date': now,
      'x-amz-content-sha256': with64,
    });
    expect(reply.status).toBe(400);
    expect(reply.text).toMatch(/<Code>(AuthorizationHeaderMalformed|InvalidArgument)<\/Code>/);
  });

  it.each([
    'AWS4-HMAC-SHA1 x',
    'Basic YTpi',
    'Bearer token',
    `AWS ${client.target.accessKey}:c2lnbmF0dXJl`,
  ])('of another kind is refused: %j', async (authorization) => {
    const reply = await attempt(authorization);
    expect([400, 403]).toContain(reply.status);
    expect(reply.text).toMatch(
      /<Code>(InvalidRequest|InvalidArgument|AccessDenied|AuthorizationHeaderMalformed)<\/Code>/,
    );
  });

  it('needs a date', async () => {
    const authorization =
      `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, ` + `Signature=${with64}`;
    for (const more of [{}, { 'x-amz-date': 'yesterday' }] as Record<string, string>[]) {
      const reply = await attempt(authorization, { 'x-amz-content-sha256': with64, ...more });
      expect([400, 403]).toContain(reply.status);
      expect(reply.text).toMatch(
        /<Code>(AccessDenied|AuthorizationHeaderMalformed|MissingSecurityHeader|InvalidRequest)<\/Code>/,
      );
    }
  });

  it('and a signed query are one too many', async () => {
    const target = client.presigned({ method: 'GET', bucket, key: 'k' });
    const headers = {
      host: client.host,
      authorization:
        `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, ` + `Signature=${with64}`,
    };
    expectError(
      await exchange(client.target.url, { method: 'GET', target, headers }),
      400,
      'InvalidArgument',
    );
  });
});

describeCore('nobody in particular', () => {
  const bucket = useBucket(client);

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])(
    'may not %s in a private bucket, existing or not',
    async (method) => {
      await send({ method: 'PUT', bucket, key: 'there', body: 'x' });
      for (const key of ['there', 'missing']) {
        const reply = await anonymous({
          method,
          bucket,
          key,
          ...(method === 'PUT' ? { body: 'y' } : {}),
        });
        if (method === 'HEAD') expect([reply.status, reply.body.length]).toEqual([403, 0]);
        else expectError(reply, 403, 'AccessDenied');
      }
      expect((await send({ method: 'GET', bucket, key: 'there' })).text).toBe('x');
    },
  );

  it('may not list, make or delete buckets, or post to one', async () => {
    const attempts: Call[] = [
      { method: 'GET' },
      { method: 'GET', bucket },
      { method: 'GET', bucket, query: { uploads: '' } },
      { method: 'GET', bucket, query: { acl: '' } },
      { method: 'PUT', bucket: freshBucketName() },
      { method: 'DELETE', bucket },
      {
        method: 'POST',
        bucket,
        query: { delete: '' },
        body: '<Delete><Object><Key>there</Key></Object></Delete>',
      },
      { method: 'POST', bucket, key: 'k', query: { uploads: '' } },
    ];
    // A browser that opens `/` may be shown something else; S3 clients get S3's answer.
    for (const attempt of attempts) expectError(await anonymous(attempt), 403, 'AccessDenied');
  });

  it('is told when a bucket does not exist', async () => {
    expectError(
      await anonymous({ method: 'GET', bucket: freshBucketName(), key: 'k' }),
      404,
      'NoSuchBucket',
    );
  });
});
