// How a bucket becomes readable for everybody and stops being it: canned ACLs and policies, and those that it refuses.
import {
  DeleteBucketPolicyCommand,
  GetBucketPolicyCommand,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useBucket } from './bucket.ts';
import { removeBucket } from './bucket-work.ts';
import { freshBucketName } from './client.ts';
import { eventually } from './eventually.ts';
import { client, describeCore } from './suite.ts';
import { expectError, expectFailure } from './xml.ts';

const { s3, send, anonymous } = client;

describeCore('opening and closing', () => {
  const bucket = useBucket(client);
  const read = (key: string) => anonymous({ method: 'GET', bucket, key });
  const statusBecomes = async (key: string, status: number) =>
    expect(
      (
        await eventually(
          () => read(key),
          (reply) => reply.status === status,
        )
      ).status,
      key,
    ).toBe(status);
  const policyFor = (resources: string[], principal: unknown = '*') =>
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [{ Effect: 'Allow', Principal: principal, Action: 's3:GetObject', Resource: resources }],
    });
  const setPolicy = (Policy: string) => s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy }));

  beforeAll(async () => {
    await send({ method: 'PUT', bucket, key: 'open/a', body: 'a' });
    await send({ method: 'PUT', bucket, key: 'shut/b', body: 'b' });
  });

  it('by ACL, whole', async () => {
    expectError(await read('open/a'), 403, 'AccessDenied');
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' }));
    await statusBecomes('open/a', 200);
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'private' }));
    await statusBecomes('open/a', 403);
  });

  it('by policy, prefix by prefix', async () => {
    await expectFailure(s3.send(new GetBucketPolicyCommand({ Bucket: bucket })), 404, 'NoSuchBucketPolicy');
    const policy = policyFor([`arn:aws:s3:::${bucket}/open/*`]);
    await setPolicy(policy);
    await statusBecomes('open/a', 200);
    expectError(await read('shut/b'), 403, 'AccessDenied');
    expectError(await read('shut/missing'), 403, 'AccessDenied');
    expectError(await anonymous({ method: 'GET', bucket }), 403, 'AccessDenied');
    const { Policy } = await s3.send(new GetBucketPolicyCommand({ Bucket: bucket }));
    expect(JSON.parse(Policy ?? '')).toEqual(JSON.parse(policy));
    await setPolicy(policyFor([`arn:aws:s3:::${bucket}/*`], { AWS: '*' }));
    await statusBecomes('shut/b', 200);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
    await statusBecomes('shut/b', 403);
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
        { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::another-bucket/*' },
      ],
    }),
  ])('not by the policy %s', async (policy) => {
    expectError(await send({ method: 'PUT', bucket, query: { policy: '' }, body: policy }), 400, 'MalformedPolicy');
    expectError(await read('open/a'), 403, 'AccessDenied');
  });

  it('not by a policy that this server cannot enforce', async () => {
    const conditional = JSON.parse(policyFor([`arn:aws:s3:::${bucket}/*`]));
    conditional.Statement[0].Condition = { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } };
    const reply = await send({ method: 'PUT', bucket, query: { policy: '' }, body: JSON.stringify(conditional) });
    expectError(reply, 501, 'NotImplemented');
    expectError(await read('open/a'), 403, 'AccessDenied');
  });

  it('not by an ACL that gives more than reading', async () => {
    for (const acl of ['public-read-write', 'authenticated-read']) {
      const reply = await send({ method: 'PUT', bucket, query: { acl: '' }, headers: { 'x-amz-acl': acl } });
      expectError(reply, 501, 'NotImplemented');
    }
    const unknown = await send({ method: 'PUT', bucket, query: { acl: '' }, headers: { 'x-amz-acl': 'everybody' } });
    expectError(unknown, 400, 'InvalidArgument');
    expectError(await read('open/a'), 403, 'AccessDenied');
  });
});

describeCore('a bucket made public at its creation', () => {
  const bucket = freshBucketName();
  afterAll(() => removeBucket(client, bucket));

  it('is', async () => {
    expect((await send({ method: 'PUT', bucket, headers: { 'x-amz-acl': 'public-read' } })).status).toBe(200);
    await send({ method: 'PUT', bucket, key: 'k', body: 'x' });
    expect((await anonymous({ method: 'GET', bucket, key: 'k' })).text).toBe('x');
  });
});
