// A ZIP of selected objects, as a console has it made: a list of keys and folders becomes a URL, to
// which a browser goes without any header of ours.
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { type ApiClient, apiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { readZip } from '../kit/read-zip.ts';

const { s3 } = client;

describeCore('a ZIP of a selection', () => {
  const Bucket = useBucket(client);
  const Capped = useBucket(client);
  let api: ApiClient;
  const objects = new Map<string, Buffer>([
    ['fotos/a.jpg', sampleBytes(30_000, 1)],
    ['fotos/ü 日本 😀.txt', sampleBytes(10, 2)],
    ['fotos/trip/large.bin', sampleBytes(2 * 1024 * 1024 + 3, 3)],
    ['fotos/trip/sub/empty', Buffer.alloc(0)],
    ['fotos/not chosen', sampleBytes(10, 4)],
    ['other', sampleBytes(10, 5)],
  ]);
  const ask = (body: object, by = api) => by.call('POST', `/buckets/${Bucket}/zips`, body);
  const codeOf = async (body: object) => (await ask(body)).json.code;
  const filesOf = async (url: string) => {
    const reply = await fetch(url);
    expect(reply.status).toBe(200);
    return readZip(Buffer.from(await reply.arrayBuffer()));
  };

  beforeAll(async () => {
    api = await tokenClient(client);
    for (const [Key, Body] of objects) await s3.send(new PutObjectCommand({ Bucket, Key, Body }));
  });

  it('holds the keys and all below the prefixes, once each, by a plain URL', async () => {
    const zip = await ask({
      base: 'fotos/',
      keys: ['fotos/ü 日本 😀.txt', 'fotos/a.jpg', 'fotos/a.jpg', 'fotos/trip/large.bin'],
      prefixes: ['fotos/trip/', 'fotos/trip/sub/'],
      fileName: 'Käse & "Brot".zip',
    });
    expect([zip.status, zip.json.code]).toEqual([200, undefined]);
    const { url, bytes, objects: count, expiresAt } = zip.json;
    expect(count).toBe(4);
    const leftMs = Date.parse(expiresAt) - Date.now();
    expect([leftMs > 0, leftMs <= 601_000]).toEqual([true, true]);

    const reply = await fetch(url);
    const body = Buffer.from(await reply.arrayBuffer());
    expect(reply.status).toBe(200);
    expect([`${body.length}`, reply.headers.get('content-length')]).toEqual([bytes, bytes]);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'content-type': 'application/zip',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.headers.get('content-disposition')).toBe(
      `attachment; filename="K_se & _Brot_.zip"; filename*=UTF-8''K%C3%A4se%20%26%20%22Brot%22.zip`,
    );
    const files = readZip(body);
    expect(files.map(({ name }) => name).toSorted()).toEqual(
      ['a.jpg', 'trip/large.bin', 'trip/sub/empty', 'ü 日本 😀.txt'].toSorted(),
    );
    for (const { name, bytes: found } of files)
      expect(found.equals(objects.get(`fotos/${name}`) ?? Buffer.of(1)), name).toBe(true);
  });

  it('is named after its folder, and of the whole bucket after that', async () => {
    const below = (await ask({ base: 'fotos/', keys: ['fotos/a.jpg'] })).json;
    const whole = (await ask({ keys: ['other'], prefixes: ['fotos/trip/'] })).json;
    expect((await fetch(below.url)).headers.get('content-disposition')).toBe(
      'attachment; filename="fotos.zip"',
    );
    expect((await fetch(whole.url)).headers.get('content-disposition')).toBe(
      `attachment; filename="${Bucket}.zip"`,
    );
    const names = (await filesOf(whole.url)).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['fotos/trip/large.bin', 'fotos/trip/sub/empty', 'other']);
  });

  it('takes 10,000 keys of the common length', async () => {
    // All but one are not there: it is refused by the first of these, and not by their number.
    const keys = Array.from({ length: 10_000 }, (_, at) => `fotos/${'x'.repeat(60)}${at}`);
    const zip = await ask({ keys });
    expect([zip.status, zip.json.code]).toEqual([404, 'NoSuchKey']);
    expect(await codeOf({ keys: [...keys, 'one more'] })).toBe('InvalidInput');
  });

  it('refuses what it can not hold, and says so', async () => {
    expect(await codeOf({})).toBe('InvalidInput');
    expect(await codeOf({ base: 'fotos', keys: ['fotos/a.jpg'] })).toBe('InvalidInput');
    expect(await codeOf({ base: 'fotos/', keys: ['other'] })).toBe('InvalidInput');
    expect(await codeOf({ base: 'fotos/', prefixes: [''] })).toBe('InvalidInput');
    expect(await codeOf({ keys: ['other', 'missing'] })).toBe('NoSuchKey');
    expect(await codeOf({ prefixes: ['nothing/'] })).toBe('NoSuchKey');
  });

  it('is of this selection alone, whoever changes the URL', async () => {
    const { url } = (await ask({ keys: ['other'] })).json;
    const status = async (changed: string) => (await fetch(changed)).status;
    expect(await status(url.replace(/selection=\w+/, 'selection=zzz'))).toBe(403);
    expect(await status(url.replace(/&selection=\w+/, ''))).toBe(403);
    expect(await status(url.replace(`/${Bucket}/`, `/${Bucket}/fotos/`))).toBe(403);
    expect(await status(`${url}0`)).toBe(403);
    const { selection } = Object.fromEntries(new URL(url).searchParams);
    const stranger = await client.anonymous({
      method: 'GET',
      bucket: Bucket,
      query: { zip: '', selection: selection ?? '' },
    });
    expect(stranger.status).toBe(403);
    // Whoever may read the bucket names it at its own folder only, and after ten minutes nowhere.
    const signed = (key: string, id: string) =>
      client.send({ method: 'GET', bucket: Bucket, key, query: { zip: '', selection: id } });
    expect((await signed('fotos/', selection ?? '')).status).toBe(404);
    expect((await signed('', 'no-such-selection')).status).toBe(404);
  });

  it('is decided again when it is followed: a policy, a member, an object', async () => {
    const login = `zip-${crypto.randomUUID().slice(0, 13)}@example.org`;
    const password = 'correct horse battery';
    const made = await api.call('POST', '/members', {
      login,
      displayName: 'Ada',
      role: 'reader',
      password,
    });
    expect(made.status).toBe(201);
    const signedIn = await apiClient(client).call('POST', '/sessions', { login, password });
    const cookie = (signedIn.headers['set-cookie'] ?? '').split(';')[0] ?? '';
    const reader = apiClient(client, { cookie });
    const { url } = (await ask({ keys: ['other'] }, reader)).json;
    expect(await filesOf(url)).toHaveLength(1);
    expect(await filesOf(url)).toHaveLength(1);
    expect((await api.call('DELETE', `/members/${made.json.id}`)).status).toBe(204);
    expect((await fetch(url)).status).toBe(403);

    await s3.send(new PutObjectCommand({ Bucket, Key: 'passing', Body: 'x' }));
    const passing = (await ask({ keys: ['passing', 'other'] })).json;
    expect((await api.call('DELETE', `/buckets/${Bucket}/object?key=passing`)).status).toBe(200);
    const gone = await fetch(passing.url);
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining('passing')]);
  });

  it('is for the account of the bucket alone', async () => {
    const other = await tokenClient(client, await newAccount(api, 'zip-stranger'));
    expect((await ask({ keys: ['other'] }, other)).json.code).toBe('NoSuchBucket');
    expect((await ask({ keys: ['other'] }, apiClient(client))).status).toBe(401);
  });

  it('stops at a cap when it is followed', async () => {
    await s3.send(new PutObjectCommand({ Bucket: Capped, Key: 'k', Body: sampleBytes(50_000, 9) }));
    const made = await api.call('POST', `/buckets/${Capped}/zips`, { keys: ['k'] });
    const status = async () => {
      const reply = await fetch(made.json.url);
      await reply.arrayBuffer();
      return reply.status;
    };
    const cap = `zips-${Capped}`;
    const limited = { bucket: Capped, unit: 'bytes', limit: '1000' };
    expect((await api.call('PUT', `/caps/${cap}`, limited)).status).toBe(200);
    await expect.poll(status).toBe(429);
    expect((await api.call('DELETE', `/caps/${cap}`)).status).toBe(204);
    await expect.poll(status).toBe(200);
  });
});
