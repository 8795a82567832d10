// What both paths of delivery share of links: who counts, and the headers that were
// made. Made once for a process, by app.ts.
import type { Core } from '../../core/core.ts';
import { createShareCounter, type ShareCounter } from '../../core/links/share/share-counts.ts';
import { createShareProfiles, type ShareProfiles } from './share/share-headers.ts';
import { type CountryOf, createCountryOf } from './share/share-visitor.ts';

/** What the fast path and the full path share of links. */
export type LinkParts = {
  readonly counter: ShareCounter;
  readonly profiles: ShareProfiles;
  readonly countryOf: CountryOf;
};

/** Makes them. `countryHeader`: where a proxy says a visitor's country; null: none does. */
export function createLinkParts(core: Core, countryHeader: string | null = null): LinkParts {
  return {
    counter: createShareCounter(core),
    profiles: createShareProfiles(),
    countryOf: createCountryOf(countryHeader),
  };
}
