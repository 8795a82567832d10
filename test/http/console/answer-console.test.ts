// The console as a browser gets it: its page at every address of its own, files by name, codings,
// conditions and the headers that keep it apart; and how a browser finds it.
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createMemoryConsoleFiles } from '../../../src/adapters/memory/memory-console-files.ts';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { createMemoryCore, withPorts } from '../../core/memory-core.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { CONSOLE_FILES, INDEX_TEXT, SCRIPT_TEXT } from './console-fixture.ts';

type Sending = { readonly method?: string; readonly headers?: Record<string, string> };

const BROWSER = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

async function send(target: string, { method = 'GET', headers = {} }: Sending = {}, files = true) {
  const core = createMemoryCore();
  const consoleFiles = createMemoryConsoleFiles(files ? CONSOLE_FILES : null);
  const { ports } = withPorts(core, { consoleFiles });
  const config = parseConfig({
    QUAYSIDE_BASE_DOMAIN: 's3.test',
    QUAYSIDE_WEBSITE_DOMAIN: 'web.test',
  });
  const request = makeRequest({ method, target, headers: { host: 's3.test', ...headers } });
  const app = createApp(ports, { ...config, ...core.settings }, () => request);
  const response = await app.fetch(new Request(`http://s3.test/`), {});
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {
    status: response.status,
    headers: response.headers,
    header: (name: string) => response.headers.get(name),
    bytes,
    text: new TextDecoder().decode(bytes),
    notes: request.notes,
  };
}

describe('the page', () => {
  it.each([
    '/-/console/',
    '/-/console/buckets/photos/a.jpg',
    '/-/console/none.js',
    '/-/console/..',
  ])('is at %s', async (target) => {
    const { status, text, header, notes } = await send(target);
    expect([status, text]).toEqual([200, INDEX_TEXT]);
    expect(header('content-type')).toBe('text/html; charset=utf-8');
    expect(header('cache-control')).toBe('no-cache');
    expect([notes.operation, notes.bodyBytes]).toEqual(['Console', INDEX_TEXT.length]);
  });

  it('may load and run what is its own, and nothing inline', async () => {
    const { header } = await send('/-/console/');
    const policy = header('content-security-policy') ?? '';
    expect(policy.split('; ').slice(0, 3)).toEqual([
      "default-src 'none'",
      'script-src s3.test/-/console/assets/',
      'style-src s3.test/-/console/assets/',
    ]);
    expect(policy).toContain('worker-src s3.test/-/console/assets/;');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types quayside markdown");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(header('referrer-policy')).toBe('no-referrer');
    expect(header('x-content-type-options')).toBe('nosniff');
    expect(header('cross-origin-opener-policy')).toBe('same-origin');
    expect(header('cross-origin-resource-policy')).toBe('same-origin');
    expect(header('permissions-policy')).toContain('camera=()');
  });

  it.each([
    ['127.0.0.1:9000', '127.0.0.1:9000/-/console/assets/'],
    ['Files.Example-1.org:8443', 'Files.Example-1.org:8443/-/console/assets/'],
    ['[::1]:9000', "'self'"],
    ['a_b.test', "'self'"],
    ['files.test.', 'files.test./-/console/assets/'],
    ['files.test.:8443', 'files.test.:8443/-/console/assets/'],
    ['files.test,evil.test', "'none'"],
    ['files..test', "'none'"],
    ["evil.test; script-src 'unsafe-inline'", "'none'"],
    ['evil.test *', "'none'"],
    [`${'a.'.repeat(200)}test`, "'none'"],
  ])('at %s may run scripts of %s', async (host, source) => {
    const policy = (await send('/-/console/', { headers: { host } })).header(
      'content-security-policy',
    );
    const directive = (name: string) =>
      policy?.split('; ').filter((one) => one.startsWith(`${name} `));
    expect(directive('script-src')).toEqual([`script-src ${source}`]);
    expect(directive('worker-src')).toEqual([`worker-src ${source}`]);
  });

  it('begins the first calls of whoever is signed in, and of nobody else', async () => {
    const linkWith = async (cookie: string, target = '/-/console/') =>
      (await send(target, { headers: { cookie } })).header('link');
    const link =
      '</-/api/v1/me>; rel=preload; as=fetch; crossorigin=anonymous, ' +
      '</-/api/v1/overview>; rel=preload; as=fetch; crossorigin=anonymous';
    expect(await linkWith('a=b; __Host-quayside=x')).toBe(link);
    expect(await linkWith('quayside-http=x')).toBe(link);
    expect(await linkWith('not-quayside-http=x')).toBeNull();
    expect(await linkWith('__Host-quayside=x', '/-/console/assets/main-4f2a.js')).toBeNull();
  });

  it('is asked for with the slash', async () => {
    const { status, header } = await send('/-/console?lang=zh');
    expect([status, header('location')]).toEqual([308, '/-/console/?lang=zh']);
    expect((await send('/-/consoles')).status).toBe(404);
  });

  it('is not sent again to whoever has it, in the coding that they have it in', async () => {
    const plain = await send('/-/console/');
    const coded = await send('/-/console/', { headers: { 'accept-encoding': 'br' } });
    expect(coded.header('etag')).not.toBe(plain.header('etag'));
    const again = async (etag: string | null, coding: string) =>
      (
        await send('/-/console/', {
          headers: { 'if-none-match': etag ?? '', 'accept-encoding': coding },
        })
      ).status;
    expect(await again(plain.header('etag'), 'identity')).toBe(304);
    expect(await again(coded.header('etag'), 'br')).toBe(304);
    expect(await again(plain.header('etag'), 'br')).toBe(200);
  });

  it('says how to build it when there is none', async () => {
    const { status, text, header } = await send('/-/console/', {}, false);
    expect([status, header('cache-control')]).toEqual([503, 'no-store']);
    expect(text).toContain('node scripts/build-console.ts');
  });
});

describe('files', () => {
  it('with a digest in their names are kept for a year', async () => {
    const { status, text, header } = await send('/-/console/assets/main-4f2a.js');
    expect([status, text]).toEqual([200, SCRIPT_TEXT]);
    expect(header('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(header('content-security-policy')).toBeNull();
  });

  it('without one are asked about each time', async () => {
    const { header } = await send('/-/console/favicon.svg');
    expect([header('content-type'), header('cache-control')]).toEqual([
      'image/svg+xml',
      'no-cache',
    ]);
  });

  it.each(['/-/console/assets/none.js', '/-/console/assets/', '/-/console/assets/main-4f2a.js.br'])(
    'are 404 at %s, which no cache keeps',
    async (target) => {
      const { status, header } = await send(target);
      expect([status, header('cache-control')]).toEqual([404, 'no-store']);
    },
  );

  it.each<[string, string | null]>([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip;q=0.9', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['zstd', null],
    ['identity', null],
  ])('for Accept-Encoding %s come as %s', async (accepted, coding) => {
    const headers = { 'accept-encoding': accepted };
    const { bytes, header } = await send('/-/console/assets/main-4f2a.js', { headers });
    expect([header('content-encoding'), header('vary')]).toEqual([coding, 'accept-encoding']);
    expect(header('content-length')).toBe(`${bytes.length}`);
    const plain =
      coding === 'br' ? brotliDecompressSync(bytes) : coding === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(new TextDecoder().decode(plain)).toBe(SCRIPT_TEXT);
  });

  it('have no coding where the build made none', async () => {
    const headers = { 'accept-encoding': 'br' };
    const { header } = await send('/-/console/assets/logo-77aa.png', { headers });
    expect([header('content-encoding'), header('content-length')]).toEqual([null, '4']);
  });

  it('have headers and no body for HEAD', async () => {
    const { status, bytes, header } = await send('/-/console/assets/main-4f2a.js', {
      method: 'HEAD',
    });
    expect([status, bytes.length, header('content-length')]).toEqual([
      200,
      0,
      `${SCRIPT_TEXT.length}`,
    ]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('are not for %s', async (method) => {
    const { status, header } = await send('/-/console/', { method });
    expect([status, header('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a browser at the root of the service', () => {
  it('is sent to the console', async () => {
    const { status, header } = await send('/', { headers: BROWSER });
    expect([status, header('location')]).toEqual([302, '/-/console/']);
    expect(header('cache-control')).toBe('no-store');
  });

  it.each<[string, string, Sending]>([
    ['no Accept', '/', {}],
    ['any type', '/', { headers: { accept: '*/*' } }],
    ['a signed header', '/', { headers: { ...BROWSER, authorization: 'AWS4-HMAC-SHA256 x' } }],
    ['a query of S3', '/?max-buckets=1', { headers: BROWSER }],
    ['HEAD', '/', { method: 'HEAD', headers: BROWSER }],
    ['a bucket for a host', '/', { headers: { ...BROWSER, host: 'photos.s3.test' } }],
    ['a website for a host', '/', { headers: { ...BROWSER, host: 'photos.web.test' } }],
  ])('is not, with %s', async (_, target, sending) => {
    const { status, header } = await send(target, sending);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(header('location')).toBeNull();
  });
});
