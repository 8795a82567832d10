// What a site does with one visit: a list of steps, tried in order until one
// applies. A plan is made from settings and path alone (plan-website.ts for S3's
// websites, plan-hosting.ts for ours); walking it asks which objects there are. The
// full path and the fast path walk the same plan, the latter in memory alone, so
// they can't disagree. Pure.
import type { Pointer } from '../../../domain/nouns.ts';
import type { HeaderProfile } from '../header-profile.ts';
import type { Redirect } from './redirects.ts';

export type Step =
  /** The object, with conditions and ranges. */
  | { readonly kind: 'page'; readonly key: string; readonly isForNavigation: boolean }
  /** The object with the status of an error; null: that of the failure. */
  | { readonly kind: 'document'; readonly key: string; readonly status: 404 | null }
  /** Away, if the object is there. */
  | { readonly kind: 'redirect-if'; readonly key: string; readonly redirect: Redirect }
  /** Away; with `ifFailure` only after that failure. */
  | { readonly kind: 'redirect'; readonly redirect: Redirect; readonly ifFailure: Failure | null }
  /** The list of a folder that has anything in it. */
  | { readonly kind: 'list'; readonly prefix: string }
  /** To the folder, if it has anything in it. */
  | { readonly kind: 'redirect-if-any'; readonly prefix: string; readonly redirect: Redirect }
  /** What a site has that did not think of it. */
  | { readonly kind: 'robots'; readonly text: string }
  | { readonly kind: 'no-icon' }
  /** Nothing, whatever comes behind. */
  | { readonly kind: 'missing' };

/** 403: the visitor may not even know whether there is such an object. */
export type Failure = 403 | 404;

export type SitePlan = {
  /** Keys as they stand in the bucket, the site's prefix included. */
  readonly steps: readonly Step[];
  /**
   * The key by which the failure is decided: what the visitor most likely meant.
   */
  readonly meantKey: string;
  /** The headers of every step before the first that is for navigation only. */
  readonly profile: HeaderProfile;
  /** The headers of that step, and of all behind it. */
  readonly lateProfile: HeaderProfile;
  /**
   * Whether the same path may have another plan for those who come by another
   * protocol.
   */
  readonly isByProtocol: boolean;
};

/**
 * What is known of a key: the object, if everyone may read it; `unknown` must be
 * asked for.
 */
export type Seen = Pointer | 'missing' | 'denied' | 'unknown';

/** What walking needs to know; each is asked only when a step depends on it. */
export type Sight = {
  object(key: string): Seen;
  /** Whether anything public has the prefix. */
  folder(prefix: string): boolean | 'unknown';
  /** Whether the visitor wants a page to look at, rather than a part of one. */
  isNavigation(): boolean;
};

export type Outcome =
  | { readonly kind: 'ask-object'; readonly key: string }
  | { readonly kind: 'ask-folder'; readonly prefix: string }
  | { readonly kind: 'page'; readonly pointer: Pointer; readonly profile: HeaderProfile }
  | {
      readonly kind: 'document';
      readonly pointer: Pointer;
      readonly status: Failure;
      readonly profile: HeaderProfile;
    }
  | { readonly kind: 'redirect'; readonly redirect: Redirect }
  | { readonly kind: 'list'; readonly prefix: string; readonly profile: HeaderProfile }
  | { readonly kind: 'robots'; readonly text: string; readonly profile: HeaderProfile }
  | { readonly kind: 'no-icon' }
  | { readonly kind: 'failure'; readonly status: Failure; readonly profile: HeaderProfile };

/**
 * What comes of a plan, or what must be asked first. Cost: a look at each key until
 * a step applies.
 */
export function walkPlan(plan: SitePlan, sight: Sight): Outcome {
  const { steps, profile, lateProfile } = plan;
  let current = profile;
  for (const step of steps) {
    if (step.kind === 'page' && step.isForNavigation) {
      current = lateProfile;
      if (!sight.isNavigation()) continue;
    }
    const outcome = tryStep(step, plan, sight, current);
    if (outcome !== null) return outcome;
  }
  const status = failureOf(plan, sight);
  return typeof status === 'number' ? { kind: 'failure', status, profile: current } : status;
}

/** Null: the step does not apply. */
function tryStep(step: Step, plan: SitePlan, sight: Sight, profile: HeaderProfile): Outcome | null {
  switch (step.kind) {
    case 'robots':
      return { ...step, profile };
    case 'no-icon':
      return step;
    case 'missing':
      return { kind: 'failure', status: 404, profile };
    case 'redirect': {
      const status = step.ifFailure === null ? null : failureOf(plan, sight);
      if (typeof status === 'object' && status !== null) return status;
      return status === step.ifFailure ? { kind: 'redirect', redirect: step.redirect } : null;
    }
    case 'list':
    case 'redirect-if-any': {
      const hasAny = sight.folder(step.prefix);
      if (hasAny === 'unknown') return { kind: 'ask-folder', prefix: step.prefix };
      if (!hasAny) return null;
      return step.kind === 'list'
        ? { kind: 'list', prefix: step.prefix, profile }
        : { kind: 'redirect', redirect: step.redirect };
    }
    default:
      return tryObject(step, plan, sight, profile);
  }
}

function tryObject(
  step: Extract<Step, { readonly key: string }>,
  plan: SitePlan,
  sight: Sight,
  profile: HeaderProfile,
): Outcome | null {
  const pointer = sight.object(step.key);
  if (pointer === 'unknown') return { kind: 'ask-object', key: step.key };
  if (typeof pointer === 'string') return null;
  if (step.kind === 'redirect-if') return { kind: 'redirect', redirect: step.redirect };
  const location = pointer.headers.websiteRedirectLocation;
  if (location !== undefined && step.kind === 'page')
    return { kind: 'redirect', redirect: { status: 301, location } };
  if (step.kind === 'page') return { kind: 'page', pointer, profile };
  const status = step.status ?? failureOf(plan, sight);
  return typeof status === 'number' ? { kind: 'document', pointer, status, profile } : status;
}

/** Why there is no page, or what must be asked to say so. */
function failureOf({ meantKey }: SitePlan, sight: Sight): Failure | Outcome {
  const seen = sight.object(meantKey);
  if (seen === 'unknown') return { kind: 'ask-object', key: meantKey };
  return seen === 'denied' ? 403 : 404;
}

/**
 * Keys that the steps behind the one with `key` look at, up to the first that looks
 * at none.
 */
export function keysBehind({ steps }: SitePlan, key: string): string[] {
  const at = steps.findIndex((step) => 'key' in step && step.key === key);
  const keys: string[] = [];
  for (const step of at === -1 ? [] : steps.slice(at + 1)) {
    if (!('key' in step)) break;
    if (step.key !== key) keys.push(step.key);
  }
  return keys;
}
