// Listings against a model: the same few lines of plain JavaScript answer what each page must hold,
// for both list versions, every prefix and delimiter of a table, and every page size up to one more
// than everything.
import { ListObjectsV2Command, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { putKeys } from '../kit/clients/bucket-work.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError, S3_NAMESPACE, xmlRoot } from '../kit/clients/xml.ts';

const { s3, send } = client;

// biome-ignore format: a table
const KEYS = [
  'a', 'a/', 'a/1', 'a/2', 'a/b/1', 'a/b/2', 'a0', 'ab', 'abc', 'b', 'b/1', 'b//1', 'b//2', 'b/c',
  'c/only', 'd d', 'd+d', 'd%d', 'e&<>"\'', 'é/1', 'é/2', '\uFFFD', '\uFFFD/1', '\u{10000}',
  '\u{10000}/1', 'z/', 'zz',
];

const compareUtf8 = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

type Row = { readonly name: string; readonly isPrefix: boolean };

/** Every row of a listing, in order: keys and, with a delimiter, each common prefix once. */
function modelRows(keys: readonly string[], prefix: string, delimiter: string): Row[] {
  const rows = new Map<string, Row>();
  for (const key of keys) {
    if (!key.startsWith(prefix)) continue;
    const cut = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    const name = cut < 0 ? key : key.slice(0, cut + delimiter.length);
    rows.set(`${cut >= 0}${name}`, { name, isPrefix: cut >= 0 });
  }
  return [...rows.values()].sort((a, b) => compareUtf8(a.name, b.name));
}

const decoded = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

type Page = {
  rows: Row[];
  isTruncated: boolean;
  next: string | undefined;
  count: string | undefined;
};

async function listPage(
  bucket: string,
  version: 1 | 2,
  query: Record<string, string>,
): Promise<Page> {
  const asked = {
    ...(version === 2 ? { 'list-type': '2' } : {}),
    'encoding-type': 'url',
    ...query,
  };
  const reply = await send({ method: 'GET', bucket, query: asked });
  expect(reply.status, reply.text).toBe(200);
  const root = xmlRoot(reply.text, 'ListBucketResult');
  const keys: Row[] = (root.Contents ?? []).map((row: { Key: string }) => ({
    name: decoded(row.Key),
    isPrefix: false,
  }));
  const prefixes: Row[] = (root.CommonPrefixes ?? []).map((row: { Prefix: string }) => ({
    name: decoded(row.Prefix),
    isPrefix: true,
  }));
  expect(keys.map(({ name }) => name)).toEqual(keys.map(({ name }) => name).sort(compareUtf8));
  const rows = [...keys, ...prefixes].sort((a, b) => compareUtf8(a.name, b.name));
  const next =
    version === 2 ? root.NextContinuationToken : root.NextMarker && decoded(root.NextMarker);
  return { rows, isTruncated: root.IsTruncated === 'true', next, count: root.KeyCount };
}

/** All pages of one size, each compared with the model as it comes. */
async function expectPages(
  bucket: string,
  version: 1 | 2,
  prefix: string,
  delimiter: string,
  size: number,
) {
  const expected = modelRows(KEYS, prefix, delimiter);
  const base = { prefix, ...(delimiter === '' ? {} : { delimiter }), 'max-keys': `${size}` };
  let from: Record<string, string> = {};
  for (let offset = 0; ; offset += size) {
    const label = JSON.stringify({ version, prefix, delimiter, size, offset });
    const page = await listPage(bucket, version, { ...base, ...from });
    expect(page.rows, label).toEqual(expected.slice(offset, offset + size));
    expect(page.isTruncated, label).toBe(offset + size < expected.length);
    if (version === 2) expect(page.count, label).toBe(`${page.rows.length}`);
    if (!page.isTruncated) break;
    // Version 1 names the next marker only with a delimiter; without one it is the last key.
    const last = page.rows.at(-1)?.name ?? '';
    if (version === 1) expect(page.next, label).toBe(delimiter === '' ? undefined : last);
    from =
      version === 2 ? { 'continuation-token': page.next ?? '' } : { marker: page.next ?? last };
  }
}

describeCore('listing', () => {
  const bucket = useBucket(client);
  beforeAll(() => putKeys(client, bucket, KEYS));

  // biome-ignore format: a table
  const shapes: [string, string][] = [
    ['', ''], ['', '/'], ['a', ''], ['a', '/'], ['a/', '/'], ['a/b/', '/'], ['b/', '/'], ['', '//'],
    ['', 'b'],
    ['', 'é/'], ['\u{10000}', '/'], ['d', ' '], ['nothing', '/'], ['', 'nowhere'], ['a', 'a'],
  ];
  for (const version of [1, 2] as const) {
    it.each(shapes)(
      `version ${version} pages at every boundary, prefix %j, delimiter %j`,
      async (prefix, delimiter) => {
        const total = modelRows(KEYS, prefix, delimiter).length;
        const sizes = new Set([1, 2, total - 1, total].filter((size) => size > 0));
        await Promise.all(
          [...sizes].map((size) => expectPages(bucket, version, prefix, delimiter, size)),
        );
      },
    );
  }

  it.each([...KEYS, 'a/b/', 'a/b/zzz', 'a/~', 'b0', '', 'zzz', '\u{1F600}'])(
    'starts after %j',
    async (after) => {
      const expected = modelRows(
        KEYS.filter((key) => compareUtf8(key, after) > 0),
        '',
        '',
      );
      expect((await listPage(bucket, 2, { 'start-after': after })).rows).toEqual(expected);
      expect((await listPage(bucket, 1, { marker: after })).rows).toEqual(expected);
    },
  );

  it('shows no common prefix that is not after the marker', async () => {
    const names = async (marker: string) =>
      (await listPage(bucket, 1, { delimiter: '/', marker })).rows.map((row) => row.name);
    expect((await names('a')).slice(0, 2)).toEqual(['a/', 'a0']);
    for (const marker of ['a/', 'a/1', 'a/~'])
      expect((await names(marker)).slice(0, 1)).toEqual(['a0']);
  });

  it('echoes what was asked', async () => {
    const query = { prefix: 'a', delimiter: '/', 'max-keys': '2', marker: 'a' };
    const v1 = xmlRoot((await send({ method: 'GET', bucket, query })).text, 'ListBucketResult');
    expect(v1).toMatchObject({
      '@xmlns': S3_NAMESPACE,
      Name: bucket,
      Prefix: 'a',
      Delimiter: '/',
      MaxKeys: '2',
      Marker: 'a',
    });
    const bare = xmlRoot((await send({ method: 'GET', bucket })).text, 'ListBucketResult');
    expect(bare).toMatchObject({ Prefix: '', Marker: '', MaxKeys: '1000', IsTruncated: 'false' });
    for (const absent of ['Delimiter', 'EncodingType', 'NextMarker', 'KeyCount'])
      expect(bare).not.toHaveProperty(absent);
    const query2 = { 'list-type': '2', 'start-after': 'a', 'encoding-type': 'url', delimiter: '/' };
    const v2 = xmlRoot(
      (await send({ method: 'GET', bucket, query: query2 })).text,
      'ListBucketResult',
    );
    expect(v2).toMatchObject({ StartAfter: 'a', EncodingType: 'url', Delimiter: '/', Prefix: '' });
    expect(v2).not.toHaveProperty('Marker');
    expect(v2).not.toHaveProperty('NextContinuationToken');
  });

  it('echoes the continuation token, which wins over start-after', async () => {
    const first = await listPage(bucket, 2, { 'max-keys': '3' });
    const query = {
      'list-type': '2',
      'continuation-token': first.next ?? '',
      'start-after': 'zz',
      'max-keys': '1',
    };
    const root = xmlRoot((await send({ method: 'GET', bucket, query })).text, 'ListBucketResult');
    expect(root.ContinuationToken).toBe(first.next);
    expect(root.Contents[0].Key).toBe(modelRows(KEYS, '', '')[3]?.name);
  });

  it('describes each object', async () => {
    const root = xmlRoot(
      (await send({ method: 'GET', bucket, query: { prefix: 'a/1' } })).text,
      'ListBucketResult',
    );
    expect(root.Contents).toHaveLength(1);
    expect(root.Contents[0]).toMatchObject({ Key: 'a/1', Size: '1', StorageClass: 'STANDARD' });
    expect(root.Contents[0].ETag).toBe('"9dd4e461268c8034f5c8564e155c67a6"');
    expect(root.Contents[0].LastModified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(root.Contents[0].Owner.ID).toMatch(/\S/);
  });

  it('names owners in version 2 only when asked, and checksum algorithms', async () => {
    const query = { 'list-type': '2', prefix: 'a/1' };
    const without = xmlRoot(
      (await send({ method: 'GET', bucket, query })).text,
      'ListBucketResult',
    );
    expect(without.Contents[0]).not.toHaveProperty('Owner');
    const asked = await send({ method: 'GET', bucket, query: { ...query, 'fetch-owner': 'true' } });
    expect(xmlRoot(asked.text, 'ListBucketResult').Contents[0].Owner.ID).toMatch(/\S/);
  });

  it('escapes in XML what it does not encode, and encodes all but a slash', async () => {
    const raw = xmlRoot(
      (await send({ method: 'GET', bucket, query: { prefix: 'e&' } })).text,
      'ListBucketResult',
    );
    expect(raw.Contents[0].Key).toBe('e&<>"\'');
    const query = { 'encoding-type': 'url', prefix: 'é/', delimiter: '/' };
    const { text } = await send({ method: 'GET', bucket, query });
    expect(text).toContain('<Key>%C3%A9/1</Key>');
    expect(text).toContain('<Prefix>%C3%A9/</Prefix>');
    expect(text).toContain('<Delimiter>/</Delimiter>');
    const plus = await send({
      method: 'GET',
      bucket,
      query: { 'encoding-type': 'url', prefix: 'd+' },
    });
    expect(plus.text).toContain('<Key>d%2Bd</Key>');
  });

  it('takes an empty delimiter for none', async () => {
    const rows = (await listPage(bucket, 2, { delimiter: '' })).rows;
    expect(rows).toEqual(modelRows(KEYS, '', ''));
  });

  it('gives nothing for max-keys 0 and is complete', async () => {
    for (const version of [1, 2] as const) {
      const page = await listPage(bucket, version, { 'max-keys': '0' });
      expect([page.rows.length, page.isTruncated]).toEqual([0, false]);
    }
  });

  it.each(['-1', 'abc', '1.5', '9999999999999'])('refuses max-keys %j', async (maxKeys) => {
    expectError(
      await send({ method: 'GET', bucket, query: { 'max-keys': maxKeys } }),
      400,
      'InvalidArgument',
    );
  });

  it('refuses another encoding and a made-up token', async () => {
    expectError(
      await send({ method: 'GET', bucket, query: { 'encoding-type': 'base64' } }),
      400,
      'InvalidArgument',
    );
    const query = { 'list-type': '2', 'continuation-token': 'no token of ours \u0000' };
    expectError(await send({ method: 'GET', bucket, query }), 400, 'InvalidArgument');
  });

  it('lists nothing in an empty corner', async () => {
    const { Contents, KeyCount, IsTruncated } = await s3.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: 'no/' }),
    );
    expect([Contents, KeyCount, IsTruncated]).toEqual([undefined, 0, false]);
  });

  it('sees a put and a deletion at once', async () => {
    const names = async () =>
      (await listPage(bucket, 2, { prefix: 'now/' })).rows.map(({ name }) => name);
    for (let round = 0; round < 10; round++) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `now/${round}`, Body: 'x' }));
      expect(await names()).toEqual([`now/${round}`]);
      await send({ method: 'DELETE', bucket, key: `now/${round}` });
      expect(await names()).toEqual([]);
    }
  });
});

describeCore('a listing of more than one full page', () => {
  const bucket = useBucket(client);
  const many = Array.from({ length: 1003 }, (_, index) => `k/${String(index).padStart(5, '0')}`);
  beforeAll(() => putKeys(client, bucket, many));

  it('ends a page at 1,000, also when more are asked for', async () => {
    for (const query of [{}, { 'max-keys': '5000' }]) {
      const root = xmlRoot((await send({ method: 'GET', bucket, query })).text, 'ListBucketResult');
      expect([root.Contents.length, root.MaxKeys, root.IsTruncated]).toEqual([
        1000,
        '1000',
        'true',
      ]);
    }
  });

  it('is complete through the paginator of the SDK', async () => {
    const found: (string | undefined)[] = [];
    for await (const page of paginateListObjectsV2({ client: s3 }, { Bucket: bucket })) {
      found.push(...(page.Contents ?? []).map(({ Key }) => Key));
    }
    expect(found).toEqual(many);
  });

  it('rolls all of it up into one prefix', async () => {
    const page = await listPage(bucket, 2, { delimiter: '/', 'max-keys': '1' });
    expect([page.rows, page.isTruncated]).toEqual([[{ name: 'k/', isPrefix: true }], false]);
  });
});
