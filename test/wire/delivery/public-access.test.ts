// How objects become readable for everybody and stop being it: by policy, by their own ACLs, and by
// the switches that forbid both.
import {
  DeleteBucketPolicyCommand,
  DeletePublicAccessBlockCommand,
  GetBucketPolicyCommand,
  GetBucketPolicyStatusCommand,
  GetPublicAccessBlockCommand,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
  PutObjectAclCommand,
  PutPublicAccessBlockCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { policyOf } from '../../access-samples.ts';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError, expectFailure } from '../kit/clients/xml.ts';
import { eventually } from '../kit/eventually.ts';

const { s3, send, anonymous } = client;

describeCore('a public read', () => {
  const bucket = useBucket(client);
  const read = (key: string, headers: Record<string, string> = {}) =>
    anonymous({ method: 'GET', bucket, key, headers });
  const statusBecomes = async (key: string, status: number, headers: Record<string, string> = {}) =>
    expect(
      (
        await eventually(
          () => read(key, headers),
          (reply) => reply.status === status,
        )
      ).status,
      key,
    ).toBe(status);
  const given = { Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` };
  const rules = (...statements: object[]) => policyOf(given, statements);
  const setPolicy = (Policy: string) =>
    s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));
  const dropPolicy = () => s3.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));

  beforeAll(async () => {
    await send({ method: 'PUT', bucket, key: 'open/a', body: 'a' });
    await send({ method: 'PUT', bucket, key: 'shut/b', body: 'b' });
  });

  it('is let in by a policy, prefix by prefix', async () => {
    await expectFailure(
      s3.send(new GetBucketPolicyCommand({ Bucket: bucket })),
      404,
      'NoSuchBucketPolicy',
    );
    const policy = rules({ Resource: [`arn:aws:s3:::${bucket}/open/*`] });
    await setPolicy(policy);
    await statusBecomes('open/a', 200);
    expectError(await read('shut/b'), 403, 'AccessDenied');
    expectError(await read('shut/missing'), 403, 'AccessDenied');
    expectError(await read('open/missing'), 404, 'NoSuchKey');
    expectError(await anonymous({ method: 'GET', bucket }), 403, 'AccessDenied');
    const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket: bucket }));
    expect(JSON.parse(Policy ?? '')).toEqual(JSON.parse(policy));
    const { PolicyStatus } = await s3.send(new GetBucketPolicyStatusCommand({ Bucket: bucket }));
    expect(PolicyStatus).toEqual({ IsPublic: true });
    await setPolicy(rules({ Principal: { AWS: '*' } }));
    await statusBecomes('shut/b', 200);
    await dropPolicy();
    await statusBecomes('shut/b', 403);
    await statusBecomes('open/a', 403);
  });

  it('is let in by a policy, but for what it denies', async () => {
    await setPolicy(rules({}, { Effect: 'Deny', Resource: `arn:aws:s3:::${bucket}/shut/*` }));
    await statusBecomes('open/a', 200);
    expectError(await read('shut/b'), 403, 'AccessDenied');
    expectError(await read('shut/missing'), 403, 'AccessDenied');
    await dropPolicy();
    await statusBecomes('open/a', 403);
  });

  it('is let in by a policy from the right page, and for no shared cache', async () => {
    await setPolicy(
      rules({ Condition: { StringLike: { 'aws:Referer': 'https://example.com/*' } } }),
    );
    const from = (referer: string) => ({ referer });
    await statusBecomes('open/a', 200, from('https://example.com/page'));
    for (let time = 0; time < 3; time++) {
      const shown = await read('open/a', from('https://example.com/page'));
      expect([shown.status, shown.text, shown.headers['cache-control']]).toEqual([
        200,
        'a',
        'private, no-cache',
      ]);
      expectError(await read('open/a', from('https://example.org/')), 403, 'AccessDenied');
      expectError(await read('open/a'), 403, 'AccessDenied');
    }
    expectError(await read('open/missing', from('https://example.com/')), 404, 'NoSuchKey');
    await dropPolicy();
    await statusBecomes('open/a', 403, from('https://example.com/page'));
  });

  it('is let in by a policy with a pattern, and by where a request comes from', async () => {
    await setPolicy(
      rules(
        { Resource: `arn:aws:s3:::${bucket}/*/a` },
        {
          Effect: 'Deny',
          Condition: { IpAddress: { 'aws:SourceIp': ['127.0.0.0/8', '::1/128'] } },
        },
      ),
    );
    expectError(await read('open/a'), 403, 'AccessDenied');
    await setPolicy(rules({ Resource: `arn:aws:s3:::${bucket}/*/a` }));
    await statusBecomes('open/a', 200);
    expectError(await read('shut/b'), 403, 'AccessDenied');
    await dropPolicy();
    await statusBecomes('open/a', 403);
  });

  it('is let in by the ACL of the object, and not by that of the bucket', async () => {
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' }));
    await eventually(
      () => anonymous({ method: 'GET', bucket }),
      ({ status }) => status === 200,
    );
    expectError(await read('open/a'), 403, 'AccessDenied');
    await s3.send(new PutObjectAclCommand({ Bucket: bucket, Key: 'open/a', ACL: 'public-read' }));
    await statusBecomes('open/a', 200);
    for (let time = 0; time < 3; time++) expect((await read('open/a')).text).toBe('a');
    expectError(await read('shut/b'), 403, 'AccessDenied');
    await s3.send(new PutObjectAclCommand({ Bucket: bucket, Key: 'open/a', ACL: 'private' }));
    await statusBecomes('open/a', 403);
    await send({
      method: 'PUT',
      bucket,
      key: 'open/c',
      body: 'c',
      headers: { 'x-amz-acl': 'public-read' },
    });
    await statusBecomes('open/c', 200);
    await send({ method: 'PUT', bucket, key: 'open/c', body: 'd' });
    await statusBecomes('open/c', 403);
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'private' }));
  });

  it('is refused where public access is blocked', async () => {
    const PublicAccessBlockConfiguration = {
      BlockPublicAcls: true,
      IgnorePublicAcls: true,
      BlockPublicPolicy: true,
      RestrictPublicBuckets: true,
    };
    await openToEveryone(client, bucket);
    await send({
      method: 'PUT',
      bucket,
      key: 'open/e',
      body: 'e',
      headers: { 'x-amz-acl': 'public-read' },
    });
    await statusBecomes('open/a', 200);
    const blocked = () => s3.send(new GetPublicAccessBlockCommand({ Bucket: bucket }));
    await expectFailure(blocked(), 404, 'NoSuchPublicAccessBlockConfiguration');
    await s3.send(
      new PutPublicAccessBlockCommand({ Bucket: bucket, PublicAccessBlockConfiguration }),
    );
    expect((await blocked()).PublicAccessBlockConfiguration).toEqual(
      PublicAccessBlockConfiguration,
    );
    await statusBecomes('open/a', 403);
    await statusBecomes('open/e', 403);
    const refused = s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' }));
    await expectFailure(refused, 403, 'AccessDenied');
    await expectFailure(openToEveryone(client, bucket), 403, 'AccessDenied');
    const headers = { 'x-amz-acl': 'public-read' };
    expectError(
      await send({ method: 'PUT', bucket, key: 'open/f', body: 'f', headers }),
      403,
      'AccessDenied',
    );
    await s3.send(new DeletePublicAccessBlockCommand({ Bucket: bucket }));
    await statusBecomes('open/a', 200);
    await dropPolicy();
    await statusBecomes('open/e', 200);
    await statusBecomes('open/a', 403);
  });

  it.each([
    'no JSON',
    '{}',
    '[]',
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Perhaps', Principal: '*', Action: 's3:GetObject', Resource: '*' }],
    }),
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Principal: '*',
          Action: 's3:GetObject',
          Resource: 'arn:aws:s3:::another-bucket/*',
        },
      ],
    }),
  ])('is not let in by the policy %s', async (policy) => {
    expectError(
      await send({ method: 'PUT', bucket, query: { policy: '' }, body: policy }),
      400,
      'MalformedPolicy',
    );
    expectError(await read('open/a'), 403, 'AccessDenied');
  });

  it('is not let in by an ACL that nobody knows', async () => {
    const headers = { 'x-amz-acl': 'everybody' };
    const unknown = await send({ method: 'PUT', bucket, query: { acl: '' }, headers });
    expectError(unknown, 400, 'InvalidArgument');
    expectError(await read('open/a'), 403, 'AccessDenied');
  });
});
