// Share links in memory, for both platforms. Race: a reader loads a link; a writer
// changes it; the reader stores the old one. Guard: each load takes the number of
// the last block, and is dropped when its link was blocked since; while a link is
// blocked nothing of it is stored.
import { LRUCache } from 'lru-cache';
import type { LinkId } from '../../domain/links/link-ids.ts';
import type { HotShare, HotShares } from '../../ports/caches/hot-shares.ts';
import type { Clock } from '../../ports/system.ts';

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
  const barriers = new Map<LinkId, number>();
  const underWay = new Map<LinkId, Promise<HotShare | null>>();
  let blocks = 0;
  /** The number of the last block of links that are being loaded. */
  const lastBlocks = new Map<LinkId, number>();
  let loads = 0;

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
    const askedAtMs = clock.nowMs();
    const before = blocks;
    loads += 1;
    try {
      const share = await load();
      const isOvertaken = (lastBlocks.get(id) ?? 0) > before;
      if (!isOvertaken && !barriers.has(id)) store(id, share, askedAtMs);
      return share;
    } finally {
      loads -= 1;
      if (loads === 0) lastBlocks.clear();
    }
  }

  function drop(id: LinkId): void {
    blocks += 1;
    if (loads > 0) lastBlocks.set(id, blocks);
    entries.delete(id);
    none.delete(id);
    underWay.delete(id);
  }

  return {
    peek,
    find(id, load) {
      const known = peek(id);
      if (known !== undefined) return known;
      if (!coalesces || barriers.has(id)) return read(id, load);
      const waiting = underWay.get(id);
      if (waiting !== undefined) return waiting;
      const reading = read(id, load).finally(() => {
        if (underWay.get(id) === reading) underWay.delete(id);
      });
      underWay.set(id, reading);
      return reading;
    },
    block(id) {
      barriers.set(id, (barriers.get(id) ?? 0) + 1);
      drop(id);
    },
    unblock(id) {
      const left = (barriers.get(id) ?? 0) - 1;
      if (left > 0) barriers.set(id, left);
      else barriers.delete(id);
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
