// Public delivery: what a stranger gets of a bucket that everybody may read, in which headers, and
// what not.
import { GetBucketAclCommand, PutBucketAclCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { md5Hex } from '../kit/reference-checksums.ts';

const { s3, send, anonymous } = client;

const BODY = sampleBytes(300_000, 61);

describeCore('a public bucket', () => {
  const bucket = useBucket(client);
  const read = (key: string, headers: Record<string, string> = {}, method = 'GET') =>
    anonymous({ method, bucket, key, headers });

  beforeAll(async () => {
    await openToEveryone(client, bucket);
    await s3.send(new PutBucketAclCommand({ Bucket: bucket, ACL: 'public-read' }));
    await send({
      method: 'PUT',
      bucket,
      key: 'ü/a b+c.css',
      body: 'p {}',
      headers: { 'x-amz-meta-a': 'b' },
    });
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
    const reply = await read('ü/a b+c.css');
    expect([reply.status, reply.text]).toEqual([200, 'p {}']);
    expect(reply.headers).toMatchObject({
      etag: `"${md5Hex(Buffer.from('p {}'))}"`,
      'accept-ranges': 'bytes',
      'content-length': '4',
      'x-amz-meta-a': 'b',
    });
    expect(reply.headers['content-type']).toMatch(/^text\/css/);
    expect(reply.headers['last-modified']).toMatch(/GMT$/);
    expect(reply.headers['cache-control']).toMatch(/\S/);
    expect(reply.headers['x-amz-request-id']).toMatch(/\S/);
    const own = await read('own');
    expect(own.headers).toMatchObject({
      'cache-control': 'max-age=7',
      'content-type': 'text/x-own',
    });
  });

  it('knows the type of a page', async () => {
    await send({ method: 'PUT', bucket, key: 'page.html', body: '<p>' });
    // No length here: wrangler dev rewrites pages, and then cannot know it; somebody may point the
    // suite at one.
    const { headers, text } = await read('page.html');
    expect(headers['content-type']).toMatch(/^text\/html/);
    expect(text).toBe('<p>');
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

  it(
    'says in Cache-Status where an answer came from, ' +
      'and keeps near what is asked for again and again',
    async () => {
      await send({ method: 'PUT', bucket, key: 'hot', body: BODY });
      let reply = await read('hot');
      expect(reply.headers['cache-status']).toMatch(/^[\w-]+; (hit|fwd=[\w-]+)/);
      // A full memory takes nothing that was asked for only once.
      for (let time = 0; time < 10 && !/; hit/.test(reply.headers['cache-status'] ?? ''); time++)
        reply = await read('hot');
      expect(reply.headers['cache-status']).toMatch(/; hit/);
      expect(reply.body.equals(BODY)).toBe(true);
    },
  );

  it('serves ranges and conditions, cold and hot', async () => {
    for (let time = 0; time < 2; time++) {
      const part = await read('big.bin', { range: 'bytes=1000-1999' });
      expect([part.status, part.headers['content-range']]).toEqual([
        206,
        `bytes 1000-1999/${BODY.length}`,
      ]);
      expect(part.body.equals(BODY.subarray(1000, 2000))).toBe(true);
      const last = await read('big.bin', { range: 'bytes=-10' });
      expect(last.body.equals(BODY.subarray(-10))).toBe(true);
      expectError(await read('big.bin', { range: `bytes=${BODY.length}-` }), 416, 'InvalidRange');
      const etag = `"${md5Hex(BODY)}"`;
      const unchanged = await read('big.bin', { 'if-none-match': etag });
      expect([unchanged.status, unchanged.body.length, unchanged.headers.etag]).toEqual([
        304,
        0,
        etag,
      ]);
      expectError(await read('big.bin', { 'if-match': '"else"' }), 412, 'PreconditionFailed');
      const since = { 'if-modified-since': unchanged.headers['last-modified'] ?? '' };
      expect((await read('big.bin', since)).status).toBe(304);
    }
  });

  it('lets a stranger list, for its ACL says READ, and nothing else', async () => {
    expect(
      (await anonymous({ method: 'GET', bucket, query: { 'list-type': '2' } })).text,
    ).toContain('<Key>own</Key>');
    expectError(await read('missing'), 404, 'NoSuchKey');
    const head = await read('missing', {}, 'HEAD');
    expect([head.status, head.headers['cache-status']]).toEqual([
      404,
      expect.stringMatching(/^quayside-memory; /),
    ]);
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
    expectError(
      await anonymous({ method: 'GET', bucket, key: 'own', query }),
      400,
      'InvalidRequest',
    );
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
