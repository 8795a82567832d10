// Sites with hosting settings, at both doors: what the full way answers, and that the hot one
// answers the same or leaves it.
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { HOST, NAVIGATION, useSite, type Visited } from './hosting-site.ts';

const { put, configure, visit, hot, go, surface, delivery } = useSite();

describe('pages of a site', () => {
  const table: [settings: object, answers: Record<string, [number, string]>][] = [
    [
      {},
      {
        '/': [200, 'body of index.html'],
        '/index.html': [308, '/'],
        '/about': [200, 'body of about.html'],
        '/about.html': [308, '/about'],
        '/about.html?a=b': [308, '/about?a=b'],
        '/about/': [308, '/about'],
        '/docs': [308, '/docs/'],
        '/docs/': [200, 'body of docs/index.html'],
        '/docs/index.html': [308, '/docs/'],
        '/docs/a%20b': [200, 'body of docs/a b.html'],
        '/docs/a%20b.html': [308, '/docs/a%20b'],
        '/v1.2': [200, 'body of v1.2.html'],
        '/LICENSE': [200, 'body of LICENSE'],
        '/assets/app.3f2a91bc.js': [200, 'body of assets/app.3f2a91bc.js'],
      },
    ],
    [
      { trailingSlash: 'always' },
      {
        '/': [200, 'body of index.html'],
        '/about': [308, '/about/'],
        '/about/': [200, 'body of about.html'],
        '/about.html': [308, '/about/'],
        '/docs': [308, '/docs/'],
        '/docs/': [200, 'body of docs/index.html'],
        '/LICENSE': [200, 'body of LICENSE'],
        '/assets/app.3f2a91bc.js': [200, 'body of assets/app.3f2a91bc.js'],
      },
    ],
    [
      { trailingSlash: 'never' },
      {
        '/': [200, 'body of index.html'],
        '/about': [200, 'body of about.html'],
        '/about/': [308, '/about'],
        '/docs': [200, 'body of docs/index.html'],
        '/docs/': [308, '/docs'],
        '/docs/index.html': [308, '/docs'],
        '/index.html': [308, '/'],
      },
    ],
    [
      { cleanUrls: false },
      {
        '/index.html': [200, 'body of index.html'],
        '/about.html': [200, 'body of about.html'],
        '/docs': [308, '/docs/'],
        '/docs/': [200, 'body of docs/index.html'],
      },
    ],
    [
      { indexDocument: 'about.html' },
      { '/': [200, 'body of about.html'], '/about.html': [308, '/'] },
    ],
  ];
  it.each(table)('stand at their addresses with %j', async (settings, answers) => {
    await configure(settings);
    const found = Object.fromEntries(
      await Promise.all(
        Object.keys(answers).map(async (target) => [target, await go(target)] as const),
      ),
    );
    expect(found).toEqual(answers);
  });

  it('leads nobody to another host by slashes', async () => {
    await configure({});
    await put('/evil.example/index.html');
    expect((await visit('//evil.example')).headers.location).toBe('/%2Fevil.example/');
  });

  it('are as conditional, partial and bodiless as any object', async () => {
    await configure({});
    const { etag = '' } = (await visit('/about')).headers;
    expect((await visit('/about', { headers: { 'if-none-match': etag } })).status).toBe(304);
    const range = await visit('/about', { headers: { range: 'bytes=0-3' } });
    expect([range.status, range.body, range.headers['content-range']]).toEqual([
      206,
      'body',
      'bytes 0-3/18',
    ]);
    expect(hot('/about', { headers: { 'if-none-match': etag } })?.status).toBe(304);
    const head = await visit('/about', { method: 'HEAD' });
    expect([head.body, head.headers['content-length']]).toEqual(['', '18']);
    expect(hot('/about', { method: 'HEAD' })).toEqual(head);
  });
});

describe('what is not there', () => {
  it('is shown by the error document, or by a page of ours', async () => {
    await configure({});
    expect(await go('/none')).toEqual([404, expect.stringContaining('NoSuchKey')]);
    await put('404.html');
    expect(await go('/none/')).toEqual([404, 'body of 404.html']);
    expect((await visit('/none')).headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'SAMEORIGIN',
    });
    await configure({ errorDocument: null });
    expect((await go('/none'))[1]).toContain('NoSuchKey');
  });

  it('is the app, for those who want a page', async () => {
    await configure({ spaFallback: true });
    await put('404.html');
    expect(await go('/app/settings', { headers: NAVIGATION })).toEqual([200, 'body of index.html']);
    expect(await go('/app/settings', { headers: { accept: '*/*' } })).toEqual([
      200,
      'body of index.html',
    ]);
    expect(
      await go('/chunk.js', { headers: { accept: '*/*', 'sec-fetch-mode': 'no-cors' } }),
    ).toEqual([404, 'body of 404.html']);
    expect(await go('/chunk.js', { headers: { accept: '*/*' } })).toEqual([
      404,
      'body of 404.html',
    ]);
    expect(await go('/chunk.js', { headers: NAVIGATION })).toEqual([200, 'body of index.html']);
    for (const headers of [NAVIGATION, { accept: 'image/png', 'sec-fetch-mode': 'no-cors' }]) {
      expect((await visit('/app', { headers })).headers.vary).toBe('Accept, Sec-Fetch-Mode');
    }
    expect((await visit('/about')).headers).not.toHaveProperty('vary');
  });

  it('is answered for robots and browsers that ask on their own', async () => {
    await configure({ spaFallback: true });
    const robots = await visit('/robots.txt');
    expect([robots.status, robots.body]).toEqual([200, 'User-agent: *\nAllow: /\n']);
    expect(robots.headers['content-type']).toBe('text/plain; charset=utf-8');
    const icon = await visit('/favicon.ico', { headers: NAVIGATION });
    expect([icon.status, icon.headers['content-length']]).toEqual([204, undefined]);
    await configure({ robots: 'disallow' });
    expect((await visit('/robots.txt')).body).toContain('Disallow: /');
    await put('robots.txt', 'mine');
    await put('favicon.ico', 'icon');
    expect([(await go('/robots.txt'))[1], (await go('/favicon.ico'))[1]]).toEqual(['mine', 'icon']);
  });

  it('is not shown of a bucket that is not public, nor is what is there', async () => {
    await configure({ spaFallback: true, directoryListing: true });
    await surface().send({ method: 'DELETE', path: '/pages', query: { policy: '' } });
    for (const target of ['/', '/about', '/none', '/docs/', '/docs/?format=json']) {
      expect((await visit(target, { headers: NAVIGATION })).status, target).toBe(403);
      if (!target.includes('?')) expect(hot(target)).toBe(null);
    }
  });
});

describe('headers of a site', () => {
  it('say how long objects keep', async () => {
    await put('a.txt', 'x', { 'cache-control': 'private' });
    await put('data/b.json');
    await configure({ cacheControlRules: [{ match: '/data/**', cacheControl: 'no-cache' }] });
    const cacheControl = async (target: string) => (await visit(target)).headers['cache-control'];
    expect(await cacheControl('/assets/app.3f2a91bc.js')).toBe(
      'public, max-age=31536000, immutable',
    );
    expect(await cacheControl('/data/b.json')).toBe('no-cache');
    expect(await cacheControl('/a.txt')).toBe('private');
    expect(await cacheControl('/about')).toBe('max-age=1');
    // At S3's addresses too, and at both doors there.
    const request = makeRequest({ target: '/pages/data/b.json', headers: { host: 'h' } });
    const plain = await delivery().deliver(request, 'pages', 'data/b.json', 'ID');
    expect(plain.headers.get('cache-control')).toBe('no-cache');
    expect(hot('/pages/data/b.json', { host: 'h' })?.headers['cache-control']).toBe('no-cache');
    expect(plain.headers.get('x-frame-options')).toBe(null);
    await configure({ immutableHashedNames: false });
    expect(await cacheControl('/assets/app.3f2a91bc.js')).toBe('max-age=1');
  });

  it('protect as the owner wants', async () => {
    await configure({ securityHeaders: 'strict' });
    expect((await visit('/')).headers).toMatchObject({
      'x-frame-options': 'DENY',
      'strict-transport-security': 'max-age=31536000',
    });
    await configure({ securityHeaders: 'off' });
    expect((await visit('/')).headers).not.toHaveProperty('x-content-type-options');
  });
});

describe('other sites', () => {
  beforeEach(async () => {
    await put('cat.jpg');
    await configure({
      hotlink: { allowedHosts: ['friend.example', '*.many.example'], allowEmptyReferer: false },
      domains: [{ host: 'www.shop.example' }],
    });
  });

  it.each([
    ['https://friend.example/page', true],
    ['https://friend.example:8443/', true],
    ['http://user@Friend.Example', true],
    ['https://a.many.example/', true],
    [`http://${HOST}/docs/`, true],
    ['https://www.shop.example/', true],
    ['https://many.example/', false],
    ['https://evil.example/friend.example', false],
    ['https://friend.example.evil.example/', false],
    ['https://friend.example@evil.example/', false],
    ['android-app://friend.example', false],
    ['', false],
    [null, false],
  ])('with the Referer %j may show an image: %s', async (referer, isAllowed) => {
    const headers: Record<string, string> = referer === null ? {} : { referer };
    await visit('/cat.jpg', { headers: { referer: 'https://friend.example/' } });
    const reply = await visit('/cat.jpg', { headers });
    expect([reply.status, reply.headers.vary]).toEqual([isAllowed ? 200 : 403, 'Referer']);
    expect(hot('/cat.jpg', { headers })).toEqual(isAllowed ? reply : null);
    // At S3's addresses too.
    const request = makeRequest({ target: '/pages/cat.jpg', headers: { host: HOST, ...headers } });
    const plain = async () => (await delivery().deliver(request, 'pages', 'cat.jpg', 'ID')).status;
    if (isAllowed) expect(await plain()).toBe(200);
    else await expect(plain()).rejects.toMatchObject({ failure: { code: 'AccessDenied' } });
    // Pages can be linked to from anywhere.
    expect((await visit('/about', { headers })).status).toBe(200);
  });
});

describe('domains of a site', () => {
  it('show their folder, with its own rules', async () => {
    await put('docs/_redirects', '/x /y');
    await put('docs/404.html');
    await configure({ domains: [{ host: 'docs.shop.example', prefix: 'docs/' }] });
    const at = { host: 'docs.shop.example' };
    expect(await go('/', at)).toEqual([200, 'body of docs/index.html']);
    expect(await go('/a%20b', at)).toEqual([200, 'body of docs/a b.html']);
    expect(await go('/x', at)).toEqual([302, '/y']);
    expect(await go('/about', at)).toEqual([404, 'body of docs/404.html']);
    expect((await go('/x'))[0]).toBe(404);
  });

  it('show nothing of another bucket of that name', async () => {
    const binding = {
      host: 'www.shop.example',
      prefix: '',
      bucket: 'pages',
      bucketId: 'pages~before',
    } as never;
    await configure({});
    const request = makeRequest({ target: '/', headers: { host: 'www.shop.example' } });
    const response = await delivery().deliverSite(
      request,
      { rawBucket: 'pages', rawPath: '', binding },
      'ID',
    );
    expect(response.status).toBe(404);
    await surface().core.ports.directory.call('bindHosts', {
      bucket: { id: 'pages~before', name: 'pages' } as never,
      domains: [{ host: 'www.shop.example', prefix: '' }],
      mayTake: [],
    });
    await visit('/');
    expect(hot('/', { host: 'www.shop.example' })).toBe(null);
  });
});

describe('lists of folders', () => {
  it('are shown where the owner wants, escaped, sorted and in pages', async () => {
    for (const key of [
      'files/b.txt',
      'files/a.txt',
      'files/sub/x',
      'files/<img src=x onerror=alert(1)>',
      'files/q\'&".md',
    ]) {
      await put(key, key.endsWith('a.txt') ? 'longer than the others by far' : 'x');
    }
    await configure({});
    expect((await visit('/files/')).status).toBe(404);
    await configure({ directoryListing: true });
    expect(await go('/files')).toEqual([308, '/files/']);
    const page = await visit('/files/');
    expect([page.status, page.headers['content-type'], page.headers.vary]).toEqual([
      200,
      'text/html; charset=utf-8',
      'Accept',
    ]);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).not.toContain('<img');
    expect(page.body).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(page.body).toContain('href="./q&#39;%26%22.md"');
    expect(page.body).toContain('<a href="./sub/">sub/</a>');
    expect(page.body).not.toMatch(/<script|src="http|@import|url\(/);
    const namesOf = ({ body }: Visited) =>
      [...body.matchAll(/<td><a href="[^"]+">([^<]+)</g)].map(([, name]) => name);
    const bySize = await visit('/files/?sort=size&order=desc');
    expect(namesOf(bySize).slice(0, 3)).toEqual(['..', 'sub/', 'a.txt']);
    const json = await visit('/files/', { headers: { accept: 'application/json' } });
    expect(json.headers['content-type']).toBe('application/json');
    expect(JSON.parse(json.body)).toMatchObject({
      path: '/files/',
      folders: [{ name: 'sub/' }],
      next: null,
    });
    const asked = await visit('/docs/?format=json');
    expect(JSON.parse(asked.body).files.map((file: { name: string }) => file.name)).toEqual([
      'a b.html',
      'index.html',
    ]);
    expect(await go('/docs/')).toEqual([200, 'body of docs/index.html']);
    expect((await visit('/none/')).status).toBe(404);
    const head = await visit('/files/', { method: 'HEAD' });
    expect([head.status, head.body, head.headers['content-length']]).toEqual([
      200,
      '',
      page.headers['content-length'],
    ]);
  });

  it('go on where a page ends, and hide the files of rules', async () => {
    for (let i = 0; i < 503; i++) await put(`many/${String(i).padStart(4, '0')}`, 'x');
    await put('_headers', '/x\n  A: b');
    await configure({ directoryListing: true, indexDocument: 'none.html' });
    const first = JSON.parse((await visit('/many/?format=json')).body);
    expect([first.files.length, first.next]).toEqual([500, '?format=json&after=0499']);
    const second = JSON.parse((await visit(`/many/${first.next}`)).body);
    expect([second.files.length, second.next]).toEqual([3, null]);
    expect((await visit('/many/')).body).toContain(
      'rel="next" href="?sort=name&amp;order=asc&amp;after=0499"',
    );
    const root = JSON.parse((await visit('/?format=json')).body);
    expect(root.files.map((file: { name: string }) => file.name)).not.toContain('_headers');
  });
});

describe('preflights of a site', () => {
  it('are answered by the rules of the bucket', async () => {
    await configure({});
    const rules =
      '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>' +
      '<AllowedOrigin>https://a.example</AllowedOrigin><AllowedHeader>range</AllowedHeader>' +
      '</CORSRule></CORSConfiguration>';
    const headers = {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'range',
    };
    expect((await visit('/about', { method: 'OPTIONS', headers })).status).toBe(403);
    const md5 = createHash('md5').update(rules).digest('base64');
    await surface().send({
      method: 'PUT',
      path: '/pages',
      query: { cors: '' },
      body: rules,
      headers: { 'content-md5': md5 },
    });
    const allowed = await visit('/about', { method: 'OPTIONS', headers });
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([
      200,
      'https://a.example',
    ]);
    expect((await visit('/about', { method: 'OPTIONS' })).status).toBe(405);
    await go('/about');
    expect(
      (await visit('/about', { headers: { origin: 'https://a.example' } })).headers,
    ).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    });
  });
});

describe('a visit whose likeliest page would have too long a name', () => {
  it('finds nothing, and says so', async () => {
    await configure({ cleanUrls: true });
    expect((await visit(`/${'k'.repeat(1020)}/`)).status).toBe(404);
    for (const _ of [1, 2]) expect((await visit(`/${'k'.repeat(1022)}`)).status).toBe(404);
    expect((await visit(`/${'k'.repeat(1025)}`)).status).toBe(400);
  });
});
