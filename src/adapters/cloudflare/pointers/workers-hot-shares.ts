// Share links near the reader. This isolate's memory comes first, then the tier of the
// colo, then the index. Records live as long as the bucket's change feed proves them
// (share-records.ts), so a colo asks a bucket's object once in some seconds, however
// many isolates, links and objects its readers come by; the call that renews pointers
// renews links too.
//
// A link that was revoked is refused within the bound of `balanced` buckets, 5 s, where
// `metadata` of its bucket is `kv` as well. Nothing older is ever shown: while the
// index fails, so does a link that nothing proves. Requests share plain values, never a
// promise.
import { LRUCache } from 'lru-cache';
import { type LinkName, linkNameText } from '../../../domain/links/link-ids.ts';
import type { BucketAddress, BucketName } from '../../../domain/nouns.ts';
import type { HotShare, HotShares } from '../../../ports/caches/hot-shares.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Background, Clock } from '../../../ports/system.ts';
import type { BucketFeeds } from './bucket-feeds.ts';
import { createColdStart } from './cold-start.ts';
import type { ColoTier } from './colo-tier.ts';
import { CLOCK_SKEW_MS } from './feed-state.ts';
import { createFreshness, type Freshness, type FreshnessSettings } from './freshness.ts';
import { provesShare } from './share-records.ts';

/** Entries of the negative cache of links: strangers can make up any number of names. */
const NONE_MAX = 4000;
/** How long after the start of a refresh its isolate begins no other one, milliseconds. */
const REFRESH_MS = 1000;

export type WorkersHotSharesOptions = {
  readonly feeds: Pick<BucketFeeds, 'state' | 'adopt' | 'takeNewPages' | 'shares'>;
  readonly colo: ColoTier;
  readonly clock: Clock;
  readonly background: Background;
  /** Settings of the same names; src/config has their meaning and units. */
  readonly settings: FreshnessSettings;
};

type Lookup = {
  readonly name: LinkName;
  readonly bucket: BucketAddress;
  readonly load: () => Promise<HotShare | null>;
};

/** A link, and how long ago the call began that proves it. */
type Proven = { readonly share: HotShare; readonly ageSeconds: number };

/** What this isolate's memory can say of links. */
type KnownShares = Pick<HotShares, 'peek'> & {
  /** How old links of the bucket may be. */
  freshness(bucket: BucketName): Freshness;
  /** What is known of a link, however old; null: nothing, or it was changed here. */
  prove(name: LinkName): Proven | null;
  /** Notes that a call which began then found no such link, or (null) that one did. */
  noteNone(name: LinkName, atMs: number | null): void;
};

function createKnownShares({ feeds, clock, settings }: WorkersHotSharesOptions): KnownShares {
  const { shares } = feeds;
  const freshnessOf = createFreshness(settings);
  const none = new LRUCache<string, { readonly atMs: number }>({ max: NONE_MAX });

  function freshness(bucket: BucketName): Freshness {
    const mode = feeds.state(bucket)?.readPolicy?.settings.metadata ?? null;
    return freshnessOf(mode === 'kv' ? 'balanced' : mode);
  }

  function prove(name: LinkName): Proven | null {
    const record = shares.find(name);
    if (record === null) return null;
    const state = feeds.state(record.bucket.name);
    const isProven = state === null ? null : provesShare(record, state);
    const atMs = isProven ? Math.max(record.atMs, state?.atMs ?? 0) : record.atMs;
    if (isProven === false || shares.isOutdated(name.id, atMs)) return null;
    return { share: record.share, ageSeconds: (clock.nowMs() - atMs) / 1000 };
  }

  function isKnownNone(name: LinkName): boolean {
    const atMs = none.get(linkNameText(name))?.atMs;
    if (atMs === undefined || shares.isOutdated(name.id, atMs)) return false;
    return clock.nowMs() - atMs < settings.negativeFreshSeconds * 1000;
  }

  return {
    freshness,
    prove,
    peek(name) {
      const bucket = shares.find(name)?.bucket.name;
      const proven = prove(name);
      if (bucket !== undefined && proven !== null) {
        if (proven.ageSeconds < freshness(bucket).freshSeconds) return proven.share;
      }
      return isKnownNone(name) ? null : undefined;
    },
    noteNone(name, atMs) {
      if (atMs === null) none.delete(linkNameText(name));
      else none.set(linkNameText(name), { atMs });
    },
  };
}

/** Makes the reader that copies a link's record and state from the colo to memory. */
function createColoReader(
  { feeds, colo, clock }: WorkersHotSharesOptions,
  { peek }: Pick<KnownShares, 'peek'>,
): (lookup: Lookup) => Promise<void> {
  async function readState({ bucket }: Lookup): Promise<void> {
    const state = await colo.readState(bucket.name);
    if (state !== null) feeds.adopt(bucket.name, state);
  }

  async function readRecord({ name, bucket }: Lookup): Promise<void> {
    const record = await colo.readShare(bucket.name, name);
    if (record === null || record.atMs > clock.nowMs() + CLOCK_SKEW_MS) return;
    feeds.shares.keep(name, record);
  }

  return async (lookup) => {
    const isUnknown = feeds.shares.find(lookup.name) === null;
    await Promise.all([readState(lookup), isUnknown ? readRecord(lookup) : null]);
    // Where the state does not prove what memory has, another isolate may have read it anew.
    if (!isUnknown && peek(lookup.name) === undefined) await readRecord(lookup);
  };
}

/**
 * Makes the tier. A look-up that memory can't answer costs one to three calls of the
 * Cache API, and where the colo does not know either, one call of the index.
 */
export function createWorkersHotShares(options: WorkersHotSharesOptions): HotShares {
  const { feeds, colo, clock, background } = options;
  const { shares } = feeds;
  const known = createKnownShares(options);
  const readColo = createColoReader(options, known);
  const refreshing = createCircuitBreaker(clock, REFRESH_MS);
  const coldStart = createColdStart(clock, colo);

  /** The link as far as memory or colo prove it; null: the index must be called. */
  async function readNear(lookup: Lookup): Promise<Proven | null> {
    const { name, bucket } = lookup;
    const isKnown = () => feeds.state(bucket.name) !== null;
    if (!known.freshness(bucket.name).isShared) return null;
    await readColo(lookup);
    const look = async () => {
      await readColo(lookup);
      return isKnown();
    };
    if (!isKnown() && known.prove(name) === null) await coldStart.await(bucket.name, look, isKnown);

    const proven = known.prove(name);
    // The colo may have said that the bucket is to be read otherwise.
    const { freshSeconds, revalidateSeconds } = known.freshness(bucket.name);
    if (proven === null || proven.ageSeconds >= freshSeconds + revalidateSeconds) return null;
    if (proven.ageSeconds >= freshSeconds) refresh(lookup);
    return proven;
  }

  /** Looks up behind the response, unless another request does already. */
  function refresh(lookup: Lookup): void {
    const bucket = lookup.bucket.name;
    if (refreshing.isOn(bucket)) return;
    refreshing.begin(bucket);
    background.run('refresh-share-link', async () => {
      try {
        if (await colo.claim(bucket)) await readIndex(lookup);
      } finally {
        refreshing.end(bucket);
      }
    });
  }

  async function readIndex(lookup: Lookup): Promise<HotShare | null> {
    const { name, load } = lookup;
    const atMs = clock.nowMs();
    const share = await load();
    known.noteNone(name, share === null ? atMs : null);
    if (share === null) shares.drop(name);
    else leave(lookup);
    return share;
  }

  /** Writes what a call of the index brought to the colo's tier. */
  function leave({ name, bucket }: Lookup): void {
    const pages = feeds.takeNewPages(bucket.name);
    const record = shares.find(name);
    const state = feeds.state(bucket.name);
    if (record === null || !known.freshness(bucket.name).isShared) return;
    background.run('leave-share-link', async () => {
      // The state comes last: it proves the records and pages.
      await Promise.all([
        colo.putShare(bucket.name, name, record),
        ...pages.map((page) => colo.putPage(bucket.name, page)),
      ]);
      if (state !== null) await colo.putState(bucket.name, state);
    });
  }

  return {
    peek: known.peek,
    find(name, bucket, load) {
      const share = known.peek(name);
      if (share !== undefined) return share;
      const lookup = { name, bucket, load };
      return readNear(lookup).then((proven) => proven?.share ?? readIndex(lookup));
    },
    block: shares.block,
    unblock: shares.unblock,
  };
}
