import { beforeAll, describe, expect, it } from 'vitest';
import { all, codeOf, one } from '../../kit/responses.ts';
import { createTestSurface } from '../../kit/surface.ts';

const surface = createTestSurface();
const { send } = surface;
const KEYS = ['a', 'b/1', 'b/2', 'c d', 'e/1'];

beforeAll(async () => {
  await send({ method: 'PUT', path: '/lists' });
  for (const key of KEYS) await send({ method: 'PUT', path: `/lists/${key}`, body: key });
});

const list = (query: Record<string, string> = {}, as: 'owner' | 'stranger' | 'nobody' = 'owner') =>
  send({ path: '/lists', query, as });

describe('version 1', () => {
  it('pages with a marker, which it names only with a delimiter', async () => {
    const first = await list({ 'max-keys': '2' });
    expect([
      all(first.text, 'Key'),
      one(first.text, 'IsTruncated'),
      one(first.text, 'NextMarker'),
    ]).toEqual([['a', 'b/1'], 'true', undefined]);
    const rest = await list({ marker: 'b/1' });
    expect([all(rest.text, 'Key'), one(rest.text, 'IsTruncated')]).toEqual([
      ['b/2', 'c d', 'e/1'],
      'false',
    ]);
    const rolled = await list({ delimiter: '/', 'max-keys': '2' });
    expect(one(rolled.text, 'NextMarker')).toBe('b/');
    const next = await list({ delimiter: '/', marker: 'b/' });
    expect([all(next.text, 'Key'), all(next.text, 'Prefix')]).toEqual([['c d'], ['', 'e/']]);
    expect(one(next.text, 'NextMarker')).toBeUndefined();
  });

  it('always shows owners, and none of the elements of version 2', async () => {
    const { text } = await list();
    expect(all(text, 'DisplayName')).toEqual(KEYS.map(() => 'owner'));
    for (const name of [
      'KeyCount',
      'ContinuationToken',
      'StartAfter',
      'Delimiter',
      'EncodingType',
    ]) {
      expect(one(text, name)).toBeUndefined();
    }
  });
});

describe('version 2', () => {
  const list2 = (query: Record<string, string> = {}) => list({ 'list-type': '2', ...query });

  it('pages with a token, which wins over start-after', async () => {
    const first = await list2({ 'max-keys': '2', 'start-after': 'a' });
    expect([all(first.text, 'Key'), one(first.text, 'KeyCount')]).toEqual([['b/1', 'b/2'], '2']);
    const token = one(first.text, 'NextContinuationToken') ?? '';
    const rest = await list2({ 'continuation-token': token, 'start-after': 'zzz' });
    expect(all(rest.text, 'Key')).toEqual(['c d', 'e/1']);
    expect([one(rest.text, 'ContinuationToken'), one(rest.text, 'StartAfter')]).toEqual([
      token,
      'zzz',
    ]);
    expect(one(rest.text, 'NextContinuationToken')).toBeUndefined();
  });

  it('begins anew with an empty token, and refuses one that is not ours', async () => {
    const empty = await list2({ 'continuation-token': '' });
    expect(all(empty.text, 'Key')).toEqual(KEYS);
    expect(one(empty.text, 'ContinuationToken')).toBe('');
    expect(codeOf(await list2({ 'continuation-token': 'abc' }))).toEqual([400, 'InvalidArgument']);
    const bucketToken = one(
      (await send({ path: '/', query: { 'max-buckets': '1' } })).text,
      'ContinuationToken',
    );
    if (bucketToken !== undefined)
      expect((await list2({ 'continuation-token': bucketToken })).status).toBe(400);
  });

  it('shows owners when asked', async () => {
    expect(all((await list2()).text, 'DisplayName')).toEqual([]);
    expect(all((await list2({ 'fetch-owner': 'true' })).text, 'DisplayName')).toEqual(
      KEYS.map(() => 'owner'),
    );
    expect(all((await list2({ 'fetch-owner': 'false' })).text, 'DisplayName')).toEqual([]);
  });

  it('counts keys and prefixes', async () => {
    const { text } = await list2({ delimiter: '/' });
    expect([all(text, 'Key'), all(text, 'Prefix'), one(text, 'KeyCount')]).toEqual([
      ['a', 'c d'],
      ['', 'b/', 'e/'],
      '4',
    ]);
  });
});

describe('either version', () => {
  it.each([{}, { 'list-type': '2' }] as Record<string, string>[])(
    '%j reads max-keys as S3 does',
    async (version) => {
      const maxKeys = async (text: string) => {
        const reply = await list({ ...version, 'max-keys': text });
        return [
          reply.status,
          one(reply.text, 'MaxKeys'),
          one(reply.text, 'IsTruncated'),
          all(reply.text, 'Key').length,
        ];
      };
      expect(await maxKeys('0')).toEqual([200, '0', 'false', 0]);
      expect(await maxKeys('')).toEqual([200, '1000', 'false', 5]);
      expect(await maxKeys('5000')).toEqual([200, '1000', 'false', 5]);
      for (const bad of ['-1', 'x', '1.5', '2147483648']) expect((await maxKeys(bad))[0]).toBe(400);
    },
  );

  it(
    'leaves the blanks that XML can carry in the prefix of version 1, which reads the same ' +
      'decoded or not',
    async () => {
      const prefix = 'a\n\t\r %0A\x01';
      const first = await list({ 'encoding-type': 'url', prefix });
      expect(first.text).toContain('<Prefix>a\n\t&#xD;%20%250A%01</Prefix>');
      const second = await list({ 'list-type': '2', 'encoding-type': 'url', prefix });
      expect(second.text).toContain('<Prefix>a%0A%09%0D%20%250A%01</Prefix>');
    },
  );

  it('encodes names on demand', async () => {
    const { text } = await list({ 'encoding-type': 'url', prefix: 'c ', delimiter: ' d' });
    expect([all(text, 'Key'), all(text, 'Prefix')]).toEqual([['c%20d'], ['c%20']]);
    expect([one(text, 'Delimiter'), one(text, 'EncodingType')]).toEqual(['%20d', 'url']);
    expect(codeOf(await list({ 'encoding-type': 'base64' }))).toEqual([400, 'InvalidArgument']);
  });

  it('is for the owner, and for everyone where the bucket is public', async () => {
    expect(codeOf(await list({}, 'stranger'))).toEqual([403, 'AccessDenied']);
    expect(codeOf(await list({}, 'nobody'))).toEqual([403, 'AccessDenied']);
    await send({
      method: 'PUT',
      path: '/lists',
      query: { acl: '' },
      headers: { 'x-amz-acl': 'public-read' },
    });
    for (const as of ['stranger', 'nobody'] as const) {
      const { status, text } = await list({}, as);
      expect([status, all(text, 'Key')]).toEqual([200, KEYS]);
      expect(new Set(all(text, 'DisplayName'))).toEqual(new Set(as === 'nobody' ? [] : ['owner']));
      expect(new Set(all(text, 'ID')).size).toBe(1);
    }
    await send({
      method: 'PUT',
      path: '/lists',
      query: { acl: '' },
      headers: { 'x-amz-acl': 'private' },
    });
  });
});
