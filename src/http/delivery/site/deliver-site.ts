// Sites: public reads at `{bucket}.{website domain}` and at the hosts that owners
// bind, with index and error documents, redirects, lists and pages for people.
// Called by app.ts. What is meant comes from a plan (plan.ts), which follow-plan.ts
// walks; objects are looked up and answered through deliver.ts's own functions. It
// never writes, and never takes a signature.
import type { Core } from '../../../core/core.ts';
import { parseBucketName, parseObjectKey } from '../../../core/parse-names.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import type { HostBinding } from '../../../ports/directory.ts';
import type { HttpRequest } from '../../request.ts';
import { answerPreflight } from '../../s3/preflight.ts';
import { decodePathSegment } from '../../semantics/raw-path.ts';
import { noteFound } from '../count-read.ts';
import { admitAll } from '../features/read-feature.ts';
import { createFollowPlan, type FollowPlanParts, type SiteFound } from './follow-plan.ts';
import { createGuesses } from './guesses.ts';
import { wantsList } from './listing.ts';
import type { Visit } from './redirects.ts';
import { planVisit, prefixOf, readPolicyAt } from './site-planner.ts';
import { createSiteResponses } from './site-responses.ts';
import type { SiteRulesReader } from './site-rules.ts';

/** What sites share with the other ways of delivery. */
export type SiteDeliveryParts = Omit<FollowPlanParts, 'responses'> & {
  find(bucket: BucketName, key: ObjectKey): SiteFound | Promise<SiteFound>;
  readonly rules: SiteRulesReader;
};

/**
 * Where a page of a site is: `rawPath` is '' for the root; `binding` null for
 * `{bucket}.{website domain}`.
 */
export type SiteAddress = {
  readonly rawBucket: string;
  readonly rawPath: string;
  readonly binding: HostBinding | null;
};

/** Rejects only with failures of ours, which app.ts logs. */
export type DeliverSite = (
  request: HttpRequest,
  address: SiteAddress,
  requestId: string,
) => Promise<Response>;

/** Makes it. Cost of a page: that of deliver; of a failure some look-ups more. */
export function createSiteDelivery(core: Core, parts: SiteDeliveryParts): DeliverSite {
  const { profiles, rules, featuresOf } = parts;
  const responses = createSiteResponses(core, featuresOf);
  const followPlan = createFollowPlan(core, { ...parts, responses });
  const guesses = createGuesses();

  return async (request, address, requestId) => {
    request.notes.surface = 'website';
    request.notes.operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    try {
      return await enter(request, address, requestId);
    } catch (error) {
      return responses.renderFailure(error, request, requestId);
    }
  };

  async function enter(
    request: HttpRequest,
    { rawBucket, rawPath, binding }: SiteAddress,
    requestId: string,
  ): Promise<Response> {
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const { method, rawQuery, host, isSecure, knownProtocol = null } = request;
    if (method === 'OPTIONS' && request.header('access-control-request-method') !== null) {
      const preflight = await answerPreflight(core, request, { bucket, key: rawPath });
      return responses.preflight(preflight, requestId);
    }
    if (method !== 'GET' && method !== 'HEAD') {
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });
    }

    const key = decodePathSegment(rawPath);
    const visit: Visit = { key, rawQuery, host, isSecure, knownProtocol };
    const prefix = prefixOf(binding);
    // Read policy and likeliest page in one look.
    const likelyKey = prefix + guesses.of(bucket, key, binding !== null);
    const guess = guessedKey(likelyKey, prefix + key);
    const first = await parts.find(bucket, guess);
    const readPolicy = readPolicyAt(first.readPolicy, binding);
    noteFound(request.notes, { bucket, key: prefix + key }, { tier: first.tier, readPolicy });
    if (readPolicy === null)
      throw new StorageError('NoSuchBucket', { fields: { BucketName: bucket } });

    const features = featuresOf(readPolicy);
    const use = { operationClass: 'B' as const, bytesOut: 0, fromMemory: true };
    if (features.admit.length > 0) await admitAll({ readPolicy, features }, use);

    const siteRules =
      rules.peek(readPolicy, prefix) ?? (await rules.load(bucket, readPolicy, prefix));
    const options = { rules: siteRules, profiles, wantsList: wantsList(rawQuery) };
    const plan = planVisit({ readPolicy, binding }, visit, options);
    if (plan === null)
      throw new StorageError('NoSuchWebsiteConfiguration', { fields: { BucketName: bucket } });
    guesses.learn(bucket, readPolicy);

    const known = new Map<string, SiteFound | null>([[guess, first]]);
    return followPlan({ request, requestId, readPolicy, visit }, { bucket, plan, prefix, known });
  }
}

/**
 * The guess, or what was requested where that is the longest a key can be.
 * KeyTooLongError.
 */
function guessedKey(guess: string, visited: string): ObjectKey {
  try {
    return parseObjectKey(guess);
  } catch (error) {
    if (guess === visited || visited === '') throw error;
    return parseObjectKey(visited);
  }
}
