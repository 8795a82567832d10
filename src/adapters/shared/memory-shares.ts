// Share links in memory, for both platforms. Race: a reader loads a link; a writer
// changes it; the reader stores the old one. Guard: each load takes an epoch, which its
// entry keeps, and what a block of its link has overtaken since counts no more
// (fill-epochs.ts); while a link is blocked nothing of it is stored.
//
// Race: an entry of a hot link ends, and every reader loads it anew. Guard: the first
// reader of an entry that soon ends loads it, the others use it to its end.
import { LRUCache } from 'lru-cache';
import { type LinkName, linkNameText } from '../../domain/links/link-ids.ts';
import type { HotShare, HotShares } from '../../ports/caches/hot-shares.ts';
import type { Clock } from '../../ports/system.ts';
import { createFillBarrier, createFillEpochs, type FillEpoch } from './fill-epochs.ts';

export type MemorySharesOptions = {
  readonly clock: Clock;
  /** How long an entry is fresh, milliseconds; null where every change blocks (Node). */
  readonly freshMs: number | null;
  /** Whether requests may wait for each other's promises. Not on Workers. */
  readonly coalesces: boolean;
};

/** Estimated bytes of all entries together. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What an entry takes besides its texts, bytes. */
const ENTRY_BYTES = 1024;
/** Names without a link that are remembered. */
const NONE_MAX = 4000;
/** How long "there is none" is fresh where entries are for a time, milliseconds. */
const NONE_FRESH_MS = 2000;
/** The part of its time after which one reader loads an entry anew. */
const RENEWED_AT = 0.6;
/** How long that reader's load keeps others from another one, milliseconds. */
const RENEWING_MS = 1000;

type Entry = {
  readonly share: HotShare | null;
  readonly epoch: FillEpoch;
  /** When a reader began to load it anew. */
  renewingSinceMs: number;
};

/** Makes an empty one. Cost of a hit: three look-ups. */
export function createMemoryShares(options: MemorySharesOptions): HotShares {
  const { clock, freshMs, coalesces } = options;
  const entries = new LRUCache<string, Entry>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });
  const none = new LRUCache<string, Entry>({ max: NONE_MAX });
  const evictions = createFillEpochs();
  const barrier = createFillBarrier();
  /** Loads that readers may join, by name; those of a link that is blocked are none. */
  const underWay = new Map<string, { epoch: FillEpoch; share: Promise<HotShare | null> }>();

  /** Whether an entry is fresh for this reader; one in a while is to load it anew. */
  function isFresh({ share, epoch, renewingSinceMs }: Entry): boolean {
    if (freshMs === null) return true;
    const nowMs = clock.nowMs();
    const ageMs = nowMs - epoch.atMs;
    if (share === null) return ageMs < NONE_FRESH_MS;
    if (ageMs >= freshMs) return false;
    return ageMs < freshMs * RENEWED_AT || nowMs - renewingSinceMs < RENEWING_MS;
  }

  function entryOf({ id }: LinkName, key: string): Entry | undefined {
    const entry = entries.get(key) ?? none.get(key);
    if (entry === undefined || !evictions.hasOvertaken(id, entry.epoch)) return entry;
    entries.delete(key);
    none.delete(key);
    return undefined;
  }

  function peek(name: LinkName): HotShare | null | undefined {
    const entry = entryOf(name, linkNameText(name));
    return entry !== undefined && isFresh(entry) ? entry.share : undefined;
  }

  async function read(
    { id }: LinkName,
    key: string,
    epoch: FillEpoch,
    load: () => Promise<HotShare | null>,
  ) {
    const share = await load();
    if (barrier.isBlocked(id) || evictions.hasOvertaken(id, epoch)) return share;
    (share === null ? entries : none).delete(key);
    (share === null ? none : entries).set(key, { share, epoch, renewingSinceMs: -RENEWING_MS });
    return share;
  }

  return {
    peek,
    find(name, load) {
      const key = linkNameText(name);
      const entry = entryOf(name, key);
      if (entry !== undefined && isFresh(entry)) return entry.share;
      if (entry !== undefined) entry.renewingSinceMs = clock.nowMs();

      const epoch = { lastEviction: evictions.last(), atMs: clock.nowMs() };
      if (!coalesces || barrier.isBlocked(name.id)) return read(name, key, epoch, load);
      const joined = underWay.get(key);
      if (joined !== undefined && !evictions.hasOvertaken(name.id, joined.epoch))
        return joined.share;
      const reading = {
        epoch,
        share: read(name, key, epoch, load).finally(() => {
          if (underWay.get(key) === reading) underWay.delete(key);
        }),
      };
      underWay.set(key, reading);
      return reading.share;
    },
    block(id) {
      barrier.block(id);
      evictions.note(id);
    },
    unblock(id) {
      barrier.unblock(id);
      evictions.note(id);
    },
  };
}

function sizeOf({ share }: Entry): number {
  if (share === null) return ENTRY_BYTES;
  const { target, page, note } = share.link;
  const keys = target.kind === 'keys' ? target.keys : [];
  const texts = keys.reduce((sum, key) => sum + key.length, 0) + (page.text?.length ?? 0);
  return ENTRY_BYTES + 2 * (texts + note.length);
}
