// The state of a bucket's change feed, as an isolate and its colo know it. The
// bucket's Durable Object numbers its changes and says with each reply which keys
// changed since the reader's last number. So one call proves everything that a
// reader holds of the bucket, and all of it is as old as that call.
import { NO_SETTINGS } from '../../../domain/bucket-settings.ts';
import { compareUtf8 } from '../../../domain/keys/compare-utf8.ts';
import type { BucketReadPolicy, ObjectKey } from '../../../domain/nouns.ts';
import { toReadPolicySettings } from '../../../domain/pointer.ts';
import { decodeJson, type PointerPage } from './pointer-page.ts';
import type { RelayedPage } from './relay-pages.ts';

/**
 * Where a reader stands in the feed. `cuts`: how many cuts of pages it knows;
 * `filledTo`: see FeedNews.
 */
export type FeedCursor = {
  readonly feedId: string;
  readonly sequence: number;
  readonly cuts: number;
  readonly filledTo: ObjectKey | null;
};

/** What a reader sends along with a look-up; `hasPage`: only the proof is wanted. */
export type ReaderState = { readonly cursor: FeedCursor | null; readonly hasPage: boolean };

/** A changed key with the number of its last change. */
export type FeedChange = readonly [key: ObjectKey, sequence: number];

/** What the object says with its reply to a look-up. */
export type FeedNews = {
  /** Drawn anew at each start of the object, which forgets its numbers. */
  readonly feedId: string;
  readonly sequence: number;
  /**
   * The number from which on changes are known: each later one is in `changes`, or was
   * sent before. No watermark of a purge; releases of the object have sent it so.
   */
  readonly floor: number;
  readonly changes: readonly FeedChange[];
  /** The last change of a share link; null: the object runs a release that can't say. */
  readonly linksAt: number | null;
  /** Keys at which pages begin, in the order in which they were cut; the new ones. */
  readonly cuts: readonly ObjectKey[];
  /** Whether the object nears its limit, so that pages come from KV. */
  readonly isOffloaded: boolean;
  /**
   * Whether so many pages are asked for that relays had better gather the look-ups;
   * absent from objects of the release before.
   */
  readonly isRelayed?: boolean;
  /**
   * The reader's colo has been sent all pages before this key, so that a busy bucket
   * is there after a few calls; null: no more are sent that nobody asked for.
   */
  readonly filledTo: ObjectKey | null;
  /** Pages of the keys that were looked up, if the reader wants any, and what fills. */
  readonly pages: readonly PointerPage[];
};

/** A bucket as it was at `atMs`, by a call that began then. */
export type FeedState = Omit<FeedNews, 'changes' | 'pages'> & {
  readonly atMs: number;
  readonly readPolicy: BucketReadPolicy | null;
  /** The last change of each key that changed after `floor`, oldest first. */
  readonly changes: ReadonlyMap<ObjectKey, number>;
};

/** Changes remembered of one bucket; `floor` rises above those that are dropped. */
export const CHANGES_MAX = 512;

/** How far the clocks of two machines of a colo may be apart, milliseconds. */
export const CLOCK_SKEW_MS = 1000;

const VERSION = 3;

/** The state after the news of a call that began at `askedAtMs` with that cursor. */
export function advance(
  known: FeedState | null,
  cursor: FeedCursor | null,
  news: FeedNews,
  readPolicy: BucketReadPolicy | null,
  askedAtMs: number,
): FeedState {
  const { feedId, sequence, isOffloaded, isRelayed = false, filledTo, linksAt = null } = news;
  const marks = { isOffloaded, isRelayed, filledTo, linksAt };
  const base = { feedId, sequence, ...marks, atMs: askedAtMs, readPolicy };
  const isOfKnown = known !== null && known.feedId === feedId && cursor?.feedId === feedId;
  if (!isOfKnown) {
    return { ...base, floor: news.floor, cuts: news.cuts, changes: new Map(news.changes) };
  }

  const changes = new Map(known.changes);
  for (const [key, changedAt] of news.changes) {
    changes.delete(key);
    changes.set(key, changedAt);
  }
  let floor = news.floor > cursor.sequence ? news.floor : known.floor;
  for (const [key, changedAt] of changes) {
    if (changes.size <= CHANGES_MAX && changedAt > floor) break;
    changes.delete(key);
    floor = Math.max(floor, changedAt);
  }
  const cuts = [...known.cuts.slice(0, cursor.cuts), ...news.cuts];
  return { ...base, floor, cuts, changes };
}

/** The state with what an older one has been sent more of pages that it still proves. */
export function withFill(state: FeedState, other: FeedState | null): FeedState {
  if (other?.feedId !== state.feedId || state.filledTo === null) return state;
  const isOfSamePages =
    other.sequence >= state.floor && other.readPolicy?.revision === state.readPolicy?.revision;
  if (!isOfSamePages) return state;
  const isFurther = other.filledTo === null || compareUtf8(state.filledTo, other.filledTo) < 0;
  return isFurther ? { ...state, filledTo: other.filledTo } : state;
}

/**
 * Whether the state says more than the known one: it is a later one of the object, or
 * has more cuts, which relays bring.
 */
export function isLater(state: FeedState, known: FeedState): boolean {
  if (state.feedId !== known.feedId) return state.atMs > known.atMs;
  if (state.sequence !== known.sequence) return state.sequence > known.sequence;
  if (state.atMs !== known.atMs) return state.atMs > known.atMs;
  return state.cuts.length > known.cuts.length;
}

/** The state with what a relay says beside a page; null where it is of another feed. */
export function withRelayed(
  state: FeedState,
  { feedId, cuts, isRelayed }: RelayedPage,
  cutsFrom: number,
): FeedState | null {
  if (state.feedId !== feedId || state.cuts.length < cutsFrom) return null;
  const isMore = cutsFrom + cuts.length > state.cuts.length;
  const all = isMore ? [...state.cuts.slice(0, cutsFrom), ...cuts] : state.cuts;
  return { ...state, cuts: all, isRelayed };
}

/** Whether the page still says of that key what the bucket had at the state's time. */
export function provesPage(state: FeedState, page: PointerPage, key: ObjectKey): boolean {
  const { readPolicy } = state;
  return (
    page.feedId === state.feedId &&
    page.sequence >= state.floor &&
    page.bucketId === readPolicy?.bucketId &&
    page.revision === readPolicy.revision &&
    (state.changes.get(key) ?? 0) <= page.sequence
  );
}

type StateJson = Omit<FeedState, 'changes'> & {
  readonly v: number;
  readonly changes: readonly FeedChange[];
};

export function encodeState(state: FeedState): string {
  return JSON.stringify({ ...state, v: VERSION, changes: [...state.changes] } satisfies StateJson);
}

/** The state, or null for anything that this version did not write. */
export function decodeState(text: string | null): FeedState | null {
  return decodeJson(text, VERSION, ({ v: _v, changes, readPolicy, ...state }: StateJson) => {
    const settings = { ...toReadPolicySettings(NO_SETTINGS), ...readPolicy?.settings };
    return {
      ...state,
      changes: new Map(changes),
      readPolicy: readPolicy === null ? null : { ...readPolicy, settings },
    };
  });
}
