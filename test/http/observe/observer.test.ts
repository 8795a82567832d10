import { beforeEach, describe, expect, it } from 'vitest';
import { createUsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { newFastPathCounts } from '../../../src/http/delivery/fast-path/fast-path-counts.ts';
import type {
  FastResponse,
  WholeResponse,
} from '../../../src/http/delivery/fast-path/fast-response.ts';
import { createObserver } from '../../../src/http/observe/observer.ts';
import { newRequestNotes, type RequestNotes } from '../../../src/http/observe/request-notes.ts';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import { metricFamily } from '../../../src/ports/metrics.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { FAST_RESPONSE } from '../delivery/fast-path/fast-response-sample.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

let nowMs = 0;
let lines: string[] = [];
let fastPathCounts = newFastPathCounts();
const totals = {
  operations: { A: 1, B: 2, free: 3 },
  bytesOut: { memory: 10, edge: 0, bucket: 20, none: 0 },
};
const ports = {
  meter: { ...createUsageMeter({ nowMs: () => 0 }), totals: () => totals },
  metrics: { collect: () => [metricFamily('gauge', 'of_the_home', 'One.', [[{}, 1]])] },
  clock: { nowMs: () => Date.UTC(2026, 10, 21, 12) },
  accessLog: { write: (line: string) => void lines.push(line) },
};
const make = (metricsBucketsMax = 0, accessLog: 'off' | 'json' = 'off') =>
  createObserver(ports, { metricsBucketsMax, accessLog }, fastPathCounts, () => nowMs);
const page = async (observer: ReturnType<typeof make>) =>
  parseMetricsPage(renderMetrics(await observer.families()));

beforeEach(() => {
  nowMs = 1000;
  lines = [];
  fastPathCounts = newFastPathCounts();
});

/** One request that took `ms`. */
function tell(
  observer: ReturnType<typeof make>,
  notes: Partial<RequestNotes>,
  status: number,
  ms = 1,
): void {
  observer.began();
  const request = {
    ...makeRequest({ target: '/b/k?a=b' }),
    notes: { ...newRequestNotes(), ...notes, startedMs: nowMs },
  };
  nowMs += ms;
  observer.answered(request, 'ID', status);
}

describe('an observer', () => {
  it('counts by surface, operation and class, and how long it took', async () => {
    const observer = make();
    for (const ms of [0.4, 20, 70_000])
      tell(observer, { surface: 's3', operation: 'PutObject' }, 200, ms);
    tell(observer, { surface: 's3', operation: 'PutObject' }, 412);
    tell(observer, { surface: 'delivery', operation: 'GetObject' }, 500);
    observer.began();
    const { value } = await page(observer);
    expect(
      value('quayside_requests_total', { surface: 's3', operation: 'PutObject', status: '2xx' }),
    ).toBe(3);
    expect(
      value('quayside_requests_total', { surface: 's3', operation: 'PutObject', status: '4xx' }),
    ).toBe(1);
    expect(value('quayside_requests_total', { surface: 'delivery', status: '5xx' })).toBe(1);
    const bucket = (le: string) =>
      value('quayside_request_duration_seconds_bucket', { operation: 'PutObject', le });
    expect(['0.0005', '0.001', '0.025', '30', '+Inf'].map(bucket)).toEqual([1, 2, 3, 3, 4]);
    expect(value('quayside_requests_in_flight')).toBe(1);
    expect(value('of_the_home')).toBe(1);
  });

  it('adds what the fast path answered', async () => {
    const observer = make();
    tell(
      observer,
      { surface: 'delivery', operation: 'GetObject', metadataTier: 'memory', bodyTier: 'memory' },
      200,
    );
    Object.assign(fastPathCounts.delivery, {
      getWhole: 5,
      getNotModified: 3,
      headWhole: 2,
      headNotModified: 1,
      getRefused: 7,
      headRefused: 8,
    });
    Object.assign(fastPathCounts.website, { getWhole: 4, getRedirected: 9, headRedirected: 10 });
    const { value } = await page(observer);
    const requests = (labels: Record<string, string>) => value('quayside_requests_total', labels);
    expect(requests({ surface: 'delivery', operation: 'GetObject', status: '2xx' })).toBe(6);
    expect(requests({ surface: 'delivery', operation: 'GetObject', status: '3xx' })).toBe(3);
    expect(requests({ surface: 'delivery', operation: 'GetObject', status: '4xx' })).toBe(7);
    expect(requests({ surface: 'delivery', operation: 'HeadObject', status: '4xx' })).toBe(8);
    expect(requests({ surface: 'delivery', operation: 'HeadObject' })).toBe(11);
    expect(requests({ surface: 'website', operation: 'GetObject', status: '3xx' })).toBe(9);
    expect(requests({ surface: 'website' })).toBe(23);
    expect(value('quayside_fast_path_responses_total')).toBe(49);
    expect(value('quayside_metadata_lookups_total', { tier: 'memory' })).toBe(50);
    expect(value('quayside_body_lookups_total', { tier: 'memory' })).toBe(10);
  });

  it('counts tiers, and a body in the row where its pointer came from', async () => {
    const observer = make();
    tell(observer, { metadataTier: 'index', bodyTier: 'index' }, 200);
    tell(observer, { metadataTier: 'kv', bodyTier: 'index' }, 200);
    tell(observer, { metadataTier: 'kv', bodyTier: 'edge' }, 200);
    tell(observer, { metadataTier: 'memory', bodyTier: 'bucket' }, 206);
    tell(observer, { metadataTier: 'memory', bodyTier: 'none' }, 304);
    tell(observer, { metadataTier: null, bodyTier: 'bucket' }, 200);
    const { value } = await page(observer);
    const tiers = ['memory', 'kv', 'edge', 'index', 'bucket'];
    expect(tiers.map((tier) => value('quayside_metadata_lookups_total', { tier }))).toEqual([
      2, 2, 0, 1, 0,
    ]);
    expect(tiers.map((tier) => value('quayside_body_lookups_total', { tier }))).toEqual([
      0, 1, 1, 1, 2,
    ]);
    expect(value('quayside_sent_bytes_total', { tier: 'bucket' })).toBe(20);
    expect(value('quayside_operations_total', { class: 'free' })).toBe(3);
  });

  it('names no bucket unless it was asked to, and then only so many', async () => {
    const answer = (bucket: string): FastResponse => ({
      ...FAST_RESPONSE,
      bucket: bucket as BucketName,
    });
    const read = {
      isHead: false,
      rawPath: '/',
      host: 'h',
      ifNoneMatch: null,
      range: null,
      header: () => null,
    };
    const quiet = make();
    const door = () => answer('a');
    expect(quiet.watchFastPath(door)).toBe(door);
    expect((await page(quiet)).labelValues('bucket').size).toBe(0);

    const observer = make(2);
    for (const bucket of ['a', 'b', 'c', 'd', 'a']) {
      tell(observer, { bucket: bucket as BucketName, bodyBytes: 100 }, 200);
      expect(observer.watchFastPath((_read: typeof read) => answer(bucket))(read)?.bucket).toBe(
        bucket,
      );
    }
    expect(observer.watchFastPath((_read: typeof read) => null)(read)).toBeNull();
    tell(observer, { bucket: null, bodyBytes: 7 }, 404);
    const { value, labelValues } = await page(observer);
    expect(labelValues('bucket')).toEqual(new Set(['a', 'b', '']));
    expect(
      ['a', 'b', ''].map((bucket) => value('quayside_bucket_requests_total', { bucket })),
    ).toEqual([4, 2, 4]);
    expect(
      ['a', 'b', ''].map((bucket) => value('quayside_bucket_sent_bytes_total', { bucket })),
    ).toEqual([220, 110, 220]);
  });

  it('tells the access log of each answer of both doors, if there is one', () => {
    expect(make().servedByFastPath).toBeNull();
    tell(make(), {}, 200);
    expect(lines).toEqual([]);
    const observer = make(0, 'json');
    tell(observer, { surface: 's3', operation: 'GetObject', bodyBytes: 12 }, 206);
    const response: WholeResponse = { ...FAST_RESPONSE, surface: 'website' };
    const read = {
      isHead: false,
      rawPath: '/p',
      host: 'h',
      ifNoneMatch: null,
      range: null,
      header: () => null,
    };
    const client = { remoteAddress: '::1', durationMs: 0.01, header: () => 'x' };
    observer.servedByFastPath?.({ ...client, read, response, requestId: 'HOT' });
    const borrowed = {
      buffer: new Uint8Array(10),
      at: 0,
      lengthBytes: 10,
      release: () => undefined,
      tookMs: 1,
      sender: null,
    };
    const range = {
      range: { startByte: 0, endByteInclusive: 9 },
      sizeBytes: 20,
      serverTiming: '',
    };
    const read206: WholeResponse = { ...FAST_RESPONSE, kind: 'borrowed', body: borrowed, range };
    observer.servedByFastPath?.({ ...client, read, response: read206, requestId: 'READ' });
    const refused: WholeResponse = {
      ...FAST_RESPONSE,
      status: 404,
      bucket: null,
      kind: 'document',
      body: { bytes: new Uint8Array(3), requestId: 'GONE' },
    };
    observer.servedByFastPath?.({ ...client, read, response: refused, requestId: 'GONE' });
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        requestId: 'ID',
        target: '/b/k?a=b',
        status: 206,
        bodyBytes: 12,
        operation: 'GetObject',
        surface: 's3',
      },
      {
        requestId: 'HOT',
        target: '/p',
        status: 200,
        bodyBytes: 10,
        surface: 'website',
        remoteAddress: '::1',
        referer: 'x',
        bodyTier: 'memory',
      },
      { requestId: 'READ', bodyTier: 'bucket' },
      { requestId: 'GONE', status: 404, bodyBytes: 3, bodyTier: null, bucket: null },
    ]);
  });
});
