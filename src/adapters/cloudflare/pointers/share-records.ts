// Share links as this isolate knows them: what `findShareLink` said, with when it was
// asked and where the bucket's change feed stood. The feed says when a link of its
// bucket changed last, so one call of the bucket's object proves all records of its
// links. reader-call.ts keeps what objects say, workers-hot-shares.ts adopts what other
// isolates of the colo left and answers from here.
//
// A race: an isolate revokes a link, and then finds in its colo a record from before,
// with a state from before that proves it. Guard: `block` and `unblock` note when; no
// record of that link counts that was loaded sooner.
import { LRUCache } from 'lru-cache';
import { type LinkId, type LinkName, linkNameText } from '../../../domain/links/link-ids.ts';
import type { BucketAddress } from '../../../domain/nouns.ts';
import type { HotShare } from '../../../ports/caches/hot-shares.ts';
import type { Clock } from '../../../ports/system.ts';
import { createFillBarrier } from '../../shared/fill-epochs.ts';
import { sizeOfShare } from '../../shared/memory-shares.ts';
import { CLOCK_SKEW_MS, type FeedState } from './feed-state.ts';
import { decodeJson } from './pointer-page.ts';

/** A share link as its bucket's object showed it. */
export type ShareRecord = {
  readonly share: HotShare;
  readonly bucket: BucketAddress;
  /** Time at which the call that brought the record began, milliseconds. */
  readonly atMs: number;
  /** Where the feed stood then; null: the object runs a release that does not say it. */
  readonly stamp: Pick<FeedState, 'feedId' | 'sequence'> | null;
};

/** Estimated bytes of all records together. */
const RECORDS_MAX_BYTES = 16 * 1024 * 1024;
/** Own changes remembered; one is needed for as long as a state may be old. */
const CHANGED_MAX = 10_000;

export type ShareRecords = {
  /** Stores a record, unless the stored one was loaded later. */
  keep(name: LinkName, record: ShareRecord): void;
  find(name: LinkName): ShareRecord | null;
  /** Forgets a link that is there no more. */
  drop(name: LinkName): void;
  /** Whether this isolate changed the link at that time or later, so a record of it is old. */
  isOutdated(id: LinkId, atMs: number): boolean;
  /** Begins a change of a link by this isolate. */
  block(id: LinkId): void;
  /** Ends a change, and notes when. */
  unblock(id: LinkId): void;
};

/** Makes records that hold nothing yet. */
export function createShareRecords(clock: Clock): ShareRecords {
  const records = new LRUCache<string, ShareRecord>({
    maxSize: RECORDS_MAX_BYTES,
    sizeCalculation: ({ share }) => sizeOfShare(share),
  });
  const changedAtMs = new LRUCache<LinkId, number>({ max: CHANGED_MAX });
  const barrier = createFillBarrier();

  return {
    keep(name, record) {
      const text = linkNameText(name);
      if ((records.get(text)?.atMs ?? 0) <= record.atMs) records.set(text, record);
    },
    find: (name) => records.get(linkNameText(name)) ?? null,
    drop: (name) => void records.delete(linkNameText(name)),
    isOutdated: (id, atMs) =>
      barrier.isBlocked(id) ||
      atMs <= (changedAtMs.get(id) ?? Number.NEGATIVE_INFINITY) + CLOCK_SKEW_MS,
    block: (id) => barrier.block(id),
    unblock(id) {
      barrier.unblock(id);
      changedAtMs.set(id, clock.nowMs());
    },
  };
}

/**
 * Whether a state says that no link of the bucket has changed since the record; null:
 * it says nothing of it.
 */
export function provesShare({ stamp, bucket }: ShareRecord, state: FeedState): boolean | null {
  if (stamp?.feedId !== state.feedId || state.linksAt === null) return null;
  return stamp.sequence >= state.linksAt && bucket.id === state.readPolicy?.bucketId;
}

/** Format of the texts; a reader takes another version for a miss. */
const VERSION = 1;
type RecordJson = ShareRecord & { readonly v: number };

export function encodeShare(record: ShareRecord): string {
  return JSON.stringify({ ...record, v: VERSION } satisfies RecordJson);
}

/** The record, or null for anything that this version did not write. */
export function decodeShare(text: string | null): ShareRecord | null {
  return decodeJson(text, VERSION, ({ v: _v, ...record }: RecordJson) => record);
}
