// Keys that break servers: any Unicode, empty and dotted segments, percent signs, the longest key.
// Each is put, read back under exactly that name, listed as it is, and deleted; and no two of them
// are ever the same object.
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { inParallel } from '../../kit/clients/bucket-work.ts';
import { encodeKey } from '../../kit/clients/sign.ts';
import { client, describeCore, dotSegmentsReason, itUnless } from '../../kit/clients/suite.ts';
import { expectError, xmlRoot } from '../../kit/clients/xml.ts';

const { s3, send } = client;

// biome-ignore format: a table
const PLAIN_KEYS = [
  'a b', 'a+b', 'a%b', 'a%20b', 'a%2Fb', 'a%2fb', '%', '%%', '%zz', '+', ' ', ' lead', 'trail ',
  'a  b', 'a//b', 'a///b', '/lead', '//', '/', 'trail/', 'trail//', 'a/ /b', 'ünïcode',
  'u\u0308nicode', 'é', 'e\u0301', '日本語/ファイル', 'עברית', 'ß', 'İ', '\ufeffbom', '\u{1F600}',
  '\u{1F600}/\u{1F3F3}\uFE0F', '\uFFFD', '\uE000', '\u{10000}', '\u{10FFFF}', 'a?b', 'a#b',
  'a=b&c=d', 'a;b', 'a:b', 'a@b', 'a,b', 'a$b', "a'b", 'a"b', 'a<b>c', 'a&amp;b', 'a]]>b', 'a\\b',
  'a^b`c{d|e}f[g]', '~-_.!*()', 'a*b', '.hidden', 'a..b', 'a/.b', 'a/b.', 'A', 'a', 'index.html',
  'null', 'uploads', 'constructor', '__proto__', '-', '-/health', 'tab\tkey', 'line\nkey',
  'return\rkey',
] as const;

// biome-ignore format: a table
const DOTTED_KEYS = [
  '.', '..', 'a/.', 'a/..', './a', '../a', 'a/./b', 'a/../b', '../../etc/passwd', 'a/.../b',
] as const;

// biome-ignore format: a table
const LONGEST_KEYS = [
  'k'.repeat(1024), `${'日'.repeat(341)}k`, `${'\u{1F600}'.repeat(256)}`, 'd/'.repeat(512),
] as const;

/** A body that names its key, so that a mix-up shows. */
const bodyOf = (key: string) => `body of ${JSON.stringify(key)}`;

function expectKeyWorks(bucket: string, key: string): Promise<void> {
  return (async () => {
    const put = await send({ method: 'PUT', bucket, key, body: bodyOf(key) });
    expect(put.status, put.text).toBe(200);
    const got = await send({ method: 'GET', bucket, key });
    expect({ status: got.status, text: got.text }).toEqual({ status: 200, text: bodyOf(key) });
    expect((await send({ method: 'HEAD', bucket, key })).headers['content-length']).toBe(
      `${got.body.length}`,
    );
    const plain = await send({
      method: 'GET',
      bucket,
      query: { 'list-type': '2', prefix: key, 'encoding-type': 'url' },
    });
    const keys: string[] = xmlRoot(plain.text, 'ListBucketResult').Contents.map(
      (row: { Key: string }) => row.Key,
    );
    expect(keys.map((encoded) => decodeURIComponent(encoded.replaceAll('+', ' ')))).toContain(key);
  })();
}

describeCore('odd keys', () => {
  const bucket = useBucket(client);

  it.each(PLAIN_KEYS)('are kept as they are: %j', (key) => expectKeyWorks(bucket, key));
  it.each(LONGEST_KEYS)('of 1,024 bytes are kept as they are', (key) =>
    expectKeyWorks(bucket, key),
  );

  it('are all different objects, listed in the byte order of UTF-8', async () => {
    const keys = [...PLAIN_KEYS, ...LONGEST_KEYS];
    await inParallel(keys, 8, (key) => send({ method: 'PUT', bucket, key, body: bodyOf(key) }));
    const query = { 'list-type': '2', 'encoding-type': 'url' };
    const page = xmlRoot((await send({ method: 'GET', bucket, query })).text, 'ListBucketResult');
    const listed: string[] = page.Contents.map((row: { Key: string }) =>
      decodeURIComponent(row.Key.replaceAll('+', ' ')),
    );
    const own = new Set<string>(keys);
    const inOrder = [...own].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(listed.filter((key) => own.has(key))).toEqual(inOrder);
    await inParallel(keys, 8, async (key) => {
      expect((await send({ method: 'GET', bucket, key })).text).toBe(bodyOf(key));
    });
  });

  it('that XML can hold are listed by the SDK as they are', async () => {
    const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    const listed = new Set(Contents?.map(({ Key }) => Key));
    for (const key of PLAIN_KEYS) if (!/[\t\n\r]/.test(key)) expect(listed).toContain(key);
  });

  it('can be deleted one by one', async () => {
    await inParallel(PLAIN_KEYS, 8, async (key) => {
      expect((await send({ method: 'DELETE', bucket, key })).status).toBe(204);
      expectError(await send({ method: 'GET', bucket, key }), 404, 'NoSuchKey');
    });
  });

  it('of 1,025 bytes are too long', async () => {
    for (const key of ['k'.repeat(1025), '日'.repeat(342)]) {
      expectError(await send({ method: 'PUT', bucket, key, body: 'x' }), 400, 'KeyTooLongError');
    }
  });
});

describeCore('dotted keys', () => {
  const bucket = useBucket(client);
  for (const key of DOTTED_KEYS) {
    const isDots = key.split('/').some((segment) => segment === '.' || segment === '..');
    itUnless(isDots ? dotSegmentsReason : null)(
      `are kept as they are: ${JSON.stringify(key)}`,
      () => expectKeyWorks(bucket, key),
    );
  }
});

describeCore('spellings of a path', () => {
  const bucket = useBucket(client);

  it('with unreserved and sub-delimiter signs as they are mean the same key', async () => {
    const key = "a!b'c(d)e*f@g:h,i;j=k&l$m+n~o";
    await send({ method: 'PUT', bucket, key, body: 'x' });
    const signedPath = `/${bucket}/${encodeKey(key)}`;
    const bare = await send({ method: 'GET', path: `/${bucket}/${key}`, signedPath });
    expect([bare.status, bare.text]).toEqual([200, 'x']);
  });

  it('with lower-case hex digits mean the same key', async () => {
    const key = 'ü/日本';
    await send({ method: 'PUT', bucket, key, body: 'x' });
    const signedPath = `/${bucket}/${encodeKey(key)}`;
    const lower = await send({
      method: 'GET',
      path: `/${bucket}/${encodeKey(key).toLowerCase()}`,
      signedPath,
    });
    expect([lower.status, lower.text]).toEqual([200, 'x']);
  });

  it('with a plus mean a plus', async () => {
    await send({ method: 'PUT', bucket, key: 'p+q', body: 'plus' });
    await send({ method: 'PUT', bucket, key: 'p q', body: 'space' });
    const reply = await send({
      method: 'GET',
      path: `/${bucket}/p+q`,
      signedPath: `/${bucket}/p%2Bq`,
    });
    expect(reply.text).toBe('plus');
  });

  it.each(['%zz', 'a%', '%ff%fe', 'a%c3'])(
    'that decode to no text are refused: %s',
    async (bad) => {
      const reply = await send({ method: 'PUT', path: `/${bucket}/${bad}`, body: 'x' });
      expect(reply.status).toBe(400);
      expect(reply.text).toMatch(/<Code>(InvalidURI|InvalidArgument)<\/Code>/);
    },
  );
});
