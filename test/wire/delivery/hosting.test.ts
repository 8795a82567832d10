// A site as its owner makes it: pages and assets put by the SDK, settings as JSON, rules as files,
// visited as browsers do.
import { beforeAll, describe, expect } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import type { Reply } from '../kit/clients/http.ts';
import { client, describeCore, itUnless, websiteReason } from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { send, anonymous, target } = client;
const it = itUnless(websiteReason);
const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-mode': 'navigate',
  'user-agent': 'Mozilla/5.0',
};

describeCore('a hosted site', () => {
  const bucket = useBucket(client);
  const host = `${bucket}.${target.websiteDomain}:${new URL(target.url).port}`;
  const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    anonymous({ method, path, host, headers });
  const put = async (key: string, body: string, type = 'text/html') => {
    const reply = await send({
      method: 'PUT',
      bucket,
      key,
      body,
      headers: { 'content-type': type },
    });
    expect(reply.status, key).toBe(200);
  };
  const configure = async (document: object) => {
    const reply = await send({
      method: 'PUT',
      bucket,
      query: { hosting: '' },
      body: JSON.stringify(document),
    });
    expect(reply.status, reply.text).toBe(200);
  };
  const until = (
    path: string,
    isRight: (reply: Reply) => boolean,
    headers: Record<string, string> = {},
  ) => eventually(() => visit(path, headers), isRight);

  beforeAll(async () => {
    await put(
      'index.html',
      '<!doctype html><title>Home</title><script src="/assets/app-3f2a91bc.js"></script>',
    );
    await put('about.html', '<p>about');
    await put('blog/first/index.html', '<p>first post');
    await put('assets/app-3f2a91bc.js', 'console.log(1)', 'text/javascript');
    await put('photos/cat.jpg', 'jpeg', 'image/jpeg');
    await put('404.html', '<p>lost');
    await openToEveryone(client, bucket);
  });

  describe('as it is without any setting', () => {
    beforeAll(async () => {
      await configure({});
      await until('/about', ({ status }) => status === 200);
    });

    it('has clean addresses, folders and an error document', async () => {
      for (const [path, status, text] of [
        ['/', 200, '<!doctype html>'],
        ['/about', 200, '<p>about'],
        ['/about.html', 308, '/about'],
        ['/about/?a=b', 308, '/about?a=b'],
        ['/blog/first', 308, '/blog/first/'],
        ['/blog/first/', 200, '<p>first post'],
        ['/blog/', 404, '<p>lost'],
        ['/nothing', 404, '<p>lost'],
        ['/favicon.ico', 204, ''],
        ['/robots.txt', 200, 'User-agent: *\nAllow: /\n'],
      ] as const) {
        for (const method of ['GET', 'HEAD']) {
          const reply = await visit(path, BROWSER, method);
          expect(reply.status, `${method} ${path}`).toBe(status);
          if (status === 308) expect(reply.headers.location).toBe(text);
          else expect(reply.text.startsWith(method === 'HEAD' ? '' : text), path).toBe(true);
        }
      }
    });

    it('lets browsers keep what has a hash in its name, and protects pages a little', async () => {
      const script = await visit('/assets/app-3f2a91bc.js');
      expect(script.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(script.headers['x-content-type-options']).toBe('nosniff');
      const page = await visit('/about');
      expect(page.headers).toMatchObject({ 'x-frame-options': 'SAMEORIGIN' });
      expect(page.headers).not.toHaveProperty('content-security-policy');
    });

    it('keeps conditions, ranges and HEAD right, hot and cold', async () => {
      for (let round = 0; round < 3; round++) {
        const { etag = '', 'last-modified': modified = '' } = (await visit('/about')).headers;
        const known = await visit('/about', { 'if-none-match': etag });
        // The preset is on a 304 too: copies of a page learn of a new policy by it.
        expect([known.status, known.headers['x-frame-options']]).toEqual([304, 'SAMEORIGIN']);
        expect((await visit('/about', { 'if-modified-since': modified })).status).toBe(304);
        expect((await visit('/about', { 'if-match': '"other"' })).status).toBe(412);
        const part = await visit('/about', { range: 'bytes=3-' });
        expect([part.status, part.text, part.headers['content-range']]).toEqual([
          206,
          'about',
          'bytes 3-7/8',
        ]);
        expect((await visit('/about', {}, 'HEAD')).headers['content-length']).toBe('8');
      }
    });
  });

  it('is an app with routes of its own', async () => {
    await configure({ spaFallback: true });
    const route = await until('/account/settings', ({ status }) => status === 200, BROWSER);
    expect([route.status, route.text.includes('<title>Home')]).toEqual([200, true]);
    expect(route.headers.vary).toBe('Accept, Sec-Fetch-Mode');
    const chunk = await visit('/assets/gone.js', { accept: '*/*', 'sec-fetch-mode': 'no-cors' });
    expect([chunk.status, chunk.text]).toEqual([404, '<p>lost']);
  });

  it('follows _redirects and _headers from when they are put until they are deleted', async () => {
    await configure({});
    await put(
      '_redirects',
      '/old-about /about 301\n/news/* /blog/:splat\n/start /index.html 200\n',
      'text/plain',
    );
    await put(
      '_headers',
      '/*\n  X-Robots-Tag: noindex\n/photos/*\n  Cache-Control: max-age=7\n',
      'text/plain',
    );
    const moved = await until('/old-about?x=1', ({ status }) => status === 301);
    expect([moved.status, moved.headers.location]).toEqual([301, '/about?x=1']);
    await until('/about', ({ headers }) => headers['x-robots-tag'] === 'noindex');
    for (let round = 0; round < 3; round++) {
      expect((await visit('/news/first/')).headers.location).toBe('/blog/first/');
      expect((await visit('/start')).text).toContain('<title>Home');
      expect((await visit('/about')).headers['x-robots-tag']).toBe('noindex');
      expect((await visit('/photos/cat.jpg')).headers['cache-control']).toBe('max-age=7');
      expect((await visit('/_redirects')).status).toBe(404);
    }
    for (const key of ['_redirects', '_headers']) {
      expect((await send({ method: 'DELETE', bucket, key })).status).toBe(204);
    }
    const over = await until('/old-about', ({ status }) => status === 404);
    expect(over.status).toBe(404);
    const plain = await until('/about', ({ headers }) => headers['x-robots-tag'] === undefined);
    expect(plain.headers).not.toHaveProperty('x-robots-tag');
  });

  it('keeps its pictures from other sites', async () => {
    await configure({ hotlink: { allowedHosts: ['friend.example'], match: ['/photos/**'] } });
    const refused = await until('/photos/cat.jpg', ({ status }) => status === 403, {
      referer: 'https://evil.example/',
    });
    expect([refused.status, refused.headers.vary]).toEqual([403, 'Referer']);
    for (let round = 0; round < 3; round++) {
      for (const referer of ['https://friend.example/a', `http://${host}/about`, '']) {
        expect((await visit('/photos/cat.jpg', { referer })).status, referer).toBe(200);
      }
      expect((await visit('/photos/cat.jpg', { referer: 'https://evil.example/' })).status).toBe(
        403,
      );
      expect((await visit('/about', { referer: 'https://evil.example/' })).status).toBe(200);
    }
    for (const [query, headers] of [
      [{}, {}],
      [{ partNumber: '1' }, {}],
      [{}, { 'x-amz-checksum-mode': 'ENABLED' }],
    ] as const) {
      const evil = { ...headers, referer: 'https://evil.example/' };
      const direct = await anonymous({
        method: 'GET',
        bucket,
        key: 'photos/cat.jpg',
        query,
        headers: evil,
      });
      expect(direct.status).toBe(403);
    }
  });

  it('lists its folders, for people and for programs', async () => {
    await put('files/<b>.txt', 'x', 'text/plain');
    await configure({ directoryListing: true });
    const page = await until('/files/', ({ status }) => status === 200, BROWSER);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('&lt;b&gt;.txt');
    expect((await visit('/files')).headers.location).toBe('/files/');
    const list = JSON.parse((await visit('/files/', { accept: 'application/json' })).text);
    expect(list.files).toMatchObject([{ name: '<b>.txt', sizeBytes: 1 }]);
    const file = await visit('/files/%3Cb%3E.txt');
    expect([file.text, file.headers['content-type']]).toEqual(['x', 'text/plain; charset=utf-8']);
    await configure({});
    const over = await until('/files/', ({ status }) => status === 404);
    expect(over.status).toBe(404);
  });

  it('tells its owner what is wrong with the settings', async () => {
    const wrong = await send({
      method: 'PUT',
      bucket,
      query: { hosting: '' },
      body: '{"cleanURLs":true}',
    });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toMatch(/hosting has no setting .*cleanURLs.* It has: indexDocument/);
    const stranger = await anonymous({ method: 'GET', bucket, query: { hosting: '' } });
    expect(stranger.status).toBe(403);
  });
});
