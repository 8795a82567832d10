// The fast path counts each of its responses once, by its kind, and nothing that it leaves: metrics
// know of them by these counts alone.
import { beforeEach, expect, it } from 'vitest';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createDelivery, type Delivery } from '../../../../src/http/delivery/create-delivery.ts';
import {
  type FastPathCounts,
  newFastPathCounts,
} from '../../../../src/http/delivery/fast-path/fast-path-counts.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { createTestSurface } from '../../s3/kit/surface.ts';
import { deliverySettings } from '../delivery-settings.ts';

type Read = {
  readonly isHead?: boolean;
  readonly ifNoneMatch?: string;
  readonly range?: string;
};

let delivery: Delivery;
let etag: string;

beforeEach(async () => {
  const surface = createTestSurface({ inlineBodyMaxBytes: 1000 });
  await surface.send({ method: 'PUT', path: '/pages' });
  await surface.send({
    method: 'PUT',
    path: '/pages',
    query: { policy: '' },
    body: publicPolicy('pages'),
  });
  await surface.send({ method: 'PUT', path: '/pages/a.bin', body: 'body of a' });
  await surface.send({
    method: 'PUT',
    path: '/pages',
    query: { hosting: '' },
    body: JSON.stringify({}),
  });

  const settings = deliverySettings({ websiteDomain: 'web.example', ownHosts: ['web.example'] });
  delivery = createDelivery(surface.core, settings, createDecide());
  const request = makeRequest({ target: '/pages/a.bin', headers: { host: 'h' } });
  const response = await delivery.deliver(request, 'pages', 'a.bin', 'ID');
  etag = response.headers.get('etag') ?? '';
  await response.arrayBuffer();
  // The site looks for its rules at the first visit.
  const visit = makeRequest({ target: '/a.bin', headers: { host: 'pages.web.example' } });
  const place = { rawBucket: 'pages', rawPath: 'a.bin', binding: null };
  await (await delivery.deliverSite(visit, place, 'ID')).arrayBuffer();
});

const SURFACES = [
  ['delivery', '/pages/a.bin', 'h'],
  ['website', '/a.bin', 'pages.web.example'],
] as const;

const statusOf = (
  rawPath: string,
  host: string,
  { isHead = false, ifNoneMatch, range }: Read,
): number | undefined =>
  delivery.answerAtOnce(
    {
      isHead,
      rawPath,
      host,
      ifNoneMatch: ifNoneMatch ?? null,
      range: range ?? null,
      header: () => null,
    },
    () => null,
  )?.status;

it.each(SURFACES)('responses of %s count once, by their kind', (surface, rawPath, host) => {
  const kinds: readonly (readonly [Read, number, keyof FastPathCounts])[] = [
    [{}, 200, 'getWhole'],
    [{ range: 'bytes=0-3' }, 206, 'getPart'],
    [{ ifNoneMatch: etag }, 304, 'getNotModified'],
    [{ isHead: true }, 200, 'headWhole'],
    [{ isHead: true, ifNoneMatch: etag }, 304, 'headNotModified'],
  ];
  const expected = newFastPathCounts();

  for (const [read, status, kind] of kinds) {
    expect(statusOf(rawPath, host, read), kind).toBe(status);
    expected[surface][kind] += 1;
    expect(delivery.fastPathCounts, kind).toEqual(expected);
  }
});

it.each(SURFACES)('what is left to the full path does not count: %s', (_, rawPath, host) => {
  expect(statusOf(`${rawPath}x`, host, {})).toBe(undefined);
  expect(statusOf(rawPath, host, { range: 'bytes=99-' })).toBe(undefined);
  expect(delivery.fastPathCounts).toEqual(newFastPathCounts());
});
