// What this isolate knows of buckets beyond single pointers: the state of each
// change feed, and pages of pointers that it proves. do-metadata-index.ts notes what
// objects say, colo-tier.ts and KV bring states and pages of others; the hot
// metadata fills memory from here. Plain values only, shared between the requests
// of the isolate.
//
// A race: an isolate commits, and then finds in its colo a state from before. Guard:
// `revoke` notes when; a state of an earlier call does not count for what was changed.
import { LRUCache } from 'lru-cache';
import { compareUtf8 } from '../../../domain/keys/compare-utf8.ts';
import type { BucketName, BucketReadPolicy, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import type { KnownMetadata } from '../../../ports/caches/hot-metadata.ts';
import type { Clock } from '../../../ports/system.ts';
import {
  advance,
  CLOCK_SKEW_MS,
  type FeedNews,
  type FeedState,
  isLater,
  provesPage,
  type ReaderState,
  withFill,
  withRelayed,
} from './feed-state.ts';
import {
  coversKey,
  PAGE_MAX_AGE_SECONDS,
  type PageName,
  type PointerPage,
  sizeOfPage,
} from './pointer-page.ts';
import type { RelayedPage } from './relay-pages.ts';
import { createShareRecords, type ShareRecords } from './share-records.ts';

/** Estimated bytes of all states, and of all pages. A state takes up to 100 KB. */
const STATES_MAX_BYTES = 4 * 1024 * 1024;
const PAGES_MAX_BYTES = 8 * 1024 * 1024;
/** Estimate of a bucket's own record with its lists. */
const STATE_BYTES = 4096;
const ENTRY_BYTES = 128;
/** Buckets whose new pages wait for being shared, for a moment, and pages of each. */
const NEW_PAGES_MAX = 8;
const NEW_PAGES_OF_BUCKET_MAX = 32;
/** Own changes remembered; one is needed for as long as a state may be old. */
const REVOKED_MAX = 10_000;

/** What is proven of a key, and when the call began that proved it. */
export type ProvenMetadata = KnownMetadata & { readonly atMs: number; readonly revision: number };

export type BucketFeeds = {
  /** Share links, whose records the feed proves too. */
  readonly shares: ShareRecords;
  /** What to send with a look-up of these keys. */
  readerOf(bucket: BucketName, keys: readonly ObjectKey[], isInvited?: boolean): ReaderState;
  /** Takes over what the object said to a call that began at `askedAtMs`. */
  note(
    bucket: BucketName,
    sent: ReaderState,
    reply: { readonly news: FeedNews; readonly readPolicy: BucketReadPolicy | null },
    askedAtMs: number,
  ): void;
  /** Takes over what a relay said to a reader who knew so many cuts. */
  noteRelayed(bucket: BucketName, reply: RelayedPage, cutsFrom: number): void;
  /** Takes over a state that another isolate of the colo left. */
  adopt(bucket: BucketName, state: FeedState): void;
  keep(bucket: BucketName, page: PointerPage): void;
  state(bucket: BucketName): FeedState | null;
  /**
   * Pages that may have the key: as it was cut, else of the key itself; for an invited
   * reader of a key that nobody may read, the one for such readers.
   */
  pagesOf(bucket: BucketName, key: ObjectKey, isInvited?: boolean): readonly PageName[];
  /** The page in memory that has the key, if the state proves it. */
  page(bucket: BucketName, key: ObjectKey): PointerPage | null;
  /** Gives the pages, once, that objects have sent since: the colo has none of them. */
  takeNewPages(bucket: BucketName): readonly PointerPage[];
  /** What the state proves of a key; null: nothing. `isInvited`: as in HotMetadata.peek. */
  prove(bucket: BucketName, key: ObjectKey, isInvited?: boolean): ProvenMetadata | null;
  /** This isolate changed the keys (null: the read policy): only later calls count. */
  revoke(bucket: BucketName, keys: readonly ObjectKey[] | null): void;
};

type Entry = { readonly state: FeedState; readonly sortedCuts: readonly ObjectKey[] };

/** Notes what this isolate changed: states of earlier calls do not count for it. */
function createRevocations(clock: Clock) {
  const revokedAtMs = new LRUCache<string, number>({ max: REVOKED_MAX });
  return {
    revoke(names: readonly string[]): void {
      for (const name of names) revokedAtMs.set(name, clock.nowMs());
    },
    isRevoked(name: string, { atMs }: FeedState): boolean {
      const changedAtMs = revokedAtMs.get(name);
      return changedAtMs !== undefined && atMs <= changedAtMs + CLOCK_SKEW_MS;
    },
  };
}

const nameOf = (bucket: BucketName, key: string) => `${bucket}/${key}`;

/** No name of a bucket has a colon. */
const pageName = (bucket: BucketName, { from, isInvited }: PageName) =>
  isInvited ? `${bucket}:${from}` : nameOf(bucket, from);

/** Keeps pages, and those that objects have sent also until they are left to the colo. */
function createPages() {
  const sized = { maxSize: PAGES_MAX_BYTES, sizeCalculation: sizeOfPage };
  const pages = new LRUCache<string, PointerPage>(sized);
  const newPages = new LRUCache<BucketName, readonly PointerPage[]>({ max: NEW_PAGES_MAX });

  const get = (bucket: BucketName, name: PageName) => pages.get(pageName(bucket, name));
  const keep = (bucket: BucketName, page: PointerPage) =>
    void pages.set(pageName(bucket, page), page);
  return {
    get,
    keep,
    /** Keeps what an object has sent. */
    bring(bucket: BucketName, sent: readonly PointerPage[]): void {
      // Each request of a herd brings the same pages.
      const brought = sent.filter((page) => {
        const cached = get(bucket, page);
        return cached?.feedId !== page.feedId || cached.sequence < page.sequence;
      });
      if (brought.length === 0) return;
      for (const page of brought) keep(bucket, page);
      const unshared = [...(newPages.get(bucket) ?? []), ...brought];
      newPages.set(bucket, unshared.slice(-NEW_PAGES_OF_BUCKET_MAX));
    },
    takeNew(bucket: BucketName): readonly PointerPage[] {
      const taken = newPages.get(bucket) ?? [];
      newPages.delete(bucket);
      return taken;
    },
  };
}

export function createBucketFeeds(clock: Clock): BucketFeeds {
  const entries = new LRUCache<BucketName, Entry>({
    maxSize: STATES_MAX_BYTES,
    sizeCalculation: sizeOfState,
  });
  const pages = createPages();
  const { revoke, isRevoked } = createRevocations(clock);

  function set(bucket: BucketName, later: FeedState): void {
    const known = entries.get(bucket);
    const state = withFill(later, known?.state ?? null);
    const isSame =
      known?.state.feedId === state.feedId && known.state.cuts.length === state.cuts.length;
    const sortedCuts = isSame ? known.sortedCuts : [...state.cuts].sort(compareUtf8);
    entries.set(bucket, { state, sortedCuts });
  }

  function stateOf(bucket: BucketName): FeedState | null {
    const state = entries.get(bucket)?.state;
    return state === undefined || isRevoked(bucket, state) ? null : state;
  }

  function pagesOf(bucket: BucketName, key: ObjectKey, isInvited = false): readonly PageName[] {
    const readPolicy = stateOf(bucket)?.readPolicy;
    const isPublic = readPolicy != null && canBePublic(readPolicy.access, key);
    if (isInvited && !isPublic) return [{ from: key, isInvited }];
    const cuts = entries.get(bucket)?.sortedCuts ?? [];
    const cut = cuts[countUpTo(cuts, key) - 1];
    return cut === undefined || cut === key ? [{ from: key }] : [{ from: cut }, { from: key }];
  }

  function pageOf(bucket: BucketName, key: ObjectKey, isInvited = false): PointerPage | null {
    const state = stateOf(bucket);
    if (state === null) return null;
    const oldestMs = clock.nowMs() - PAGE_MAX_AGE_SECONDS * 1000;
    for (const name of pagesOf(bucket, key, isInvited)) {
      const page = pages.get(bucket, name);
      const isGood =
        page !== undefined &&
        page.readAtMs > oldestMs &&
        coversKey(page, key) &&
        provesPage(state, page, key);
      if (isGood) return page;
    }
    return null;
  }

  return {
    shares: createShareRecords(clock),
    readerOf(bucket, keys, isInvited) {
      const state = stateOf(bucket);
      if (state === null) return { cursor: null, hasPage: false };
      const { feedId, sequence, cuts, filledTo } = state;
      const hasPage =
        keys.length > 0 && keys.every((key) => pageOf(bucket, key, isInvited) !== null);
      return { cursor: { feedId, sequence, cuts: cuts.length, filledTo }, hasPage };
    },
    note(bucket, { cursor }, { news, readPolicy }, askedAtMs) {
      const known = entries.get(bucket)?.state ?? null;
      if (known === null || !isBehind(news, askedAtMs, known))
        set(bucket, advance(known, cursor, news, readPolicy, askedAtMs));
      pages.bring(bucket, news.pages);
    },
    noteRelayed(bucket, reply, cutsFrom) {
      const known = entries.get(bucket)?.state;
      const state = known === undefined ? null : withRelayed(known, reply, cutsFrom);
      if (state === null) return;
      if (state.cuts !== known?.cuts || state.isRelayed !== known.isRelayed) set(bucket, state);
      pages.bring(bucket, [reply.page]);
    },
    takeNewPages: pages.takeNew,
    adopt(bucket, state) {
      const known = entries.get(bucket)?.state;
      const isOfFuture = state.atMs > clock.nowMs() + CLOCK_SKEW_MS;
      const isUsable = !isOfFuture && !isRevoked(bucket, state);
      if (isUsable && (known === undefined || isLater(state, known))) set(bucket, state);
    },
    keep: pages.keep,
    state: stateOf,
    pagesOf,
    page: pageOf,
    prove(bucket, key, isInvited = false) {
      const state = stateOf(bucket);
      if (state === null) return null;
      const { readPolicy, atMs } = state;
      if (readPolicy === null || !(isInvited || canBePublic(readPolicy.access, key)))
        return { readPolicy, pointer: null, atMs, revision: readPolicy?.revision ?? 0 };

      const page = isRevoked(nameOf(bucket, key), state) ? null : pageOf(bucket, key, isInvited);
      if (page === null) return null;
      const pointer = page.pointers.get(key) ?? null;
      return { readPolicy, pointer, atMs, revision: page.revision };
    },
    revoke(bucket, keys) {
      revoke(keys === null ? [bucket] : keys.map((key) => nameOf(bucket, key)));
    },
  };
}

/** Whether more is known than news says that were asked for at that time. */
function isBehind({ feedId, sequence }: FeedNews, askedAtMs: number, known: FeedState): boolean {
  return askedAtMs < known.atMs || (known.feedId === feedId && sequence < known.sequence);
}

/** How many of the sorted texts are at or before that one. */
export function countUpTo(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareUtf8(sorted[middle] as string, text) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sizeOfState({ state }: Entry): number {
  return STATE_BYTES + ENTRY_BYTES * (state.changes.size + 2 * state.cuts.length);
}
