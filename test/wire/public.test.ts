// Public delivery: how a bucket becomes readable for everybody and stops being it, what a stranger gets and what not,
// and how fresh it is after a write. On Node nothing may ever be stale; elsewhere no longer than the target says.
import {
  DeleteBucketPolicyCommand,
  GetBucketAclCommand,
  GetBucketPolicyCommand,
  PutBucketAclCommand,
  PutBucketPolicyCommand,
} from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeBucket, useBucket } from './bucket.ts';
import { freshBucketName, sampleBytes } from './client.ts';
import type { Reply } from './http.ts';
import { md5Hex } from './reference-checksums.ts';
import { client, describeCore } from './suite.ts';
import { expectError, expectFailure } from './xml.ts';

const { s3, send, anonymous, target } = client;

/** Time that a slow machine may add to the bound. */
const SLACK_MS = 5000;
const POLL_MS = 200;

/** Reads until the answer is right: at once on Node, within the bound of the target elsewhere. */
async function eventually(read: () => Promise<Reply>, isRight: (reply: Reply) => boolean): Promise<Reply> {
  const endsAtMs = performance.now() + target.stalenessSeconds * 1000 + SLACK_MS;
  for (;;) {
    const reply = await read();
    if (isRight(reply) || target.stalenessSeconds === 0 || performance.now() > endsAtMs) return reply;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const BODY = sampleBytes(300_000, 61);

describeCore('a public bucket', () => {
  const bucket = useBucket(client);
  const read = (key: string, headers: Record<string, string> = {}, method = 'GET') =>
    anonymous({ method, bucket, key, headers });

  beforeAll(async () => {
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' }));
    await send({ method: 'PUT', bucket, key: 'ü/a b+c.html', body: '<p>', headers: { 'x-amz-meta-a': 'b' } });
    await send({ method: 'PUT', bucket, key: 'big.bin', body: BODY });
    await send({
      method: 'PUT',
      bucket,
      key: 'own',
      body: 'x',
      headers: { 'cache-control': 'max-age=7', 'content-type': 'text/x-own' },
    });
    await send({ method: 'PUT', bucket, key: 'empty' });
  });

  it('shows objects to everybody, with all that caches need', async () => {
    const reply = await read('ü/a b+c.html');
    expect([reply.status, reply.text]).toEqual([200, '<p>']);
    expect(reply.headers).toMatchObject({
      etag: `"${md5Hex(Buffer.from('<p>'))}"`,
      'accept-ranges': 'bytes',
      'content-length': '3',
      'x-amz-meta-a': 'b',
    });
    expect(reply.headers['content-type']).toMatch(/^text\/html/);
    expect(reply.headers['last-modified']).toMatch(/GMT$/);
    expect(reply.headers['cache-control']).toMatch(/\S/);
    expect(reply.headers['x-amz-request-id']).toMatch(/\S/);
    const own = await read('own');
    expect(own.headers).toMatchObject({ 'cache-control': 'max-age=7', 'content-type': 'text/x-own' });
  });

  it('answers HEAD as GET without the body', async () => {
    for (const key of ['big.bin', 'empty']) {
      const get = await read(key);
      const head = await read(key, {}, 'HEAD');
      expect([head.status, head.body.length]).toEqual([200, 0]);
      for (const name of [
        'etag',
        'content-length',
        'content-type',
        'last-modified',
        'cache-control',
        'accept-ranges',
      ]) {
        expect(head.headers[name], name).toBe(get.headers[name]);
      }
    }
  });

  it('says in Cache-Status where an answer came from, and finds it near the second time', async () => {
    await send({ method: 'PUT', bucket, key: 'twice', body: BODY });
    const first = await read('twice');
    expect(first.headers['cache-status']).toMatch(/^[\w-]+; (hit|fwd=[\w-]+)/);
    const again = await eventually(
      () => read('twice'),
      (reply) => /; hit/.test(reply.headers['cache-status'] ?? ''),
    );
    expect(again.headers['cache-status']).toMatch(/; hit/);
    expect(again.body.equals(BODY)).toBe(true);
  });

  it('serves ranges and conditions, cold and hot', async () => {
    for (let time = 0; time < 2; time++) {
      const part = await read('big.bin', { range: 'bytes=1000-1999' });
      expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 1000-1999/${BODY.length}`]);
      expect(part.body.equals(BODY.subarray(1000, 2000))).toBe(true);
      const last = await read('big.bin', { range: 'bytes=-10' });
      expect(last.body.equals(BODY.subarray(-10))).toBe(true);
      expectError(await read('big.bin', { range: `bytes=${BODY.length}-` }), 416, 'InvalidRange');
      const etag = `"${md5Hex(BODY)}"`;
      const unchanged = await read('big.bin', { 'if-none-match': etag });
      expect([unchanged.status, unchanged.body.length, unchanged.headers.etag]).toEqual([304, 0, etag]);
      expectError(await read('big.bin', { 'if-match': '"else"' }), 412, 'PreconditionFailed');
      const since = { 'if-modified-since': unchanged.headers['last-modified'] ?? '' };
      expect((await read('big.bin', since)).status).toBe(304);
    }
  });

  it('lets a stranger list, for its ACL says READ, and nothing else', async () => {
    expect((await anonymous({ method: 'GET', bucket, query: { 'list-type': '2' } })).text).toContain('<Key>own</Key>');
    expectError(await read('missing'), 404, 'NoSuchKey');
    expect((await read('missing', {}, 'HEAD')).status).toBe(404);
    for (const call of [
      { method: 'PUT', bucket, key: 'own', body: 'y' },
      { method: 'DELETE', bucket, key: 'own' },
      { method: 'POST', bucket, key: 'own', query: { uploads: '' } },
      { method: 'GET', bucket, query: { acl: '' } },
      { method: 'GET', bucket, query: { policy: '' } },
      { method: 'PUT', bucket, query: { acl: '' }, headers: { 'x-amz-acl': 'private' } },
    ]) {
      expectError(await anonymous(call), 403, 'AccessDenied');
    }
    expect((await read('own')).text).toBe('x');
  });

  it('overrides no headers for strangers', async () => {
    const query = { 'response-content-type': 'text/html' };
    expectError(await anonymous({ method: 'GET', bucket, key: 'own', query }), 400, 'InvalidRequest');
  });

  it('tells its ACL to the owner', async () => {
    const { Grants, Owner } = await s3.send(new GetBucketAclCommand({ Bucket: bucket }));
    expect(Owner?.ID).toMatch(/\S/);
    expect(Grants).toContainEqual({
      Grantee: { Type: 'Group', URI: 'http://acs.amazonaws.com/groups/global/AllUsers' },
      Permission: 'READ',
    });
  });
});

describeCore('freshness', () => {
  const bucket = useBucket(client);
  const read = (key: string) => anonymous({ method: 'GET', bucket, key });
  beforeAll(() => s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' })));

  it.each([10, 100_000])('of overwrites, with bodies of %i bytes', async (size) => {
    const rounds = target.stalenessSeconds === 0 ? 25 : 2;
    const key = `over-${size}`;
    for (let round = 0; round < rounds; round++) {
      const body = `${round} `.repeat(size).slice(0, size);
      await send({ method: 'PUT', bucket, key, body });
      const reply = await eventually(
        () => read(key),
        ({ text }) => text === body,
      );
      expect(reply.text === body, `round ${round}, got ${reply.text.slice(0, 20)}`).toBe(true);
      expect(reply.headers.etag).toBe(`"${md5Hex(Buffer.from(body))}"`);
    }
  });

  it('of deletions and first writes', async () => {
    expectError(await read('comes'), 404, 'NoSuchKey');
    await send({ method: 'PUT', bucket, key: 'comes', body: 'here' });
    expect(
      (
        await eventually(
          () => read('comes'),
          ({ status }) => status === 200,
        )
      ).text,
    ).toBe('here');
    await send({ method: 'DELETE', bucket, key: 'comes' });
    expectError(
      await eventually(
        () => read('comes'),
        ({ status }) => status === 404,
      ),
      404,
      'NoSuchKey',
    );
  });

  it('of copies and metadata: equal bytes never bring old headers', async () => {
    const put = (type: string) =>
      send({ method: 'PUT', bucket, key: 'typed', body: 'same', headers: { 'content-type': type } });
    for (const type of ['text/x-one', 'text/x-two']) {
      await put(type);
      const reply = await eventually(
        () => read('typed'),
        ({ headers }) => headers['content-type'] === type,
      );
      expect(reply.headers['content-type']).toBe(type);
    }
  });

  it('never mixes an old ETag with new bytes', async () => {
    let isDone = false;
    const bodyOf = (round: number) => `${round} `.repeat(30_000);
    const valid = new Map<string, string>();
    for (let round = 0; round < 20; round++) valid.set(`"${md5Hex(Buffer.from(bodyOf(round)))}"`, bodyOf(round));
    await send({ method: 'PUT', bucket, key: 'mix', body: bodyOf(0) });
    const reader = async () => {
      while (!isDone) {
        const { headers, text } = await read('mix');
        expect(valid.get(headers.etag ?? '') === text, headers.etag).toBe(true);
      }
    };
    const readers = [reader(), reader(), reader()];
    for (let round = 1; round < 20; round++) await send({ method: 'PUT', bucket, key: 'mix', body: bodyOf(round) });
    isDone = true;
    await Promise.all(readers);
  });
});

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
