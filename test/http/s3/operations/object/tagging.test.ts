import { beforeEach, describe, expect, it } from 'vitest';
import { codeOf, contentMd5 } from '../../kit/responses.ts';
import { createTestSurface, type Reply, type Sent } from '../../kit/surface.ts';

let surface = createTestSurface();
const send = (sent: Sent) => surface.send(sent);
const tag = ([key, value]: readonly [string, string]) =>
  `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`;
const documentOf = (...pairs: (readonly [string, string])[]) =>
  `<Tagging><TagSet>${pairs.map(tag).join('')}</TagSet></Tagging>`;
const many = (count: number) => Array.from({ length: count }, (_, i) => [`k${i}`, 'v'] as const);
const tagsIn = ({ text }: Reply) =>
  [...text.matchAll(/<Key>([^<]*)<\/Key><Value>([^<]*)<\/Value>/g)].map(([, key, value]) => [
    key,
    value,
  ]);

const tagging = { query: { tagging: '' } };
const K = '/tagged/k';
const getTags = (path = K, query = {}) => send({ path, query: { tagging: '', ...query } });
const putTags = (body: string, path = K) => send({ method: 'PUT', path, ...tagging, body });

beforeEach(async () => {
  surface = createTestSurface();
  await send({ method: 'PUT', path: '/tagged' });
  await send({ method: 'PUT', path: K, body: 'x' });
});

describe('the tags of an object', () => {
  it('are none, then those put last, then none again', async () => {
    expect((await getTags()).text).toContain('<TagSet></TagSet>');
    expect((await putTags(documentOf(['b', '2'], ['a', '']))).status).toBe(200);
    expect(tagsIn(await getTags())).toEqual([
      ['a', ''],
      ['b', '2'],
    ]);
    await putTags(documentOf(['c', '3']));
    expect(tagsIn(await getTags())).toEqual([['c', '3']]);
    expect((await send({ method: 'DELETE', path: K, ...tagging })).status).toBe(204);
    expect(tagsIn(await getTags())).toEqual([]);
    expect((await send({ method: 'DELETE', path: K, ...tagging })).status).toBe(204);
  });

  it('leave date, entity tag and body as they are, and are counted in reads', async () => {
    const before = await send({ path: K });
    expect(before.headers['x-amz-tagging-count']).toBeUndefined();
    surface.advanceMs(60_000);
    await putTags(documentOf(['a', '1'], ['b', '2']));
    for (const method of ['GET', 'HEAD']) {
      const { headers, text } = await send({ method, path: K });
      expect(headers['x-amz-tagging-count']).toBe('2');
      expect([headers.etag, headers['last-modified']]).toEqual([
        before.headers.etag,
        before.headers['last-modified'],
      ]);
      expect(text).toBe(method === 'GET' ? 'x' : '');
    }
  });

  it('may be ten, and have the longest texts', async () => {
    expect((await putTags(documentOf(...many(10)))).status).toBe(200);
    expect((await putTags(documentOf(['k'.repeat(128), 'v'.repeat(256)]))).status).toBe(200);
    expect((await putTags(documentOf(['Größe und 数', 'a b+c-d=e.f_g:h/i@j']))).status).toBe(200);
    expect((await putTags(documentOf(['__proto__', 'x'], ['constructor', 'y']))).status).toBe(200);
    expect(tagsIn(await getTags())).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  const refused: [string, string, string][] = [
    ['eleven', documentOf(...many(11)), 'InvalidTag'],
    ['a key of 129', documentOf(['k'.repeat(129), '']), 'InvalidTag'],
    ['a value of 257', documentOf(['k', 'v'.repeat(257)]), 'InvalidTag'],
    ['an empty key', documentOf(['', 'v']), 'InvalidTag'],
    ['a key twice', documentOf(['k', '1'], ['k', '2']), 'InvalidTag'],
    ["AWS's own prefix", documentOf(['aws:k', '1']), 'InvalidTag'],
    ['a sign that no tag has', documentOf(['k', 'a*b']), 'InvalidTag'],
    ['a line break', documentOf(['k', 'a\nb']), 'InvalidTag'],
    [
      'a tag without a value',
      '<Tagging><TagSet><Tag><Key>k</Key></Tag></TagSet></Tagging>',
      'MalformedXML',
    ],
    ['no set', '<Tagging/>', 'MalformedXML'],
    ['no document', '', 'MalformedXML'],
  ];
  it.each(refused)('are refused with %s, and stay', async (_, body, code) => {
    await putTags(documentOf(['kept', '1']));
    expect(codeOf(await putTags(body))).toEqual([400, code]);
    expect(tagsIn(await getTags())).toEqual([['kept', '1']]);
  });

  it('are of an object that is there, and of the owner', async () => {
    const missing = '/tagged/missing';
    expect(codeOf(await getTags(missing))).toEqual([404, 'NoSuchKey']);
    expect(codeOf(await putTags(documentOf(['a', '1']), missing))).toEqual([404, 'NoSuchKey']);
    expect(codeOf(await send({ method: 'DELETE', path: missing, ...tagging }))).toEqual([
      404,
      'NoSuchKey',
    ]);
    for (const as of ['stranger', 'nobody'] as const) {
      expect(codeOf(await send({ path: K, ...tagging, as }))).toEqual([403, 'AccessDenied']);
    }
  });
});

describe('tags in the header of a write', () => {
  const put = (tags: string, path = K) =>
    send({ method: 'PUT', path, body: 'y', headers: { 'x-amz-tagging': tags } });

  it('are those of the new object', async () => {
    expect((await put('b=2%20%2B&a')).status).toBe(200);
    expect(tagsIn(await getTags())).toEqual([
      ['a', ''],
      ['b', '2 +'],
    ]);
    await send({ method: 'PUT', path: K, body: 'z' });
    expect(tagsIn(await getTags())).toEqual([]);
  });

  it.each([
    ['a=1&a=2', 'InvalidArgument'],
    ['a=%ff', 'InvalidArgument'],
    ['a=*', 'InvalidTag'],
    ['=1', 'InvalidTag'],
    [
      many(11)
        .map((pair) => pair.join('='))
        .join('&'),
      'InvalidTag',
    ],
  ])('%j is refused, and nothing is stored', async (tags, code) => {
    expect(codeOf(await put(tags, '/tagged/new'))).toEqual([400, code]);
    expect((await send({ path: '/tagged/new' })).status).toBe(404);
  });

  it('go along with a copy, unless it brings its own', async () => {
    await put('a=1');
    const copy = (headers: Record<string, string>) =>
      send({
        method: 'PUT',
        path: '/tagged/copy',
        headers: { 'x-amz-copy-source': K, ...headers },
      });
    await copy({});
    expect(tagsIn(await getTags('/tagged/copy'))).toEqual([['a', '1']]);
    await copy({ 'x-amz-tagging-directive': 'REPLACE', 'x-amz-tagging': 'b=2' });
    expect(tagsIn(await getTags('/tagged/copy'))).toEqual([['b', '2']]);
    await copy({ 'x-amz-tagging-directive': 'REPLACE' });
    expect(tagsIn(await getTags('/tagged/copy'))).toEqual([]);
    expect(codeOf(await copy({ 'x-amz-tagging-directive': 'MERGE' }))).toEqual([
      400,
      'InvalidArgument',
    ]);
  });
});

describe('the tags of a version', () => {
  it('are its own, and named versions are found by their id', async () => {
    const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    await putTags(documentOf(['first', '1']));
    await send({ method: 'PUT', path: '/tagged', query: { versioning: '' }, body });
    await send({ method: 'PUT', path: K, body: 'y' });
    expect(tagsIn(await getTags())).toEqual([]);
    const old = await getTags(K, { versionId: 'null' });
    expect([tagsIn(old), old.headers['x-amz-version-id']]).toEqual([[['first', '1']], 'null']);
    const query = { tagging: '', versionId: 'null' };
    expect((await send({ method: 'DELETE', path: K, query })).headers['x-amz-version-id']).toBe(
      'null',
    );
    expect(tagsIn(await getTags(K, { versionId: 'null' }))).toEqual([]);
    await send({ method: 'DELETE', path: K });
    expect(codeOf(await getTags())).toEqual([404, 'NoSuchKey']);
    expect(codeOf(await putTags(documentOf(['a', '1'])))).toEqual([405, 'MethodNotAllowed']);
  });
});

describe('the tags of a bucket', () => {
  const md5 = (body: string) => ({ 'content-md5': contentMd5(body) });
  const put = (body: string) =>
    send({ method: 'PUT', path: '/tagged', ...tagging, body, headers: md5(body) });
  const get = () => send({ path: '/tagged', ...tagging });

  it('are put, given back and taken away', async () => {
    expect(codeOf(await get())).toEqual([404, 'NoSuchTagSet']);
    expect((await put(documentOf(['b', '2'], ['a', '1']))).status).toBe(200);
    expect((await get()).text).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Tagging xmlns="http://s3.amazonaws.com/doc/' +
        '2006-03-01/"><TagSet>' +
        '<Tag><Key>a</Key><Value>1</Value></Tag><Tag><Key>b</Key><Value>2</Value></Tag>' +
        '</TagSet></Tagging>',
    );
    expect((await send({ method: 'DELETE', path: '/tagged', ...tagging })).status).toBe(204);
    expect(codeOf(await get())).toEqual([404, 'NoSuchTagSet']);
  });

  it('may be fifty, come with a digest, and are for the owner', async () => {
    expect((await put(documentOf(...many(50)))).status).toBe(200);
    expect(codeOf(await put(documentOf(...many(51))))).toEqual([400, 'InvalidTag']);
    const bare = { method: 'PUT', path: '/tagged', ...tagging, body: documentOf() };
    expect(codeOf(await send(bare))).toEqual([400, 'InvalidRequest']);
    expect(codeOf(await send({ path: '/tagged', ...tagging, as: 'stranger' }))).toEqual([
      403,
      'AccessDenied',
    ]);
  });

  it('may come with the bucket', async () => {
    const tags = `<Tags>${tag(['born', 'here'])}</Tags>`;
    const body = `<CreateBucketConfiguration>${tags}</CreateBucketConfiguration>`;
    expect((await send({ method: 'PUT', path: '/tagged-too', body })).status).toBe(200);
    expect(tagsIn(await send({ path: '/tagged-too', ...tagging }))).toEqual([['born', 'here']]);
  });
});
