// Sites: public reads at `{bucket}.{website domain}` and at the hosts that owners bind, with index
// and error documents, redirects, lists and pages for people. What is meant comes from a plan
// (plan.ts); objects are looked up and answered through the same two functions as deliver.ts. Never
// writes, never takes a signature.
import type { CapGuard } from '../../../core/caps/cap-guard.ts';
import type { Core } from '../../../core/core.ts';
import { parseBucketName, parseObjectKey } from '../../../core/parse-names.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { BucketName, BucketReadPolicy, ObjectKey, Pointer } from '../../../domain/nouns.ts';
import { canBePublic } from '../../../domain/pointer.ts';
import type { HostBinding } from '../../../ports/directory.ts';
import type { HttpRequest } from '../../request.ts';
import { answerPreflight } from '../../s3/preflight.ts';
import { decodePathSegment } from '../../semantics/raw-path.ts';
import type { PointerTier } from '../cache-status.ts';
import { readerOf } from '../count-read.ts';
import type { Asked } from '../deliver.ts';
import type { HeaderProfiles } from '../header-profile.ts';
import type { FoundObject } from '../public-reader.ts';
import type { ReceiptOfRead } from '../read-receipt.ts';
import { createGuesses } from './guesses.ts';
import {
  LISTING_PAGE_ROWS,
  type Listing,
  type ListingQuery,
  readListing,
  readListingQuery,
  wantsList,
} from './listing.ts';
import { isNavigation } from './navigation.ts';
import { keysBehind, type Outcome, type Seen, type SitePlan, walkPlan } from './plan.ts';
import type { Visit } from './redirects.ts';
import { createSiteAnswers, type Stay } from './site-answers.ts';
import { planVisit, prefixOf, requireReadPolicy } from './site-planner.ts';
import type { SiteRulesReader } from './site-rules.ts';

/** What was found of a key: by whichever tier, null for "there is none". */
export type SiteFound = {
  readonly readPolicy: BucketReadPolicy | null;
  readonly pointer: Pointer | null;
  readonly tier: PointerTier;
};

/** The two halves of deliver.ts, and what both doors share. */
export type SiteDoor<Found extends SiteFound> = {
  find(bucket: BucketName, key: ObjectKey): Found | Promise<Found>;
  findAll(bucket: BucketName, keys: readonly ObjectKey[]): Promise<readonly Found[]>;
  /** Null: there are none. */
  readonly caps: CapGuard | null;
  /** Conditions, range and body. Throws as deliver does. */
  answer(asked: Asked, found: Found): Response | Promise<Response>;
  /** Whether this visitor may have what was found, or may be told that nothing was. */
  mayRead(request: HttpRequest, found: FoundObject, key: ObjectKey): boolean;
  readonly profiles: HeaderProfiles;
  readonly rules: SiteRulesReader;
  readonly receiptOf: ReceiptOfRead;
};

/**
 * Where a page of a site is: `rawPath` is '' for the root; `binding` null for `{bucket}.{website
 * domain}`.
 */
export type SitePlace = {
  readonly rawBucket: string;
  readonly rawPath: string;
  readonly binding: HostBinding | null;
};

/** Rejects only with failures of ours, which app.ts logs. */
export type DeliverSite = (
  request: HttpRequest,
  place: SitePlace,
  requestId: string,
) => Promise<Response>;

/** Questions of one visit; the longest plan has fewer. */
const QUESTIONS_MAX = 32;

/**
 * Makes the third door of delivery. Cost of a page: that of deliver; of a failure some look-ups
 * more.
 */
export function createSiteDelivery<Found extends SiteFound>(
  core: Core,
  door: SiteDoor<Found>,
): DeliverSite {
  const { profiles, rules } = door;
  const answers = createSiteAnswers(core, door.caps, door.receiptOf);
  const guesses = createGuesses();

  return async (request, place, requestId) => {
    request.notes.surface = 'website';
    request.notes.operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    try {
      return await enter(request, place, requestId);
    } catch (error) {
      return answers.renderFailure(error, request, requestId);
    }
  };

  async function enter(
    request: HttpRequest,
    place: SitePlace,
    requestId: string,
  ): Promise<Response> {
    const { rawBucket, rawPath, binding } = place;
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const { method, rawQuery, host, isSecure, knownProtocol = null } = request;
    const isPreflight =
      method === 'OPTIONS' && request.header('access-control-request-method') !== null;
    if (isPreflight)
      return answers.preflight(
        await answerPreflight(core, request, { bucket, key: rawPath }),
        requestId,
      );
    if (method !== 'GET' && method !== 'HEAD') {
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });
    }
    const visit: Visit = {
      key: decodePathSegment(rawPath),
      rawQuery,
      host,
      isSecure,
      knownProtocol,
    };
    const prefix = prefixOf(binding);
    // Read policy and likeliest page in one look.
    const guess = guessedKey(
      prefix + guesses.of(bucket, visit.key, binding !== null),
      prefix + visit.key,
    );
    const first = await door.find(bucket, guess);
    request.notes.metadataTier = first.tier;
    if (first.tier !== 'memory') request.notes.foundMs = performance.now();
    const readPolicy = requireReadPolicy(first.readPolicy, binding, bucket);
    request.notes.bucket = bucket;
    request.notes.payer = readerOf(readPolicy);
    request.notes.isLogged = readPolicy.settings.logging != null;
    request.notes.key = prefix + visit.key;
    if (readPolicy.settings.isCapped === true) {
      await door.caps?.require(readerOf(readPolicy), {
        operationClass: 'B',
        bytesOut: 0,
        fromMemory: true,
      });
    }
    const isList = wantsList(rawQuery);
    const options = {
      rules: rules.peek(readPolicy, prefix) ?? (await rules.load(bucket, readPolicy, prefix)),
      profiles,
    };
    const plan = planVisit({ readPolicy, binding }, visit, { ...options, wantsList: isList });
    if (plan === null)
      throw new StorageError('NoSuchWebsiteConfiguration', { fields: { BucketName: bucket } });
    guesses.learn(bucket, readPolicy);
    const stay: Stay = { request, requestId, readPolicy, visit };
    return follow(stay, {
      bucket,
      plan,
      prefix,
      known: new Map<string, Found | null>([[guess, first]]),
    });
  }

  type Way = {
    readonly bucket: BucketName;
    readonly plan: SitePlan;
    readonly prefix: string;
    /** What was looked up; null: no key can be that long. */
    readonly known: Map<string, Found | null>;
  };

  /** Walks the plan, looking up what it depends on, and answers. */
  async function follow(stay: Stay, { bucket, plan, prefix, known }: Way): Promise<Response> {
    const { request, readPolicy, visit } = stay;
    const query = readListingQuery(visit.rawQuery, request.header('accept'));
    const folders = new Map<string, Listing | null>();
    const sight = {
      object: (key: string): Seen => seenOf(request, readPolicy, key, known.get(key)),
      folder: (folder: string) =>
        folders.has(folder) ? folders.get(folder) !== null : ('unknown' as const),
      isNavigation: () => isNavigation(visit.key, request.header),
    };
    for (let questions = 0; questions < QUESTIONS_MAX; questions++) {
      const outcome = walkPlan(plan, sight);
      if (outcome.kind === 'ask-object') {
        // What the visit may turn to next is asked with it: one question for an address of an app,
        // not four.
        const next = keysBehind(plan, outcome.key).filter((key) => sight.object(key) === 'unknown');
        await lookUp(bucket, [outcome.key, ...next], prefix + visit.key, known);
      } else if (outcome.kind === 'ask-folder') {
        const isShown = outcome.prefix === prefix + visit.key;
        const part = { prefix: outcome.prefix, root: prefix, after: isShown ? query.after : '' };
        const rows = isShown ? LISTING_PAGE_ROWS : 1;
        folders.set(outcome.prefix, await readListing(core, bucket, { ...part, rows }));
      } else if (outcome.kind === 'page') {
        const found = known.get(outcome.pointer.key);
        if (found !== undefined && found !== null) return showPage(stay, outcome, found);
      } else return show(stay, outcome, query, folders);
    }
    throw new StorageError('InternalError', { detail: 'A plan of a site asks without an end.' });
  }

  function showPage(
    stay: Stay,
    { pointer, profile }: Extract<Outcome, { kind: 'page' }>,
    found: Found,
  ) {
    const { request, requestId } = stay;
    request.notes.key = pointer.key;
    request.notes.objectBytes = pointer.sizeBytes;
    return door.answer(
      { request, requestId, key: pointer.key, hasOwnOrigin: true, profile, wish: null },
      found,
    );
  }

  function show(
    stay: Stay,
    outcome: Outcome,
    query: ListingQuery,
    folders: ReadonlyMap<string, Listing | null>,
  ) {
    switch (outcome.kind) {
      case 'document':
        return answers.document(stay, outcome);
      case 'redirect':
        return answers.redirect(stay, outcome.redirect);
      case 'list':
        return answers.list(stay, folders.get(outcome.prefix) ?? null, query, outcome.profile);
      case 'robots':
        return answers.robots(stay, outcome.text, outcome.profile);
      case 'no-icon':
        return answers.noIcon(stay);
      case 'failure':
        return answers.failure(stay, outcome);
      default:
        throw new StorageError('InternalError', { detail: 'A visit ended in a question.' });
    }
  }

  /** `found`: undefined before it was looked up; where nobody may read, nobody looks. */
  function seenOf(
    request: HttpRequest,
    readPolicy: BucketReadPolicy,
    key: string,
    found: Found | null | undefined,
  ): Seen {
    if (found === null) return 'missing';
    if (!canBePublic(readPolicy.access, key)) return 'denied';
    if (found === undefined) return 'unknown';
    const { pointer } = found;
    // A visitor can't bring the key that a client encrypted an object with.
    if (pointer?.encryption?.kind === 'customer') return 'denied';
    return door.mayRead(request, { readPolicy, pointer }, key as ObjectKey)
      ? (pointer ?? 'missing')
      : 'denied';
  }

  /**
   * Adds what is found of keys. Only the path itself, not what was made of it, can be too long for
   * the visitor to be told.
   */
  async function lookUp(
    bucket: BucketName,
    keys: readonly string[],
    visited: string,
    known: Map<string, Found | null>,
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
    for (const [i, found] of (await door.findAll(bucket, possible)).entries())
      known.set(possible[i] ?? '', found);
  }
}

/** The guess, or what was asked for where that is the longest a key can be. KeyTooLongError. */
function guessedKey(guess: string, visited: string): ObjectKey {
  try {
    return parseObjectKey(guess);
  } catch (error) {
    if (guess === visited || visited === '') throw error;
    return parseObjectKey(visited);
  }
}
