// The fast path counts each of its responses once, by its kind, and nothing that it leaves: metrics
// know of them by these counts alone.
import { beforeEach, describe, expect, it } from 'vitest';
import type { UsageMeter } from '../../../../src/adapters/shared/usage-meter.ts';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createDelivery, type Delivery } from '../../../../src/http/delivery/create-delivery.ts';
import {
  type FastPathCounts,
  newFastPathCounts,
} from '../../../../src/http/delivery/fast-path/fast-path-counts.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { createTestSurface, type TestSurface } from '../../s3/kit/surface.ts';
import { deliverySettings } from '../delivery-settings.ts';

type Read = {
  readonly isHead?: boolean;
  readonly ifNoneMatch?: string;
  readonly range?: string;
  readonly header?: Readonly<Record<string, string>>;
};

let surface: TestSurface;
let meter: UsageMeter;
let delivery: Delivery;
let etag: string;

beforeEach(async () => {
  surface = createTestSurface({ inlineBodyMaxBytes: 1000 });
  meter = surface.meter;
  await surface.send({ method: 'PUT', path: '/shut' });
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

/** Lets memory know of a key, whatever is there. */
async function settle(bucket: string, key: string): Promise<void> {
  const request = makeRequest({ target: `/${bucket}/${key}`, headers: { host: 'h' } });
  try {
    await delivery.deliver(request, bucket, key, 'ID');
  } catch {
    // It is refused.
  }
}

/** Headers of somebody who looks at a page. */
const HTML = { accept: 'text/html' };

const SURFACES = [
  ['delivery', '/pages/a.bin', 'h'],
  ['website', '/a.bin', 'pages.web.example'],
] as const;

const statusOf = (
  rawPath: string,
  host: string,
  { isHead = false, ifNoneMatch, range, header = {} }: Read,
): number | undefined =>
  delivery.answerAtOnce(
    {
      isHead,
      rawPath,
      host,
      ifNoneMatch: ifNoneMatch ?? null,
      range: range ?? null,
      header: (name) => header[name] ?? null,
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
    [{ header: { 'if-modified-since': 'Sun, 06 Nov 2094 08:49:37 GMT' } }, 304, 'getNotModified'],
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
  expect(statusOf(rawPath, host, { range: 'bytes=99-', header: HTML })).toBe(undefined);
  expect(delivery.fastPathCounts).toEqual(newFastPathCounts());
});

describe('refused reads', () => {
  const HEAD = { isHead: true };
  const REFUSED: readonly (readonly [Read, string, number])[] = [
    [{}, '/pages/none', 404],
    [{}, '/shut/a', 403],
    [{ range: 'bytes=99-' }, '/pages/a.bin', 416],
    [{ header: { 'if-match': '"x"' } }, '/pages/a.bin', 412],
    [{ header: { 'if-unmodified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' } }, '/pages/a.bin', 412],
  ];

  it('count as refused and are free, with HEAD too', async () => {
    await settle('pages', 'none');
    await settle('shut', 'a');
    const expected = newFastPathCounts();
    meter.drain(() => true);
    const before = meter.totals();
    for (const [read, path, status] of REFUSED) {
      expect(statusOf(path, 'h', read), path).toBe(status);
      expected.delivery.getRefused += 1;
      if (status === 416) continue;
      expect(statusOf(path, 'h', { ...read, ...HEAD }), path).toBe(status);
      expected.delivery.headRefused += 1;
    }
    expect(delivery.fastPathCounts).toEqual(expected);

    expect(meter.totals()).toEqual(before);
    const used = meter.drain(() => true);
    expect(used.reduce((sum, { blocked }) => sum + blocked, 0)).toBe(9);
  });

  it('of a bucket that is not there count for nobody', async () => {
    await settle('none', 'a');
    meter.drain(() => true);
    expect(statusOf('/none/a', 'h', {})).toBe(404);
    expect(delivery.fastPathCounts.delivery.getRefused).toBe(1);
    expect(meter.drain(() => true)).toEqual([]);
  });

  it('are left to the full path for people, at sites, and where they are logged', async () => {
    await settle('pages', 'none');
    expect(statusOf('/pages/none', 'h', { header: HTML })).toBe(undefined);
    expect(statusOf('/none', 'pages.web.example', {})).toBe(undefined);
    expect(statusOf('/a.bin', 'pages.web.example', { range: 'bytes=99-' })).toBe(undefined);
    await surface.send({
      method: 'PUT',
      path: '/shut',
      query: { policy: '' },
      body: JSON.stringify({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Principal: { Service: 'logging.s3.amazonaws.com' },
            Action: 's3:PutObject',
            Resource: 'arn:aws:s3:::shut/*',
          },
        ],
      }),
    });
    const target = '<TargetBucket>shut</TargetBucket><TargetPrefix></TargetPrefix>';
    const enabled = `<LoggingEnabled>${target}</LoggingEnabled>`;
    const logged = await surface.send({
      method: 'PUT',
      path: '/pages',
      query: { logging: '' },
      body: `<BucketLoggingStatus>${enabled}</BucketLoggingStatus>`,
    });
    expect(logged.status, logged.text).toBe(200);
    await settle('pages', 'none');
    expect(statusOf('/pages/none', 'h', {})).toBe(undefined);
  });
});
