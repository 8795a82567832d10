// A site with a few pages, anew for each test of a file, and visits to it by both doors of
// delivery.

import { beforeEach, expect } from 'vitest';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createDelivery, type Delivery } from '../../../../src/http/delivery/create-delivery.ts';
import type { KnownProtocol } from '../../../../src/http/request.ts';
import type { HostBinding } from '../../../../src/ports/directory.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { createTestSurface } from '../../s3/kit/surface.ts';
import { deliverySettings } from '../delivery-settings.ts';
import { bytesThatStay } from '../fast-path/fast-response-sample.ts';

const SETTINGS = deliverySettings({ websiteDomain: 'web.example', ownHosts: ['web.example'] });
export const HOST = 'pages.web.example';
export const NAVIGATION = { 'sec-fetch-mode': 'navigate', accept: 'text/html' };

export type Visited = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
};
type Options = {
  headers?: Record<string, string>;
  method?: string;
  host?: string;
  knownProtocol?: KnownProtocol;
};

/** Makes the site before each test of the file. */
export function useSite() {
  let surface = createTestSurface();
  let delivery: Delivery;

  async function put(
    key: string,
    body = `body of ${key}`,
    headers: Record<string, string> = {},
  ): Promise<void> {
    const reply = await surface.send({ method: 'PUT', path: `/pages/${key}`, body, headers });
    expect(reply.status).toBe(200);
  }

  async function configure(document: object): Promise<void> {
    const sent = {
      method: 'PUT',
      path: '/pages',
      query: { hosting: '' },
      body: JSON.stringify(document),
    };
    const reply = await surface.send(sent);
    expect(reply.text).toContain('"cleanUrls"');
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
    for (const key of [
      'index.html',
      'about.html',
      'docs/index.html',
      'docs/a b.html',
      'v1.2.html',
      'LICENSE',
    ])
      await put(key);
    await put('assets/app.3f2a91bc.js');
  });

  async function visit(
    target: string,
    { headers = {}, method = 'GET', host = HOST, knownProtocol = null }: Options = {},
  ): Promise<Visited> {
    const request = makeRequest({ method, target, headers: { host, ...headers }, knownProtocol });
    const binding =
      host === HOST ? null : ((await surface.core.ports.directory.findHost(host)) as HostBinding);
    const place = { rawBucket: 'pages', rawPath: request.rawPath.slice(1), binding };
    const response = await delivery.deliverSite(request, place, 'ID');
    const { 'x-amz-request-id': _id, ...rest } = Object.fromEntries(response.headers);
    const body = await response.arrayBuffer();
    // What metrics and access log go by.
    expect(request.notes.bodyBytes).toBe(body.byteLength);
    return { status: response.status, headers: rest, body: new TextDecoder().decode(body) };
  }

  /** What the fast path says; null: nothing. */
  function hot(rawPath: string, options: Options = {}): Visited | null {
    const { headers = {}, method = 'GET', host = HOST, knownProtocol = null } = options;
    const header = (name: string) => headers[name] ?? null;
    const ifNoneMatch = header('if-none-match');
    const read = { isHead: method === 'HEAD', rawPath, host, ifNoneMatch, range: null, header };
    const reply = delivery.answerAtOnce(read, () => knownProtocol);
    return reply === null
      ? null
      : {
          status: reply.status,
          headers: reply.headers,
          body: new TextDecoder().decode(bytesThatStay(reply)),
        };
  }

  /**
   * Visits twice, so that memory has it, and compares the doors. Gives status and Location or body.
   */
  async function go(target: string, options: Options = {}): Promise<[number, string]> {
    await visit(target, options);
    const { status, headers, body } = await visit(target, options);
    const isPlain =
      status === 200 && !target.includes('?') && headers['cache-status'] !== undefined;
    if (!target.includes('?')) {
      const fast = hot(target, options);
      const isRedirect = status >= 300 && headers.location !== undefined;
      if (isPlain || (isRedirect && fast !== null))
        expect(fast, `hot ${target}`).toEqual({ status, headers, body });
      else expect(fast, `hot ${target}`).toBe(null);
    }
    return [status, headers.location ?? body];
  }
  return { put, configure, visit, hot, go, surface: () => surface, delivery: () => delivery };
}
