// Share links in memory, for both platforms. Race: a reader loads a link; a writer
// changes it; the reader stores the old one. Guard: each load takes an epoch, and is
// dropped when its link was blocked since (fill-epochs.ts); while a link is blocked
// nothing of it is stored.
import { LRUCache } from 'lru-cache';
import type { LinkId } from '../../domain/links/link-ids.ts';
import type { HotShare, HotShares } from '../../ports/caches/hot-shares.ts';
import type { Clock } from '../../ports/system.ts';
import { createFillBarrier, createFillEpochs } from './fill-epochs.ts';

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
/** What a label takes, bytes. Estimate. */
const LABEL_BYTES = 300;
/** Ids without a link that are remembered. */
const NONE_MAX = 4000;
/** How long "there is none" is fresh where entries are for a time, milliseconds. */
const NONE_FRESH_MS = 2000;

type Entry = { readonly share: HotShare | null; readonly storedAtMs: number };

/** Makes an empty one. Cost of a hit: a look-up. */
export function createMemoryShares(options: MemorySharesOptions): HotShares {
  const { clock, freshMs, coalesces } = options;
  const entries = new LRUCache<LinkId, Entry>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });
  const none = new LRUCache<LinkId, Entry>({ max: NONE_MAX });
  const evictions = createFillEpochs();
  const barrier = createFillBarrier();
  const underWay = new Map<LinkId, Promise<HotShare | null>>();

  function isFresh({ share, storedAtMs }: Entry): boolean {
    if (freshMs === null) return true;
    return clock.nowMs() - storedAtMs < (share === null ? NONE_FRESH_MS : freshMs);
  }

  function store(id: LinkId, share: HotShare | null, storedAtMs: number): void {
    (share === null ? entries : none).delete(id);
    (share === null ? none : entries).set(id, { share, storedAtMs });
  }

  function peek(id: LinkId): HotShare | null | undefined {
    const entry = entries.get(id) ?? none.get(id);
    return entry !== undefined && isFresh(entry) ? entry.share : undefined;
  }

  async function read(id: LinkId, load: () => Promise<HotShare | null>) {
    const epoch = { lastEviction: evictions.last(), atMs: clock.nowMs() };
    const share = await load();
    const isFillable = !barrier.isBlocked(id) && !evictions.hasOvertaken(id, epoch);
    if (isFillable) store(id, share, epoch.atMs);
    return share;
  }

  function drop(id: LinkId): void {
    evictions.note(id);
    entries.delete(id);
    none.delete(id);
    underWay.delete(id);
  }

  return {
    peek,
    find(id, load) {
      const known = peek(id);
      if (known !== undefined) return known;
      if (!coalesces || barrier.isBlocked(id)) return read(id, load);
      const waiting = underWay.get(id);
      if (waiting !== undefined) return waiting;
      const reading = read(id, load).finally(() => {
        if (underWay.get(id) === reading) underWay.delete(id);
      });
      underWay.set(id, reading);
      return reading;
    },
    block(id) {
      barrier.block(id);
      drop(id);
    },
    unblock(id) {
      barrier.unblock(id);
      drop(id);
    },
  };
}

function sizeOf({ share }: Entry): number {
  if (share === null) return ENTRY_BYTES;
  const { target, page, note } = share.link;
  const keys = target.kind === 'keys' ? target.keys : [];
  const texts = keys.reduce((sum, key) => sum + key.length, 0) + (page.text?.length ?? 0);
  return ENTRY_BYTES + 2 * (texts + note.length) + LABEL_BYTES * share.labels.size;
}
