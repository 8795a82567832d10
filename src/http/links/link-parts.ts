// What both paths of delivery share of links: who counts, and the headers that were
// made. Made once for a process, by app.ts.
import type { Core } from '../../core/core.ts';
import { createShareCounter, type ShareCounter } from '../../core/links/share/share-counts.ts';
import { createShareProfiles, type ShareProfiles } from './share/share-headers.ts';

/** What the fast path and the full path share of links. */
export type LinkParts = {
  readonly counter: ShareCounter;
  readonly profiles: ShareProfiles;
};

/** Makes them. */
export function createLinkParts(core: Core): LinkParts {
  return { counter: createShareCounter(core), profiles: createShareProfiles() };
}
