// /-/ready, for everybody. /-/metrics: private, readable by Prometheus, and it counts what was
// done. Other tests use the server meanwhile, so counts are compared with "at least".
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { parseMetricsPage } from '../kit/metrics-page.ts';

const { send, anonymous, target } = client;
const token = target.metricsToken;

const ask = (headers: Record<string, string>, method = 'GET') =>
  anonymous({ method, path: '/-/metrics', headers });
const authorization = `Bearer ${token}`;

async function scrape() {
  const { status, text } = await ask({ authorization });
  expect(status).toBe(200);
  return parseMetricsPage(text);
}

describeCore('readiness', () => {
  it('is shown to everybody, not kept by caches, and for reading only', async () => {
    const reply = await anonymous({ method: 'GET', path: '/-/ready' });
    expect([reply.status, JSON.parse(reply.text)]).toEqual([200, { status: 'ready' }]);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
    });
    expect((await anonymous({ method: 'HEAD', path: '/-/ready' })).status).toBe(200);
    expect((await anonymous({ method: 'POST', path: '/-/ready' })).status).toBe(405);
  });
});

describeCore('metrics', () => {
  const bucket = useBucket(client);

  it.skipIf(token === null)('are shown to whoever has the token, and to nobody else', async () => {
    for (const wrong of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Bearer ${token}x`,
      `Bearer x${token}`,
      `Basic ${token}`,
      `${token}`,
    ]) {
      const reply = await ask(wrong === undefined ? {} : { authorization: wrong });
      expect([wrong, reply.status, reply.text.includes('quayside_')]).toEqual([wrong, 401, false]);
      expect(reply.headers).toMatchObject({
        'www-authenticate': 'Bearer realm="metrics"',
        'cache-control': 'no-store',
      });
    }
    const reply = await ask({ authorization: `bearer  ${token}` });
    expect([reply.status, reply.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(reply.headers['cache-control']).toBe('no-store');
    const head = await ask({ authorization }, 'HEAD');
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await ask({ authorization }, 'POST')).status).toBe(405);
  });

  it.skipIf(token === null)(
    'count requests, tiers and bytes of both doors, under no label of a stranger',
    async () => {
      await openToEveryone(client, bucket);
      const before = await scrape();
      await send({ method: 'PUT', bucket, key: 'counted', body: 'x'.repeat(1000) });
      for (const _ of [1, 2, 3])
        expect((await anonymous({ method: 'GET', bucket, key: 'counted' })).status).toBe(200);
      expect((await anonymous({ method: 'GET', bucket, key: 'not-there' })).status).toBe(404);
      expect((await send({ method: 'GET', bucket, key: 'counted' })).status).toBe(200);
      expect(
        (
          await send({
            method: 'GET',
            bucket,
            query: { nonsense: '' },
            signer: { secretKey: 'wrong' },
          })
        ).status,
      ).toBe(403);
      const after = await scrape();
      const grown = (name: string, labels: Record<string, string>) =>
        after.value(name, labels) - before.value(name, labels);
      const requests = (surface: string, operation: string, status: string) =>
        grown('quayside_requests_total', { surface, operation, status });
      expect(requests('s3', 'PutObject', '2xx')).toBeGreaterThanOrEqual(1);
      expect(requests('delivery', 'GetObject', '2xx')).toBeGreaterThanOrEqual(3);
      expect(requests('delivery', 'GetObject', '4xx')).toBeGreaterThanOrEqual(1);
      expect(requests('s3', 'GetObject', '2xx')).toBeGreaterThanOrEqual(1);
      expect(requests('s3', 'ListObjects', '4xx')).toBeGreaterThanOrEqual(1);
      expect(requests('system', 'Metrics', '2xx')).toBeGreaterThanOrEqual(1);
      expect(grown('quayside_metadata_lookups_total', { tier: 'memory' })).toBeGreaterThanOrEqual(
        1,
      );
      expect(grown('quayside_metadata_lookups_total', { tier: 'index' })).toBeGreaterThanOrEqual(1);
      expect(grown('quayside_body_lookups_total', { tier: 'memory' })).toBeGreaterThanOrEqual(1);
      expect(grown('quayside_sent_bytes_total', {})).toBeGreaterThanOrEqual(4000);
      expect(
        grown('quayside_request_duration_seconds_count', { surface: 's3', operation: 'PutObject' }),
      ).toBeGreaterThanOrEqual(1);
      expect(after.value('quayside_requests_in_flight')).toBeGreaterThanOrEqual(1);
      expect(after.value('quayside_cache_entries', { cache: 'pointers' })).toBeGreaterThanOrEqual(
        1,
      );
      expect(
        [...after.labelValues('operation')].filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name)),
      ).toEqual([]);
      expect(after.labelValues('bucket').size).toBe(0);
    },
  );

  it.skipIf(token === null || target.platform !== 'node')(
    'show the index, the connections and the process on Node',
    async () => {
      const page = await scrape();
      expect(page.value('quayside_index_commands_total')).toBeGreaterThanOrEqual(1);
      expect(page.value('quayside_index_commit_commands_count')).toBeGreaterThanOrEqual(1);
      expect(page.value('quayside_index_bytes')).toBeGreaterThan(4096);
      expect(page.value('quayside_index_rows')).toBeGreaterThanOrEqual(1);
      expect(page.value('quayside_connections')).toBeGreaterThanOrEqual(1);
      expect(page.value('quayside_responses_open')).toBeGreaterThanOrEqual(1);
      expect(page.value('process_cpu_seconds_total')).toBeGreaterThan(0);
      expect(page.value('nodejs_heap_size_used_bytes')).toBeGreaterThan(0);
    },
  );

  it('are not there for a website or a bucket host', async () => {
    const { websiteDomain, baseDomain } = target;
    for (const domain of [websiteDomain, baseDomain]) {
      if (domain === null) continue;
      const reply = await anonymous({
        method: 'GET',
        path: '/-/metrics',
        host: `${bucket}.${domain}`,
      });
      expect(reply.text).not.toContain('quayside_');
      expect([403, 404]).toContain(reply.status);
    }
  });
});
