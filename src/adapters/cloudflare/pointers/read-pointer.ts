// Reads a pointer past this isolate's memory: from the tier of the colo, then from
// KV where the bucket's pages are there, from a relay where many ask, else from the
// index. Each of them fills
// memory, and what comes from below is left to the colo. Called by
// workers-hot-metadata.ts.
import { LRUCache } from 'lru-cache';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import type { KnownMetadata, MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import { isSplit } from '../../../ports/index-calls/shard-calls.ts';
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
import type { PageName } from './pointer-page.ts';
import { lookupOf, type RelayPages } from './relay-pages.ts';

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

type SharedState = Pick<FeedState, 'atMs' | 'filledTo' | 'isOffloaded' | 'isRelayed'>;

/** Remembers the colo's states, as far as known here. */
function createSharedStates() {
  const states = new LRUCache<BucketName, SharedState>({ max: SHARED_MAX });
  return {
    note(bucket: BucketName, { atMs, filledTo, isOffloaded, isRelayed = false }: FeedState): void {
      states.set(bucket, { atMs, filledTo, isOffloaded, isRelayed });
    },
    /**
     * Says whether the colo should get this state of the feed. `isOlder`: the state is
     * from an earlier call of the index. Then the colo may have a later one, which this
     * must not replace.
     */
    isNews(bucket: BucketName, state: FeedState, isOlder: boolean): boolean {
      const { atMs, filledTo, isOffloaded, isRelayed = false } = state;
      const known = states.get(bucket);
      if (known === undefined || isRelayed !== known.isRelayed) return true;
      if (isOlder) return false;
      if (atMs - known.atMs >= SHARE_GAP_MS) return true;
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
  /** Absent where there are none. */
  readonly relays?: RelayPages | undefined;
  readonly freshnessOf: (mode: MetadataMode | null) => Freshness;
  readonly clock: Clock;
  readonly background: Background;
  readonly failures: IndexFailures;
  readonly limitMs: number;
  /** A call that got no word for so long waits in no queue, milliseconds. */
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

  async function readPage({ bucket }: Lookup, name: PageName): Promise<void> {
    const page = await colo.readPage(bucket, name);
    if (page !== null) feeds.keep(bucket, page);
  }

  async function readColo(lookup: Lookup, isStateOld: boolean): Promise<boolean> {
    const { bucket, key, isInvited } = lookup;
    const isProven = () => feeds.prove(bucket, key, isInvited) !== null;
    const missing = () => (isProven() ? [] : feeds.pagesOf(bucket, key, isInvited));
    const tried = missing();
    // Others of the colo may have heard that relays are to be asked.
    const isToldAll = isInvited || feeds.state(bucket)?.isRelayed === true;
    const mayBeNews = tried.length > 0 && !isToldAll;
    const [hasState] = await Promise.all([
      isStateOld || mayBeNews ? readState(lookup) : true,
      ...tried.map((name) => readPage(lookup, name)),
    ]);
    // The state may have ended a page in memory, and may name others.
    const isSame = (one: PageName, other: PageName) =>
      one.from === other.from && one.isInvited === other.isInvited;
    const others = missing().filter((name) => !tried.some((other) => isSame(name, other)));
    await Promise.all(others.map((name) => readPage(lookup, name)));
    return hasState;
  }

  return readColo;
}

/** How old what is shown of a bucket may be, and how old the state is that proves it. */
function createProofAges({
  memory,
  feeds,
  freshnessOf,
  clock,
}: Pick<PointerReaderOptions, 'memory' | 'feeds' | 'freshnessOf' | 'clock'>) {
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

  /** Whether the state is young enough for what it proves to be shown. */
  function isProof(lookup: Lookup): boolean {
    const { freshSeconds, revalidateSeconds } = freshness(lookup);
    return stateAgeSeconds(lookup) < freshSeconds + revalidateSeconds;
  }

  return { freshness, stateAgeSeconds, isProof };
}

export function createPointerReader(options: PointerReaderOptions): PointerReader {
  const { entries, feeds, colo, kvPages, freshnessOf, clock, background } = options;
  const { freshness, stateAgeSeconds, isProof } = createProofAges(options);
  const shared = createSharedStates();
  const readColo = createColoReader(options, shared.note);
  const coldStart = createColdStart(clock, colo);
  const misses = createStrangerMisses(clock);

  /** Whether KV brought a page that the feed proves. */
  async function readKv(lookup: Lookup): Promise<boolean> {
    const { bucket, key, isInvited } = lookup;
    const { kv } = freshness(lookup);
    const isOffloaded = kv === 'offloaded' && feeds.state(bucket)?.isOffloaded === true;
    const isProven = () => feeds.prove(bucket, key, isInvited) !== null;
    const [cut] = feeds.pagesOf(bucket, key, isInvited);
    if (!(kv === 'always' || isOffloaded) || !isProof(lookup) || isProven()) return false;
    if (cut === undefined || cut.isInvited === true) return false;

    const page = await kvPages.read(bucket, cut.from);
    if (page !== null) feeds.keep(bucket, page);
    if (!isProven()) {
      kvPages.reject(bucket, cut.from);
      return false;
    }
    if (page !== null) background.run('share-page', () => colo.putPage(bucket, page));
    return true;
  }

  /** What brought a page that the feed proves, where the colo has none. */
  async function readBelow(lookup: Lookup, isHerd: boolean): Promise<MetadataLookup['tier']> {
    if (await readKv(lookup)) return 'kv';
    const mayRelay = freshness(lookup).kv === 'offloaded' && isProof(lookup);
    return mayRelay && (await readRelay(lookup, isHerd)) ? 'index' : 'colo';
  }

  async function readShared(
    lookup: Lookup,
    refresh: (() => void) | null,
  ): Promise<MetadataLookup | null> {
    const { bucket, key } = lookup;
    const isOfShards = isSplit(options.memory.look(bucket, key).readPolicy?.value);
    if (isOfShards || !freshness(lookup).isShared) return null;
    const isStateOld = stateAgeSeconds(lookup) >= freshness(lookup).freshSeconds;
    const hasState = await readColo(lookup, isStateOld);
    const isCold = !hasState && entries.recall(lookup) === null;
    const isKnown = () => feeds.state(bucket) !== null;
    const hasWaited = isCold && !isKnown();
    const look = () => readColo(lookup, !isKnown());
    if (hasWaited) await coldStart.await(bucket, look, isKnown);
    const tier = await readBelow(lookup, hasWaited && isKnown());
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

  /** Leaves to the colo what a call of the index, or of a relay, brought. */
  function share({ bucket }: Lookup, isByRelay: boolean): void {
    const pages = feeds.takeNewPages(bucket);
    const state = feeds.state(bucket);
    if (state === null || !freshnessOf(state.readPolicy?.settings.metadata ?? null).isShared)
      return;
    const isNewState = shared.isNews(bucket, state, isByRelay);
    if (pages.length === 0 && !isNewState) return;
    if (isNewState) shared.note(bucket, state);
    background.run('share-pointers', async () => {
      // Pages first: the state says that they are new.
      await Promise.all(pages.map((page) => colo.putPage(bucket, page)));
      if (isNewState) await colo.putState(bucket, state);
    });
  }

  const readRelay = createRelayReader(options, misses, share);
  const readIndex = createIndexReader(options, misses, share);

  return {
    read: async (lookup, refresh) =>
      (await readShared(lookup, refresh)) ?? (await readIndex(lookup)),
    async readBehind(lookup) {
      if ((await readShared(lookup, null)) === null) await readIndex(lookup);
    },
    leave: coldStart.leave,
  };
}

/**
 * Reads a page from a relay where the object wants that, or a herd is at the door, and
 * says whether it brought one that the feed proves.
 */
function createRelayReader(
  { feeds, relays }: Pick<PointerReaderOptions, 'feeds' | 'relays'>,
  misses: ReturnType<typeof createStrangerMisses>,
  share: (lookup: Lookup, isByRelay: boolean) => void,
): (lookup: Lookup, isHerd: boolean) => Promise<boolean> {
  return async (lookup, isHerd) => {
    const { bucket, key, isInvited } = lookup;
    // What a link alone opens never leaves the object for a relay.
    if (relays === undefined || isInvited) return false;
    const state = feeds.state(bucket);
    const isWanted = state !== null && (isHerd || state.isRelayed === true);
    if (!isWanted || feeds.prove(bucket, key) !== null) return false;

    const pageLookup = lookupOf(state, key);
    if (pageLookup === null) return false;
    misses.require(lookup);
    const reply = await relays.read(bucket, pageLookup);
    if (reply === null) return false;
    feeds.noteRelayed(bucket, reply, pageLookup.cuts);
    share(lookup, true);
    const proven = feeds.prove(bucket, key);
    if (proven !== null) misses.note(lookup, proven);
    return proven !== null;
  };
}

/** Bounds the calls for keys that memory does not know and that find nothing. */
function createStrangerMisses(clock: Clock) {
  const limit = createMissLimit(clock);
  return {
    /** SlowDown where too many of them found nothing. */
    require({ bucket, isUnknown = false }: Lookup): void {
      if (isUnknown && limit.isSpent(bucket)) throw new StorageError('SlowDown');
    },
    note({ bucket, isUnknown = false }: Lookup, { pointer }: KnownMetadata): void {
      if (isUnknown && pointer === null) limit.spend(bucket);
    },
  };
}

/** Reads a pointer from the index, and fills memory with it, however late it comes. */
function createIndexReader(
  { memory, background, failures, limitMs, hungMs = HUNG_MS }: PointerReaderOptions,
  misses: ReturnType<typeof createStrangerMisses>,
  share: (lookup: Lookup, isByRelay: boolean) => void,
): (lookup: Lookup) => Promise<MetadataLookup> {
  function keep(lookup: Lookup, known: KnownMetadata): void {
    failures.end(lookup);
    memory.fill(lookup.bucket, lookup.key, known, lookup.epoch);
    share(lookup, false);
  }

  async function readIndex(lookup: Lookup): Promise<MetadataLookup> {
    misses.require(lookup);
    let isDone = false;
    const loading = lookup.load().finally(() => {
      isDone = true;
    });
    try {
      const known = await withTimeout(limitMs, 'the index', () => loading);
      keep(lookup, known);
      misses.note(lookup, known);
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
