// What a site answers besides pages is asked of the caps with its bytes, counted as it leaves and
// written in the bucket's log, as pages are.
import { beforeEach, expect, it } from 'vitest';
import { createDecide } from '../../../../src/core/auth/decide.ts';
import { createCapGuard } from '../../../../src/core/caps/cap-guard.ts';
import { setCap } from '../../../../src/core/caps/set-cap.ts';
import { createUsageFlusher } from '../../../../src/core/metering/flush-usage.ts';
import { openBucket } from '../../../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../../../src/core/opened-bucket/set-bucket-settings.ts';
import { parseBucketName } from '../../../../src/core/parse-names.ts';
import { createDelivery } from '../../../../src/http/delivery/create-delivery.ts';
import { bucketLogLine } from '../../../../src/http/observe/bucket-log-line.ts';
import { publicPolicy } from '../../../access-samples.ts';
import { makeRequest } from '../../s3/kit/make-request.ts';
import { createTestSurface, OWNER } from '../../s3/kit/surface.ts';

const HOST = 'pages.web.example';
const PAGE = 'not here '.repeat(20_000);
const LIMIT_BYTES = PAGE.length + 1000;

function createWorld() {
  const surface = createTestSurface();
  const { core } = surface;
  const flusher = createUsageFlusher(core, { source: 'delivery', intervalMs: 1 });
  const caps = createCapGuard(core, flusher, 'delivery', () => undefined);
  const settings = {
    ...{
      baseDomain: null,
      websiteDomain: 'web.example',
      ownHosts: [],
      defaultCacheControl: 'max-age=1',
    },
    ...{ compressionMaxBytes: 1_000_000, isServerTimingOn: false, region: 'auto' },
  };
  const delivery = createDelivery(core, settings, createDecide(), caps);
  const visit = async (target: string, method = 'GET') => {
    const request = makeRequest({ method, target, headers: { host: HOST } });
    const place = { rawBucket: 'pages', rawPath: request.rawPath.slice(1), binding: null };
    const response = await delivery.deliverSite(request, place, 'ID');
    return {
      response,
      notes: request.notes,
      line: bucketLogLine({ request, requestId: 'ID', timeMs: 0, status: 1 }),
    };
  };
  const cap = (limit: number) =>
    setCap(core, OWNER.id, {
      ...{
        id: 'cap',
        scope: { kind: 'account' as const },
        unit: 'bytes' as const,
        limit: BigInt(limit),
      },
      ...{
        period: 'month' as const,
        alertPercents: [],
        cachedFromPercent: null,
        cardId: null,
        liftedUntilMs: null,
      },
    });
  const change = async (given: Parameters<typeof setBucketSettings>[2]) =>
    setBucketSettings(
      core,
      await openBucket(core, parseBucketName('pages'), () => undefined),
      given,
    );
  /** Bytes that are counted by now. */
  const counted = () =>
    surface.meter
      .drain(() => true)
      .flatMap(({ counts }) => [...counts.values()])
      .reduce(
        (sum, { madeBytes, memoryBytes, bucketBytes }) =>
          sum + madeBytes + memoryBytes + bucketBytes,
        0,
      );
  return { surface, visit, cap, change, counted };
}

let world = createWorld();

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
  await surface.send({ method: 'PUT', path: '/pages/missing.html', body: PAGE });
  await world.change({
    website: {
      redirectAllTo: null,
      indexSuffix: 'index.html',
      errorKey: 'missing.html',
      routingRules: [],
    },
  });
  world.counted();
});

it('no cap is passed by error documents, however many want one at once', async () => {
  await world.cap(LIMIT_BYTES);
  const shown = await Promise.all(['/a', '/b', '/c'].map((path) => world.visit(path)));
  const statuses = shown.map(({ response }) => response.status).sort();
  expect(statuses).toEqual([404, 429, 429]);
  const refused = shown.find(({ response }) => response.status === 429);
  expect(Number(refused?.response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused?.response.text()).toContain('429 Too Many Requests');
  expect(refused?.notes.errorCode).toBe('UsageCapReached');
});

it('an error document counts its bytes, and none for HEAD', async () => {
  expect((await world.visit('/none', 'HEAD')).response.status).toBe(404);
  expect(world.counted()).toBe(0);
  await (await world.visit('/none')).response.text();
  expect(world.counted()).toBe(PAGE.length);
});

it('a list counts its bytes, and none for HEAD', async () => {
  const sent = {
    method: 'PUT',
    path: '/pages',
    query: { hosting: '' },
    body: JSON.stringify({ directoryListing: true }),
  };
  expect((await world.surface.send(sent)).status).toBe(200);
  await world.surface.send({ method: 'PUT', path: '/pages/ordner/größe.txt', body: 'x' });
  world.counted();
  const { response } = await world.visit('/ordner/', 'HEAD');
  expect([response.status, world.counted()]).toEqual([200, 0]);
  const list = await (await world.visit('/ordner/')).response.arrayBuffer();
  expect(world.counted()).toBe(list.byteLength);
});

it('visits are in the log of a bucket that has one, by the key of what was shown', async () => {
  expect((await world.visit('/')).notes.isLogged).toBe(false);
  await world.change({
    logging: { targetBucket: parseBucketName('pages'), targetPrefix: 'log/', partitionedBy: null },
  });
  const cases = [
    ['/', ' WEBSITE.GET.OBJECT index.html '],
    ['/none', ' WEBSITE.GET.OBJECT missing.html '],
    ['/none', ` NoSuchKey ${PAGE.length} ${PAGE.length} `],
  ] as const;
  for (const [path, part] of cases) {
    const { notes, line } = await world.visit(path);
    expect(notes.isLogged).toBe(true);
    expect(line).toContain(part);
  }
});
