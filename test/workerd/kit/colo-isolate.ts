// Isolates of one colo: hot metadata as ports.ts makes it, over the real Cache API, KV and Durable
// Objects, with a clock that the test moves and that all of them share.
import { env } from 'cloudflare:workers';
import { createDoMetadataIndex } from '../../../src/adapters/cloudflare/clients/do-metadata-index.ts';
import { createBucketFeeds } from '../../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import { createColoTier } from '../../../src/adapters/cloudflare/pointers/colo-tier.ts';
import { createFreshness } from '../../../src/adapters/cloudflare/pointers/freshness.ts';
import type { RelayPages } from '../../../src/adapters/cloudflare/pointers/relay-pages.ts';
import { createWorkersHotMetadata } from '../../../src/adapters/cloudflare/pointers/workers-hot-metadata.ts';
import { createWorkersHotShares } from '../../../src/adapters/cloudflare/pointers/workers-hot-shares.ts';
import { createMemoryPointers } from '../../../src/adapters/shared/memory-pointers.ts';
import type { Core } from '../../../src/core/core.ts';
import { findCurrent, findCurrentOf } from '../../../src/core/objects/find-current.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import type { Background, Clock, Log } from '../../../src/ports/system.ts';
import { EVERY_NAME } from './bucket.ts';
import { counting } from './counting.ts';

export type TestClock = Clock & { ms: number };

export function createTestClock(): TestClock {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  return clock;
}

const SETTINGS = {
  pointerFreshSeconds: 3,
  staleWhileRevalidateSeconds: 2,
  staleIfErrorSeconds: 3600,
  negativeFreshSeconds: 2,
  // A busy machine is waited for.
  tierLimitMs: 15_000,
};

let colos = 0;
/** Opens the cache of a colo of its own. */
export function createColo(): () => Promise<Cache> {
  colos += 1;
  const name = `colo-${Date.now().toString(36)}-${colos}`;
  return () => caches.open(name);
}

type IsolateOptions = {
  /** The objects, which may be busy or down. */
  readonly buckets?: typeof env.BUCKETS;
  /** Patience with the index, and with a call of it that says nothing, milliseconds. */
  readonly indexLimitMs?: number;
  readonly hungMs?: number;
  readonly relays?: RelayPages;
};

export type ColoIsolate = ReturnType<typeof createColoIsolate>;

export function createColoIsolate(
  clock: TestClock,
  open: () => Promise<Pick<Cache, 'match' | 'put' | 'delete'>>,
  kv: Pick<KVNamespace, 'get'> = env.HOT,
  limitMs = SETTINGS.tierLimitMs,
  options: IsolateOptions = {},
) {
  const { buckets = env.BUCKETS, indexLimitMs = SETTINGS.tierLimitMs, hungMs = 1000 } = options;
  const freshnessOf = createFreshness(SETTINGS);
  const memory = createMemoryPointers({
    clock,
    maxEntries: 1000,
    maxBytes: 1_000_000,
    negativeFreshSeconds: SETTINGS.negativeFreshSeconds,
    freshSeconds: SETTINGS.pointerFreshSeconds,
    staleSeconds: SETTINGS.staleIfErrorSeconds,
    freshnessOf: (readPolicy) => freshnessOf(readPolicy?.settings.metadata ?? null),
  });
  const feeds = createBucketFeeds(clock);
  const objects = counting(buckets);
  const kvReads = counting(kv);
  const behind: Promise<unknown>[] = [];
  const failures: string[] = [];
  const log: Log = { info: () => undefined, error: (event) => void failures.push(event) };
  const index = createDoMetadataIndex(objects.target, EVERY_NAME, clock, feeds, 3);
  const colo = createColoTier({ clock, log, limitMs, idOf: (bucket) => bucket, open });
  const background: Background = {
    run: (_label, work) => void behind.push(work().catch(() => undefined)),
  };
  const hotMetadata = createWorkersHotMetadata({
    kv: kvReads.target,
    memory,
    feeds,
    colo,
    clock,
    background,
    log,
    hungMs,
    ...(options.relays !== undefined && { relays: options.relays }),
    settings: { ...SETTINGS, tierLimitMs: indexLimitMs },
  });
  const hotShares = createWorkersHotShares({ feeds, colo, clock, background, settings: SETTINGS });
  const ports = { hotMetadata, hotShares, metadataIndex: index, clock };
  const core = { ports } as unknown as Core;

  async function settle(): Promise<void> {
    while (behind.length > 0) await Promise.all(behind.splice(0));
  }

  return {
    core,
    hotMetadata,
    hotShares,
    feeds,
    failures,
    settle,
    /** Calls of the bucket's object, and of KV. */
    calls: () => objects.calls.get ?? 0,
    kvReads: () => kvReads.calls.get ?? 0,
    open: (name: BucketName) => openBucket(core, name, () => undefined),
    /** What a reader is shown: an entity tag, `none`, or `closed`; and from which tier. */
    async read(bucket: BucketName, key: string): Promise<{ state: string; tier: string }> {
      const { readPolicy, pointer, tier } = await findCurrent(core, bucket, key as ObjectKey);
      await settle();
      const isOpen = readPolicy !== null && readPolicy.access.publicReads !== null;
      return { state: isOpen ? (pointer?.etag ?? 'none') : 'closed', tier };
    },
    async readAll(bucket: BucketName, keys: readonly string[]): Promise<readonly string[]> {
      const found = await findCurrentOf(core, bucket, keys as readonly ObjectKey[]);
      await settle();
      return found.map(({ pointer, tier }) => `${pointer?.etag ?? 'none'} ${tier}`);
    },
  };
}
