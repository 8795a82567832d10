// The two doors of a website: what the hot one answers must be what the other does, and it must
// leave alone whatever is more than a page.

import { beforeEach, describe, expect, it } from 'vitest';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createDelivery, type Delivery } from '../../../../src/http/delivery/create-delivery.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { createTestSurface } from '../../s3/kit/surface.ts';
import { deliverySettings } from '../delivery-settings.ts';
import { bytesThatStay } from '../fast-path/fast-response-sample.ts';

const HOST = 'pages.web.example';
const SETTINGS = deliverySettings({ websiteDomain: 'web.example', isServerTimingOn: true });
const RULE =
  '<RoutingRules><RoutingRule><Condition><KeyPrefixEquals>old/</KeyPrefixEquals></Condition>' +
  '<Redirect><ReplaceKeyPrefixWith>docs/</ReplaceKeyPrefixWith></Redirect>' +
  '</RoutingRule></RoutingRules>';
const INDEX = '<IndexDocument><Suffix>index.html</Suffix></IndexDocument>';

let surface = createTestSurface();
let delivery: Delivery;

async function configure(content: string): Promise<void> {
  const body = `<WebsiteConfiguration>${content}</WebsiteConfiguration>`;
  const reply = await surface.send({ method: 'PUT', path: '/pages', query: { website: '' }, body });
  expect(reply.status).toBe(200);
}

beforeEach(async () => {
  surface = createTestSurface({ inlineBodyMaxBytes: 1000 });
  delivery = createDelivery(surface.core, SETTINGS, createDecide());
  await surface.send({ method: 'PUT', path: '/pages' });
  await surface.send({
    method: 'PUT',
    path: '/pages',
    query: { policy: '' },
    body: publicPolicy('pages'),
  });
  for (const key of ['index.html', 'docs/index.html', 'docs/home.htm', 'old/a', 'ä b']) {
    await surface.send({ method: 'PUT', path: `/pages/${key}`, body: `body of ${key}` });
  }
  const headers = { 'x-amz-website-redirect-location': '/docs/' };
  await surface.send({ method: 'PUT', path: '/pages/moved', body: 'x', headers });
  await configure(INDEX + RULE);
});

async function visit(rawPath: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = makeRequest({ method, target: rawPath, headers: { host: HOST, ...headers } });
  const response = await delivery.deliverSite(
    request,
    { rawBucket: 'pages', rawPath: rawPath.slice(1), binding: null },
    'ID',
  );
  const { 'x-amz-request-id': _id, ...rest } = Object.fromEntries(response.headers);
  return { status: response.status, headers: rest, body: await response.text() };
}

function hot(rawPath: string, ifNoneMatch: string | null = null, isHead = false) {
  const reply = delivery.answerAtOnce({
    isHead,
    rawPath,
    host: HOST,
    ifNoneMatch,
    range: null,
    header: () => null,
  });
  if (reply === null) return null;
  const { status, headers } = reply;
  return { status, headers, body: new TextDecoder().decode(bytesThatStay(reply)) };
}

describe('the fast path', () => {
  it.each(['/', '/index.html', '/docs/', '/docs/index.html', '/%C3%A4%20b'])(
    'answers as the other: %s',
    async (path) => {
      expect(hot(path)).toBe(null);
      const cold = await visit(path);
      expect(cold.status).toBe(200);
      expect(hot(path)).toEqual(await visit(path));
      const etag = cold.headers.etag ?? '';
      expect(hot(path, etag)).toEqual(await visit(path, { 'if-none-match': etag }));
      expect(hot(path, null, true)).toEqual(await visit(path, {}, 'HEAD'));
      expect(hot(path)?.headers).not.toHaveProperty('content-security-policy');
    },
  );

  it('names UTF-8 for text without a charset, and only there, as the other', async () => {
    const types = [
      'text/html',
      'text/plain; charset=iso-8859-5',
      'text/css;a=b',
      'text/xml',
      'image/svg+xml',
    ];
    for (const [at, type] of types.entries()) {
      await surface.send({
        method: 'PUT',
        path: `/pages/t${at}.bin`,
        body: 'x',
        headers: { 'content-type': type },
      });
    }
    await configure(`${INDEX}<ErrorDocument><Key>t0.bin</Key></ErrorDocument>`);
    const shown = await Promise.all(
      types.map(async (_, at) => {
        const cold = await visit(`/t${at}.bin`);
        expect(hot(`/t${at}.bin`)?.headers['content-type']).toBe(cold.headers['content-type']);
        return cold.headers['content-type'];
      }),
    );
    const utf8 = [
      'text/html; charset=utf-8',
      types[1],
      'text/css;a=b; charset=utf-8',
      types[3],
      types[4],
    ];
    expect(shown).toEqual(utf8);
    const lost = await visit('/nowhere');
    expect([lost.status, lost.headers['content-type']]).toEqual([404, utf8[0]]);
    expect((await surface.send({ path: '/pages/t0.bin' })).headers['content-type']).toBe(
      'text/html',
    );
  });

  it.each(['/docs', '/old/a', '/moved'])('sends on from %s as the full path does', async (path) => {
    await visit(path);
    const { status, headers } = await visit(path);
    expect(status).toBeGreaterThan(300);
    expect(hot(path)).toEqual({ status, headers, body: '' });
  });

  it.each(['/none', '/none/', `/${'k'.repeat(1025)}`])('leaves %s alone', async (path) => {
    for (const _ of [1, 2]) await visit(path);
    expect(hot(path)).toBe(null);
  });

  it('leaves another index, a redirect of everything and no website alone', async () => {
    const both = async (path: string) => {
      const { status, body } = await visit(path);
      return [status, body, hot(path)?.body ?? null];
    };
    await configure(INDEX.replace('index.html', 'home.htm'));
    expect(await both('/docs/')).toEqual([200, 'body of docs/home.htm', 'body of docs/home.htm']);
    expect(await both('/docs/index.html')).toEqual([
      200,
      'body of docs/index.html',
      'body of docs/index.html',
    ]);
    await configure(
      '<RedirectAllRequestsTo><HostName>b.example</HostName></RedirectAllRequestsTo>',
    );
    expect(await both('/docs/index.html')).toEqual([301, '', null]);
    await surface.send({ method: 'DELETE', path: '/pages', query: { website: '' } });
    expect((await both('/docs/index.html')).at(0)).toBe(404);
    expect(hot('/docs/index.html')).toBe(null);
  });
});

describe('a site whose pages are not all for everyone', () => {
  const statement = (Effect: string, keys: string, Condition: object = {}) => ({
    ...{ Effect, Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::pages/${keys}` },
    Condition,
  });
  const setPolicy = (...Statement: object[]) => {
    const body = JSON.stringify({ Version: '2012-10-17', Statement });
    return surface.send({ method: 'PUT', path: '/pages', query: { policy: '' }, body });
  };
  const friend = { StringLike: { 'aws:Referer': 'http://friend.example/*' } };

  it('shows those that open themselves', async () => {
    await surface.send({ method: 'DELETE', path: '/pages', query: { policy: '' } });
    expect((await visit('/')).status).toBe(403);
    const headers = { 'x-amz-acl': 'public-read' };
    await surface.send({ method: 'PUT', path: '/pages/index.html', query: { acl: '' }, headers });
    for (const _ of [1, 2]) expect((await visit('/')).body).toBe('body of index.html');
    expect(hot('/')?.body).toBe('body of index.html');
    expect((await visit('/docs/')).status).toBe(403);
    expect((await visit('/none')).status).toBe(403);
    expect(hot('/docs/')).toBe(null);
  });

  it('shows to some what it does not show to others, and lets no cache keep it', async () => {
    await setPolicy(statement('Allow', 'index*'), statement('Allow', 'docs/*', friend));
    const referer = 'http://friend.example/a';
    for (const _ of [1, 2]) {
      expect((await visit('/docs/')).status).toBe(403);
      const shown = await visit('/docs/', { referer });
      expect([shown.status, shown.headers['cache-control']]).toEqual([200, 'private, no-cache']);
      expect((await visit('/docs/none', { referer })).status).toBe(404);
      expect((await visit('/docs/none')).status).toBe(403);
    }
    expect(hot('/docs/')).toBe(null);
    await visit('/');
    expect(hot('/')?.body).toBe('body of index.html');
  });

  it('lets caches keep what only the key decides', async () => {
    await setPolicy(statement('Allow', 'index.html'), statement('Allow', 'docs/*.html'));
    for (const path of ['/', '/docs/']) {
      const shown = await visit(path);
      expect([shown.status, shown.headers['cache-control']]).toEqual([200, 'max-age=1']);
    }
    await setPolicy(
      statement('Allow', 'index.html'),
      statement('Deny', '*', { Bool: { 'aws:SecureTransport': 'true' } }),
    );
    expect((await visit('/')).headers['cache-control']).toBe('private, no-cache');
  });

  it('shows nothing that is denied', async () => {
    await setPolicy(statement('Allow', '*'), statement('Deny', 'docs/*'));
    for (const _ of [1, 2]) {
      expect((await visit('/docs/')).status).toBe(403);
      expect((await visit('/')).status).toBe(200);
    }
    expect(hot('/docs/')).toBe(null);
  });
});

describe('a visit', () => {
  it('of a key as long as keys can be finds nothing, and says so', async () => {
    const longest = `/${'k'.repeat(1024)}`;
    expect((await visit(longest)).status).toBe(404);
    expect((await visit(`${longest}k`)).status).toBe(400);
  });

  it('tells the size of what it has not enough of', async () => {
    const { status, headers } = await visit('/', { range: 'bytes=99-' });
    expect([status, headers['content-range']]).toEqual([416, 'bytes */18']);
  });
});
