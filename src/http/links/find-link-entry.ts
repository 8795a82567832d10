// Finds what the directory knows of a link that an address names, and keeps those
// who try ids from asking it too often. Called by create-links.ts. Ids that memory
// knows cost nothing and are never refused.
import type { Core } from '../../core/core.ts';
import { createSourceLimit } from '../../core/links/source-limit.ts';
import { StorageError } from '../../domain/errors.ts';
import { networkOf } from '../../domain/ip-range.ts';
import type { LinkEntry, LinkId } from '../../domain/links/link-ids.ts';
import { LINK_LOOKUPS_AT_ONCE, UNKNOWN_LINKS_PER_MINUTE } from '../../domain/links/link-limits.ts';
import { MINUTE_MS } from '../../domain/time.ts';

/**
 * The entry of a link; null: there is none. TooManyRequests for a source that has
 * named 30 others in a minute that nobody has; SlowDown while the directory is asked
 * for 64 at once.
 */
export type FindLinkEntry = (
  id: LinkId,
  remoteAddress: string | null,
) => LinkEntry | null | Promise<LinkEntry | null>;

/** Makes the finder, with its counts. Cost: a look-up in memory, else the directory's. */
export function createLinkEntryFinder({ clock, directory }: Core['ports']): FindLinkEntry {
  const unknown = createSourceLimit(UNKNOWN_LINKS_PER_MINUTE, MINUTE_MS);
  let lookups = 0;

  async function load(id: LinkId, source: string): Promise<LinkEntry | null> {
    lookups += 1;
    try {
      const entry = await directory.findLink(id);
      if (entry === null) unknown.count(source, clock.nowMs());
      return entry;
    } finally {
      lookups -= 1;
    }
  }

  return (id, remoteAddress) => {
    const known = directory.peekLink(id);
    if (known !== undefined && known !== null) return known;

    const nowMs = clock.nowMs();
    const source = networkOf(remoteAddress);
    const waitSeconds = unknown.waitSeconds(source, nowMs);
    if (waitSeconds > 0) {
      const fields = { RetryAfterSeconds: `${waitSeconds}` };
      throw new StorageError('TooManyRequests', { fields });
    }
    if (known === null) {
      unknown.count(source, nowMs);
      return null;
    }
    if (lookups >= LINK_LOOKUPS_AT_ONCE) throw new StorageError('SlowDown');
    return load(id, source);
  };
}
