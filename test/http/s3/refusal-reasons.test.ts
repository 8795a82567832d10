// What AccessDenied says: to keys of the bucket's own account which rule it was, to everybody else
// nothing.
import { createHmac } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { codeOf, contentMd5, one } from './kit/responses.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET } from './kit/sign-for-test.ts';
import { createTestSurface, type Sent } from './kit/surface.ts';

const { send } = createTestSurface();
const PLAIN = 'Access Denied';

const deny = (more: object) => ({
  Effect: 'Deny',
  Principal: '*',
  Resource: 'arn:aws:s3:::ruled/*',
  ...more,
});
const Statement = [
  deny({ Sid: 'Everybody', Effect: 'Allow', Action: 's3:GetObject' }),
  deny({ Sid: 'KeepForEver', Action: ['s3:DeleteObject', 's3:PutObjectTagging'] }),
  deny({ Action: 's3:GetObject', Resource: 'arn:aws:s3:::ruled/secret' }),
];

beforeAll(async () => {
  await send({ method: 'PUT', path: '/ruled' });
  for (const key of ['k', 'secret', 'in/k'])
    await send({ method: 'PUT', path: `/ruled/${key}`, body: 'x' });
  const body = JSON.stringify({ Version: '2012-10-17', Statement });
  expect((await send({ method: 'PUT', path: '/ruled', query: { policy: '' }, body })).status).toBe(
    204,
  );
  const block =
    '<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls>' +
    '</PublicAccessBlockConfiguration>';
  const blocked = await send({
    method: 'PUT',
    path: '/ruled',
    query: { publicAccessBlock: '' },
    body: block,
  });
  expect(blocked.status).toBe(200);
});

async function refused(sent: Sent): Promise<string | undefined> {
  const reply = await send(sent);
  expect(codeOf(reply)).toEqual([403, 'AccessDenied']);
  return one(reply.text, 'Message');
}

const byName =
  'Access Denied: the statement &quot;KeepForEver&quot; of the bucket policy denies ' +
  's3:DeleteObject.';
const tagged = { 'x-amz-tagging': 'a=b' };
const listed = { 'x-amz-acl': 'public-read' };
const outside = (action: string) =>
  `Access Denied: the scope of the access key (its prefixes) does not allow ${action} here.`;

it.each<[string, Sent, string]>([
  ['a Deny, by its name', { method: 'DELETE', path: '/ruled/k' }, byName],
  [
    'a Deny without a name',
    { path: '/ruled/secret' },
    'Access Denied: statement 3 of the bucket policy denies s3:GetObject.',
  ],
  ['one of a missing key', { method: 'DELETE', path: '/ruled/none' }, byName],
  [
    'one of the tags',
    { method: 'PUT', path: '/ruled/n', body: 'x', headers: tagged },
    byName.replace('s3:DeleteObject', 's3:PutObjectTagging'),
  ],
  [
    'a block of public lists',
    { method: 'PUT', path: '/ruled/n', body: 'x', headers: listed },
    'Access Denied: the bucket blocks public access control lists (BlockPublicAcls).',
  ],
  ["the key's scope", { path: '/ruled/k', as: 'narrow' }, outside('s3:GetObject')],
  ['the scope, of the account', { path: '/', as: 'narrow' }, outside('s3:ListAllMyBuckets')],
])('a refusal names to the owner %s', async (_, sent, message) => {
  expect((await refused(sent))?.replaceAll('"', '&quot;')).toBe(message);
});

it('a refusal names it for each key of many', async () => {
  const body = '<Delete><Object><Key>k</Key></Object></Delete>';
  const headers = { 'content-md5': contentMd5(body) };
  const reply = await send({
    method: 'POST',
    path: '/ruled',
    query: { delete: '' },
    headers,
    body,
  });
  expect(one(reply.text, 'Message')?.replaceAll('"', '&quot;')).toBe(byName);
});

it('a refusal says nothing to strangers, nor to who holds a link', async () => {
  for (const as of ['stranger', 'nobody'] as const) {
    expect(await refused({ method: 'DELETE', path: '/ruled/k', as })).toBe(PLAIN);
    expect(await refused({ method: 'PUT', path: '/ruled/n', body: 'x', headers: listed, as })).toBe(
      PLAIN,
    );
  }
  for (const path of ['/ruled/secret', '/ruled/none'])
    expect(await refused({ path, as: 'stranger' })).toBe(PLAIN);
  const Expires = `${NOW_MS / 1000 + 60}`;
  const Signature = createHmac('sha1', SECRET)
    .update(`GET\n\n\n${Expires}\n/ruled/secret`)
    .digest('base64');
  const query = { AWSAccessKeyId: ACCESS_KEY_ID, Expires, Signature };
  expect(await refused({ path: '/ruled/secret', query, as: 'nobody' })).toBe(PLAIN);
});
