import { beforeEach, describe, expect, it } from 'vitest';
import { setBucketAccess } from '../../../../../src/core/buckets/set-bucket-access.ts';
import { openBucket } from '../../../../../src/core/opened-bucket/bucket-handle.ts';
import type { BucketName } from '../../../../../src/domain/nouns.ts';
import { policyOf, publicPolicy } from '../../../../access-samples.ts';
import { codeOf, contentMd5 } from '../../kit/responses.ts';
import { createTestSurface, type Sent, STRANGER } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Partial<Sent>) => surface.send({ path: '/ruled', ...sent });
const policy = { query: { policy: '' } };
const put = (body: string, more: Partial<Sent> = {}) =>
  send({ method: 'PUT', ...policy, body, ...more });
const isPublic = async () =>
  /<IsPublic>(\w+)</.exec((await send({ query: { policyStatus: '' } })).text)?.[1];

/** A policy of statements about the bucket and its objects, for the stranger. */
const rules = (...statements: object[]) =>
  policyOf(
    {
      Principal: { AWS: `arn:aws:iam::${STRANGER.id}:root` },
      Resource: ['arn:aws:s3:::ruled', 'arn:aws:s3:::ruled/*'],
    },
    statements,
  );

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT' });
  await send({ method: 'PUT', path: '/ruled/k', body: 'x' });
});

describe('the bucket policy', () => {
  it('is given back as it came, and can be taken away', async () => {
    const json = publicPolicy('ruled', 'open/');
    expect((await put(json)).status).toBe(204);
    const given = await send(policy);
    expect([given.status, given.headers['content-type'], given.text]).toEqual([
      200,
      'application/json',
      json,
    ]);
    expect((await send({ method: 'DELETE', ...policy })).status).toBe(204);
    expect(codeOf(await send(policy))).toEqual([404, 'NoSuchBucketPolicy']);
    expect((await send({ method: 'DELETE', ...policy })).status).toBe(204);
  });

  it('and the ACL leave each other alone', async () => {
    const json = publicPolicy('ruled');
    await put(json);
    await send({ method: 'PUT', query: { acl: '' }, headers: { 'x-amz-acl': 'public-read' } });
    expect((await send(policy)).text).toBe(json);
    await send({ method: 'DELETE', ...policy });
    expect((await send({ query: { acl: '' } })).text).toContain('<Permission>READ</Permission>');
  });

  it.each([
    ['no JSON', 'no', [400, 'MalformedPolicy']],
    ['nothing', '', [400, 'MalformedPolicy']],
    ['about another bucket', publicPolicy('other'), [400, 'MalformedPolicy']],
    [
      'too much',
      `${' '.repeat(20 * 1024)}${publicPolicy('ruled')}`,
      [400, 'MaxMessageLengthExceeded'],
    ],
  ])('is not %s', async (_, body, expected) => {
    const json = publicPolicy('ruled', 'open/');
    await put(json);
    expect(codeOf(await put(body))).toEqual(expected);
    expect((await send(policy)).text).toBe(json);
  });

  it('is not bytes that are no text, and not with a wrong digest', async () => {
    expect(
      codeOf(await send({ method: 'PUT', ...policy, body: new Uint8Array([0xff, 0xfe]) })),
    ).toEqual([400, 'MalformedPolicy']);
    const headers = { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' };
    expect(codeOf(await put(publicPolicy('ruled'), { headers }))).toEqual([400, 'BadDigest']);
  });

  it('is the owner’s alone, even where it says otherwise', async () => {
    const all = ['GET', 'PUT', 'DELETE'] as const;
    for (const method of all)
      expect(codeOf(await send({ method, ...policy, as: 'stranger' }))[0]).toBe(403);
    await put(rules({ Action: 's3:*' }));
    for (const method of all)
      expect(codeOf(await send({ method, ...policy, as: 'stranger' }))[0]).toBe(405);
  });
});

describe('a policy', () => {
  it.each<[string, string | string[], Partial<Sent>]>([
    ['listing', 's3:ListBucket', {}],
    ['looking at the bucket', 's3:ListBucket', { method: 'HEAD' }],
    ['reading', 's3:GetObject', { path: '/ruled/k' }],
    [
      'reading a version',
      's3:GetObjectVersion',
      { path: '/ruled/k', query: { versionId: 'null' } },
    ],
    [
      'attributes',
      's3:GetObjectAttributes',
      {
        path: '/ruled/k',
        query: { attributes: '' },
        headers: { 'x-amz-object-attributes': 'ETag' },
      },
    ],
    ['writing', 's3:PutObject', { method: 'PUT', path: '/ruled/new', body: 'y' }],
    [
      'copying here',
      ['s3:PutObject', 's3:GetObject'],
      { method: 'PUT', path: '/ruled/c', headers: { 'x-amz-copy-source': '/ruled/k' } },
    ],
    ['deleting', 's3:DeleteObject', { method: 'DELETE', path: '/ruled/k' }],
    [
      'deleting a version',
      's3:DeleteObjectVersion',
      { method: 'DELETE', path: '/ruled/k', query: { versionId: 'null' } },
    ],
    [
      'beginning an upload',
      's3:PutObject',
      { method: 'POST', path: '/ruled/mp', query: { uploads: '' } },
    ],
    ['listing uploads', 's3:ListBucketMultipartUploads', { query: { uploads: '' } }],
    ['listing versions', 's3:ListBucketVersions', { query: { versions: '' } }],
    ['the list', 's3:GetBucketAcl', { query: { acl: '' } }],
    ['the list of an object', 's3:GetObjectAcl', { path: '/ruled/k', query: { acl: '' } }],
    [
      'setting it',
      's3:PutObjectAcl',
      { method: 'PUT', path: '/ruled/k', query: { acl: '' }, headers: { 'x-amz-acl': 'private' } },
    ],
    ['the status', 's3:GetBucketPolicyStatus', { query: { policyStatus: '' } }],
    ['the place', 's3:GetBucketLocation', { query: { location: '' } }],
  ])('opens to a stranger what it allows: %s', async (_, action, sent) => {
    const asStranger = () => send({ ...sent, as: 'stranger' });
    expect((await asStranger()).status).toBe(403);
    await put(rules({ Action: 's3:PutBucketCORS' }));
    expect((await asStranger()).status).toBe(403);
    await put(rules({ Action: action }));
    expect((await asStranger()).status).toBeLessThan(300);
    await put(
      rules({ Action: action }, { Effect: 'Deny', Principal: '*', Action: action, Sid: 'no' }),
    );
    expect((await asStranger()).status).toBe(403);
    expect((await send(sent)).status).toBe(403);
  });

  it('each key of a list by itself', async () => {
    for (const key of ['a/1', 'b/1'])
      await send({ method: 'PUT', path: `/ruled/${key}`, body: 'x' });
    await put(rules({ Action: 's3:DeleteObject', Resource: 'arn:aws:s3:::ruled/a/*' }));
    const body = '<Delete><Object><Key>a/1</Key></Object><Object><Key>b/1</Key></Object></Delete>';
    const erase = (as: 'stranger' | 'nobody') =>
      send({
        method: 'POST',
        query: { delete: '' },
        body,
        headers: { 'content-md5': contentMd5(body) },
        as,
      });
    const { status, text } = await erase('stranger');
    expect([
      status,
      /<Deleted><Key>([^<]+)/.exec(text)?.[1],
      /<Error><Key>([^<]+)<\/Key><Code>(\w+)/.exec(text)?.slice(1),
    ]).toEqual([200, 'a/1', ['b/1', 'AccessDenied']]);
    expect((await send({ path: '/ruled/b/1' })).status).toBe(200);
    expect(codeOf(await erase('nobody'))).toEqual([403, 'AccessDenied']);
    await send({ method: 'DELETE', ...policy });
    expect(codeOf(await erase('stranger'))).toEqual([403, 'AccessDenied']);
  });

  it('only with the list that it wants', async () => {
    const denied = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:PutObject',
      Condition: { StringLike: { 's3:x-amz-acl': 'public*' } },
    };
    await put(rules({ Action: 's3:PutObject' }, denied));
    const write = (headers: Record<string, string>) =>
      send({ method: 'PUT', path: '/ruled/w', body: 'y', headers, as: 'stranger' });
    expect((await write({})).status).toBe(200);
    expect((await write({ 'x-amz-acl': 'private' })).status).toBe(200);
    expect((await write({ 'x-amz-acl': 'public-read' })).status).toBe(403);
    await put(rules({ Action: 's3:PutObject' }, { Effect: 'Deny', Action: 's3:PutObjectAcl' }));
    expect((await write({})).status).toBe(200);
    expect((await write({ 'x-amz-acl': 'private' })).status).toBe(403);
  });

  it('only from the source that it names, however that is written', async () => {
    await send({ method: 'PUT', path: '/ruled/private/k', body: 'x' });
    const from = { StringLike: { 's3:x-amz-copy-source': 'ruled/public/*' } };
    await put(rules({ Action: ['s3:GetObject'] }, { Action: 's3:PutObject', Condition: from }));
    await send({ method: 'PUT', path: '/ruled/public/k', body: 'x' });
    const copy = (source: string) =>
      send({
        method: 'PUT',
        path: '/ruled/c',
        headers: { 'x-amz-copy-source': source },
        as: 'stranger',
      });
    expect((await copy('/ruled/public/k')).status).toBe(200);
    expect((await copy('ruled/%70ublic/k')).status).toBe(200);
    expect((await copy('/ruled/private/k')).status).toBe(403);
  });

  it('a missing key is 404 for who may list the bucket', async () => {
    const list = { Action: 's3:ListBucket', Condition: { StringLike: { 's3:prefix': 'open/*' } } };
    await put(rules(list));
    const codeFor = async (key: string) =>
      codeOf(await send({ path: `/ruled/${key}`, as: 'stranger' }));
    expect(await codeFor('open/none')).toEqual([404, 'NoSuchKey']);
    expect(await codeFor('none')).toEqual([403, 'AccessDenied']);
    await put(rules(list, { Effect: 'Deny', Action: 's3:GetObject' }));
    expect(await codeFor('open/none')).toEqual([403, 'AccessDenied']);
  });
});

describe('GetBucketPolicyStatus', () => {
  it('tells whether policy or list are public', async () => {
    expect(await isPublic()).toBe('false');
    await put(rules({ Action: 's3:GetObject' }));
    expect(await isPublic()).toBe('false');
    await put(publicPolicy('ruled'));
    expect(await isPublic()).toBe('true');
    await send({ method: 'DELETE', ...policy });
    await send({
      method: 'PUT',
      query: { acl: '' },
      headers: { 'x-amz-acl': 'authenticated-read' },
    });
    expect(await isPublic()).toBe('true');
  });
});

it('a policy is refused where an action acts on nothing, and a stored one goes on', async () => {
  const statement = {
    Effect: 'Allow',
    Action: ['s3:GetObject', 's3:ListBucket'],
    Resource: 'arn:aws:s3:::ruled/*',
  };
  const json = rules(statement);
  const refused = await put(json);
  expect(codeOf(refused)).toEqual([400, 'MalformedPolicy']);
  expect(refused.text).toContain('Action does not apply to any resource(s) in statement');
  const bucket = await openBucket(surface.core, 'ruled' as BucketName, () => undefined);
  await setBucketAccess(bucket, { policyJson: json });
  expect((await send({ path: '/ruled/k', as: 'stranger' })).text).toBe('x');
});
