// Publishes pages of pointers in KV for a bucket whose Durable Object nears its
// limit, or whose owner wants its reads from there. It lives inside that object and
// is the only writer of these names. A page is written when it is asked for a second
// time, and again when it is asked for although it stands there: then it is no
// longer proven, or near its end. Nothing hangs on whether a write lands, or when:
// readers believe a page only as far as the change feed proves it.
import type { BucketName } from '../../../domain/nouns.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import {
  encodePage,
  kvPageName,
  PAGE_MAX_AGE_SECONDS,
  type PointerPage,
} from '../pointers/pointer-page.ts';

/** KV writes under way at once; a Worker may have six connections. */
const PARALLEL = 6;
const PUT_LIMIT_MS = 10_000;
/**
 * Least time between writes of a page: colos see one only after a while, and KV
 * takes one a second. Source: https://developers.cloudflare.com/kv/platform/limits/
 */
const GAP_MS = 30_000;
/** Pages waiting to be written; what comes beyond it comes again. */
const WAITING_MAX = 256;

export type PagePublisher = {
  /** Notes a page that was given to a reader. */
  offer(page: PointerPage): void;
  /** Whether `drain` has work. */
  isDue(): boolean;
  /** Writes what waits; never throws. A second call joins the first. */
  drain(): Promise<void>;
};

export type PagePublisherOptions = {
  readonly bucket: BucketName;
  readonly kv: Pick<KVNamespace, 'put'>;
  readonly clock: Clock;
  readonly log: Log;
};

export function createPagePublisher(options: PagePublisherOptions): PagePublisher {
  const { bucket, kv, clock, log } = options;
  /** When a page was written last; 0: it was asked for once. There are few cuts. */
  const writtenAtMs = new Map<string, number>();
  const waiting = new Map<string, PointerPage>();
  let draining: Promise<void> | null = null;

  async function write(page: PointerPage): Promise<void> {
    const name = kvPageName(bucket, page.from);
    try {
      await withTimeout(PUT_LIMIT_MS, 'KV', () =>
        kv.put(name, encodePage(page), { expirationTtl: PAGE_MAX_AGE_SECONDS }),
      );
    } catch (cause) {
      log.error('publish-failed', { bucket, name, cause });
    }
  }

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, PARALLEL);
      for (const { from } of batch) waiting.delete(from);
      await Promise.all(batch.map(write));
    }
  }

  return {
    offer(page) {
      const lastMs = writtenAtMs.get(page.from);
      if (lastMs === undefined) {
        writtenAtMs.set(page.from, 0);
        return;
      }
      const isWaiting = waiting.has(page.from);
      if (isWaiting) waiting.set(page.from, page);
      if (isWaiting || clock.nowMs() - lastMs < GAP_MS || waiting.size >= WAITING_MAX) return;
      writtenAtMs.set(page.from, clock.nowMs());
      waiting.set(page.from, page);
    },
    isDue: () => waiting.size > 0 && draining === null,
    drain() {
      draining ??= run().finally(() => {
        draining = null;
      });
      return draining;
    },
  };
}
