// What the Durable Object of a bucket tells readers beside its answers: its change feed, and
// pages of pointers. The feed numbers the bucket's changes and has the last of them: a reader
// names the last number that it knows, and learns which of its entries are outdated. A busy
// bucket gets pages of neighbours, and near its limit of calls they are published in KV.
// All is in memory; a restart draws a new feed id, and readers begin anew.
import { currentKeyOf } from '../../../domain/links/share-links.ts';
import type { BucketName, BucketRecord, ObjectKey, ObjectVersion } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import { changedBy, changesLinks } from '../../../ports/index-calls/index-changes.ts';
import { isSplit } from '../../../ports/index-calls/shard-calls.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { Clock } from '../../../ports/system.ts';
import {
  CHANGES_MAX,
  type FeedChange,
  type FeedNews,
  type ReaderState,
} from '../pointers/feed-state.ts';
import { coversKey, type PointerPage } from '../pointers/pointer-page.ts';
import { createBucketFill, type Fill, type PageReader } from './bucket-fill.ts';
import type { PagesCall, PagesResponse } from './page-relay.ts';
import {
  createPointerPages,
  type PageStamp,
  type PointerPages,
  pageOfOne,
} from './pointer-pages.ts';

/**
 * Rates of look-ups a second. One object answers about 1,000 calls a second: near it
 * pages come from KV. Below `pages` neighbours would cost rows that hardly anybody
 * reads. Source: https://developers.cloudflare.com/durable-objects/platform/limits/
 */
export type FeedLimits = {
  readonly offloadPerSecond: number;
  readonly pagesPerSecond: number;
  /** For how long it goes on after the last second above a limit. */
  readonly holdMs: number;
  /**
   * Look-ups of pages in a tenth of a second from which on relays gather them, and for
   * how long they go on after it: below, a relay would be a call more.
   */
  readonly relayPerBurst: number;
  readonly relayHoldMs: number;
};
export const FEED_LIMITS: FeedLimits = {
  offloadPerSecond: 600,
  pagesPerSecond: 50,
  holdMs: 300_000,
  relayPerBurst: 15,
  relayHoldMs: 10_000,
};

/**
 * Changed keys whose new pointers a reader gets with the news, which so asks for none
 * of them; of more it asks for those that somebody wants.
 */
const PUSHED_MAX = 8;

/** Pages in one reply: a visit of a site looks up a few keys at once. */
const PAGES_MAX = 4;
/** Characters of changed keys that are remembered. */
const CHANGES_MAX_LENGTH = 32 * 1024;
const WINDOW_MS = 1000;
const BURST_MS = 100;

export type ReaderFeed = {
  /** Notes what a successful call changes; run it in the call's transaction. */
  note<Name extends keyof IndexApi>(name: Name, input: Parameters<IndexApi[Name]>[0]): void;
  /** What to say beside the answer to a look-up; null to any other call. */
  newsOf<Name extends keyof IndexApi>(
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
    value: ReturnType<IndexApi[Name]>,
    reader: ReaderState,
  ): FeedNews | null;
  /** The pages that a relay wants. */
  pagesFor(bucket: BucketRecord, call: PagesCall): PagesResponse;
};

export type ReaderFeedOptions = {
  readonly bucket: BucketName;
  readonly sql: Sql;
  readonly clock: Clock;
  /** Sees each page of neighbours that KV is to have. */
  readonly publish: (page: PointerPage) => void;
  readonly limits?: FeedLimits;
};

/** A look-up's keys with what was read of each, beside the bucket. */
type LookedUp = {
  readonly bucket: BucketRecord | null;
  readonly keys: readonly ObjectKey[];
  readonly objects: readonly (ObjectVersion | null)[];
  /** Whether the reader was let in by a link, past the read policy. */
  readonly isInvited: boolean;
};

export function createReaderFeed(options: ReaderFeedOptions): ReaderFeed {
  const { clock, limits = FEED_LIMITS } = options;
  const feedId = crypto.randomUUID();
  const log = createChangeNumbers();
  const { rate, burst, isOffloaded, isBusy, isRelayed } = createLoad(clock, limits);
  const pages = createPointerPages(options.sql, options.bucket);
  const fill = createBucketFill(options.sql, clock);
  const stampNow = (): PageStamp => ({
    feedId,
    sequence: log.sequence(),
    readAtMs: clock.nowMs(),
  });
  const { readPages, readChanged } = createPageReader(pages, stampNow);

  /** Pages that a reader's colo has not been sent, of a busy bucket. */
  function readFill(bucket: BucketRecord | null, from: ObjectKey | null): Fill {
    if (bucket === null || bucket.settings.metadata === 'strict' || !isBusy())
      return { filledTo: from, pages: [] };
    return fill.read(bucket, from, pageReader(bucket));
  }

  const pageReader = (bucket: BucketRecord): PageReader => ({
    readPage: (key) => pages.readPage(bucket, key, stampNow()),
    isCurrent: log.isCurrent,
  });

  return {
    note(name, input) {
      const changed = changedBy(name, input);
      if (changed === 'readPolicy') log.endPages();
      else if (changed !== 'nothing') log.add(changed);
      else if (changesLinks(name)) log.endLinks();
    },
    newsOf(name, input, value, { cursor, hasPage }) {
      const lookedUp = lookUpOf(name, input, value);
      // This object sees but a part of the changes of a bucket that is split.
      if (lookedUp === null || isSplit(lookedUp.bucket)) return null;

      rate.count();
      if (!hasPage && !lookedUp.isInvited) burst.count();
      const isInKv = isOffloaded();
      const isPublished = isInKv || lookedUp.bucket?.settings.metadata === 'kv';
      const newPages = hasPage ? [] : readPages(lookedUp, isBusy() || isPublished);
      const cuts = new Set(pages.cuts());
      const shared = newPages.filter(({ isInvited }) => isInvited !== true);
      if (isPublished) for (const page of shared) if (cuts.has(page.from)) options.publish(page);
      const isKnown = cursor?.feedId === feedId;
      const news = log.since(isKnown ? cursor.sequence : null);
      const changed = isKnown ? readChanged(lookedUp.bucket, news.changes) : [];
      const hasPages = isKnown && cursor.sequence >= Math.max(news.floor, log.pagesEndedAt());
      // A reader of the release before has no place for it.
      const filledTo = hasPages ? (cursor.filledTo ?? null) : ('' as ObjectKey);
      const filling = readFill(lookedUp.bucket, filledTo);
      const starts = new Set(shared.map(({ from }) => from));
      const unasked = filling.pages.filter(({ from }) => !starts.has(from));
      return {
        feedId,
        ...news,
        cuts: pages.cuts().slice(isKnown ? cursor.cuts : 0),
        isOffloaded: isInKv,
        isRelayed: isRelayed(),
        filledTo: filling.filledTo,
        pages: [...changed, ...newPages, ...unasked],
      };
    },
    pagesFor(bucket, call) {
      rate.count();
      burst.count(call.keys.length);
      const isRead = bucket.settings.metadata !== 'strict';
      const shown = call.keys.filter((key) => isRead && canBePublic(bucket.access, key));
      const read = shown.map((key) => fill.readPage(pages.startOf(key), key, pageReader(bucket)));
      return {
        feedId,
        cuts: pages.cuts().slice(call.feedId === feedId ? call.cuts : 0),
        isRelayed: isRelayed(),
        pages: [...new Map(read.map((page) => [page.from, page])).values()],
      };
    },
  };
}

/** Reads the pages that go along with the answer to a look-up. */
function createPageReader(pages: PointerPages, stampNow: () => PageStamp) {
  function readPages(
    { bucket, keys, objects, isInvited }: LookedUp,
    hasNeighbours: boolean,
  ): PointerPage[] {
    if (bucket === null || bucket.settings.metadata === 'strict') return [];
    const stamp = stampNow();
    const byStart = new Map<string, PointerPage>();
    for (const [at, key] of keys.entries()) {
      if (byStart.size >= PAGES_MAX) break;
      const page = canBePublic(bucket.access, key)
        ? readPublic(bucket, key, objects[at], hasNeighbours, stamp)
        : isInvited && pages.readInvited(bucket, key, stamp);
      if (page !== false) byStart.set(page.from, page);
    }
    return [...byStart.values()];
  }

  /** `object`: undefined where the look-up did not read it. */
  function readPublic(
    bucket: BucketRecord,
    key: ObjectKey,
    object: ObjectVersion | null | undefined,
    hasNeighbours: boolean,
    stamp: PageStamp,
  ): PointerPage {
    if (hasNeighbours) return pages.readPage(bucket, key, stamp);
    if (object === undefined) return pages.readSingle(bucket, key, stamp);
    return pageOfOne(bucket, key, object, stamp);
  }

  /** Pages of single keys that changed since the reader heard last. */
  function readChanged(bucket: BucketRecord | null, changes: readonly FeedChange[]) {
    if (bucket === null || bucket.settings.metadata === 'strict') return [];
    if (changes.length > PUSHED_MAX) return [];
    const shown = changes.filter(([key]) => canBePublic(bucket.access, key));
    return shown.map(([key]) => pages.readSingle(bucket, key, stampNow()));
  }

  return { readPages, readChanged };
}

/** The last changes of the bucket, numbered. */
function createChangeNumbers() {
  const changes = new Map<ObjectKey, number>();
  let length = 0;
  let sequence = 0;
  /** Every change after it is remembered. */
  let floor = 0;
  /** The last change that ended every page. */
  let pagesEndedAt = 0;
  /** The last change of a share link, which ended what was known of all of them. */
  let linksAt = 0;

  /** What a reader needs who has heard of that number; null: of none. */
  function since(known: number | null) {
    const from = Math.max(known ?? floor, floor);
    const newer = [...changes].filter(([, changedAt]) => changedAt > from);
    return { sequence, floor: known === null ? floor : from, changes: newer, linksAt };
  }

  return {
    since,
    sequence: (): number => sequence,
    pagesEndedAt: (): number => pagesEndedAt,
    /** Whether the bucket still has what the page says. */
    isCurrent(page: PointerPage): boolean {
      if (page.sequence < Math.max(floor, pagesEndedAt)) return false;
      return since(page.sequence).changes.every(([key]) => !coversKey(page, key));
    },
    /** Notes a change of the bucket itself, of which every page says something. */
    endPages(): void {
      sequence += 1;
      pagesEndedAt = sequence;
    },
    /** Notes a change of a share link. */
    endLinks(): void {
      sequence += 1;
      linksAt = sequence;
    },
    add(keys: readonly ObjectKey[]): void {
      sequence += 1;
      for (const key of keys) {
        if (!changes.delete(key)) length += key.length;
        changes.set(key, sequence);
      }
      for (const [key, changedAt] of changes) {
        if (changes.size <= CHANGES_MAX && length <= CHANGES_MAX_LENGTH) break;
        changes.delete(key);
        length -= key.length;
        floor = changedAt;
      }
    },
  };
}

/** How busy the object is: by all look-ups, and by those that want pages. */
function createLoad(clock: Clock, limits: FeedLimits) {
  const rate = createCallRate(clock, WINDOW_MS);
  const burst = createCallRate(clock, BURST_MS);

  /** Whether so many calls come in a window, or came a while ago. */
  function createLatch(calls: typeof rate, perWindow: number, holdMs: number): () => boolean {
    let untilMs = 0;
    return () => {
      if (calls.perWindow() >= perWindow) untilMs = clock.nowMs() + holdMs;
      return untilMs > clock.nowMs();
    };
  }

  return {
    rate,
    burst,
    isOffloaded: createLatch(rate, limits.offloadPerSecond, limits.holdMs),
    isBusy: createLatch(rate, limits.pagesPerSecond, limits.holdMs),
    isRelayed: createLatch(burst, limits.relayPerBurst, limits.relayHoldMs),
  };
}

/** Calls of the last whole window, or of the present one if they are more already. */
function createCallRate(clock: Clock, windowMs: number) {
  let startMs = 0;
  let calls = 0;
  let last = 0;

  return {
    count(more = 1): void {
      const elapsedMs = clock.nowMs() - startMs;
      if (elapsedMs >= windowMs) {
        last = elapsedMs < 2 * windowMs ? calls : 0;
        calls = 0;
        startMs = clock.nowMs();
      }
      calls += more;
    },
    perWindow: (): number => Math.max(last, calls),
  };
}

function lookUpOf(name: keyof IndexApi, input: unknown, value: unknown): LookedUp | null {
  if (name === 'resolve') {
    const { bucket, object } = value as ReturnType<IndexApi['resolve']>;
    const { key, isInvited = false } = input as Parameters<IndexApi['resolve']>[0];
    return { bucket, keys: [key], objects: [object], isInvited };
  }
  if (name === 'findShareLink') {
    const found = value as ReturnType<IndexApi['findShareLink']>;
    if (found === null) return null;
    const key = currentKeyOf(found.link.target);
    const keys = key === null ? [] : [key];
    return { bucket: found.bucket, keys, objects: [], isInvited: true };
  }
  if (name !== 'resolveAll') return null;
  const { bucket, objects } = value as ReturnType<IndexApi['resolveAll']>;
  const { keys } = input as Parameters<IndexApi['resolveAll']>[0];
  return { bucket, keys, objects, isInvited: false };
}
