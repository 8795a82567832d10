import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../../kit/responses.ts';
import { createTestSurface, OWNER, type Sent, STRANGER } from '../../kit/surface.ts';

let surface = createTestSurface();
const permissions = (text: string) =>
  [...text.matchAll(/<Permission>(\w+)</g)].map(([, value]) => value);
const send = (sent: Partial<Sent>) => surface.send({ path: '/lists', ...sent });
const acl = { query: { acl: '' } };
const EVERYONE = 'http://acs.amazonaws.com/groups/global/AllUsers';

const grant = (grantee: string, permission: string) =>
  `<Grant><Grantee>${grantee}</Grantee><Permission>${permission}</Permission></Grant>`;
const own = grant(`<ID>${OWNER.id}</ID>`, 'FULL_CONTROL');
const document = (grants: string, owner: string = OWNER.id) =>
  `<AccessControlPolicy><Owner><ID>${owner}</ID></Owner><AccessControlList>${grants}` +
  '</AccessControlList></AccessControlPolicy>';

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT' });
  await send({ method: 'PUT', path: '/lists/k', body: 'x' });
});

/** Through the S3 door, which this query keeps a read at. */
const canRead = async (as: 'stranger' | 'nobody', path = '/lists/k') =>
  (await send({ path, as, query: { partNumber: '1' } })).status < 300;
const canList = async (as: 'stranger' | 'nobody') => (await send({ as })).status === 200;
const put = (sent: Partial<Sent>) => send({ method: 'PUT', ...acl, ...sent });

describe('PutBucketAcl', () => {
  it.each([
    [
      'by name',
      { headers: { 'x-amz-acl': 'public-read' } },
      { headers: { 'x-amz-acl': 'private' } },
    ],
    [
      'by headers',
      {
        headers: {
          'x-amz-grant-read': `uri="${EVERYONE}"`,
          'x-amz-grant-full-control': `id=${OWNER.id}`,
        },
      },
      { headers: { 'x-amz-grant-full-control': `id="${OWNER.id}"` } },
    ],
    [
      'by document',
      { body: document(own + grant(`<URI>${EVERYONE}</URI>`, 'READ')) },
      { body: document(own) },
    ],
  ])('opens the listing and closes it, %s', async (_, open, close) => {
    expect((await put(open)).status).toBe(200);
    expect([await canList('nobody'), await canList('stranger'), await canRead('stranger')]).toEqual(
      [true, true, false],
    );
    expect(permissions((await send(acl)).text)).toEqual(['READ', 'FULL_CONTROL']);
    expect((await put(close)).status).toBe(200);
    expect([await canList('nobody'), await canList('stranger')]).toEqual([false, false]);
    expect(permissions((await send(acl)).text)).toEqual(['FULL_CONTROL']);
  });

  it('gives one account what it says, by id', async () => {
    const grants =
      grant(`<ID>${STRANGER.id}</ID>`, 'READ') + grant(`<ID>${STRANGER.id}</ID>`, 'READ_ACP') + own;
    expect((await put({ body: document(grants) })).status).toBe(200);
    expect([await canList('nobody'), await canList('stranger')]).toEqual([false, true]);
    const { text } = await send({ ...acl, as: 'stranger' });
    expect(text).toContain(`<ID>${STRANGER.id}</ID><DisplayName>stranger</DisplayName>`);
    expect(codeOf(await put({ headers: { 'x-amz-acl': 'private' }, as: 'stranger' }))).toEqual([
      403,
      'AccessDenied',
    ]);
  });

  it('may take everything away, and the owner gets it back', async () => {
    expect((await put({ body: document('') })).status).toBe(200);
    expect(permissions((await send(acl)).text)).toEqual([]);
    expect((await put({ headers: { 'x-amz-acl': 'private' } })).status).toBe(200);
  });

  it('lets everyone write where it says so, and what strangers write is theirs', async () => {
    await put({ headers: { 'x-amz-acl': 'public-read-write' } });
    expect(
      (await send({ method: 'PUT', path: '/lists/theirs', body: 'y', as: 'stranger' })).status,
    ).toBe(200);
    expect(
      (await send({ method: 'PUT', path: '/lists/nobodys', body: 'z', as: 'nobody' })).status,
    ).toBe(200);
    expect(codeOf(await send({ path: '/lists/theirs' }))).toEqual([403, 'AccessDenied']);
    expect((await send({ path: '/lists/theirs', as: 'stranger' })).text).toBe('y');
    expect(await canRead('nobody', '/lists/nobodys')).toBe(true);
    const { text } = await send({ query: { 'list-type': '2', 'fetch-owner': 'true' } });
    const owners = [...text.matchAll(/<Key>(\w+)<.*?<Owner><ID>(\w+)<.*?<DisplayName>(\w+)</g)].map(
      ([, ...row]) => row,
    );
    expect(owners).toEqual([
      ['k', OWNER.id, 'owner'],
      ['nobodys', '65a011a29cdf8ec533ec3d1ccaae921c', 'anonymous'],
      ['theirs', STRANGER.id, 'stranger'],
    ]);
    expect((await send({ method: 'DELETE', path: '/lists/theirs' })).status).toBe(204);
  });

  it('takes back the document that it gives', async () => {
    await put({ headers: { 'x-amz-acl': 'public-read-write' } });
    const given = (await send(acl)).text;
    await put({ headers: { 'x-amz-acl': 'private' } });
    expect((await put({ body: given })).status).toBe(200);
    expect((await send(acl)).text).toBe(given);
  });

  it.each<[string, Partial<Sent>, [number, string]]>([
    ['nothing', {}, [400, 'MissingSecurityHeader']],
    [
      'header and document',
      { headers: { 'x-amz-acl': 'private' }, body: document(own) },
      [400, 'UnexpectedContent'],
    ],
    [
      'name and grants',
      { headers: { 'x-amz-acl': 'private', 'x-amz-grant-read': `id=${OWNER.id}` } },
      [400, 'InvalidRequest'],
    ],
    ['an unknown name', { headers: { 'x-amz-acl': 'open' } }, [400, 'InvalidArgument']],
    ['a name for machines', { headers: { 'x-amz-acl': 'aws-exec-read' } }, [501, 'NotImplemented']],
    [
      'a header that is none',
      { headers: { 'x-amz-grant-read': 'everyone' } },
      [400, 'InvalidArgument'],
    ],
    [
      'a group that is none',
      { headers: { 'x-amz-grant-read': 'uri="http://x"' } },
      [400, 'InvalidArgument'],
    ],
    [
      'an account that is none',
      { headers: { 'x-amz-grant-read': 'id="_foo"' } },
      [400, 'InvalidArgument'],
    ],
    [
      'an address',
      { headers: { 'x-amz-grant-read': 'emailAddress="a@b"' } },
      [400, 'UnresolvableGrantByEmailAddress'],
    ],
    ['no document', { body: '<AccessControlPolicy>' }, [400, 'MalformedXML']],
    ['another owner', { body: document(own, STRANGER.id) }, [403, 'AccessDenied']],
    [
      'a stranger by id',
      { body: document(own + grant('<ID>_foo</ID>', 'READ')) },
      [400, 'InvalidArgument'],
    ],
    [
      'a document with an address',
      { body: document(own + grant('<EmailAddress>a@b</EmailAddress>', 'READ')) },
      [400, 'UnresolvableGrantByEmailAddress'],
    ],
    ['too many grants', { body: document(own.repeat(101)) }, [400, 'InvalidRequest']],
  ])('refuses %s', async (_, sent, expected) => {
    expect(codeOf(await put(sent))).toEqual(expected);
    expect(permissions((await send(acl)).text)).toEqual(['FULL_CONTROL']);
  });

  it('is the owner’s alone, and so is looking', async () => {
    await put({ headers: { 'x-amz-acl': 'public-read' } });
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await put({ headers: { 'x-amz-acl': 'private' }, as }))).toEqual([
        403,
        'AccessDenied',
      ]);
      expect(codeOf(await send({ ...acl, as }))).toEqual([403, 'AccessDenied']);
      expect(codeOf(await send({ path: '/lists/k', ...acl, as }))).toEqual([403, 'AccessDenied']);
    }
    expect(codeOf(await send({ path: '/lists/none', ...acl }))).toEqual([404, 'NoSuchKey']);
  });
});

describe('the ACL of an object', () => {
  const of = (path: string, sent: Partial<Sent> = {}) => send({ path, ...acl, ...sent });

  it('is what PutObject said', async () => {
    await send({
      method: 'PUT',
      path: '/lists/open',
      body: 'x',
      headers: { 'x-amz-acl': 'public-read' },
    });
    expect([await canRead('nobody', '/lists/open'), await canRead('nobody')]).toEqual([
      true,
      false,
    ]);
    expect(permissions((await of('/lists/open')).text)).toEqual(['READ', 'FULL_CONTROL']);
    expect(permissions((await of('/lists/k')).text)).toEqual(['FULL_CONTROL']);
  });

  it('is what PutObjectAcl says, and nothing else changes', async () => {
    const before = await send({ method: 'HEAD', path: '/lists/k' });
    surface.advanceMs(5000);
    expect(
      (await of('/lists/k', { method: 'PUT', headers: { 'x-amz-acl': 'public-read' } })).status,
    ).toBe(200);
    expect(await canRead('nobody')).toBe(true);
    expect((await send({ method: 'HEAD', path: '/lists/k' })).headers).toEqual(before.headers);
    const grants = {
      'x-amz-grant-full-control': `id=${OWNER.id}`,
      'x-amz-grant-write-acp': `id=${STRANGER.id}`,
    };
    expect((await of('/lists/k', { method: 'PUT', headers: grants })).status).toBe(200);
    expect([await canRead('nobody'), await canRead('stranger')]).toEqual([false, false]);
    expect(codeOf(await of('/lists/k', { as: 'stranger' }))).toEqual([403, 'AccessDenied']);
    const byStranger = {
      method: 'PUT',
      headers: { 'x-amz-acl': 'public-read' },
      as: 'stranger',
    } as const;
    expect((await of('/lists/k', byStranger)).status).toBe(200);
    expect(await canRead('nobody')).toBe(true);
    expect((await of('/lists/k')).text).toContain(`<Owner><ID>${OWNER.id}</ID>`);
    expect(codeOf(await of('/lists/none', byStranger))).toEqual([403, 'AccessDenied']);
  });

  it('does not come along with a copy, nor stay when the object is written again', async () => {
    await of('/lists/k', { method: 'PUT', headers: { 'x-amz-acl': 'public-read' } });
    await send({
      method: 'PUT',
      path: '/lists/copy',
      headers: { 'x-amz-copy-source': '/lists/k' },
    });
    expect(await canRead('nobody', '/lists/copy')).toBe(false);
    const headers = { 'x-amz-copy-source': '/lists/k', 'x-amz-acl': 'public-read' };
    await send({ method: 'PUT', path: '/lists/copy', headers });
    expect(await canRead('nobody', '/lists/copy')).toBe(true);
    await send({ method: 'PUT', path: '/lists/k', body: 'new' });
    expect(await canRead('nobody')).toBe(false);
  });

  it('is of each version by itself', async () => {
    const on = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await send({ method: 'PUT', query: { versioning: '' }, body: on });
    const first =
      (await send({ method: 'PUT', path: '/lists/v', body: '1' })).headers['x-amz-version-id'] ??
      '';
    await send({ method: 'PUT', path: '/lists/v', body: '2' });
    const query = { acl: '', versionId: first };
    const headers = { 'x-amz-acl': 'public-read' };
    expect((await send({ method: 'PUT', path: '/lists/v', query, headers })).status).toBe(200);
    expect((await send({ path: '/lists/v', query })).text).toContain('AllUsers');
    expect((await send({ path: '/lists/v', query: { acl: '' } })).text).not.toContain('AllUsers');
    expect(await canRead('nobody', '/lists/v')).toBe(false);
    expect((await send({ path: '/lists/v', as: 'nobody', query: { versionId: first } })).text).toBe(
      '1',
    );
  });

  it('of a multipart upload is given at its start', async () => {
    const headers = { 'x-amz-acl': 'public-read' };
    const begun = await send({
      method: 'POST',
      path: '/lists/mp',
      query: { uploads: '' },
      headers,
    });
    const uploadId = /<UploadId>(\w+)</.exec(begun.text)?.[1] ?? '';
    const part = await send({
      method: 'PUT',
      path: '/lists/mp',
      query: { uploadId, partNumber: '1' },
      body: 'part',
    });
    const body =
      `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${part.headers.etag}` +
      '</ETag></Part></CompleteMultipartUpload>';
    expect(
      (await send({ method: 'POST', path: '/lists/mp', query: { uploadId }, body })).status,
    ).toBe(200);
    expect(await canRead('nobody', '/lists/mp')).toBe(true);
  });
});

describe('uploads in a bucket where others write', () => {
  it('are their initiators’ to list and to give up', async () => {
    await put({ headers: { 'x-amz-acl': 'public-read-write' } });
    const begin = async (as: 'owner' | 'stranger') =>
      /<UploadId>(\w+)</.exec(
        (await send({ method: 'POST', path: '/lists/up', query: { uploads: '' }, as })).text,
      )?.[1] ?? '';
    const [owners, strangers] = [await begin('owner'), await begin('stranger')];
    await put({ headers: { 'x-amz-acl': 'private' } });
    const list = (uploadId: string, as: 'owner' | 'stranger' | 'nobody') =>
      send({ path: '/lists/up', query: { uploadId }, as });
    expect((await list(owners, 'owner')).status).toBe(200);
    expect((await list(strangers, 'owner')).status).toBe(200);
    const listed = await list(strangers, 'stranger');
    expect(listed.text).toContain(
      `<Initiator><ID>${STRANGER.id}</ID><DisplayName>stranger</DisplayName></Initiator>`,
    );
    expect(codeOf(await list(owners, 'stranger'))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await list('none', 'stranger'))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await list(strangers, 'nobody'))).toEqual([403, 'AccessDenied']);
    const abort = (uploadId: string) =>
      send({ method: 'DELETE', path: '/lists/up', query: { uploadId }, as: 'stranger' });
    expect(codeOf(await abort(owners))).toEqual([403, 'AccessDenied']);
    expect((await abort(strangers)).status).toBe(204);
  });
});
