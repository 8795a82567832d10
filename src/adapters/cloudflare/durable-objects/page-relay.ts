// Gathers the look-ups of a region for one bucket: what comes within a tenth of a
// second goes to the bucket's object in one call, and pages that it brought answer
// later look-ups. Lives in a Durable Object near its readers, in memory alone, which
// stores nothing (bucket-object.ts). It proves nothing: readers do, by the change feed.
//
// A race: the object reads a page, a key of it changes, and a reader who has heard of
// that change is given the page. Guard: a reader says from which number of the feed on
// a page helps him, and a look-up never joins a call that has begun.
import { LRUCache } from 'lru-cache';
import { compareUtf8 } from '../../../domain/keys/compare-utf8.ts';
import type { ObjectKey } from '../../../domain/nouns.ts';
import { justAfter } from '../../../index/keys/key-order.ts';
import { countUpTo } from '../pointers/bucket-feeds.ts';
import {
  coversKey,
  PAGE_MAX_AGE_SECONDS,
  type PointerPage,
  sizeOfPage,
} from '../pointers/pointer-page.ts';
import type { PageLookup, RelayedPage } from '../pointers/relay-pages.ts';

/** Least time between two calls of the bucket's object, milliseconds. */
const GAP_MS = 100;
/** Keys of one call: 64 pages of 110 KB are 7 MB of the 32 MiB that an RPC takes. */
const KEYS_MAX = 64;
/** Keys that wait at most; readers of further ones call the object itself (backpressure). */
const WAITING_MAX = 2048;
/** Estimated bytes of the pages in memory. */
const PAGES_MAX_BYTES = 32 * 1024 * 1024;

/** A relay's call of the bucket's object: `cuts` is how many it knows of that feed. */
export type PagesCall = {
  readonly keys: readonly ObjectKey[];
  readonly feedId: string | null;
  readonly cuts: number;
};

/** Pages of the keys, each once, without those of keys that nobody may read. */
export type PagesResponse = {
  readonly feedId: string;
  readonly cuts: readonly ObjectKey[];
  readonly isRelayed: boolean;
  readonly pages: readonly PointerPage[];
};

export type PageRelay = {
  /** Null: the object gave no page of it, or the reader knows of another feed. */
  read(lookup: PageLookup): Promise<RelayedPage | null>;
};

export type PageRelayOptions = {
  /** Calls the bucket's object; null: it has no bucket. */
  readonly callObject: (call: PagesCall) => Promise<PagesResponse | null>;
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
};

type Waiting = {
  readonly lookup: PageLookup;
  readonly resolve: (page: RelayedPage | null) => void;
  readonly reject: (error: unknown) => void;
};

export function createPageRelay({ callObject, nowMs, wait }: PageRelayOptions): PageRelay {
  const known = createKnownPages(nowMs);
  let waiting: Waiting[] = [];
  let lastCallMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;

  async function call(batch: readonly Waiting[]): Promise<void> {
    try {
      const keys = [...new Set(batch.map(({ lookup }) => lookup.key))];
      const response = await callObject({ keys, ...known.cursor() });
      if (response !== null) known.note(response);
      for (const { lookup, resolve } of batch) {
        const page = response?.pages.find((each) => coversKey(each, lookup.key));
        resolve(page === undefined ? null : known.replyOf(lookup, page));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Calls for what waits, a batch in each gap, until nothing does. */
  async function run(): Promise<void> {
    while (waiting.length > 0) {
      await wait(Math.max(0, lastCallMs + GAP_MS - nowMs()));
      lastCallMs = nowMs();
      const batch = waiting.slice(0, KEYS_MAX);
      waiting = waiting.slice(KEYS_MAX);
      void call(batch);
    }
    isScheduled = false;
  }

  return {
    read(lookup) {
      const page = known.find(lookup);
      if (page !== null) return Promise.resolve(known.replyOf(lookup, page));
      if (waiting.length >= WAITING_MAX) return Promise.resolve(null);
      return new Promise((resolve, reject) => {
        waiting.push({ lookup, resolve, reject });
        if (isScheduled) return;
        isScheduled = true;
        void run();
      });
    },
  };
}

/** The pages and cuts of the bucket's feed, as far as the relay has been sent them. */
function createKnownPages(nowMs: () => number) {
  const sized = { maxSize: PAGES_MAX_BYTES, sizeCalculation: sizeOfPage };
  const pages = new LRUCache<ObjectKey, PointerPage>(sized);
  let feedId: string | null = null;
  let cuts: readonly ObjectKey[] = [];
  let sortedCuts: readonly ObjectKey[] = [];
  let isRelayed = false;

  return {
    cursor: () => ({ feedId, cuts: cuts.length }),
    note(response: PagesResponse): void {
      if (response.feedId !== feedId) {
        pages.clear();
        cuts = [];
      }
      feedId = response.feedId;
      isRelayed = response.isRelayed;
      // Replies of calls at the same time bring some of them twice.
      const there = new Set(cuts);
      const brought = response.cuts.filter((cut) => !there.has(cut));
      cuts = [...cuts, ...brought];
      if (brought.length > 0) sortedCuts = [...cuts].sort(compareUtf8);
      for (const page of response.pages)
        if (page.to !== justAfter(page.from)) pages.set(page.from, page);
    },
    find(lookup: PageLookup): PointerPage | null {
      const start = sortedCuts[countUpTo(sortedCuts, lookup.key) - 1];
      const page = start === undefined ? undefined : pages.get(start);
      const oldestMs = nowMs() - PAGE_MAX_AGE_SECONDS * 1000;
      const isGood =
        page !== undefined &&
        page.feedId === lookup.feedId &&
        page.revision === lookup.revision &&
        page.sequence >= lookup.sequence &&
        page.readAtMs > oldestMs &&
        coversKey(page, lookup.key);
      return isGood ? page : null;
    },
    replyOf(lookup: PageLookup, page: PointerPage): RelayedPage | null {
      if (feedId === null || lookup.feedId !== feedId) return null;
      return { feedId, cuts: cuts.slice(lookup.cuts), isRelayed, page };
    },
  };
}
