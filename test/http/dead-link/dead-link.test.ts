// The page for people with a dead link: for which failures and requests, in which language, and
// that it says nothing that the XML would not.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, StorageError } from '../../../src/domain/errors.ts';
import { renderDeadLink } from '../../../src/http/dead-link/dead-link.ts';
import { type DeadLinkCause, deadLinkHtml } from '../../../src/http/dead-link/dead-link-html.ts';
import { FailureWithHeaders } from '../../../src/http/failure-with-headers.ts';
import type { Surface } from '../../../src/http/observe/request-notes.ts';
import { renderS3Error } from '../../../src/http/s3/errors.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const ACCEPT = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const TARGET = '/secret-bucket/secret-name.pdf';

type Sending = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly surface?: Surface;
};

async function render(
  error: unknown,
  { method = 'GET', headers = {}, surface = 's3' }: Sending = {},
) {
  const request = makeRequest({ method, target: TARGET, headers: { accept: ACCEPT, ...headers } });
  request.notes.surface = surface;
  const response = renderDeadLink(error, request, 'request-1');
  if (response === null) return null;
  const { status, headers: sent } = response;
  return { status, headers: sent, html: await response.text(), notes: request.notes };
}

const titleOf = (html = '') => /<title>(.*)<\/title>/.exec(html)?.[1];
const ended = { 'X-Amz-Expires': '60', Expires: '2026-11-29T12:00:30Z', ServerTime: 'x' };

describe('the page for a dead link', () => {
  it.each<[ErrorCode, Record<string, string>, number, string, string]>([
    ['AccessDenied', {}, 403, 'This is not open to you', '您无权访问此内容'],
    ['AccessDenied', ended, 403, 'This link has ended', '此链接已过期'],
    [
      'AccessDenied',
      { ...ended, 'X-Amz-Date': '1' },
      403,
      'This link does not work yet',
      '此链接尚未生效',
    ],
    ['NoSuchKey', { Key: 'secret-name.pdf' }, 404, 'Nothing is here', '这里没有内容'],
    ['NoSuchBucket', { BucketName: 'secret-bucket' }, 404, 'Nothing is here', '这里没有内容'],
    ['NoSuchVersion', { VersionId: 'v' }, 404, 'Nothing is here', '这里没有内容'],
    ['SignatureDoesNotMatch', {}, 403, 'This link is not complete', '此链接不完整'],
    ['InvalidAccessKeyId', {}, 403, 'This link no longer works', '此链接已失效'],
  ])('of %s with %j is %i and says "%s"', async (code, fields, status, english, chinese) => {
    const error = new StorageError(code, { fields });
    const page = await render(error);
    expect([page?.status, titleOf(page?.html)]).toEqual([status, english]);
    const zh = await render(error, { headers: { 'accept-language': 'zh-CN,zh;q=0.9' } });
    expect([titleOf(zh?.html), zh?.headers.get('content-language')]).toEqual([chinese, 'zh-CN']);
    expect(page?.html).toContain('request-1');
    expect(page?.html).not.toMatch(/secret|<script|https?:/);
  });

  it('says when a link ended', async () => {
    const page = await render(new StorageError('AccessDenied', { fields: ended }));
    expect(page?.html).toContain(
      '<time datetime="2026-11-29T12:00:30Z">2026-11-29 12:00 UTC</time>',
    );
  });

  it('has the headers of the XML, and its own', async () => {
    const error = new FailureWithHeaders(new StorageError('NoSuchKey'), { vary: 'Origin' });
    const request = makeRequest({ target: TARGET });
    const xml = renderS3Error(error, { ...request, resource: TARGET, requestId: 'request-1' });
    const page = await render(error);
    const own = ['content-type', 'vary', 'content-length'];
    for (const [name, value] of xml.headers)
      if (!own.includes(name)) expect([name, page?.headers.get(name)]).toEqual([name, value]);
    expect(page?.headers.get('vary')).toBe(
      'Origin, Accept, Accept-Language, Authorization, Sec-Fetch-Dest',
    );
    expect(page?.headers.get('x-robots-tag')).toBe('noindex');
    expect(page?.notes.errorCode).toBe('NoSuchKey');
  });

  it('is let to use the one style sheet inside it', async () => {
    const page = await render(new StorageError('NoSuchKey'));
    const style = /<style>([\s\S]*)<\/style>/.exec(page?.html ?? '')?.[1] ?? '';
    const digest = createHash('sha256').update(style).digest('base64');
    const policy = page?.headers.get('content-security-policy');
    expect(policy?.split('; ').slice(0, 2)).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${digest}'`,
    ]);
    expect(policy).toMatch(/; sandbox$/);
  });

  it('has 4 KiB at most, whatever it says', () => {
    const causes: DeadLinkCause[] = ['ended', 'early', 'missing', 'closed', 'broken', 'withdrawn'];
    for (const cause of causes)
      for (const language of ['en', 'zh'] as const) {
        const facts = { cause, endedAt: '2026-11-29T12:00:30Z', requestId: 'A'.repeat(64) };
        const size = new TextEncoder().encode(deadLinkHtml(facts, language)).length;
        expect([cause, size <= 4096]).toEqual([cause, true]);
      }
  });
});

describe('no page is made', () => {
  it.each<[string, Sending]>([
    ['HEAD', { method: 'HEAD' }],
    ['PUT', { method: 'PUT' }],
    ['a signed header', { headers: { authorization: 'AWS4-HMAC-SHA256 x' } }],
    ['a client of S3', { headers: { accept: '*/*' } }],
    ['a script', { headers: { 'sec-fetch-dest': 'empty' } }],
    ['an image', { headers: { 'sec-fetch-dest': 'image' } }],
    ['a website', { surface: 'website' }],
    ['a page of the service', { surface: 'system' }],
    ['the JSON API', { surface: 'api' }],
  ])('for %s', async (_, sending) => {
    expect(await render(new StorageError('NoSuchKey'), sending)).toBeNull();
  });

  it.each([
    new StorageError('InvalidRange'),
    new StorageError('PreconditionFailed'),
    new StorageError('InvalidObjectState'),
    new StorageError('MethodNotAllowed'),
    new StorageError('SlowDown'),
    new Error('a fault'),
  ])('for %s', async (error) => {
    expect(await render(error)).toBeNull();
  });
});
