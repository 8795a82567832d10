// Pages of pointers in KV, which the bucket's Durable Object writes there when it
// nears its limit, or always where the bucket is set so (page-publisher.ts). What is
// read here is believed only as far as the change feed proves it, so no write that
// fails, comes late or gets lost can show the past.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import { decodePage, kvPageName, type PointerPage } from './pointer-page.ts';

/**
 * Seconds for which a colo of Cloudflare keeps what it read from KV, "nothing"
 * included; the least that KV allows.
 */
export const KV_CACHE_TTL_SECONDS = 30;
/** How long KV is left alone after a failure, milliseconds. */
const COOLDOWN_MS = 5000;

export type KvPages = {
  /** The page, or null: also when KV fails or hangs. Cost: one read, or none. */
  read(bucket: BucketName, from: ObjectKey): Promise<PointerPage | null>;
  /** Notes that the page read last did not help: the colo repeats it for a while. */
  reject(bucket: BucketName, from: ObjectKey): void;
};

export function createKvPages(options: {
  readonly kv: Pick<KVNamespace, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly limitMs: number;
}): KvPages {
  const { kv, clock, log, limitMs } = options;
  const breaker = createCircuitBreaker(clock, COOLDOWN_MS);
  const rejected = createCircuitBreaker(clock, KV_CACHE_TTL_SECONDS * 1000);

  return {
    async read(bucket, from) {
      const name = kvPageName(bucket, from);
      if (breaker.isOn('kv') || rejected.isOn(name)) return null;
      try {
        const text = await withTimeout(limitMs, 'KV', () =>
          kv.get(name, { type: 'text', cacheTtl: KV_CACHE_TTL_SECONDS }),
        );
        return decodePage(text);
      } catch (cause) {
        breaker.begin('kv');
        log.error('kv-read-failed', { bucket, cause });
        return null;
      }
    },
    reject: (bucket, from) => rejected.begin(kvPageName(bucket, from)),
  };
}
