// The app's own numbers as metric families. Pure; observer.ts counts, this names.
// Names and labels are for good: whoever has a dashboard has them in it.

import type { MeterTotals } from '../../ports/metering.ts';
import { type Histogram, type MetricFamily, metricFamily } from '../../ports/metrics.ts';
import type {
  FastPathCounts,
  FastPathCountsBySurface,
} from '../delivery/fast-path/fast-path-counts.ts';
import type { Surface } from './request-notes.ts';

const STATUS_CLASSES = ['0xx', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** One operation of one surface. */
export type Series = {
  readonly surface: Surface;
  readonly operation: string;
  /** Answers by the hundreds of their status. */
  readonly byClass: number[];
  readonly latency: Histogram;
};

/**
 * Tiers that gave read policy and pointer, and tiers that gave a body; a body in
 * the row counts where its pointer came from.
 */
export type Lookups = {
  readonly metadata: Map<string, number>;
  readonly body: Map<string, number>;
};

export type AppNumbers = {
  readonly series: readonly Series[];
  readonly lookups: Lookups;
  readonly inFlight: number;
  readonly fastPathCounts: FastPathCountsBySurface;
  readonly meterTotals: MeterTotals;
};

export function appFamilies({
  series,
  lookups,
  inFlight,
  fastPathCounts,
  meterTotals,
}: AppNumbers): MetricFamily[] {
  const hot = fastPathSeries(fastPathCounts);
  const { delivery: ofDelivery, website: ofWebsite, s3: ofS3 } = fastPathCounts;
  const fastPathBodies = [ofDelivery, ofWebsite, ofS3].reduce(
    (sum, of) => sum + of.getWhole + of.getPart,
    0,
  );
  const fastPathReads = [ofDelivery, ofWebsite]
    .flatMap((counts) => Object.values(counts))
    .reduce((sum, count) => sum + count);
  return [
    requestFamily('quayside_requests_total', 'Answered requests, by the fast path too.', [
      ...series,
      ...hot,
    ]),
    {
      name: 'quayside_request_duration_seconds',
      help: 'From a request to the head of its response, fast-path responses left out.',
      type: 'histogram',
      samples: series.flatMap(({ surface, operation, latency }) =>
        latency.samples({ surface, operation }),
      ),
    },
    metricFamily('gauge', 'quayside_requests_in_flight', 'Requests whose response is being made.', [
      [{}, inFlight],
    ]),
    requestFamily(
      'quayside_fast_path_responses_total',
      'Those of them that the fast path answered.',
      hot,
    ),
    lookupFamily(
      'metadata',
      'Public reads by the tier that knew bucket and object.',
      lookups.metadata,
      {
        memory: fastPathReads,
      },
    ),
    lookupFamily('body', 'Reads with a body by the tier that gave its first bytes.', lookups.body, {
      memory: fastPathBodies,
      bucket: readOf(ofDelivery) + readOf(ofWebsite) + readOf(ofS3),
      index: ofS3.getInRow,
    }),
    ...meterFamilies(meterTotals),
  ];
}

/** Bodies that the fast path had from the bucket. */
const readOf = ({ getWholeRead, getPartRead }: FastPathCounts): number =>
  getWholeRead + getPartRead;

type Counted = Pick<Series, 'surface' | 'operation'> & { readonly byClass: readonly number[] };

function fastPathSeries(counts: FastPathCountsBySurface): Counted[] {
  return (['delivery', 'website', 's3', 'links'] as const).flatMap((surface) => {
    const of = counts[surface];
    const gotBody = of.getWhole + of.getPart + readOf(of) + of.getInRow;
    const gotElsewhere = of.getNotModified + of.getRedirected;
    const headElsewhere = of.headNotModified + of.headRedirected;
    return [
      {
        surface,
        operation: surface === 'links' ? 'ShareLink' : 'GetObject',
        byClass: [0, 0, gotBody, gotElsewhere, of.getRefused],
      },
      {
        surface,
        operation: surface === 'links' ? 'ShareLink' : 'HeadObject',
        byClass: [0, 0, of.headWhole, headElsewhere, of.headRefused],
      },
    ];
  });
}

/**
 * Samples of the same name are added up: what the full path answered and what the
 * fast path did are the service's together.
 */
function requestFamily(name: string, help: string, all: readonly Counted[]): MetricFamily {
  const sums = new Map<string, readonly [labels: Record<string, string>, count: number]>();
  for (const { surface, operation, byClass } of all) {
    byClass.forEach((count, at) => {
      if (count === 0) return;
      const status = STATUS_CLASSES[at] ?? 'other';
      const labels = { surface, operation, status };
      const key = `${surface} ${operation} ${status}`;
      sums.set(key, [labels, (sums.get(key)?.[1] ?? 0) + count]);
    });
  }
  return metricFamily('counter', name, help, sums.values());
}

function lookupFamily(
  kind: keyof Lookups,
  help: string,
  counts: Map<string, number>,
  hot: Readonly<Record<string, number>>,
): MetricFamily {
  const sums = new Map(counts);
  for (const [tier, count] of Object.entries(hot))
    if (count > 0) sums.set(tier, (sums.get(tier) ?? 0) + count);
  const name = `quayside_${kind}_lookups_total`;
  return metricFamily(
    'counter',
    name,
    help,
    Array.from(sums, ([tier, count]) => [{ tier }, count] as const),
  );
}

function meterFamilies({ bytesOut, operations }: MeterTotals): MetricFamily[] {
  const samples = (counts: Readonly<Record<string, number>>, label: string) =>
    Object.entries(counts).map(([name, count]) => [{ [label]: name }, count] as const);
  return [
    metricFamily(
      'counter',
      'quayside_sent_bytes_total',
      'Bytes of bodies as metered, by the tier that they came from.',
      samples(bytesOut, 'tier'),
    ),
    metricFamily(
      'counter',
      'quayside_operations_total',
      'Metered operations by class.',
      samples(operations, 'class'),
    ),
  ];
}
