// The bytes of an object as a page of the service shows them: through GET …/content, by fetch() at
// the same origin, with ranges, versions and names; and that nothing stored can act there with the
// session of whoever looks at it.
import {
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { type ApiClient, apiClient, signIn, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { s3, presigned, target } = client;

const PAGE = '<!doctype html><script>fetch("/-/api/v1/me")</script>';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

/** Types as an attacker stores them; null: none at all. */
const ACTIVE: readonly (readonly [type: string, key: string, body: string])[] = [
  ['text/html', 'plain.txt', PAGE],
  ['TEXT/HTML', 'upper', PAGE],
  ['text/html;charset=utf-8', 'charset', PAGE],
  ['text/html ;charset=utf-7', 'blank', PAGE],
  ['text/html; a="b;c"', 'quoted', PAGE],
  ['application/xhtml+xml', 'x.xhtml', PAGE],
  ['image/svg+xml', 'x.svg', SVG],
  ['Image/SVG+XML; charset=utf-8', 'y.svg', SVG],
  ['text/xml', 'x.xml', SVG],
  ['application/xml', 'y.xml', SVG],
  ['application/rss+xml', 'feed', SVG],
  ['text/xsl', 'x.xsl', '<xsl:stylesheet/>'],
  ['application/xslt+xml', 'y.xsl', '<xsl:stylesheet/>'],
  [
    'multipart/x-mixed-replace; boundary=a',
    'mixed',
    `--a\r\nContent-Type: text/html\r\n\r\n${PAGE}`,
  ],
  ['multipart/related', 'x.mhtml', PAGE],
  ['image/png, text/html', 'two', PAGE],
  ['text/plain, text/html;charset=utf-8', 'two-more', PAGE],
  ['html', 'no-slash', PAGE],
  ['*/*', 'any', PAGE],
  ['unknown/unknown', 'unknown', PAGE],
];
/** What no browser runs, given that it does not guess. */
const HARMLESS: readonly (readonly [type: string | null, key: string, body: string])[] = [
  [null, 'no-type', PAGE],
  ['text/plain', 'page.html', PAGE],
  ['image/png', 'png.html', PAGE],
  ['application/octet-stream', 'bytes.html', PAGE],
  ['application/json', 'x.json', PAGE],
  ['text/javascript', 'x.js', 'fetch("/-/api/v1/me")'],
  ['text/css', 'x.css', '*{}'],
  ['application/pdf', 'x.pdf', '%PDF-1.7'],
];
/** Often enough that memory answers, on a connection that the fast path owns. */
const TIMES = 3;

const NAME = 'Ünïcode "q" 日本.pdf';

describeCore('the bytes of an object, at the origin of the console', () => {
  const Bucket = useBucket(client);
  const Public = useBucket(client);
  let api: ApiClient;
  let cookie: string;
  const put = (Key: string, Body: string, ContentType?: string | null, bucket = Bucket) =>
    s3.send(
      new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType: ContentType ?? undefined }),
    );
  const contentUrl = (key: string, more = '') =>
    `${target.url}/-/api/v1/buckets/${Bucket}/content?key=${encodeURIComponent(key)}${more}`;
  const content = (key: string, more = '', init: RequestInit = {}) =>
    fetch(contentUrl(key, more), { ...init, headers: { cookie, ...init.headers } });
  /** SDKs put a type of their own where none is given. */
  const putWithoutType = (bucket: string, key: string, body: string) =>
    client.send({ method: 'PUT', bucket, key, body });

  beforeAll(async () => {
    api = await tokenClient(client);
    cookie = await signIn(client, target.accessKey, target.secretKey);
    await openToEveryone(client, Public);
    for (const bucket of [Bucket, Public]) {
      for (const [type, key, body] of [...ACTIVE, ...HARMLESS]) {
        if (type === null) await putWithoutType(bucket, key, body);
        else await put(key, body, type, bucket);
      }
    }
  });

  describe('is read by fetch through the redirect', () => {
    it('in ranges, by tag, and by HEAD', async () => {
      await put('digits', '0123456789', 'text/plain');
      const whole = await content('digits');
      expect([whole.status, whole.redirected, await whole.text()]).toEqual([
        200,
        true,
        '0123456789',
      ]);
      expect(whole.headers.get('accept-ranges')).toBe('bytes');
      const etag = whole.headers.get('etag') ?? '';

      const part = await content('digits', '', { headers: { range: 'bytes=2-4' } });
      expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
        206,
        'bytes 2-4/10',
        '234',
      ]);
      const ifRange = (tag: string) =>
        content('digits', '', { headers: { range: 'bytes=-3', 'if-range': tag } });
      const going = await ifRange(etag);
      expect([going.status, await going.text()]).toEqual([206, '789']);
      const changed = await ifRange('"other"');
      expect([changed.status, await changed.text()]).toEqual([200, '0123456789']);
      expect((await content('digits', '', { headers: { range: 'bytes=10-' } })).status).toBe(416);
      expect((await content('digits', '', { headers: { 'if-none-match': etag } })).status).toBe(
        304,
      );

      const head = await content('digits', '', { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
        200,
        '10',
        '',
      ]);
      const headPart = await content('digits', '', {
        method: 'HEAD',
        headers: { range: 'bytes=0-0' },
      });
      expect([headPart.status, headPart.headers.get('content-length')]).toEqual([206, '1']);
    });

    it('with a bearer token too, which goes along', async () => {
      const { json } = await api.call('POST', '/tokens', { name: 'x', scopes: ['objects:read'] });
      const headers = { authorization: `Bearer ${json.token}`, range: 'bytes=0-1' };
      const reply = await fetch(contentUrl('digits'), { headers });
      expect([reply.status, await reply.text()]).toEqual([206, '01']);
      const signed = presigned({ method: 'GET', bucket: Bucket, key: 'digits' });
      const both = await fetch(`${target.url}${signed}`, {
        headers: { authorization: 'AWS x:y', host: client.host },
      });
      expect(both.status).toBe(400);
    });

    it('in its versions', async () => {
      const Status = 'Enabled' as const;
      const versions = { Bucket, VersioningConfiguration: { Status } };
      await s3.send(new PutBucketVersioningCommand(versions));
      const { VersionId } = await put('versions', 'first', 'text/html');
      await put('versions', 'second', 'text/html');
      await s3.send(new DeleteObjectCommand({ Bucket, Key: 'versions' }));
      expect((await content('versions')).status).toBe(404);
      const old = await content('versions', `&versionId=${VersionId}`, {
        headers: { range: 'bytes=1-3' },
      });
      expect([old.status, await old.text()]).toEqual([206, 'irs']);
      expect(old.headers.get('content-security-policy')).toBe('sandbox');
    });

    it('under its name, shown or saved', async () => {
      const key = `folder/${NAME}`;
      await s3.send(
        new PutObjectCommand({
          ...{ Bucket, Key: key, Body: '%PDF-1.7', ContentType: 'application/pdf' },
          ContentDisposition: 'attachment; filename="stored.pdf"',
        }),
      );
      const dispositionOf = async (more: string) =>
        (await content(key, more)).headers.get('content-disposition');
      const named = `filename="_n_code _q_ __.pdf"; filename*=UTF-8''${encodeURIComponent(NAME)}`;
      expect(await dispositionOf('')).toBe('attachment; filename="stored.pdf"');
      expect(await dispositionOf('&disposition=inline')).toBe(`inline; ${named}`);
      expect(await dispositionOf('&disposition=attachment')).toBe(`attachment; ${named}`);
      expect(await dispositionOf('&download=1')).toBe(`attachment; ${named}`);
      expect((await content(key, '&disposition=form-data')).status).toBe(400);
    });

    it('as a PDF, whatever type is stored with it, and as no other type', async () => {
      for (const key of ['plain.txt', 'x.svg', 'no-type', 'x.pdf']) {
        const reply = await content(key, '&disposition=inline&contentType=application/pdf');
        expect([key, reply.status, (await reply.text()).length > 0]).toEqual([key, 200, true]);
        const { headers } = reply;
        expect(headers.get('content-type')).toBe('application/pdf');
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toBeNull();
      }
      expect((await content('x.pdf', '&contentType=text/html')).status).toBe(400);
    });

    it('as a preview, which loads nothing but what it has in itself', async () => {
      for (const key of ['charset', 'x.xhtml', 'plain.txt', 'page.html']) {
        for (let time = 0; time < TIMES; time++) {
          for (const init of [{}, { method: 'HEAD' }, { headers: { range: 'bytes=0-3' } }]) {
            const { headers, url } = await content(key, '&preview=1', init);
            expect(new URL(url).searchParams.get('x-quayside-preview')).toBe('1');
            expect(headers.get('content-security-policy')).toBe(
              "sandbox; default-src 'none'; img-src data:; media-src data:; font-src data:; " +
                "style-src 'unsafe-inline' data:",
            );
            expect(headers.get('x-content-type-options')).toBe('nosniff');
            expect(headers.get('x-dns-prefetch-control')).toBe('off');
          }
        }
      }
      const { url } = await content('charset', '&preview=1');
      expect((await fetch(url.replace('preview=1', 'preview=0'))).status).toBe(403);
      expect((await content('charset', '&preview=yes')).status).toBe(400);
    });

    it('for hours, which a film takes, and no longer than a token', async () => {
      const locationOf = async (by: ApiClient) =>
        (await by.call('GET', `/buckets/${Bucket}/content?key=digits`)).headers.location ?? '';
      const secondsOf = async (by: ApiClient) =>
        Number(new URL(await locationOf(by)).searchParams.get('X-Amz-Expires'));
      expect(await secondsOf(api)).toBe(6 * 3600);
      const expiresAt = new Date(Date.now() + 600_000).toISOString();
      const { json } = await api.call('POST', '/tokens', { name: 'x', expiresAt });
      const passing = apiClient(client, { authorization: `Bearer ${json.token}` });
      const leftSeconds = await secondsOf(passing);
      expect([leftSeconds > 0, leftSeconds <= 600]).toEqual([true, true]);
    });
  });

  describe('runs nothing there', () => {
    const isolated = (reply: Response) => [
      reply.headers.get('content-security-policy'),
      reply.headers.get('x-content-type-options'),
    ];
    /** Every way to the bytes of a key: signed and public, whole, in part, by HEAD. */
    async function* waysTo(key: string): AsyncGenerator<readonly [string, Response]> {
      const range = { range: 'bytes=0-8' };
      const link = (await content(key)).url;
      const open = `${target.url}/${Public}/${encodeURIComponent(key)}`;
      for (const [name, url] of [
        ['signed', link],
        ['public', open],
      ] as const) {
        for (let time = 0; time < TIMES; time++) {
          yield [`${name} ${time}`, await fetch(url)];
          yield [`${name} part ${time}`, await fetch(url, { headers: range })];
        }
      }
      yield ['shown', await content(key, '&disposition=inline')];
      yield ['head', await content(key, '', { method: 'HEAD' })];
      yield ['public head', await fetch(open, { method: 'HEAD' })];
      yield ['public download', await fetch(`${open}?download`)];
    }

    it.each(ACTIVE)('as %s (%s)', async (_, key) => {
      for await (const [way, reply] of waysTo(key)) {
        await reply.arrayBuffer();
        expect([way, reply.status < 300]).toEqual([way, true]);
        expect([way, ...isolated(reply)]).toEqual([way, 'sandbox', 'nosniff']);
      }
    });

    it.each(HARMLESS)('guessed for %s (%s)', async (_, key) => {
      for await (const [way, reply] of waysTo(key)) {
        await reply.arrayBuffer();
        expect([way, ...isolated(reply)]).toEqual([way, null, 'nosniff']);
      }
    });

    it('as what a name without a type looks like', async () => {
      await putWithoutType(Bucket, 'guessed.html', PAGE);
      await putWithoutType(Public, 'guessed.html', PAGE);
      for await (const [way, reply] of waysTo('guessed.html')) {
        await reply.arrayBuffer();
        const type = reply.headers.get('content-type') ?? '';
        const policy = reply.headers.get('content-security-policy');
        // Who signs hears S3's own type of what has none; readers one by the name.
        const isPublic = way.startsWith('public');
        expect([way, type, policy]).toEqual(
          isPublic ? [way, 'text/html', 'sandbox'] : [way, 'binary/octet-stream', null],
        );
      }
    });

    it('by a type that a URL names', async () => {
      const types = ['text/html', 'TEXT/HTML;charset=x', 'image/svg+xml', 'image/png, text/html'];
      for (const type of types) {
        const query = { 'response-content-type': type, 'response-content-disposition': 'inline' };
        const path = presigned({ method: 'GET', bucket: Bucket, key: 'no-type', query });
        for (let time = 0; time < TIMES; time++) {
          for (const headers of [{}, { range: 'bytes=0-3' }]) {
            const reply = await fetch(`${target.url}${path}`, { headers });
            await reply.arrayBuffer();
            expect([type, reply.status < 300, ...isolated(reply)]).toEqual([
              type,
              true,
              'sandbox',
              'nosniff',
            ]);
          }
        }
      }
    });

    it('by an error that repeats what was asked', async () => {
      const attack = '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>';
      for (const path of [
        `/${Bucket}/${encodeURIComponent(attack)}`,
        `/${Public}/${encodeURIComponent(attack)}`,
        `/${encodeURIComponent(attack)}`,
        `/${Public}/x?versionId=${encodeURIComponent(attack)}`,
        `/${Public}/?list-type=2&prefix=${encodeURIComponent(attack)}&delimiter=%2F`,
      ]) {
        const reply = await fetch(`${target.url}${path}`);
        const text = await reply.text();
        expect(reply.headers.get('content-type')).toBe('application/xml');
        expect([path, text.includes('<x:script')]).toEqual([path, false]);
      }
    });

    it('as a service worker', async () => {
      const headers = { 'service-worker': 'script' };
      const link = (await content('x.js')).url;
      const open = `${target.url}/${Public}/x.js`;
      for (let time = 0; time < TIMES; time++) {
        for (const url of [link, open]) {
          expect((await fetch(url)).status).toBe(200);
          const refused = await fetch(url, { headers });
          expect([refused.status, await refused.text()]).toEqual([
            403,
            expect.stringContaining('service worker'),
          ]);
        }
      }
      // A host of its own may have its workers.
      const own = await client.anonymous({
        method: 'GET',
        host: `${Public}.${target.baseDomain}`,
        path: '/x.js',
        headers,
      });
      expect(own.status).toBe(200);
    });
  });
});
