// Public reads of a bucket whose owner shows everyone what they cost: every kind of answer has its
// receipt, the fast path leaves them all to the full path, and what receipts say is what was
// counted.
import { beforeEach, describe, expect, it } from 'vitest';
import { createDecide } from '../../../src/core/auth/decide.ts';
import { createReceipts } from '../../../src/core/billing/receipts/take-receipt.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import type { BucketSettings } from '../../../src/domain/bucket-settings.ts';
import { createDelivery } from '../../../src/http/delivery/create-delivery.ts';
import { renderS3Error } from '../../../src/http/s3/errors.ts';
import { publicPolicy } from '../../access-samples.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { createTestSurface, OWNER } from '../s3/kit/surface.ts';
import { deliverySettings } from './delivery-settings.ts';

const HOST = 'pages.web.example';
const RECEIPT = 'x-quayside-receipt';
const MONTH_MS = Date.UTC(2013, 4, 1);

function createWorld() {
  const surface = createTestSurface();
  const flusher = createUsageFlusher(surface.core, { source: 'delivery', intervalMs: 1 });
  const settings = deliverySettings({ websiteDomain: 'web.example', isServerTimingOn: true });
  const takeReceipt = createReceipts(surface.core, flusher, 'delivery');
  const delivery = createDelivery(surface.core, settings, createDecide(), null, takeReceipt);

  async function get(key: string, headers: Record<string, string> = {}, method = 'GET') {
    const request = makeRequest({
      method,
      target: `/pages/${key}`,
      headers: { host: 'storage.example', ...headers },
    });
    try {
      return await delivery.deliver(request, 'pages', key, 'ID');
    } catch (error) {
      return renderS3Error(error, { method, resource: '/', requestId: 'ID' });
    }
  }
  async function visit(rawPath: string, headers: Record<string, string> = {}) {
    const [path = '', rawQuery = ''] = rawPath.split('?');
    const request = makeRequest({
      method: 'GET',
      target: rawPath,
      headers: { host: HOST, ...headers },
    });
    expect(request.rawQuery).toBe(rawQuery);
    return delivery.deliverSite(
      request,
      { rawBucket: 'pages', rawPath: path.slice(1), binding: null },
      'ID',
    );
  }
  const hot = (rawPath: string, host = 'storage.example') =>
    delivery.answerAtOnce({
      isHead: false,
      rawPath,
      host,
      ifNoneMatch: null,
      range: null,
      header: () => null,
    });
  const change = async (given: Partial<BucketSettings>) =>
    setBucketSettings(
      surface.core,
      await openBucket(surface.core, parseBucketName('pages'), () => undefined),
      given,
    );
  const read = async () =>
    surface.core.ports.ledger.call('readReceipts', { accountId: OWNER.id, monthMs: MONTH_MS });
  return { surface, get, visit, hot, change, read };
}

let world = createWorld();
const LARGE = 'x'.repeat(300_000);

beforeEach(async () => {
  world = createWorld();
  const { surface } = world;
  await surface.send({ method: 'PUT', path: '/pages' });
  await surface.send({
    method: 'PUT',
    path: '/pages',
    query: { policy: '' },
    body: publicPolicy('pages'),
  });
  await surface.send({ method: 'PUT', path: '/pages/index.html', body: 'home' });
  await surface.send({ method: 'PUT', path: '/pages/large', body: LARGE });
  await surface.send({ method: 'PUT', path: '/pages/missing.html', body: 'not here' });
  const headers = { 'x-amz-website-redirect-location': '/' };
  await surface.send({ method: 'PUT', path: '/pages/moved', body: 'x', headers });
  await world.change({
    website: {
      redirectAllTo: null,
      indexSuffix: 'index.html',
      errorKey: 'missing.html',
      routingRules: [],
    },
  });
});

describe('public reads', () => {
  it('have no receipt by themselves, whatever is requested, and take the fast path', async () => {
    await world.change({ receipts: 'owner' });
    for (const headers of [{}, { [RECEIPT]: '1' }]) {
      expect((await world.get('index.html', headers)).headers.get(RECEIPT)).toBeNull();
      expect((await world.visit('/?receipt=1', headers)).headers.get(RECEIPT)).toBeNull();
    }
    expect(world.hot('/pages/index.html')?.status).toBe(200);
    expect((await world.read()).receipts).toEqual([]);
  });

  it('have one for everyone where the owner says so, and the fast path leaves them', async () => {
    await world.get('index.html');
    expect(world.hot('/pages/index.html')?.status).toBe(200);
    await world.change({ receipts: 'everyone' });
    const whole = await world.get('index.html');
    const receipt = whole.headers.get(RECEIPT) ?? '';
    const usedAt = receipt.indexOf('used=');
    expect(receipt.slice(0, usedAt)).toMatch(
      /^class=B, amount=\d+, currency=USD, card="cloudflare-r2", period="2013-05", $/,
    );
    expect(receipt.slice(usedAt)).toMatch(
      /^used=\(class-b\/STANDARD;n=1;amount=\d+ egress\/memory;n=4;amount=0\), id="ID"$/,
    );
    expect(world.hot('/pages/index.html')).toBeNull();
    expect(world.hot('/', HOST)).toBeNull();
    const etag = whole.headers.get('etag') ?? '';
    const part = await world.get('large', { range: 'bytes=0-99' });
    expect([part.status, part.headers.get(RECEIPT)]).toEqual([
      206,
      expect.stringContaining('egress/bucket;n=100;'),
    ]);
    const head = await world.get('large', {}, 'HEAD');
    expect(head.headers.get(RECEIPT)).toContain('used=(class-b/STANDARD;n=1;amount=0)');
    for (const [status, answer] of [
      [304, await world.get('index.html', { 'if-none-match': etag })],
      [412, await world.get('index.html', { 'if-match': '"other"' })],
      [404, await world.get('none')],
    ] as const) {
      expect([answer.status, answer.headers.get(RECEIPT)]).toEqual([
        status,
        'class=free, amount=0',
      ]);
    }
    const { usage, receipts } = await world.read();
    expect([
      receipts[0]?.receipts,
      receipts[0]?.parts.map(({ meter, quantity }) => ({ meter, quantity })),
    ]).toEqual([3, usage]);
  });

  it('of a site have one too: pages, redirects, the owner’s error page', async () => {
    await world.change({ receipts: 'everyone' });
    const shown = await Promise.all(['/', '/moved', '/none'].map((path) => world.visit(path)));
    expect(shown.map(({ status, headers }) => [status, headers.get(RECEIPT)?.slice(0, 8)])).toEqual(
      [
        [200, 'class=B,'],
        [301, 'class=B,'],
        [404, 'class=B,'],
      ],
    );
    expect((await world.read()).receipts[0]?.receipts).toBe(3);
  });

  it('are counted as their receipt says, also when the visitor goes away', async () => {
    await world.change({ receipts: 'everyone' });
    const answer = await world.get('large');
    expect(answer.headers.get(RECEIPT)).toContain(`egress/bucket;n=${LARGE.length};`);
    await answer.body?.cancel();
    const { usage } = await world.read();
    expect(usage).toContainEqual({ meter: 'egress/bucket', quantity: BigInt(LARGE.length) });
    expect(
      world.surface.meter.drain(() => true).flatMap(({ owner }) => owner.accessKeyId ?? ['nobody']),
    ).not.toContain('nobody');
  });
});
