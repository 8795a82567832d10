// Reads a pointer past this isolate's memory: from the tier of the colo, then from
// KV where the bucket's pages are there, else from the index. Each of them fills
// memory, and what comes from below is left to the colo. Called by
// workers-hot-metadata.ts.
import { LRUCache } from 'lru-cache';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import type { KnownMetadata, MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import type { Background, Clock } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import type { MemoryPointers } from '../../shared/memory-pointers.ts';
import type { BucketFeeds } from './bucket-feeds.ts';
import { createColdStart } from './cold-start.ts';
import type { ColoTier } from './colo-tier.ts';
import type { FeedState } from './feed-state.ts';
import type { Freshness, MetadataMode } from './freshness.ts';
import { type IndexFailures, isFailure } from './index-failures.ts';
import type { KvPages } from './kv-pages.ts';
import { type Lookup, type MemoryEntries, toFresh, toStale } from './memory-entry.ts';
import { createMissLimit } from './miss-limit.ts';

/**
 * A state that is younger than this is not put into the colo again where it says
 * nothing but its time, milliseconds.
 */
const SHARE_GAP_MS = 1000;
/**
 * A call that got no word for so long after its limit waits in no queue, milliseconds:
 * the runtime refuses what is queued for too long, as overload. It must be within the
 * 30 s that work behind a response has. Source:
 * https://developers.cloudflare.com/durable-objects/observability/troubleshooting/
 */
const HUNG_MS = 20_000;
/** Buckets of which the colo's state is remembered. */
const SHARED_MAX = 1000;

type SharedState = Pick<FeedState, 'atMs' | 'filledTo' | 'isOffloaded'>;

/** Remembers the colo's states, as far as known here. */
function createSharedStates() {
  const states = new LRUCache<BucketName, SharedState>({ max: SHARED_MAX });
  return {
    note(bucket: BucketName, { atMs, filledTo, isOffloaded }: FeedState): void {
      states.set(bucket, { atMs, filledTo, isOffloaded });
    },
    /** Whether the colo had better have that one. */
    isNews(bucket: BucketName, { atMs, filledTo, isOffloaded }: FeedState): boolean {
      const known = states.get(bucket);
      if (known === undefined || atMs - known.atMs >= SHARE_GAP_MS) return true;
      return filledTo !== known.filledTo || isOffloaded !== known.isOffloaded;
    },
  };
}

type PointerReaderOptions = {
  readonly memory: MemoryPointers;
  readonly entries: MemoryEntries;
  readonly feeds: BucketFeeds;
  readonly colo: ColoTier;
  readonly kvPages: KvPages;
  readonly freshnessOf: (mode: MetadataMode | null) => Freshness;
  readonly clock: Clock;
  readonly background: Background;
  readonly failures: IndexFailures;
  readonly limitMs: number;
  /** See WorkersHotMetadataOptions. */
  readonly hungMs?: number;
};

export type PointerReader = {
  /**
   * Cost: two or three calls of the Cache API on a hit; else one call of the index
   * too, or one read of KV. Fails as the index does. `refresh` is called where the
   * colo's entry is to be looked up behind the response.
   */
  read(lookup: Lookup, refresh: () => void): Promise<MetadataLookup>;
  /** Reads like `read`, behind a response; leaves it to another isolate that does it already. */
  readBehind(lookup: Lookup): Promise<void>;
  /** This isolate changed the bucket: its reads wait for no other's. */
  leave(bucket: BucketName): void;
};

/**
 * Brings the colo's state and page of a look-up into memory, as far as they are
 * needed. Gives whether the bucket has a state in the colo.
 */
function createColoReader(
  { feeds, colo }: Pick<PointerReaderOptions, 'feeds' | 'colo'>,
  onState: (bucket: BucketName, state: FeedState) => void,
): (lookup: Lookup, isStateOld: boolean) => Promise<boolean> {
  async function readState({ bucket }: Lookup): Promise<boolean> {
    const state = await colo.readState(bucket);
    if (state === null) return false;
    feeds.adopt(bucket, state);
    onState(bucket, state);
    return true;
  }

  async function readPage({ bucket }: Lookup, from: string): Promise<void> {
    const page = await colo.readPage(bucket, from);
    if (page !== null) feeds.keep(bucket, page);
  }

  async function readColo(lookup: Lookup, isStateOld: boolean): Promise<boolean> {
    const { bucket, key } = lookup;
    const starts = () => (feeds.prove(bucket, key) === null ? feeds.pageStarts(bucket, key) : []);
    const tried = starts();
    const [hasState] = await Promise.all([
      isStateOld ? readState(lookup) : true,
      ...tried.map((from) => readPage(lookup, from)),
    ]);
    // The state may have ended a page in memory, and may name others.
    const others = starts().filter((from) => !tried.includes(from));
    await Promise.all(others.map((from) => readPage(lookup, from)));
    return hasState;
  }

  return readColo;
}

export function createPointerReader(options: PointerReaderOptions): PointerReader {
  const { memory, entries, feeds, colo, kvPages, freshnessOf, clock, background } = options;
  const shared = createSharedStates();
  const readColo = createColoReader(options, shared.note);
  const coldStart = createColdStart(clock, colo);

  /** The bucket's freshness, from what memory or the feed knows, however old. */
  function freshness({ bucket, key }: Lookup): Freshness {
    const readPolicy =
      memory.look(bucket, key).readPolicy?.value ?? feeds.state(bucket)?.readPolicy;
    return freshnessOf(readPolicy?.settings.metadata ?? null);
  }

  function stateAgeSeconds({ bucket }: Lookup): number {
    const state = feeds.state(bucket);
    return state === null ? Number.POSITIVE_INFINITY : (clock.nowMs() - state.atMs) / 1000;
  }

  /** Whether KV brought a page that the feed proves. */
  async function readKv(lookup: Lookup): Promise<boolean> {
    const { bucket, key } = lookup;
    const { kv, freshSeconds, revalidateSeconds } = freshness(lookup);
    const state = feeds.state(bucket);
    const isInKv = kv === 'always' || (kv === 'offloaded' && state?.isOffloaded === true);
    const isProof = stateAgeSeconds(lookup) < freshSeconds + revalidateSeconds;
    const [cut] = feeds.pageStarts(bucket, key);
    if (!isInKv || !isProof || cut === undefined || feeds.prove(bucket, key) !== null) return false;

    const page = await kvPages.read(bucket, cut);
    if (page !== null) feeds.keep(bucket, page);
    if (feeds.prove(bucket, key) === null) {
      kvPages.reject(bucket, cut);
      return false;
    }
    if (page !== null) background.run('share-page', () => colo.putPage(bucket, page));
    return true;
  }

  async function readShared(
    lookup: Lookup,
    refresh: (() => void) | null,
  ): Promise<MetadataLookup | null> {
    if (!freshness(lookup).isShared) return null;
    const isStateOld = stateAgeSeconds(lookup) >= freshness(lookup).freshSeconds;
    const hasState = await readColo(lookup, isStateOld);
    const isCold = !hasState && entries.recall(lookup) === null;
    const isKnown = () => feeds.state(lookup.bucket) !== null;
    if (isCold && !isKnown())
      await coldStart.await(lookup.bucket, () => readColo(lookup, !isKnown()), isKnown);
    const tier = (await readKv(lookup)) ? 'kv' : 'colo';
    const entry = entries.refill(lookup);
    if (entry === null) return null;

    // The colo may have said that the bucket is to be read otherwise.
    const { isShared, revalidateSeconds } = freshness(lookup);
    if (!isShared || entry.stalenessSeconds >= revalidateSeconds) return null;
    if (entry.stalenessSeconds < 0) return toFresh(entry, tier);
    if (refresh === null && (await colo.claim(lookup.bucket))) return null;
    refresh?.();
    return toStale(entry, tier, 'revalidating');
  }

  /** Leaves to the colo what a call of the index brought. */
  function share({ bucket }: Lookup): void {
    const pages = feeds.takeNewPages(bucket);
    const state = feeds.state(bucket);
    if (state === null || !freshnessOf(state.readPolicy?.settings.metadata ?? null).isShared)
      return;
    const isNewState = shared.isNews(bucket, state);
    if (pages.length === 0 && !isNewState) return;
    if (isNewState) shared.note(bucket, state);
    background.run('share-pointers', async () => {
      // Pages first: the state says that they are new.
      await Promise.all(pages.map((page) => colo.putPage(bucket, page)));
      if (isNewState) await colo.putState(bucket, state);
    });
  }

  const readIndex = createIndexReader(options, share);

  return {
    read: async (lookup, refresh) =>
      (await readShared(lookup, refresh)) ?? (await readIndex(lookup)),
    async readBehind(lookup) {
      if ((await readShared(lookup, null)) === null) await readIndex(lookup);
    },
    leave: coldStart.leave,
  };
}

/** Reads a pointer from the index, and fills memory with it, however late it comes. */
function createIndexReader(
  { memory, clock, background, failures, limitMs, hungMs = HUNG_MS }: PointerReaderOptions,
  share: (lookup: Lookup) => void,
): (lookup: Lookup) => Promise<MetadataLookup> {
  const misses = createMissLimit(clock);

  function keep(lookup: Lookup, known: KnownMetadata): void {
    failures.end(lookup);
    memory.fill(lookup.bucket, lookup.key, known, lookup.epoch);
    share(lookup);
  }

  async function readIndex(lookup: Lookup): Promise<MetadataLookup> {
    const { bucket, isUnknown = false } = lookup;
    if (isUnknown && misses.isSpent(bucket)) throw new StorageError('SlowDown');
    let isDone = false;
    const loading = lookup.load().finally(() => {
      isDone = true;
    });
    try {
      const known = await withTimeout(limitMs, 'the index', () => loading);
      keep(lookup, known);
      if (isUnknown && known.pointer === null) misses.spend(bucket);
      return { ...known, tier: 'index', stale: null };
    } catch (error) {
      if (!isDone) background.run('late-index', () => readLate(lookup, loading, () => isDone));
      throw error;
    }
  }

  /**
   * Takes what comes too late for its reader: a busy object answers in the end, and
   * one that never does is down.
   */
  async function readLate(
    lookup: Lookup,
    loading: Promise<KnownMetadata>,
    isDone: () => boolean,
  ): Promise<void> {
    try {
      keep(lookup, await withTimeout(hungMs, 'the index', () => loading));
    } catch (error) {
      if (!isDone()) failures.noteHang(lookup);
      else if (isFailure(error)) failures.note(lookup, error);
    }
  }

  return readIndex;
}
