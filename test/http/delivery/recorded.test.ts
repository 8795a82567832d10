// Every header and note of reads without a signature, as they were recorded: objects by their
// addresses, and the pages of a site. Change the record by hand, and only where that is meant.
import { expect, it } from 'vitest';
import { createDecide } from '../../../src/core/auth/decide.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import { createDelivery } from '../../../src/http/delivery/create-delivery.ts';
import { FailureWithHeaders } from '../../../src/http/failure-with-headers.ts';
import { publicPolicy } from '../../access-samples.ts';
import { type Recorded, recordOf } from '../recorded-responses.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { contentMd5 } from '../s3/kit/responses.ts';
import { createTestSurface, OWNER, type Sent } from '../s3/kit/surface.ts';
import { deliverySettings } from './delivery-settings.ts';

const surface = createTestSurface();
const delivery = createDelivery(
  surface.core,
  deliverySettings({ websiteDomain: 'web.example', compressionMaxBytes: 100_000 }),
  createDecide(),
);
const recorded: Recorded[] = [];

async function put(path: string, more: Partial<Sent> = {}): Promise<void> {
  const body = more.body ?? '';
  const headers = { 'content-md5': contentMd5(body), ...more.headers };
  expect((await surface.send({ method: 'PUT', path, ...more, headers })).status).toBeLessThan(300);
}

type Headers = Readonly<Record<string, string>>;

async function read(target: string, headers: Headers = {}, method = 'GET'): Promise<void> {
  const request = makeRequest({ method, target, headers: { host: 'x.example', ...headers } });
  const [, bucket = '', key = ''] = /^[/]([^/]*)[/](.*)$/.exec(request.rawPath) ?? [];
  await record(`${method} ${target}`, request, () => delivery.deliver(request, bucket, key, 'ID'));
}

async function visit(target: string, headers: Headers = {}, method = 'GET'): Promise<void> {
  const host = 'pages.web.example';
  const request = makeRequest({ method, target, headers: { host, ...headers } });
  const rawPath = request.rawPath.slice(1);
  await record(`${method} ${host}${target}`, request, () =>
    delivery.deliverSite(request, { rawBucket: 'pages', rawPath, binding: null }, 'ID'),
  );
}

async function record(
  title: string,
  { notes }: ReturnType<typeof makeRequest>,
  respond: () => Response | Promise<Response>,
): Promise<void> {
  try {
    const { status, headers, body } = await respond();
    await body?.cancel();
    recorded.push({ title, status, headers: Object.fromEntries(headers), notes });
  } catch (error) {
    // The app makes a response of it.
    const failure = error instanceof FailureWithHeaders ? error.cause : error;
    if (!(failure instanceof StorageError)) throw error;
    const headers = error instanceof FailureWithHeaders ? error.headers : {};
    recorded.push({ title: `${title} throws ${failure.code}`, status: 0, headers, notes });
  }
}

it('reads without a signature get the headers and notes that were recorded', async () => {
  await put('/pages');
  await put('/pages', { query: { policy: '' }, body: publicPolicy('pages') });
  const cached = { 'content-type': 'text/css', 'cache-control': 'max-age=60' };
  await put('/pages/style.css', { body: 'a{}'.repeat(500), headers: cached });
  await put('/pages/index.html', { body: '<p>', headers: { 'content-type': 'text/html' } });
  await put('/pages/404.html', { body: 'gone', headers: { 'content-type': 'text/html' } });
  await put('/pages/docs/index.html', { body: 'docs', headers: { 'content-type': 'text/html' } });
  await put('/pages/image.png', { body: 'x'.repeat(40), headers: { 'content-type': 'image/png' } });
  const moved = { 'x-amz-website-redirect-location': '/docs/' };
  await put('/pages/moved', { body: 'x', headers: moved });
  await put('/closed');
  await put('/closed/secret', { body: 'x' });
  const site =
    '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument>' +
    '<ErrorDocument><Key>404.html</Key></ErrorDocument></WebsiteConfiguration>';

  for (const target of ['/pages/style.css', '/pages/image.png', '/pages/index.html']) {
    await read(target);
    await read(target);
    await read(target, {}, 'HEAD');
  }
  await read('/pages/style.css', { 'accept-encoding': 'br, gzip' });
  await read('/pages/style.css', { range: 'bytes=1-3' });
  await read('/pages/style.css', { range: 'bytes=9999-' });
  await read('/pages/style.css', { 'if-modified-since': 'Fri, 24 May 2033 00:00:00 GMT' });
  await read('/pages/style.css', { 'if-match': '"0"' });
  await read('/pages/style.css', { 'want-repr-digest': 'md5=1' });
  await read('/pages/style.css?download');
  await read('/pages/image.png?download=picture.png');
  await read('/pages/missing');
  await read('/closed/secret');
  await read('/nowhere/secret');

  await visit('/');
  await put('/pages', { query: { website: '' }, body: site });
  surface.advanceMs(3_600_000);
  for (const target of ['/', '/docs', '/docs/', '/moved', '/nothing', '/style.css']) {
    await visit(target);
    await visit(target, {}, 'HEAD');
  }
  await visit('/', { 'if-none-match': '*' });
  await visit('/', {}, 'POST');
  await visit('/', {}, 'OPTIONS');

  const text = recordOf(recorded).replaceAll(OWNER.id, 'owner');
  await expect(text).toMatchFileSnapshot('../../vectors/responses/delivery.txt');
});
