// Share links in memory where every change of them comes by this process (Node). Race:
// a reader loads a link; a writer changes it; the reader stores the old one. Guard: each
// load takes an epoch, which its entry keeps, and what a block of its link has overtaken
// since counts no more (fill-epochs.ts); while a link is blocked nothing of it is stored.
import { LRUCache } from 'lru-cache';
import { type LinkName, linkNameText } from '../../domain/links/link-ids.ts';
import type { HotShare, HotShares } from '../../ports/caches/hot-shares.ts';
import type { Clock } from '../../ports/system.ts';
import { createFillBarrier, createFillEpochs, type FillEpoch } from './fill-epochs.ts';

/** Estimated bytes of all entries together. */
const MAX_BYTES = 16 * 1024 * 1024;
/** What an entry takes besides its texts, bytes. */
const ENTRY_BYTES = 1024;
/** Names without a link that are remembered. */
const NONE_MAX = 4000;

type Entry = {
  readonly share: HotShare | null;
  readonly epoch: FillEpoch;
};

/** Makes an empty one. Cost of a hit: three look-ups. */
export function createMemoryShares(clock: Clock): HotShares {
  const entries = new LRUCache<string, Entry>({ maxSize: MAX_BYTES, sizeCalculation: sizeOf });
  const none = new LRUCache<string, Entry>({ max: NONE_MAX });
  const evictions = createFillEpochs();
  const barrier = createFillBarrier();
  /** Loads that readers may join, by name; those of a link that is blocked are none. */
  const underWay = new Map<string, { epoch: FillEpoch; share: Promise<HotShare | null> }>();

  function entryOf({ id }: LinkName, key: string): Entry | undefined {
    const entry = entries.get(key) ?? none.get(key);
    if (entry === undefined || !evictions.hasOvertaken(id, entry.epoch)) return entry;
    entries.delete(key);
    none.delete(key);
    return undefined;
  }

  function peek(name: LinkName): HotShare | null | undefined {
    return entryOf(name, linkNameText(name))?.share;
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
    (share === null ? none : entries).set(key, { share, epoch });
    return share;
  }

  return {
    peek,
    find(name, _bucket, load) {
      const key = linkNameText(name);
      const entry = entryOf(name, key);
      if (entry !== undefined) return entry.share;

      const epoch = { lastEviction: evictions.last(), atMs: clock.nowMs() };
      if (barrier.isBlocked(name.id)) return read(name, key, epoch, load);
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

const sizeOf = ({ share }: Entry): number => (share === null ? ENTRY_BYTES : sizeOfShare(share));

/** Estimated bytes of a link with a label. */
export function sizeOfShare({ link: { target, page, note } }: HotShare): number {
  const keys = target.kind === 'keys' ? target.keys : [];
  const texts = keys.reduce((sum, key) => sum + key.length, 0) + (page.text?.length ?? 0);
  return ENTRY_BYTES + 2 * (texts + note.length);
}
