// What this isolate knows of buckets beyond single pointers: the state of each
// change feed, and pages of pointers that it proves. do-metadata-index.ts notes what
// objects say, colo-tier.ts and KV bring states and pages of others; the hot
// metadata fills memory from here. Plain values only, shared between the requests
// of the isolate.
//
// A race: an isolate commits, and then finds in its colo a state from before. Guard:
// `revoke` notes when; a state of an earlier call does not count for what was changed.
import { LRUCache } from 'lru-cache';
import type { BucketName, BucketReadPolicy, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import { compareUtf8 } from '../../../index/keys/key-order.ts';
import type { KnownMetadata } from '../../../ports/caches/hot-metadata.ts';
import type { Clock } from '../../../ports/system.ts';
import {
  advance,
  type FeedNews,
  type FeedState,
  isLater,
  provesPage,
  type ReaderState,
  withFill,
} from './feed-state.ts';
import { coversKey, PAGE_MAX_AGE_SECONDS, type PointerPage, sizeOfPage } from './pointer-page.ts';

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
/** How far the clocks of two machines of a colo may be apart, milliseconds. */
const CLOCK_SKEW_MS = 1000;

/** What is proven of a key, and when the call began that proved it. */
export type ProvenMetadata = KnownMetadata & { readonly atMs: number; readonly revision: number };

export type BucketFeeds = {
  /** What to send with a look-up of these keys. */
  readerOf(bucket: BucketName, keys: readonly ObjectKey[]): ReaderState;
  /** Takes over what the object said to a call that began at `askedAtMs`. */
  note(
    bucket: BucketName,
    sent: ReaderState,
    reply: { readonly news: FeedNews; readonly readPolicy: BucketReadPolicy | null },
    askedAtMs: number,
  ): void;
  /** Takes over a state that another isolate of the colo left. */
  adopt(bucket: BucketName, state: FeedState): void;
  keep(bucket: BucketName, page: PointerPage): void;
  state(bucket: BucketName): FeedState | null;
  /** Where a page begins that may have the key: as it was cut, else the key itself. */
  pageStarts(bucket: BucketName, key: ObjectKey): readonly ObjectKey[];
  /** The page in memory that has the key, if the state proves it. */
  page(bucket: BucketName, key: ObjectKey): PointerPage | null;
  /** Gives the pages, once, that objects have sent since: the colo has none of them. */
  takeNewPages(bucket: BucketName): readonly PointerPage[];
  /** What the state proves of a key; null: nothing. */
  prove(bucket: BucketName, key: ObjectKey): ProvenMetadata | null;
  /** This isolate changed them: only calls that begin later count. */
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

/** Keeps pages that objects have sent until they are left to the colo. */
function createNewPages() {
  const newPages = new LRUCache<BucketName, readonly PointerPage[]>({ max: NEW_PAGES_MAX });
  return {
    add(bucket: BucketName, brought: readonly PointerPage[]): void {
      const unshared = [...(newPages.get(bucket) ?? []), ...brought];
      newPages.set(bucket, unshared.slice(-NEW_PAGES_OF_BUCKET_MAX));
    },
    take(bucket: BucketName): readonly PointerPage[] {
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
  const sized = { maxSize: PAGES_MAX_BYTES, sizeCalculation: sizeOfPage };
  const pages = new LRUCache<string, PointerPage>(sized);
  const newPages = createNewPages();
  const { revoke, isRevoked } = createRevocations(clock);
  const nameOf = (bucket: BucketName, key: string) => `${bucket}/${key}`;

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

  function pageStarts(bucket: BucketName, key: ObjectKey): readonly ObjectKey[] {
    const cuts = entries.get(bucket)?.sortedCuts ?? [];
    const cut = cuts[countUpTo(cuts, key) - 1];
    return cut === undefined || cut === key ? [key] : [cut, key];
  }

  function pageOf(bucket: BucketName, key: ObjectKey): PointerPage | null {
    const state = stateOf(bucket);
    if (state === null) return null;
    const oldestMs = clock.nowMs() - PAGE_MAX_AGE_SECONDS * 1000;
    for (const from of pageStarts(bucket, key)) {
      const page = pages.get(nameOf(bucket, from));
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
    readerOf(bucket, keys) {
      const state = stateOf(bucket);
      if (state === null) return { cursor: null, hasPage: false };
      const { feedId, sequence, cuts, filledTo } = state;
      const hasPage = keys.every((key) => pageOf(bucket, key) !== null);
      return { cursor: { feedId, sequence, cuts: cuts.length, filledTo }, hasPage };
    },
    note(bucket, { cursor }, { news, readPolicy }, askedAtMs) {
      const known = entries.get(bucket)?.state ?? null;
      const isBehind =
        known !== null &&
        (known.feedId === news.feedId
          ? news.sequence < known.sequence || askedAtMs < known.atMs
          : askedAtMs < known.atMs);
      if (!isBehind) set(bucket, advance(known, cursor, news, readPolicy, askedAtMs));
      // Each request of a herd brings the same pages.
      const brought = news.pages.filter((page) => {
        const held = pages.get(nameOf(bucket, page.from));
        return held?.feedId !== page.feedId || held.sequence < page.sequence;
      });
      if (brought.length === 0) return;
      for (const page of brought) pages.set(nameOf(bucket, page.from), page);
      newPages.add(bucket, brought);
    },
    takeNewPages: newPages.take,
    adopt(bucket, state) {
      const known = entries.get(bucket)?.state;
      const isOfFuture = state.atMs > clock.nowMs() + CLOCK_SKEW_MS;
      const isUsable = !isOfFuture && !isRevoked(bucket, state);
      if (isUsable && (known === undefined || isLater(state, known))) set(bucket, state);
    },
    keep: (bucket, page) => void pages.set(nameOf(bucket, page.from), page),
    state: stateOf,
    pageStarts,
    page: pageOf,
    prove(bucket, key) {
      const state = stateOf(bucket);
      if (state === null) return null;
      const { readPolicy, atMs } = state;
      if (readPolicy === null || !canBePublic(readPolicy.access, key))
        return { readPolicy, pointer: null, atMs, revision: readPolicy?.revision ?? 0 };

      const page = isRevoked(nameOf(bucket, key), state) ? null : pageOf(bucket, key);
      if (page === null) return null;
      const pointer = page.pointers.get(key) ?? null;
      return { readPolicy, pointer, atMs, revision: page.revision };
    },
    revoke(bucket, keys) {
      revoke(keys === null ? [bucket] : keys.map((key) => nameOf(bucket, key)));
    },
  };
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
