// Entries of links near the reader. An entry never changes, so it stays for an hour;
// whether its link still is there its bucket's index says. The negative cache lasts
// for seconds, so that a link that was just made is found elsewhere too. Keeps plain
// values only, never a promise of a request.
import { LRUCache } from 'lru-cache';
import type { LinkEntry, LinkId } from '../../../domain/links/link-ids.ts';
import type { Clock } from '../../../ports/system.ts';

/** TTL of an entry, milliseconds: a link that was deleted is asked for at its bucket. */
const ENTRY_FRESH_MS = 3_600_000;
/** TTL of "there is none", milliseconds. */
const NONE_FRESH_MS = 2000;
/** Entries remembered, about 300 bytes each. */
const ENTRIES_MAX = 4000;
/** Ids that nobody has, of which strangers can make up any number: they push no entry out. */
const NONE_MAX = 4000;

export type CachedLinks = {
  /** `Directory.findLink`. Cost: a lookup; one RPC for an id that is not known here. */
  find(id: LinkId): LinkEntry | null | Promise<LinkEntry | null>;
  /** `Directory.peekLink`. Cost: a lookup. */
  peek(id: LinkId): LinkEntry | null | undefined;
  /** Forgets all: a link was made or removed from here. */
  clear(): void;
};

/** Makes an empty one. `read` calls the directory. */
export function createCachedLinks(
  clock: Clock,
  read: (id: LinkId) => Promise<LinkEntry | null>,
): CachedLinks {
  const entries = new LRUCache<LinkId, { entry: LinkEntry; untilMs: number }>({ max: ENTRIES_MAX });
  const none = new LRUCache<LinkId, { untilMs: number }>({ max: NONE_MAX });

  function peek(id: LinkId): LinkEntry | null | undefined {
    const nowMs = clock.nowMs();
    const known = entries.get(id);
    if (known !== undefined && known.untilMs > nowMs) return known.entry;
    const missing = none.get(id);
    return missing !== undefined && missing.untilMs > nowMs ? null : undefined;
  }

  async function load(id: LinkId): Promise<LinkEntry | null> {
    // From before the call, so that an answer never counts as younger than it is.
    const askedAtMs = clock.nowMs();
    const entry = await read(id);
    if (entry === null) none.set(id, { untilMs: askedAtMs + NONE_FRESH_MS });
    else entries.set(id, { entry, untilMs: askedAtMs + ENTRY_FRESH_MS });
    return entry;
  }

  return {
    find(id) {
      const known = peek(id);
      return known === undefined ? load(id) : known;
    },
    peek,
    clear() {
      entries.clear();
      none.clear();
    },
  };
}
