// Websites of buckets: index and error documents, folders, routing rules, redirecting objects, and
// pages for people.
import {
  DeleteBucketPolicyCommand,
  DeleteBucketWebsiteCommand,
  GetBucketWebsiteCommand,
  PutBucketWebsiteCommand,
  type WebsiteConfiguration,
} from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, describe, expect } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { client, describeCore, itUnless, websiteReason } from '../kit/clients/suite.ts';
import { expectFailure } from '../kit/clients/xml.ts';
import { eventually } from '../kit/eventually.ts';

const { s3, send, anonymous, target } = client;
const it = itUnless(websiteReason);

const SITE: WebsiteConfiguration = {
  IndexDocument: { Suffix: 'index.html' },
  ErrorDocument: { Key: 'error.html' },
  RoutingRules: [
    {
      Condition: { KeyPrefixEquals: 'old/' },
      Redirect: { ReplaceKeyPrefixWith: 'docs/', HttpRedirectCode: '307' },
    },
    {
      Condition: { KeyPrefixEquals: 'app/', HttpErrorCodeReturnedEquals: '404' },
      Redirect: { ReplaceKeyPrefixWith: 'app.html#!/' },
    },
  ],
};

describeCore('a website', () => {
  const bucket = useBucket(client);
  const port = new URL(target.url).port;
  const host = `${bucket}.${target.websiteDomain}:${port}`;
  const visit = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    anonymous({ method, path, host, headers });
  const configure = (website: WebsiteConfiguration) =>
    s3.send(new PutBucketWebsiteCommand({ Bucket: bucket, WebsiteConfiguration: website }));

  beforeAll(async () => {
    const pages: [string, string, Record<string, string>?][] = [
      ['index.html', '<p>home'],
      ['home.htm', '<p>other home'],
      ['docs/index.html', '<p>docs'],
      ['docs/a b.html', '<p>page'],
      ['error.html', '<p>lost'],
      ['moved', '', { 'x-amz-website-redirect-location': 'https://b.example/there' }],
    ];
    for (const [key, body, headers] of pages) {
      const reply = await send({
        method: 'PUT',
        bucket,
        key,
        body,
        headers: { 'content-type': 'text/html', ...headers },
      });
      expect(reply.status).toBe(200);
    }
    await openToEveryone(client, bucket);
  });

  describe('with pages', () => {
    beforeEach(async () => {
      await configure(SITE);
      await eventually(
        () => visit('/nothing'),
        ({ text }) => text === '<p>lost',
      );
    });

    it('keeps its configuration', async () => {
      const { $metadata: _, ...given } = await s3.send(
        new GetBucketWebsiteCommand({ Bucket: bucket }),
      );
      expect(given).toEqual(SITE);
    });

    it('shows index documents at the root and in folders', async () => {
      for (const [path, text] of [
        ['/', '<p>home'],
        ['/index.html', '<p>home'],
        ['/docs/', '<p>docs'],
        ['/docs/a%20b.html', '<p>page'],
        ['/?utm=1', '<p>home'],
      ] as const) {
        const page = await visit(path);
        expect([page.status, page.text, page.headers['content-type']], path).toEqual([
          200,
          text,
          'text/html; charset=utf-8',
        ]);
        const head = await visit(path, {}, 'HEAD');
        expect([head.status, head.text, head.headers['content-length']]).toEqual([
          200,
          '',
          `${text.length}`,
        ]);
      }
      const { etag = '' } = (await visit('/')).headers;
      expect((await visit('/', { 'if-none-match': etag })).status).toBe(304);
      expect((await visit('/', { range: 'bytes=3-4' })).text).toBe('ho');
    });

    it('sends folders, old places and moved objects on', async () => {
      for (const [path, status, location] of [
        ['/docs', 302, '/docs/'],
        ['/docs?a=b', 302, '/docs/?a=b'],
        ['/old/a%20b.html', 307, '/docs/a%20b.html'],
        ['/app/settings', 301, '/app.html#!/settings'],
        ['/moved', 301, 'https://b.example/there'],
      ] as const) {
        for (const method of ['GET', 'HEAD']) {
          const reply = await visit(path, {}, method);
          expect([reply.status, reply.headers.location, reply.text], path).toEqual([
            status,
            location,
            '',
          ]);
        }
      }
    });

    it('shows its error document with the status of the error', async () => {
      const lost = await visit('/nothing/here', { 'if-none-match': '*', range: 'bytes=0-0' });
      expect([lost.status, lost.text, lost.headers['content-type']]).toEqual([
        404,
        '<p>lost',
        'text/html; charset=utf-8',
      ]);
      expect((await visit('/nothing', {}, 'HEAD')).status).toBe(404);
      expect((await visit('/docs/none/')).text).toBe('<p>lost');
    });

    it('is for reading only, and takes no signature', async () => {
      for (const method of ['PUT', 'POST', 'DELETE', 'PATCH']) {
        const reply = await visit('/index.html', {}, method);
        expect([reply.status, reply.headers.allow], method).toEqual([405, 'GET, HEAD']);
        expect(reply.text).toContain('MethodNotAllowed');
      }
      const signed = await send({ method: 'GET', path: '/index.html', host, query: { acl: '' } });
      expect([signed.status, signed.text]).toEqual([200, '<p>home']);
    });
  });

  it('can have another index, no error document, and end', async () => {
    await configure({ IndexDocument: { Suffix: 'home.htm' } });
    const home = await eventually(
      () => visit('/'),
      ({ text }) => text === '<p>other home',
    );
    expect(home.status).toBe(200);
    const lost = await visit('/%3Cscript%3E', { origin: 'https://a' });
    expect([lost.status, lost.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(lost.text).toContain('NoSuchKey');
    expect(lost.text).toContain(lost.headers['x-amz-request-id']);
    expect(lost.text).not.toContain('script');
    await s3.send(new DeleteBucketWebsiteCommand({ Bucket: bucket }));
    await expectFailure(
      s3.send(new GetBucketWebsiteCommand({ Bucket: bucket })),
      404,
      'NoSuchWebsiteConfiguration',
    );
    const over = await eventually(
      () => visit('/'),
      ({ text }) => text.includes('NoSuchWebsiteConfiguration'),
    );
    expect(over.status).toBe(404);
  });

  it('can be nothing but a redirect', async () => {
    await configure({ RedirectAllRequestsTo: { HostName: 'b.example', Protocol: 'https' } });
    const reply = await eventually(
      () => visit('/a/%C3%BC?x=1'),
      ({ status }) => status === 301,
    );
    expect([reply.status, reply.headers.location]).toEqual([301, 'https://b.example/a/%C3%BC?x=1']);
  });

  it('shows nothing of what is not public', async () => {
    await configure(SITE);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
    const shut = await eventually(
      () => visit('/'),
      ({ status }) => status === 403,
    );
    expect([shut.status, shut.text.includes('AccessDenied')]).toEqual([403, true]);
    for (const path of ['/docs', '/moved', '/error.html'])
      expect((await visit(path)).status, path).toBe(403);
    await openToEveryone(client, bucket);
  });

  it('needs a bucket', async () => {
    const reply = await anonymous({
      method: 'GET',
      path: '/',
      host: `no-such-site.${target.websiteDomain}`,
    });
    expect([reply.status, reply.text.includes('NoSuchBucket')]).toEqual([404, true]);
  });
});
