// Walks the plan of one visit: looks up what the plan depends on, and answers with
// the outcome. Called by deliver-site.ts. What it decides, the fast path decides by
// the same plan (plan.ts).
import type { Core } from '../../../core/core.ts';
import { parseObjectKey } from '../../../core/parse-names.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { BucketName, BucketReadPolicy, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import type { MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import type { HttpRequest } from '../../request.ts';
import type { DeliverFound } from '../deliver.ts';
import type { FeaturesOf } from '../features/read-feature.ts';
import type { HeaderProfiles } from '../header-profile.ts';
import type { FoundObject } from '../public-reader.ts';
import {
  LISTING_PAGE_ROWS,
  type Listing,
  type ListingQuery,
  readListing,
  readListingQuery,
} from './listing.ts';
import { isNavigation } from './navigation.ts';
import { keysBehind, type Outcome, type Seen, type SitePlan, walkPlan } from './plan.ts';
import type { SiteResponses, SiteVisit } from './site-responses.ts';

/** The result of the look-up of a key. */
export type SiteFound = MetadataLookup;

export type FollowPlanParts = {
  findAll(bucket: BucketName, keys: readonly ObjectKey[]): Promise<readonly SiteFound[]>;
  /** Delivery from conditions on. Throws as deliver does. */
  readonly deliverFound: DeliverFound;
  /** Whether this visitor may have what was found, or may hear that nothing was. */
  mayRead(request: HttpRequest, found: FoundObject, key: ObjectKey): boolean;
  readonly profiles: HeaderProfiles;
  readonly featuresOf: FeaturesOf;
  readonly responses: SiteResponses;
};

/** A plan and what is known of its keys. */
export type PlannedVisit = {
  readonly bucket: BucketName;
  readonly plan: SitePlan;
  readonly prefix: string;
  /** What was looked up; null: no key can be that long. */
  readonly known: Map<string, SiteFound | null>;
};

export type FollowPlan = (visit: SiteVisit, planned: PlannedVisit) => Promise<Response>;

/** Rounds of look-ups of one visit; the longest plan has fewer. */
const ROUNDS_MAX = 32;

/** Makes the walk over a site's plan, with all that its outcomes need. */
export function createFollowPlan(core: Core, parts: FollowPlanParts): FollowPlan {
  const { responses, deliverFound, mayRead, findAll } = parts;

  return async (siteVisit, { bucket, plan, prefix, known }) => {
    const { request, readPolicy, visit } = siteVisit;
    const query = readListingQuery(visit.rawQuery, request.header('accept'));
    const folders = new Map<string, Listing | null>();
    const sight = {
      object: (key: string): Seen => seenOf(request, readPolicy, key, known.get(key)),
      folder: (folder: string) =>
        folders.has(folder) ? folders.get(folder) !== null : ('unknown' as const),
      isNavigation: () => isNavigation(visit.key, request.header),
    };

    for (let round = 0; round < ROUNDS_MAX; round++) {
      const outcome = walkPlan(plan, sight);
      if (outcome.kind === 'ask-object') {
        // What the visit may turn to next is looked up with it: one call for an
        // address of an app, not four.
        const next = keysBehind(plan, outcome.key).filter((key) => sight.object(key) === 'unknown');
        await lookUp(bucket, [outcome.key, ...next], prefix + visit.key, known);
      } else if (outcome.kind === 'ask-folder') {
        const isShown = outcome.prefix === prefix + visit.key;
        const part = { prefix: outcome.prefix, root: prefix, after: isShown ? query.after : '' };
        const rows = isShown ? LISTING_PAGE_ROWS : 1;
        folders.set(outcome.prefix, await readListing(core, bucket, { ...part, rows }));
      } else if (outcome.kind === 'page') {
        const found = known.get(outcome.pointer.key);
        if (found !== undefined && found !== null) return showPage(siteVisit, outcome, found);
      } else return show(responses, siteVisit, outcome, query, folders);
    }
    throw new StorageError('InternalError', { detail: 'A plan of a site asks without an end.' });
  };

  function showPage(
    { request, requestId }: SiteVisit,
    { pointer, profile }: Extract<Outcome, { kind: 'page' }>,
    found: SiteFound,
  ) {
    const { key } = pointer;
    request.notes.key = key;
    request.notes.objectBytes = pointer.sizeBytes;
    const readRequest = { request, requestId, key, hasOwnOrigin: true, profile, options: null };
    return deliverFound(readRequest, found);
  }

  /**
   * Says what the plan may know of a key. `found` is undefined before the look-up; a
   * key that nobody may read is never looked up.
   */
  function seenOf(
    request: HttpRequest,
    readPolicy: BucketReadPolicy,
    key: string,
    found: SiteFound | null | undefined,
  ): Seen {
    if (found === null) return 'missing';
    if (!canBePublic(readPolicy.access, key)) return 'denied';
    if (found === undefined) return 'unknown';
    const { pointer } = found;
    // A visitor can't bring the key that a client encrypted an object with.
    if (pointer?.encryption?.kind === 'customer') return 'denied';
    const isReadable = mayRead(request, { readPolicy, pointer }, key as ObjectKey);
    return isReadable ? (pointer ?? 'missing') : 'denied';
  }

  /**
   * Looks keys up and adds the results to `known`: null for a key that is too long
   * and that the plan made of the path. Where the visited path itself is too long,
   * KeyTooLongError.
   */
  async function lookUp(
    bucket: BucketName,
    keys: readonly string[],
    visited: string,
    known: Map<string, SiteFound | null>,
  ): Promise<void> {
    const possible: ObjectKey[] = [];
    for (const key of keys) {
      try {
        possible.push(parseObjectKey(key));
      } catch (error) {
        if (key === visited || !hasCode(error, 'KeyTooLongError')) throw error;
        known.set(key, null);
      }
    }
    for (const [i, found] of (await findAll(bucket, possible)).entries())
      known.set(possible[i] ?? '', found);
  }
}

/** Makes the response that an outcome stands for, other than a page. */
function show(
  responses: SiteResponses,
  visit: SiteVisit,
  outcome: Outcome,
  query: ListingQuery,
  folders: ReadonlyMap<string, Listing | null>,
): Response | Promise<Response> {
  switch (outcome.kind) {
    case 'document':
      return responses.document(visit, outcome);
    case 'redirect':
      return responses.redirect(visit, outcome.redirect);
    case 'list':
      return responses.list(visit, folders.get(outcome.prefix) ?? null, query, outcome.profile);
    case 'robots':
      return responses.robots(visit, outcome.text, outcome.profile);
    case 'no-icon':
      return responses.noIcon(visit);
    case 'failure':
      return responses.failure(visit, outcome);
    default:
      throw new StorageError('InternalError', { detail: 'A visit ended in a look-up.' });
  }
}
