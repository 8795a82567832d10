import { beforeEach, describe, expect, it } from 'vitest';
import { publicPolicy } from '../../../../access-samples.ts';
import { codeOf } from '../../kit/responses.ts';
import { createTestSurface, OWNER, type Sent, STRANGER } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Partial<Sent>) => surface.send({ path: '/owned', ...sent });
const OPEN = { 'x-amz-acl': 'public-read' };

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT' });
});

const block = (...switches: string[]) => {
  const elements = switches.map((name) => `<${name}>true</${name}>`).join('');
  return send({
    method: 'PUT',
    query: { publicAccessBlock: '' },
    body: `<PublicAccessBlockConfiguration>${elements}</PublicAccessBlockConfiguration>`,
  });
};
const own = (ownership: string, more: Partial<Sent> = {}) =>
  send({
    method: 'PUT',
    query: { ownershipControls: '' },
    body:
      `<OwnershipControls><Rule><ObjectOwnership>${ownership}</ObjectOwnership></Rule>` +
      '</OwnershipControls>',
    ...more,
  });

describe('the block of public access', () => {
  const canList = async () => (await send({ as: 'nobody' })).status === 200;
  const canRead = async () =>
    (await send({ path: '/owned/k', as: 'nobody', query: { partNumber: '1' } })).status < 300;

  it('is put, given back and taken away', async () => {
    const query = { publicAccessBlock: '' };
    expect(codeOf(await send({ query }))).toEqual([404, 'NoSuchPublicAccessBlockConfiguration']);
    expect((await block('BlockPublicAcls', 'RestrictPublicBuckets')).status).toBe(200);
    expect((await send({ query })).text).toContain(
      '<BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>false</IgnorePublicAcls>' +
        '<BlockPublicPolicy>false</BlockPublicPolicy><RestrictPublicBuckets>true' +
        '</RestrictPublicBuckets>',
    );
    expect((await send({ method: 'DELETE', query })).status).toBe(204);
    expect(codeOf(await send({ query }))).toEqual([404, 'NoSuchPublicAccessBlockConfiguration']);
    expect((await send({ method: 'DELETE', query })).status).toBe(204);
  });

  it.each([
    '',
    '<PublicAccessBlockConfiguration><BlockPublicAcls>yes</BlockPublicAcls>' +
      '</PublicAccessBlockConfiguration>',
    '<X/>',
  ])('is not %j', async (body) => {
    expect(codeOf(await send({ method: 'PUT', query: { publicAccessBlock: '' }, body }))).toEqual([
      400,
      'MalformedXML',
    ]);
  });

  it('refuses public lists, of buckets and objects', async () => {
    await block('BlockPublicAcls');
    const acl = { query: { acl: '' } };
    for (const name of ['public-read', 'public-read-write', 'authenticated-read']) {
      const headers = { 'x-amz-acl': name };
      expect(codeOf(await send({ method: 'PUT', ...acl, headers }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ method: 'PUT', path: '/owned/k', body: 'x', headers }))).toEqual([
        403,
        'AccessDenied',
      ]);
    }
    expect((await send({ method: 'PUT', path: '/owned/k', body: 'x' })).status).toBe(200);
    expect(codeOf(await send({ method: 'PUT', path: '/owned/k', ...acl, headers: OPEN }))).toEqual([
      403,
      'AccessDenied',
    ]);
    const headers = { 'x-amz-grant-read': `id=${STRANGER.id}` };
    expect((await send({ method: 'PUT', path: '/owned/k', ...acl, headers })).status).toBe(200);
  });

  it('refuses public policies, and no others', async () => {
    await block('BlockPublicPolicy');
    const put = (body: string) => send({ method: 'PUT', query: { policy: '' }, body });
    expect(codeOf(await put(publicPolicy('owned')))).toEqual([403, 'AccessDenied']);
    expect(
      (await put(publicPolicy('owned').replace('"*"', `{"AWS":"${STRANGER.id}"}`))).status,
    ).toBe(204);
  });

  it('ignores public lists that are there', async () => {
    await send({ method: 'PUT', query: { acl: '' }, headers: OPEN });
    await send({ method: 'PUT', path: '/owned/k', body: 'x', headers: OPEN });
    expect([await canList(), await canRead()]).toEqual([true, true]);
    await block('IgnorePublicAcls');
    expect([await canList(), await canRead()]).toEqual([false, false]);
    await send({ method: 'DELETE', query: { publicAccessBlock: '' } });
    expect([await canList(), await canRead()]).toEqual([true, true]);
  });

  it('restricts a bucket whose policy is public', async () => {
    await send({ method: 'PUT', path: '/owned/k', body: 'x' });
    await send({ method: 'PUT', query: { policy: '' }, body: publicPolicy('owned') });
    expect(await canRead()).toBe(true);
    await block('RestrictPublicBuckets');
    expect(await canRead()).toBe(false);
    expect((await send({ path: '/owned/k' })).status).toBe(200);
  });
});

describe('ownership controls', () => {
  const query = { ownershipControls: '' };

  it('are put, given back and taken away', async () => {
    expect(codeOf(await send({ query }))).toEqual([404, 'OwnershipControlsNotFoundError']);
    for (const ownership of ['BucketOwnerEnforced', 'BucketOwnerPreferred', 'ObjectWriter']) {
      expect((await own(ownership)).status).toBe(200);
      expect((await send({ query })).text).toContain(
        `<Rule><ObjectOwnership>${ownership}</ObjectOwnership></Rule>`,
      );
    }
    expect((await send({ method: 'DELETE', query })).status).toBe(204);
    expect(codeOf(await send({ query }))).toEqual([404, 'OwnershipControlsNotFoundError']);
    expect(codeOf(await own('Nobody'))).toEqual([400, 'MalformedXML']);
    expect(codeOf(await send({ method: 'PUT', query, body: '<OwnershipControls/>' }))).toEqual([
      400,
      'MalformedXML',
    ]);
  });

  it('are given when a bucket is made', async () => {
    const make = (name: string, headers: Record<string, string>) =>
      send({ method: 'PUT', path: `/${name}`, headers });
    expect((await make('made', { 'x-amz-object-ownership': 'BucketOwnerEnforced' })).status).toBe(
      200,
    );
    expect((await send({ path: '/made', query })).text).toContain('BucketOwnerEnforced');
    expect(codeOf(await make('made2', { 'x-amz-object-ownership': 'x' }))).toEqual([
      400,
      'InvalidArgument',
    ]);
    const both = { 'x-amz-object-ownership': 'BucketOwnerEnforced', ...OPEN };
    expect(codeOf(await make('made2', both))).toEqual([400, 'InvalidBucketAclWithObjectOwnership']);
  });

  it('can’t silence a list that gives others something', async () => {
    await send({ method: 'PUT', query: { acl: '' }, headers: OPEN });
    expect(codeOf(await own('BucketOwnerEnforced'))).toEqual([
      400,
      'InvalidBucketAclWithObjectOwnership',
    ]);
    await send({ method: 'PUT', query: { acl: '' }, headers: { 'x-amz-acl': 'private' } });
    expect((await own('BucketOwnerEnforced')).status).toBe(200);
  });

  describe('of what a stranger writes', () => {
    const everything = publicPolicy('owned')
      .replace('"s3:GetObject"', '"*"')
      .replace('"arn:aws:s3:::owned/*"', '["arn:aws:s3:::owned","arn:aws:s3:::owned/*"]');
    const write = (headers: Record<string, string> = {}) =>
      send({ method: 'PUT', path: '/owned/k', body: 'x', headers, as: 'stranger' });
    const ownerId = async () =>
      /<Owner><ID>(\w+)/.exec(
        (await send({ path: '/owned/k', query: { acl: '' }, as: 'stranger' })).text,
      )?.[1];
    const FOR_OWNER = { 'x-amz-acl': 'bucket-owner-full-control' };

    beforeEach(async () => {
      await send({ method: 'PUT', query: { policy: '' }, body: everything });
    });

    it('enforced: the bucket’s owner, and no lists', async () => {
      await own('BucketOwnerEnforced');
      for (const headers of [{}, FOR_OWNER, { 'x-amz-grant-full-control': `id=${OWNER.id}` }]) {
        expect((await write(headers)).status).toBe(200);
        expect(await ownerId()).toBe(OWNER.id);
      }
      expect(codeOf(await write({ 'x-amz-acl': 'private' }))).toEqual([
        400,
        'AccessControlListNotSupported',
      ]);
      for (const path of ['/owned', '/owned/k']) {
        const put = send({
          method: 'PUT',
          path,
          query: { acl: '' },
          headers: { 'x-amz-acl': 'private' },
        });
        expect(codeOf(await put)).toEqual([400, 'AccessControlListNotSupported']);
      }
    });

    it('preferred: who writes it, unless it is handed over', async () => {
      await own('BucketOwnerPreferred');
      await write();
      expect(await ownerId()).toBe(STRANGER.id);
      await write(FOR_OWNER);
      expect(await ownerId()).toBe(OWNER.id);
    });

    it('writer: who writes it, and the bucket’s owner what the list gives', async () => {
      await own('ObjectWriter');
      await write();
      expect(await ownerId()).toBe(STRANGER.id);
      expect(codeOf(await send({ path: '/owned/k' }))).toEqual([403, 'AccessDenied']);
      await write(FOR_OWNER);
      expect([await ownerId(), (await send({ path: '/owned/k' })).text]).toEqual([
        STRANGER.id,
        'x',
      ]);
      // The policy is the bucket owner's word, so it can't open what is the stranger's.
      expect(
        (await send({ path: '/owned/k', as: 'nobody', query: { partNumber: '1' } })).status,
      ).toBe(403);
    });
  });
});
