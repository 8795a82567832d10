// Requests and bytes by bucket, for installations that want that label. The first
// buckets that are asked for get one of their own, all others share the empty one:
// a label costs memory here and in Prometheus for as long as both run.
import type { BucketName } from '../../domain/nouns.ts';
import { type MetricFamily, metricFamily } from '../../ports/metrics.ts';

export type BucketCounts = {
  /** Counts one response of a bucket that exists. */
  count(bucket: BucketName, bodyBytes: number): void;
  families(): MetricFamily[];
};

/** `bucketsMax`: labels besides the shared one. */
export function createBucketCounts(bucketsMax: number): BucketCounts {
  const counts = new Map<string, { requests: number; bodyBytes: number }>();
  return {
    count(bucket, bodyBytes) {
      const label = counts.has(bucket) || counts.size < bucketsMax ? bucket : '';
      const sums = counts.get(label) ?? { requests: 0, bodyBytes: 0 };
      sums.requests += 1;
      sums.bodyBytes += bodyBytes;
      counts.set(label, sums);
    },
    families() {
      const all = [...counts];
      const requests = all.map(([bucket, sums]) => [{ bucket }, sums.requests] as const);
      const sent = all.map(([bucket, sums]) => [{ bucket }, sums.bodyBytes] as const);
      return [
        metricFamily(
          'counter',
          'quayside_bucket_requests_total',
          'Answered requests by bucket; "" is all others.',
          requests,
        ),
        metricFamily(
          'counter',
          'quayside_bucket_sent_bytes_total',
          'Bytes of bodies by bucket; "" is all others.',
          sent,
        ),
      ];
    },
  };
}
