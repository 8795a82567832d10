// The rules in _redirects and _headers of a site, at both doors.
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../../access-samples.ts';
import { HOST, useSite } from './hosting-site.ts';

const { put, configure, visit, hot, go, surface, delivery } = useSite();

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
      RULES.replace('/LICENSE /forced!\n', '/LICENSE /forced 302!\n').replace(
        '/about /elsewhere 302!\n',
        '',
      ),
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
    for (const [target, expected] of Object.entries(answers))
      expect(await go(target), target).toEqual(expected);
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
    await surface().send({ method: 'DELETE', path: '/pages/_redirects' });
    expect((await go('/old'))[0]).toBe(404);
    expect(await go('/about')).toEqual([200, 'body of about.html']);
    await put('_redirects', '/old /about');
    await configure({ ruleFiles: false });
    expect((await go('/old'))[0]).toBe(404);
  });

  it('send nowhere that is longer than a header', async () => {
    await put('_redirects', `/blog/* /docs/${':splat'.repeat(300)} 301`);
    await configure({});
    const short = 'a'.repeat(20);
    expect(await go(`/blog/${short}`)).toEqual([301, `/docs/${short.repeat(300)}`]);
    expect((await go(`/blog/${'a'.repeat(30)}`))[0]).toBe(404);
    const query = `q=${'b'.repeat(8192)}`;
    expect(await go(`/blog/b?${query}`)).toEqual([301, `/docs/${'b'.repeat(300)}?${query}`]);
  });

  it('show the very object that a path names, whatever signs are in its name', async () => {
    await put('_redirects', '/app/* /docs/:splat?x=:splat#y 200');
    await configure({});
    for (const key of ['docs/f', 'docs/f#b.txt', 'docs/f?b.txt', 'docs/f%b.txt']) await put(key);
    expect(await go('/app/f')).toEqual([200, 'body of docs/f']);
    for (const sign of ['#', '?', '%']) {
      expect(await go(`/app/f${encodeURIComponent(sign)}b.txt`)).toEqual([
        200,
        `body of docs/f${sign}b.txt`,
      ]);
    }
  });

  const loops: [rules: string, settings: object, target: string, way: (string | number)[]][] = [
    ['/about /about.html 301', {}, '/about', [200, 'body of about.html']],
    ['/about /about.html 301', {}, '/about.html', ['/about', 200, 'body of about.html']],
    [
      '/about /about.html 301',
      { trailingSlash: 'always' },
      '/about',
      ['/about.html', '/about/', 200, 'body of about.html'],
    ],
    [
      '/about /about.html 301',
      { cleanUrls: false },
      '/about',
      ['/about.html', 200, 'body of about.html'],
    ],
    ['/about /about/ 301', {}, '/about', [200, 'body of about.html']],
    [
      '/about https://pages.web.example/about.html?a=b 301',
      {},
      '/about',
      [200, 'body of about.html'],
    ],
    ['/docs /docs/ 301', {}, '/docs', ['/docs/', 200, 'body of docs/index.html']],
    [
      '/docs /docs/index.html 301',
      {},
      '/docs',
      ['/docs/index.html', '/docs/', 200, 'body of docs/index.html'],
    ],
    ['/docs/ /docs/index.html 301', {}, '/docs/', [200, 'body of docs/index.html']],
    [
      '/docs/* /docs/ 301!',
      { trailingSlash: 'never' },
      '/docs/x',
      ['/docs/', '/docs', 200, 'body of docs/index.html'],
    ],
    ['/* /index.html 301!', {}, '/x/y', ['/index.html', '/', 200, 'body of index.html']],
    // Nothing there that would send the visitor back.
    ['/gone /gone.html 301', {}, '/gone', ['/gone.html', 404]],
    // A rule for the target comes before its page.
    [
      '/about /about.html\n/about.html /docs/',
      {},
      '/about',
      ['/about.html', '/docs/', 200, 'body of docs/index.html'],
    ],
    ['/LICENSE /LICENSE?x=1', {}, '/LICENSE', [200, 'body of LICENSE']],
    ['/self /self#top', {}, '/self', [404]],
  ];
  it.each(loops)(
    'lead nobody round for ever: %s with %j, for %s',
    async (rules, settings, target, way) => {
      await put('_redirects', rules);
      await configure(settings);
      const seen: (string | number)[] = [];
      for (let [status, to] = await go(target); ; [status, to] = await go(to)) {
        if (status < 300 || status >= 400 || seen.length > 5) {
          seen.push(status, ...(status === 200 ? [to] : []));
          break;
        }
        seen.push(to);
      }
      expect(seen).toEqual(way);
    },
  );

  it('may force the host that a site has', async () => {
    await put('_redirects', '/* https://www.shop.example/:splat 301!');
    await configure({ domains: [{ host: 'shop.example' }, { host: 'www.shop.example' }] });
    expect(await go('/about', { host: 'shop.example' })).toEqual([
      301,
      'https://www.shop.example/about',
    ]);
    expect(await go('/about', { host: 'www.shop.example' })).toEqual([200, 'body of about.html']);
  });

  it('may send from http to https, where it is known who came how', async () => {
    await put('_redirects', `/* https://${HOST}/:splat 301!`);
    await configure({});
    const moved = [301, `https://${HOST}/about`];
    const shown = [200, 'body of about.html'];
    for (const _ of [1, 2]) {
      expect(await go('/about', { knownProtocol: 'http' })).toEqual(moved);
      expect(await go('/about', { knownProtocol: 'https' })).toEqual(shown);
      // Maybe a proxy that nobody named took https and asks by http: it would be sent there for
      // ever.
      expect(await go('/about', { knownProtocol: null })).toEqual(shown);
    }
    const read = {
      isHead: false,
      rawPath: '/about',
      host: HOST,
      ifNoneMatch: null,
      range: null,
      header: () => null,
    };
    expect(delivery().answerAtOnce(read)).toBe(null);
    await put('_redirects', `/* http://${HOST}/:splat 301`);
    expect((await go('/about', { knownProtocol: 'https' }))[0]).toBe(200);
    expect(await go('/none', { knownProtocol: 'https' })).toEqual([301, `http://${HOST}/none`]);
    expect((await go('/none', { knownProtocol: 'http' }))[0]).toBe(404);
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
      '/about\n  Cache-Control: no-cache\n  X-Frame-Options: ALLOW\n' +
        '/docs/*\n  ! Referrer-Policy\n/none\n  X-A: b',
    );
    await configure({});
    await go('/about');
    const about = await visit('/about');
    expect(about.headers).toMatchObject({
      'cache-control': 'no-cache',
      'x-frame-options': 'ALLOW',
    });
    expect(hot('/about')).toEqual(about);
    const etag = about.headers.etag ?? '';
    const fresh = await visit('/about', { headers: { 'if-none-match': etag } });
    expect(fresh.headers['cache-control']).toBe('no-cache');
    await go('/docs/');
    expect((await visit('/docs/')).headers).not.toHaveProperty('referrer-policy');
    expect((await visit('/none')).headers['x-a']).toBe('b');
    expect((await visit('/')).headers).not.toHaveProperty('x-a');
  });

  it('are on a 304 too, for the tag is the old one when they change', async () => {
    const CSP = "default-src 'self'";
    await put(
      '_headers',
      `/*\n  Content-Security-Policy: ${CSP}\n  CDN-Cache-Control: max-age=9\n  ! X-Frame-Options`,
    );
    await put('assets/long.css', 'a {}'.repeat(1000));
    await configure({ securityHeaders: 'strict' });
    const gzip = { 'accept-encoding': 'gzip' };
    const encoding = async () =>
      (await visit('/assets/long.css', { headers: gzip })).headers['content-encoding'];
    await expect.poll(encoding, { interval: 5 }).toBe('gzip');
    for (const target of ['/about', '/assets/long.css']) {
      const { headers: whole } = await visit(target, { headers: gzip });
      const options = { headers: { ...gzip, 'if-none-match': whole.etag ?? '' } };
      const { status, headers } = await visit(target, options);
      expect(status).toBe(304);
      expect(headers).toMatchObject({
        'content-security-policy': CSP,
        'cdn-cache-control': 'max-age=9',
      });
      expect(headers).toMatchObject({ etag: whole.etag, 'referrer-policy': 'no-referrer' });
      expect(headers).not.toHaveProperty('x-frame-options');
      expect(hot(target, options)).toEqual({ status, headers, body: '' });
    }
    await put('_headers', '/*\n  Content-Security-Policy: none');
    const { etag = '' } = (await visit('/about')).headers;
    const fresh = await visit('/about', { headers: { 'if-none-match': etag } });
    expect([fresh.status, fresh.headers['content-security-policy']]).toEqual([304, 'none']);
  });

  it('never make a cache keep that something is not there, nor a list', async () => {
    await put(
      '_headers',
      '/*\n  Cache-Control: max-age=31536000, immutable\n  CDN-Cache-Control: max-age=9\n  X-A: b',
    );
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
    const only = { Condition: { StringLike: { 'aws:Referer': 'http://friend.example/*' } } };
    const given = { Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::pages/*' };
    const body = policyOf(given, [only]);
    await surface().send({ method: 'PUT', path: '/pages', query: { policy: '' }, body });
    const { status, headers } = await visit('/about', {
      headers: { referer: 'http://friend.example/a' },
    });
    expect([status, headers['cache-control'], headers['cdn-cache-control']]).toEqual([
      200,
      'private, no-cache',
      undefined,
    ]);
    const known = { referer: 'http://friend.example/a', 'if-none-match': headers.etag ?? '' };
    const again = await visit('/about', { headers: known });
    expect([
      again.status,
      again.headers['cache-control'],
      again.headers['cdn-cache-control'],
    ]).toEqual([304, 'private, no-cache', undefined]);
  });
});
