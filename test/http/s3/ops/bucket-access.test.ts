import { beforeEach, describe, expect, it } from 'vitest';
import { createTestSurface, OWNER, type Reply, type Sent, STRANGER } from '../surface.ts';

let surface = createTestSurface();
const codeOf = ({ status, text }: Reply) => [status, /<Code>(\w+)/.exec(text)?.[1]];
const permissions = (text: string) => [...text.matchAll(/<Permission>(\w+)</g)].map(([, value]) => value);
const send = (sent: Partial<Sent>) => surface.send({ path: '/access', ...sent });
const acl = { query: { acl: '' } };
const policy = { query: { policy: '' } };
const EVERYONE = 'http://acs.amazonaws.com/groups/global/AllUsers';

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT' });
  await send({ method: 'PUT', path: '/access/k', body: 'x' });
});

/** Through the S3 door, which this query keeps a read at. */
const canRead = async (as: 'stranger' | 'nobody', path = '/access/k') =>
  (await send({ path, as, query: { versionId: 'null' } })).status === 200;

describe('PutBucketAcl', () => {
  const put = (sent: Partial<Sent>) => send({ method: 'PUT', ...acl, ...sent });
  const grant = (grantee: string, permission: string) =>
    `<Grant><Grantee>${grantee}</Grantee><Permission>${permission}</Permission></Grant>`;
  const own = grant(`<ID>${OWNER.id}</ID>`, 'FULL_CONTROL');
  const everyone = grant(`<URI>${EVERYONE}</URI>`, 'READ');
  const document = (grants: string, owner: string = OWNER.id) =>
    `<AccessControlPolicy><Owner><ID>${owner}</ID></Owner><AccessControlList>${grants}</AccessControlList></AccessControlPolicy>`;

  it.each([
    ['by header', { headers: { 'x-amz-acl': 'public-read' } }, { headers: { 'x-amz-acl': 'private' } }],
    ['by document', { body: document(own + everyone) }, { body: document(own) }],
  ])('opens a bucket and closes it, %s', async (_, open, close) => {
    expect((await put(open)).status).toBe(200);
    expect([await canRead('nobody'), await canRead('stranger')]).toEqual([true, true]);
    expect(permissions((await send(acl)).text)).toEqual(['FULL_CONTROL', 'READ']);
    expect(permissions((await send({ path: '/access/k', ...acl })).text)).toEqual(['FULL_CONTROL', 'READ']);
    expect((await put(close)).status).toBe(200);
    expect([await canRead('nobody'), await canRead('stranger')]).toEqual([false, false]);
    expect(permissions((await send(acl)).text)).toEqual(['FULL_CONTROL']);
  });

  it('takes back the document that it gives', async () => {
    await put({ headers: { 'x-amz-acl': 'public-read' } });
    const given = (await send(acl)).text;
    await put({ headers: { 'x-amz-acl': 'private' } });
    expect((await put({ body: given })).status).toBe(200);
    expect((await send(acl)).text).toBe(given);
  });

  it.each([
    ['nothing', {}, [400, 'MissingSecurityHeader']],
    ['both', { headers: { 'x-amz-acl': 'private' }, body: document(own) }, [400, 'UnexpectedContent']],
    ['an unknown name', { headers: { 'x-amz-acl': 'open' } }, [400, 'InvalidArgument']],
    ['a name of more', { headers: { 'x-amz-acl': 'authenticated-read' } }, [501, 'NotImplemented']],
    ['no document', { body: '<AccessControlPolicy>' }, [400, 'MalformedXML']],
    ['another owner', { body: document(own, STRANGER.id) }, [403, 'AccessDenied']],
    ['no grant', { body: document('') }, [501, 'NotImplemented']],
    [
      'a grant to somebody',
      { body: document(own + grant(`<ID>${STRANGER.id}</ID>`, 'READ')) },
      [501, 'NotImplemented'],
    ],
    [
      'writing for everyone',
      { body: document(own + grant(`<URI>${EVERYONE}</URI>`, 'WRITE')) },
      [501, 'NotImplemented'],
    ],
    ['everyone without the owner', { body: document(everyone) }, [501, 'NotImplemented']],
    [
      'a grant by mail',
      { body: document(own + grant('<EmailAddress>a@b</EmailAddress>', 'READ')) },
      [501, 'NotImplemented'],
    ],
  ])('refuses %s', async (_, sent, expected) => {
    expect(codeOf(await put(sent))).toEqual(expected);
    expect(await canRead('nobody')).toBe(false);
  });

  it('is the owner’s alone, and so is looking', async () => {
    await put({ headers: { 'x-amz-acl': 'public-read' } });
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await put({ headers: { 'x-amz-acl': 'private' }, as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ ...acl, as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ path: '/access/k', ...acl, as }))).toEqual([403, 'AccessDenied']);
    }
    expect(codeOf(await send({ path: '/access/none', ...acl }))).toEqual([404, 'NoSuchKey']);
  });
});

describe('the bucket policy', () => {
  const json = (prefix: string) =>
    JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::access/${prefix}*` },
      ],
    });
  const put = (body: string, more: Partial<Sent> = {}) => send({ method: 'PUT', ...policy, body, ...more });

  it('opens a prefix, is given back as it came, and can be taken away', async () => {
    await send({ method: 'PUT', path: '/access/open/k', body: 'x' });
    expect((await put(json('open/'))).status).toBe(204);
    expect([await canRead('nobody', '/access/open/k'), await canRead('nobody')]).toEqual([true, false]);
    const given = await send(policy);
    expect([given.status, given.headers['content-type'], given.text]).toEqual([200, 'application/json', json('open/')]);
    expect((await send({ method: 'DELETE', ...policy })).status).toBe(204);
    expect(await canRead('nobody', '/access/open/k')).toBe(false);
    expect(codeOf(await send(policy))).toEqual([404, 'NoSuchBucketPolicy']);
    expect((await send({ method: 'DELETE', ...policy })).status).toBe(204);
  });

  it('and the ACL leave each other alone', async () => {
    await put(json(''));
    await send({ method: 'PUT', ...acl, headers: { 'x-amz-acl': 'public-read' } });
    expect((await send(policy)).text).toBe(json(''));
    await send({ method: 'DELETE', ...policy });
    expect(permissions((await send(acl)).text)).toEqual(['FULL_CONTROL', 'READ']);
  });

  it.each([
    ['no JSON', 'no', [400, 'MalformedPolicy']],
    ['nothing', '', [400, 'MalformedPolicy']],
    ['a denial', json('').replace('Allow', 'Deny'), [501, 'NotImplemented']],
    ['too much', `${' '.repeat(20 * 1024)}${json('')}`, [400, 'MaxMessageLengthExceeded']],
  ])('is not %s', async (_, body, expected) => {
    await put(json('open/'));
    expect(codeOf(await put(body))).toEqual(expected);
    expect((await send(policy)).text).toBe(json('open/'));
  });

  it('is not bytes that are no text, and not with a wrong digest', async () => {
    expect(codeOf(await send({ method: 'PUT', ...policy, body: new Uint8Array([0xff, 0xfe]) }))).toEqual([
      400,
      'MalformedPolicy',
    ]);
    const headers = { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' };
    expect(codeOf(await put(json(''), { headers }))).toEqual([400, 'BadDigest']);
  });

  it('is the owner’s alone', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(codeOf(await send({ method, ...policy, as: 'stranger' }))).toEqual([403, 'AccessDenied']);
    }
  });
});
