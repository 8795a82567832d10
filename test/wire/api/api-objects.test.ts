// Objects as a console handles them with nothing but the JSON API and the URLs that it gives: sent,
// shown, changed, brought back. The bytes are sent by fetch without any header of ours, as a
// browser would.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { type ApiClient, apiClient, signIn, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { target } = client;
const freshName = () => `wire-objects-${crypto.randomUUID().slice(0, 13)}`;
type Url = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
};

async function newBucket(api: ApiClient, settings: object = {}): Promise<string> {
  const name = freshName();
  expect((await api.call('POST', '/buckets', { name })).status).toBe(201);
  if (Object.keys(settings).length > 0) {
    expect(
      (await api.call('PATCH', `/buckets/${name}`, settings, { 'if-match': '*' })).status,
    ).toBe(200);
  }
  return name;
}

async function urlsOf(api: ApiClient, bucket: string, requests: object[]): Promise<Url[]> {
  const { status, json } = await api.call('POST', `/buckets/${bucket}/presigned-urls`, {
    requests,
  });
  expect([status, json.code]).toEqual([200, undefined]);
  return json.items;
}

const use = ({ method, url, headers }: Url, body?: Uint8Array<ArrayBuffer> | string) =>
  fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });

describeCore('objects by JSON', () => {
  it('are sent by presigned URLs with limits', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api);
    const limits = { maxBytes: 5, contentTypes: ['text/*'], maxUses: 1, keyPrefix: 'in/' };
    const headers = { 'content-type': 'text/plain' };
    const request = { operation: 'put', key: 'in/a', headers, limits };
    const [put] = await urlsOf(api, bucket, [request]);
    if (put === undefined) throw new Error('no URL');
    expect((await use(put, 'longer')).status).toBe(400);
    const elsewhere = { ...put, url: put.url.replace('/in/a?', '/out/a?') };
    expect((await use(elsewhere, 'hello')).status).toBe(403);
    const other = { ...put, url: put.url.replace('/in/a?', '/in/b?') };
    expect((await use(other, 'hello')).status).toBe(200);
    expect((await use(put, 'hello')).status).toBe(403);
    const wrong = { requests: [{ ...request, key: 'out/a' }] };
    expect((await api.call('POST', `/buckets/${bucket}/presigned-urls`, wrong)).status).toBe(400);
  });

  it('are sent and fetched by presigned URLs, with their headers and metadata', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api);
    const key = 'fotos/Käse & "Brot" #1.txt';
    const headers = {
      'content-type': 'text/x-cheese',
      'x-amz-meta-kind': 'blue',
      'x-amz-tagging': 'team=food',
    };
    const [put, get, named, head] = await urlsOf(api, bucket, [
      { operation: 'put', key, headers },
      { operation: 'get', key },
      { operation: 'get', key, fileName: 'Käse.txt' },
      { operation: 'head', key },
    ]);
    if (put === undefined || get === undefined || named === undefined || head === undefined)
      throw new Error('no URLs');
    expect(
      (await use({ ...put, headers: { ...headers, 'x-amz-meta-kind': 'red' } }, 'cheese')).status,
    ).toBe(403);
    expect((await use(put, 'cheese')).status).toBe(200);
    const got = await use(get);
    expect([got.status, await got.text(), got.headers.get('content-type')]).toEqual([
      200,
      'cheese',
      'text/x-cheese',
    ]);
    expect((await use(named)).headers.get('content-disposition')).toContain(
      "filename*=UTF-8''K%C3%A4se.txt",
    );
    expect((await use(head)).headers.get('x-amz-meta-kind')).toBe('blue');
    expect((await use({ ...get, url: get.url.replace('Brot', 'Wein') })).status).toBe(403);
    const shown = await api.call('GET', `/buckets/${bucket}/object?key=${encodeURIComponent(key)}`);
    expect(shown.json).toMatchObject({
      key,
      size: '6',
      contentType: 'text/x-cheese',
      metadata: { kind: 'blue' },
      tags: { team: 'food' },
      isLatest: true,
      everyoneMayRead: 'no',
      publicUrl: null,
      legalHold: false,
      retention: null,
    });
    const content = await api.call(
      'GET',
      `/buckets/${bucket}/content?key=${encodeURIComponent(key)}&download=1`,
    );
    expect(content.status).toBe(307);
    const followed = await fetch(content.headers.location ?? '');
    expect([followed.status, await followed.text()]).toEqual([200, 'cheese']);
    expect(followed.headers.get('content-disposition')).toContain('attachment');
    const wrong = {
      requests: [{ operation: 'put', key, headers: { 'x-amz-acl': 'public-read' } }],
    };
    expect((await api.call('POST', `/buckets/${bucket}/presigned-urls`, wrong)).json.code).toBe(
      'InvalidInput',
    );
  });

  it('are written only where nobody else wrote, under conditions that the URL holds', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api);
    const key = 'notes.txt';
    const urlFor = async (headers: Record<string, string>): Promise<Url> => {
      const [url] = await urlsOf(api, bucket, [{ operation: 'put', key, headers }]);
      if (url === undefined) throw new Error('no URL');
      return url;
    };
    const create = await urlFor({ 'if-none-match': '*' });
    expect(create.headers).toEqual({ 'if-none-match': '*' });
    const racers = await Promise.all(['one', 'two', 'three'].map((text) => use(create, text)));
    expect(racers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(racers.every(({ status }) => [200, 409, 412].includes(status))).toBe(true);
    const etag = racers.find(({ status }) => status === 200)?.headers.get('etag') ?? '';

    const edit = await urlFor({ 'if-match': etag });
    // Signed: without it, or with another one, the URL writes nothing.
    expect((await use({ ...edit, headers: {} }, 'mine')).status).toBe(403);
    expect((await use({ ...edit, headers: { 'if-match': '*' } }, 'mine')).status).toBe(403);
    const saved = await use(edit, 'edited');
    expect(saved.status).toBe(200);
    expect((await use(edit, 'edited too late')).status).toBe(412);
    expect((await use(create, 'new')).status).toBe(412);
    const [get] = await urlsOf(api, bucket, [{ operation: 'get', key }]);
    expect(await (await use(get as Url)).text()).toBe('edited');

    await use((await urlsOf(api, bucket, [{ operation: 'delete', key }]))[0] as Url);
    const gone = await urlFor({ 'if-match': saved.headers.get('etag') ?? '' });
    expect((await use(gone, 'back')).status).toBe(404);
  });

  it('come in parts past the API, and are one object then', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api);
    const key = 'large.bin';
    const begun = await api.call('POST', `/buckets/${bucket}/uploads`, {
      key,
      metadata: { from: 'Zürich' },
    });
    expect(begun.status).toBe(201);
    const { id: uploadId } = begun.json;
    const parts = [new Uint8Array(5 * 1024 * 1024).fill(1), new Uint8Array(3).fill(2)];
    const urls = await urlsOf(
      api,
      bucket,
      parts.map((_, at) => ({ operation: 'put-part', key, uploadId, partNumber: at + 1 })),
    );
    const etags = await Promise.all(
      urls.map(async (url, at) => (await use(url, parts[at])).headers.get('etag') ?? ''),
    );
    const path = `/buckets/${bucket}/uploads`;
    expect((await api.call('GET', path)).json.items).toMatchObject([{ id: uploadId, key }]);
    const first = (await api.call('GET', `${path}/${uploadId}/parts?key=${key}&limit=1`)).json;
    expect(first.items).toMatchObject([{ partNumber: 1, size: `${parts[0]?.length}` }]);
    const second = await api.call(
      'GET',
      `${path}/${uploadId}/parts?key=${key}&limit=1&cursor=${first.nextCursor}`,
    );
    expect(second.json).toMatchObject({ items: [{ partNumber: 2, size: '3' }], nextCursor: null });
    const listed = etags.map((etag, at) => ({ partNumber: at + 1, etag }));
    const done = await api.call('POST', `${path}/${uploadId}/complete`, { key, parts: listed });
    expect([done.status, done.json]).toMatchObject([200, { key, size: `${5 * 1024 * 1024 + 3}` }]);
    const detail = (await api.call('GET', `/buckets/${bucket}/object?key=${key}`)).json;
    expect(detail).toMatchObject({ parts: 2, metadata: { from: 'Zürich' } });
    const other = (await api.call('POST', path, { key: 'given-up' })).json;
    expect((await api.call('DELETE', `${path}/${other.id}?key=given-up`)).status).toBe(204);
    expect((await api.call('DELETE', `${path}/${other.id}?key=given-up`)).json.code).toBe(
      'NoSuchUpload',
    );
    expect((await api.call('GET', path)).json.items).toEqual([]);
  });

  it(
    'keep the checksum of each part, take a part only as its digest says, and end only if ' +
      'nothing came between',
    async () => {
      const api = await tokenClient(client);
      const bucket = await newBucket(api);
      const path = `/buckets/${bucket}/uploads`;
      const key = 'checked.txt';
      const begun = (await api.call('POST', path, { key, checksum: 'SHA256' })).json;
      const part = { operation: 'put-part', key, uploadId: begun.id, partNumber: 1 };
      const value = createHash('sha256').update('part').digest('base64');
      const headers = { 'x-amz-checksum-sha256': value };
      const [url] = await urlsOf(api, bucket, [{ ...part, headers }]);
      if (url === undefined) throw new Error('no URL');
      expect((await use(url, 'other')).status).toBe(400);
      const sent = await use(url, 'part');
      expect(sent.status).toBe(200);
      const listed = (await api.call('GET', `${path}/${begun.id}/parts?key=${key}`)).json;
      expect(listed.items).toMatchObject([{ size: '4', checksum: { algorithm: 'SHA256', value } }]);
      const wrong = { requests: [{ ...part, headers: { 'x-amz-meta-a': 'b' } }] };
      expect((await api.call('POST', `/buckets/${bucket}/presigned-urls`, wrong)).json.code).toBe(
        'InvalidInput',
      );
      const end = (more: object) =>
        api.call('POST', `${path}/${begun.id}/complete`, {
          key,
          parts: [{ partNumber: 1, etag: sent.headers.get('etag') }],
          ...more,
        });
      expect((await end({ onlyIfEtag: 'abc' })).json.code).toBe('NoSuchKey');
      const [put] = await urlsOf(api, bucket, [{ operation: 'put', key }]);
      const first = await use(put ?? url, 'first');
      expect((await end({ onlyIfEtag: 'abc' })).json.code).toBe('PreconditionFailed');
      expect((await end({ onlyIfEtag: first.headers.get('etag') })).status).toBe(200);
      const detail = (await api.call('GET', `/buckets/${bucket}/object?key=${key}`)).json;
      expect(detail).toMatchObject({
        size: '4',
        checksum: { algorithm: 'SHA256', type: 'COMPOSITE' },
      });
      const reads = await urlsOf(api, bucket, [
        { operation: 'get', key },
        { operation: 'get', key, checksums: true },
      ]);
      const shown = await Promise.all(
        reads.map(async (read) => (await use(read)).headers.get('x-amz-checksum-sha256')),
      );
      expect(shown).toEqual([null, detail.checksum.value]);
    },
  );

  it('change without a byte, keep their history, and come back', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api, { versioning: 'enabled', objectLock: {} });
    const key = 'plan.txt';
    const [put] = await urlsOf(api, bucket, [{ operation: 'put', key }]);
    if (put === undefined) throw new Error('no URL');
    for (const body of ['first', 'second!']) expect((await use(put, body)).status).toBe(200);
    const path = `/buckets/${bucket}/object?key=${key}`;
    const seen = await api.call('GET', path);
    const change = {
      contentType: 'text/plain',
      cacheControl: 'no-cache',
      metadata: { by: 'Łódź' },
      tags: { a: 'b' },
    };
    expect((await api.call('PATCH', path, change)).json.code).toBe('PreconditionRequired');
    const changed = await api.call('PATCH', path, change, { 'if-match': seen.headers.etag ?? '' });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      { ...change, size: '7', etag: seen.json.etag },
    ]);
    expect(
      (await api.call('PATCH', path, change, { 'if-match': seen.headers.etag ?? '' })).status,
    ).toBe(412);
    const history = (await api.call('GET', `/buckets/${bucket}/versions?key=${key}&limit=2`)).json;
    expect(history.items).toMatchObject([
      { isLatest: true, size: '7' },
      { isLatest: false, size: '7' },
    ]);
    const older = (
      await api.call('GET', `/buckets/${bucket}/versions?key=${key}&cursor=${history.nextCursor}`)
    ).json;
    expect(older).toMatchObject({ items: [{ size: '5', isLatest: false }], nextCursor: null });
    const { versionId } = older.items[0];
    const restored = await api.call('POST', `/buckets/${bucket}/object/restore`, {
      key,
      versionId,
    });
    expect([restored.status, restored.json]).toMatchObject([200, { size: '5', isLatest: true }]);
    const [get] = await urlsOf(api, bucket, [{ operation: 'get', key }]);
    expect(await (await use(get ?? put)).text()).toBe('first');
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const locked = await api.call(
      'PATCH',
      path,
      { retention: { mode: 'GOVERNANCE', until } },
      { 'if-match': '*' },
    );
    expect(locked.json.retention).toEqual({ mode: 'GOVERNANCE', until });
    const version = `${path}&versionId=${locked.json.versionId}`;
    expect((await api.call('DELETE', version)).json.code).toBe('AccessDenied');
    expect((await api.call('DELETE', `${version}&bypassGovernance=1`)).json).toEqual({
      deleteMarkerId: null,
    });
    const hidden = (await api.call('DELETE', path)).json;
    expect(hidden.deleteMarkerId).toMatch(/^[0-9a-z]{27,28}$/);
    expect((await api.call('GET', path)).json.code).toBe('NoSuchKey');
    expect((await api.call('DELETE', `${path}&versionId=${hidden.deleteMarkerId}`)).status).toBe(
      200,
    );
    expect((await api.call('GET', path)).status).toBe(200);
  });

  it('open to members as far as their role goes, and as long as they are members', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api, { publicAccess: 'read' });
    const key = 'note';
    const login = `${freshName()}@example.org`;
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
    const [put] = await urlsOf(api, bucket, [{ operation: 'put', key }]);
    if (put === undefined) throw new Error('no URL');
    await use(put, 'read me');
    const writing = await reader.call('POST', `/buckets/${bucket}/presigned-urls`, {
      requests: [{ operation: 'put', key }],
    });
    expect(writing.json.code).toBe('AccessDenied');
    const [get] = await urlsOf(reader, bucket, [{ operation: 'get', key }]);
    if (get === undefined) throw new Error('no URL');
    const got = await use(get);
    expect([got.status, await got.text()]).toEqual([200, 'read me']);
    const detail = (await reader.call('GET', `/buckets/${bucket}/object?key=${key}`)).json;
    expect(detail.everyoneMayRead).toBe('yes');
    expect(await (await fetch(detail.publicUrl)).text()).toBe('read me');
    expect((await api.call('DELETE', `/members/${made.json.id}`)).status).toBe(204);
    expect((await use(get)).status).toBe(403);
    // The cookie of a session by access key signs with that key.
    const own = apiClient(client, {
      cookie: await signIn(client, target.accessKey, target.secretKey),
    });
    const [mine] = await urlsOf(own, bucket, [{ operation: 'get', key }]);
    expect(new URL(mine?.url ?? '').searchParams.get('X-Amz-Credential')).toContain(
      `${target.accessKey}/`,
    );
  });
});
