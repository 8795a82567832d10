// Counts what the app answers, as plain numbers in memory, and gives them as metric
// families when they are scraped. app.ts reports each request; what the fast path
// answered is read off its own counters, so that a hot read pays an increment and
// no more.
import type { LogCollector } from '../../core/logging/log-collector.ts';
import type { Ports } from '../../ports/index.ts';
import { createHistogram, type MetricFamily } from '../../ports/metrics.ts';
import type { FastPathServed } from '../delivery/fast-path/fast-path.ts';
import type { FastPathCountsBySurface } from '../delivery/fast-path/fast-path-counts.ts';
import type { FastResponse } from '../delivery/fast-path/fast-response.ts';
import type { HttpRequest } from '../request.ts';
import { type AccessLogFormat, bodyBytesOf, createAccessLog } from './access-log.ts';
import { appFamilies, type Lookups, type Series } from './app-families.ts';
import { type BucketCounts, createBucketCounts } from './bucket-counts.ts';
import { bucketLogLine } from './bucket-log-line.ts';
import { bodySource, type Surface } from './request-notes.ts';
import { sumFamilies } from './sum-families.ts';

export type Observer = {
  /** A request has come. */
  began(): void;
  /**
   * The request's response stands, with the body still to be sent. Once for each
   * `began`. Cost: 0.15 µs.
   */
  answered(request: HttpRequest, requestId: string, status: number): void;
  /**
   * The fast path, with what is counted beyond its own numbers: nothing at all
   * unless the settings ask for it.
   */
  watchFastPath<Input extends readonly unknown[]>(
    answer: (...input: Input) => FastResponse | null,
  ): (...input: Input) => FastResponse | null;
  /** Reports what the fast path has answered; null: nobody wants to know. */
  readonly servedByFastPath: ((served: FastPathServed) => void) | null;
  /** All metric families, those of the platform included. */
  families(): Promise<MetricFamily[]>;
};

/** Settings of config.ts that say what is counted and logged. */
export type ObserverSettings = {
  /** Buckets with a label of their own; 0 for none. */
  readonly metricsBucketsMax: number;
  readonly accessLog: AccessLogFormat | 'off';
};

/** Seconds. From a body in memory to what a client waits for without giving up. */
const LATENCY_BOUNDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
];

/** Counts a fast-path response once its body is at hand. */
function countResponse(buckets: BucketCounts, response: FastResponse): FastResponse {
  if (response.kind !== 'later') {
    if (response.bucket !== null) buckets.count(response.bucket, bodyBytesOf(response));
    return response;
  }
  const { body: readBody } = response;
  return {
    ...response,
    body(canSendDirectly) {
      const whole = readBody(canSendDirectly);
      if (whole !== null && whole.bucket !== null) buckets.count(whole.bucket, bodyBytesOf(whole));
      return whole;
    },
  };
}

/**
 * Makes the observer of one app. `bucketLogs` takes the lines of buckets whose
 * owners want them. `nowMs`: the clock of RequestNotes.
 */
export function createObserver(
  {
    meter,
    metrics,
    clock,
    accessLog: sink,
  }: Pick<Ports, 'meter' | 'metrics' | 'clock' | 'accessLog'>,
  { metricsBucketsMax, accessLog: format }: ObserverSettings,
  fastPathCounts: FastPathCountsBySurface,
  nowMs: () => number = () => performance.now(),
  bucketLogs: Pick<LogCollector, 'add'> | null = null,
): Observer {
  const accessLog = sink === null || format === 'off' ? null : createAccessLog(sink, format, clock);
  const buckets = metricsBucketsMax > 0 ? createBucketCounts(metricsBucketsMax) : null;
  const bySurface = new Map<Surface, Map<string, Series>>();
  const lookups: Lookups = { metadata: new Map(), body: new Map() };
  let inFlight = 0;

  function seriesOf(surface: Surface, operation: string): Series {
    const operations = bySurface.get(surface) ?? new Map<string, Series>();
    const known = operations.get(operation);
    if (known !== undefined) return known;
    const series = {
      surface,
      operation,
      byClass: [0, 0, 0, 0, 0, 0],
      latency: createHistogram(LATENCY_BOUNDS),
    };
    bySurface.set(surface, operations.set(operation, series));
    return series;
  }

  return {
    servedByFastPath: accessLog?.servedByFastPath ?? null,
    families: async () => {
      const series = [...bySurface.values()].flatMap((operations) => [...operations.values()]);
      const app = appFamilies({
        series,
        lookups,
        inFlight,
        fastPathCounts,
        meterTotals: meter.totals(),
      });
      const ofBuckets = buckets === null ? [] : buckets.families();
      const own = [...app, ...ofBuckets, ...(await metrics.collect())];
      const ofOthers = (await metrics.ofOtherThreads?.()) ?? [];
      return ofOthers.length === 0 ? own : sumFamilies([own, ...ofOthers]);
    },
    watchFastPath(answer) {
      if (buckets === null) return answer;
      return (...input) => {
        const response = answer(...input);
        return response === null ? null : countResponse(buckets, response);
      };
    },
    began() {
      inFlight += 1;
    },
    answered(request, requestId, status) {
      const { notes } = request;
      inFlight -= 1;
      const { byClass, latency } = seriesOf(notes.surface, notes.operation);
      const statusClass = Math.floor(status / 100);
      byClass[statusClass] = (byClass[statusClass] ?? 0) + 1;
      latency.observe((nowMs() - notes.startedMs) / 1000);
      if (notes.metadataTier !== null) increment(lookups.metadata, notes.metadataTier);
      const bodyTier = bodySource(notes);
      if (bodyTier !== null) increment(lookups.body, bodyTier);
      if (notes.bucket !== null) buckets?.count(notes.bucket, notes.bodyBytes);
      accessLog?.answered(request, requestId, status);
      if (notes.isLogged && notes.bucket !== null) {
        bucketLogs?.add(
          notes.bucket,
          bucketLogLine({ request, requestId, timeMs: clock.nowMs(), status }),
        );
      }
    },
  };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
