// Sites with hosting settings, at both doors: what the full way answers, and that the hot one answers the same or leaves it.
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createDelivery, type Delivery } from '../../../../src/http/delivery/deliver.ts';
import type { HostBinding } from '../../../../src/ports/directory.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../../s3/make-request.ts';
import { createTestSurface } from '../../s3/surface.ts';
import { deliverySettings } from '../delivery-settings.ts';

const SETTINGS = deliverySettings({ websiteDomain: 'web.example', ownHosts: ['web.example'] });
const HOST = 'pages.web.example';
const NAVIGATION = { 'sec-fetch-mode': 'navigate', accept: 'text/html' };

let surface = createTestSurface();
let delivery: Delivery;

async function put(key: string, body = `body of ${key}`, headers: Record<string, string> = {}): Promise<void> {
  const reply = await surface.send({ method: 'PUT', path: `/pages/${key}`, body, headers });
  expect(reply.status).toBe(200);
}

async function configure(document: object): Promise<void> {
  const sent = { method: 'PUT', path: '/pages', query: { hosting: '' }, body: JSON.stringify(document) };
  const reply = await surface.send(sent);
  expect(reply.text).toContain('"cleanUrls"');
}

beforeEach(async () => {
  surface = createTestSurface({ inlineBodyMaxBytes: 1000 });
  delivery = createDelivery(surface.core, SETTINGS, createDecide());
  await surface.send({ method: 'PUT', path: '/pages' });
  await surface.send({ method: 'PUT', path: '/pages', query: { policy: '' }, body: publicPolicy('pages') });
  for (const key of ['index.html', 'about.html', 'docs/index.html', 'docs/a b.html', 'v1.2.html', 'LICENSE'])
    await put(key);
  await put('assets/app.3f2a91bc.js');
});

type Visited = { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
type Options = { headers?: Record<string, string>; method?: string; host?: string };

async function visit(target: string, { headers = {}, method = 'GET', host = HOST }: Options = {}): Promise<Visited> {
  const request = makeRequest({ method, target, headers: { host, ...headers } });
  const binding = host === HOST ? null : ((await surface.core.ports.directory.findHost(host)) as HostBinding);
  const place = { rawBucket: 'pages', rawPath: request.rawPath.slice(1), binding };
  const response = await delivery.deliverSite(request, place, 'ID');
  const { 'x-amz-request-id': _id, ...rest } = Object.fromEntries(response.headers);
  const body = await response.text();
  // What metrics and access log go by.
  expect(request.notes.bodyBytes).toBe(new TextEncoder().encode(body).length);
  return { status: response.status, headers: rest, body };
}

/** What the hot door says; null: nothing. */
function hot(rawPath: string, { headers = {}, method = 'GET', host = HOST }: Options = {}): Visited | null {
  const header = (name: string) => headers[name] ?? null;
  const ifNoneMatch = header('if-none-match');
  const reply = delivery.hotAnswer({ isHead: method === 'HEAD', rawPath, host, ifNoneMatch, range: null, header });
  return reply === null
    ? null
    : { status: reply.status, headers: reply.headers, body: new TextDecoder().decode(reply.body ?? new Uint8Array()) };
}

/** Visits twice, so that memory has it, and compares the doors. Gives status and Location or body. */
async function go(target: string, options: Options = {}): Promise<[number, string]> {
  await visit(target, options);
  const { status, headers, body } = await visit(target, options);
  const isPlain = status === 200 && !target.includes('?') && headers['cache-status'] !== undefined;
  if (!target.includes('?')) {
    const fast = hot(target, options);
    if (isPlain) expect(fast, `hot ${target}`).toEqual({ status, headers, body });
    else expect(fast, `hot ${target}`).toBe(null);
  }
  return [status, headers.location ?? body];
}

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
    [{ indexDocument: 'about.html' }, { '/': [200, 'body of about.html'], '/about.html': [308, '/'] }],
  ];
  it.each(table)('with %j', async (settings, answers) => {
    await configure(settings);
    const found = Object.fromEntries(
      await Promise.all(Object.keys(answers).map(async (target) => [target, await go(target)] as const)),
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
    expect([range.status, range.body, range.headers['content-range']]).toEqual([206, 'body', 'bytes 0-3/18']);
    expect(hot('/about', { headers: { 'if-none-match': etag } })?.status).toBe(304);
    const head = await visit('/about', { method: 'HEAD' });
    expect([head.body, head.headers['content-length']]).toEqual(['', '18']);
    expect(hot('/about', { method: 'HEAD' })).toEqual(head);
  });
});

describe('what is not there', () => {
  it('is told by the error document, or by a page of ours', async () => {
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
    expect(await go('/app/settings', { headers: { accept: '*/*' } })).toEqual([200, 'body of index.html']);
    expect(await go('/chunk.js', { headers: { accept: '*/*', 'sec-fetch-mode': 'no-cors' } })).toEqual([
      404,
      'body of 404.html',
    ]);
    expect(await go('/chunk.js', { headers: { accept: '*/*' } })).toEqual([404, 'body of 404.html']);
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
    await surface.send({ method: 'DELETE', path: '/pages', query: { policy: '' } });
    for (const target of ['/', '/about', '/none', '/docs/', '/docs/?format=json']) {
      expect((await visit(target, { headers: NAVIGATION })).status, target).toBe(403);
      if (!target.includes('?')) expect(hot(target)).toBe(null);
    }
  });
});

describe('rules in _redirects', () => {
  const RULES = [
    '/old /about 301',
    '/blog/* /docs/:splat',
    '/home / 200',
    '/u/:name /docs/:name 200',
    '/app/* /index.html 200',
    '/docs/* /never',
    '/LICENSE /forced!',
    '/away/* https://other.example/:splat?x=1 308',
    '/gone/* /none 404',
    '/self/* /self/:splat',
    '/about /elsewhere 302!',
    '/e/* //evil',
  ].join('\n');

  it('send, show and hide', async () => {
    await put(
      '_redirects',
      RULES.replace('/LICENSE /forced!\n', '/LICENSE /forced 302!\n').replace('/about /elsewhere 302!\n', ''),
    );
    await configure({});
    const answers: Record<string, [number, unknown]> = {
      '/old': [301, '/about'],
      '/old/?q=1': [301, '/about?q=1'],
      '/blog/x%20y': [302, '/docs/x%20y'],
      '/blog//evil.example': [302, '/docs//evil.example'],
      '/home': [200, 'body of index.html'],
      '/u/a%20b': [200, 'body of docs/a b.html'],
      '/app/any/where': [200, 'body of index.html'],
      // A file wins over a rule with a star, unless that is forced.
      '/docs/': [200, 'body of docs/index.html'],
      '/docs/none': [302, '/never'],
      '/LICENSE': [302, '/forced'],
      '/away/a?b': [308, 'https://other.example/a?x=1'],
      '/gone/x': [404, expect.stringContaining('NoSuchKey')],
      '/self/a': [404, expect.anything()],
      '/_redirects': [404, expect.anything()],
      '/_headers': [404, expect.anything()],
    };
    for (const [target, expected] of Object.entries(answers)) expect(await go(target), target).toEqual(expected);
  });

  it('count from the moment they are written, and no longer than they are there', async () => {
    await configure({});
    expect((await go('/old'))[0]).toBe(404);
    await put('_redirects', '/old /about');
    expect(await go('/old')).toEqual([302, '/about']);
    await put('_redirects', '/about /docs/ 302\n/old /docs/');
    expect([await go('/old'), await go('/about')]).toEqual([
      [302, '/docs/'],
      [302, '/docs/'],
    ]);
    await surface.send({ method: 'DELETE', path: '/pages/_redirects' });
    expect((await go('/old'))[0]).toBe(404);
    expect(await go('/about')).toEqual([200, 'body of about.html']);
    await put('_redirects', '/old /about');
    await configure({ ruleFiles: false });
    expect((await go('/old'))[0]).toBe(404);
  });

  it('may force the host that a site has', async () => {
    await put('_redirects', '/* https://www.shop.example/:splat 301!');
    await configure({ domains: [{ host: 'shop.example' }, { host: 'www.shop.example' }] });
    expect(await go('/about', { host: 'shop.example' })).toEqual([301, 'https://www.shop.example/about']);
    expect(await go('/about', { host: 'www.shop.example' })).toEqual([200, 'body of about.html']);
  });

  it('leave the site as it is when the file is too large', async () => {
    await put('_redirects', `/about /docs/\n#${'x'.repeat(130 * 1024)}`);
    await configure({});
    expect(await go('/about')).toEqual([200, 'body of about.html']);
  });
});

describe('rules in _headers', () => {
  it('are on every answer of the path', async () => {
    await put(
      '_headers',
      '/about\n  Cache-Control: no-cache\n  X-Frame-Options: ALLOW\n/docs/*\n  ! Referrer-Policy\n/none\n  X-A: b',
    );
    await configure({});
    await go('/about');
    const about = await visit('/about');
    expect(about.headers).toMatchObject({ 'cache-control': 'no-cache', 'x-frame-options': 'ALLOW' });
    expect(hot('/about')).toEqual(about);
    const etag = about.headers.etag ?? '';
    const fresh = await visit('/about', { headers: { 'if-none-match': etag } });
    expect(fresh.headers['cache-control']).toBe('no-cache');
    await go('/docs/');
    expect((await visit('/docs/')).headers).not.toHaveProperty('referrer-policy');
    expect((await visit('/none')).headers['x-a']).toBe('b');
    expect((await visit('/')).headers).not.toHaveProperty('x-a');
  });

  it('never make a cache keep that something is not there, nor a list', async () => {
    await put('_headers', '/*\n  Cache-Control: max-age=31536000, immutable\n  CDN-Cache-Control: max-age=9\n  X-A: b');
    await configure({
      directoryListing: true,
      hotlink: { allowedHosts: [], allowEmptyReferer: false, match: ['*.js'] },
    });
    const kept = async (target: string, headers = {}) => {
      const answer = await visit(target, { headers });
      const { 'cache-control': here, 'cdn-cache-control': beyond, 'x-a': other } = answer.headers;
      return [answer.status, here, beyond, other];
    };
    expect(await kept('/about')).toEqual([200, 'max-age=31536000, immutable', 'max-age=9', 'b']);
    expect(await kept('/none')).toEqual([404, 'no-store', undefined, 'b']);
    expect(await kept('/assets/')).toEqual([200, 'no-store', undefined, 'b']);
    expect(await kept('/assets/app.3f2a91bc.js')).toEqual([403, 'no-store', undefined, undefined]);
    await put('404.html');
    expect(await kept('/none')).toEqual([404, 'no-store', undefined, 'b']);
    await put('404.html', 'x', { 'cache-control': 'max-age=5' });
    expect(await kept('/none')).toEqual([404, 'max-age=5', undefined, 'b']);
  });
});

describe('what only some visitors may have', () => {
  it('is kept by no cache between, whatever _headers says of its path', async () => {
    await put('_headers', '/*\n  Cache-Control: max-age=60\n  CDN-Cache-Control: max-age=9');
    await configure({});
    const Statement = {
      ...{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::pages/*' },
      Condition: { StringLike: { 'aws:Referer': 'http://friend.example/*' } },
    };
    const policy = JSON.stringify({ Version: '2012-10-17', Statement });
    await surface.send({ method: 'PUT', path: '/pages', query: { policy: '' }, body: policy });
    const { status, headers } = await visit('/about', { headers: { referer: 'http://friend.example/a' } });
    expect([status, headers['cache-control'], headers['cdn-cache-control']]).toEqual([
      200,
      'private, no-cache',
      undefined,
    ]);
  });
});

describe('headers of a site', () => {
  it('say how long objects keep', async () => {
    await put('a.txt', 'x', { 'cache-control': 'private' });
    await put('data/b.json');
    await configure({ cacheControlRules: [{ match: '/data/**', cacheControl: 'no-cache' }] });
    const cacheControl = async (target: string) => (await visit(target)).headers['cache-control'];
    expect(await cacheControl('/assets/app.3f2a91bc.js')).toBe('public, max-age=31536000, immutable');
    expect(await cacheControl('/data/b.json')).toBe('no-cache');
    expect(await cacheControl('/a.txt')).toBe('private');
    expect(await cacheControl('/about')).toBe('max-age=1');
    // At S3's addresses too, and at both doors there.
    const request = makeRequest({ target: '/pages/data/b.json', headers: { host: 'h' } });
    const plain = await delivery.deliver(request, 'pages', 'data/b.json', 'ID');
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
    const plain = async () => (await delivery.deliver(request, 'pages', 'cat.jpg', 'ID')).status;
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
    const binding = { host: 'www.shop.example', prefix: '', bucket: 'pages', bucketId: 'pages~before' } as never;
    await configure({});
    const request = makeRequest({ target: '/', headers: { host: 'www.shop.example' } });
    const response = await delivery.deliverSite(request, { rawBucket: 'pages', rawPath: '', binding }, 'ID');
    expect(response.status).toBe(404);
    await surface.core.ports.directory.call('bindHosts', {
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
    const namesOf = ({ body }: Visited) => [...body.matchAll(/<td><a href="[^"]+">([^<]+)</g)].map(([, name]) => name);
    const bySize = await visit('/files/?sort=size&order=desc');
    expect(namesOf(bySize).slice(0, 3)).toEqual(['..', 'sub/', 'a.txt']);
    const json = await visit('/files/', { headers: { accept: 'application/json' } });
    expect(json.headers['content-type']).toBe('application/json');
    expect(JSON.parse(json.body)).toMatchObject({ path: '/files/', folders: [{ name: 'sub/' }], next: null });
    const asked = await visit('/docs/?format=json');
    expect(JSON.parse(asked.body).files.map((file: { name: string }) => file.name)).toEqual(['a b.html', 'index.html']);
    expect(await go('/docs/')).toEqual([200, 'body of docs/index.html']);
    expect((await visit('/none/')).status).toBe(404);
    const head = await visit('/files/', { method: 'HEAD' });
    expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', page.headers['content-length']]);
  });

  it('go on where a page ends, and hide the files of rules', async () => {
    for (let i = 0; i < 503; i++) await put(`many/${String(i).padStart(4, '0')}`, 'x');
    await put('_headers', '/x\n  A: b');
    await configure({ directoryListing: true, indexDocument: 'none.html' });
    const first = JSON.parse((await visit('/many/?format=json')).body);
    expect([first.files.length, first.next]).toEqual([500, '?format=json&after=0499']);
    const second = JSON.parse((await visit(`/many/${first.next}`)).body);
    expect([second.files.length, second.next]).toEqual([3, null]);
    expect((await visit('/many/')).body).toContain('rel="next" href="?sort=name&amp;order=asc&amp;after=0499"');
    const root = JSON.parse((await visit('/?format=json')).body);
    expect(root.files.map((file: { name: string }) => file.name)).not.toContain('_headers');
  });
});

describe('preflights of a site', () => {
  it('are answered by the rules of the bucket', async () => {
    await configure({});
    const rules =
      '<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>https://a.example</AllowedOrigin><AllowedHeader>range</AllowedHeader></CORSRule></CORSConfiguration>';
    const headers = {
      origin: 'https://a.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'range',
    };
    expect((await visit('/about', { method: 'OPTIONS', headers })).status).toBe(403);
    const md5 = createHash('md5').update(rules).digest('base64');
    await surface.send({
      method: 'PUT',
      path: '/pages',
      query: { cors: '' },
      body: rules,
      headers: { 'content-md5': md5 },
    });
    const allowed = await visit('/about', { method: 'OPTIONS', headers });
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, 'https://a.example']);
    expect((await visit('/about', { method: 'OPTIONS' })).status).toBe(405);
    await go('/about');
    expect((await visit('/about', { headers: { origin: 'https://a.example' } })).headers).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
      vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
    });
  });
});
