// The fast path through a site: it walks the plan that deliver-site.ts walks, over
// what stands in memory. Called by answer-at-once.ts. The plan is kept with its
// path for as long as settings and rules are the same. Whatever is more than a page
// or a redirect takes the full path.
import type { BucketName, BucketReadPolicy, ObjectKey, Pointer } from '../../../domain/nouns.ts';
import { canBePublic, everyoneMayRead } from '../../../domain/pointer.ts';
import type { HotMetadata } from '../../../ports/caches/hot-metadata.ts';
import type { HostBinding } from '../../../ports/directory.ts';
import type { KnownProtocol } from '../../request.ts';
import type { HeaderProfile, HeaderProfiles } from '../header-profile.ts';
import { isNavigation } from '../site/navigation.ts';
import { hasExtension, isFolder, USUAL_INDEX } from '../site/page.ts';
import { type Seen, type SitePlan, walkPlan } from '../site/plan.ts';
import type { Redirect } from '../site/redirects.ts';
import { planVisit, prefixOf } from '../site/site-planner.ts';
import type { SiteRules, SiteRulesReader } from '../site/site-rules.ts';
import type { PlainRead } from './fast-path.ts';

/**
 * A path at a host of a site. read-target.ts keeps one per path, so its plan need
 * not be made anew.
 */
export type SitePath = {
  readonly bucket: BucketName;
  readonly binding: HostBinding | null;
  /** Decoded, without its first slash. */
  readonly path: string;
  readonly host: string;
  /**
   * Keys that the full path looks up first, so that memory knows one of them if it
   * knows the path; see likelyKeys.
   */
  readonly keys: readonly ObjectKey[];
  plan: CachedPlan | null;
};

type CachedPlan = {
  readonly settings: BucketReadPolicy['settings'];
  readonly rules: SiteRules;
  /**
   * How the visitor came for whom it was made; it matters where the plan says so.
   */
  readonly knownProtocol: KnownProtocol;
  readonly plan: SitePlan;
};

/** Tells how the client came; absent where nobody can tell (AnswerAtOnce). */
type ReadProtocol = (() => KnownProtocol) | undefined;

/** What a visit leads to. */
export type FastPathVisit = FastPathPage | FastPathRedirect;

type FastPathPage = {
  readonly kind: 'page';
  readonly readPolicy: BucketReadPolicy;
  readonly pointer: Pointer;
  readonly profile: HeaderProfile;
};

type FastPathRedirect = {
  readonly kind: 'redirect';
  readonly readPolicy: BucketReadPolicy;
  readonly redirect: Redirect;
};

export type SiteVisitOptions = {
  readonly hotMetadata: Pick<HotMetadata, 'peek'>;
  readonly profiles: HeaderProfiles;
  readonly rules: SiteRulesReader;
};

/**
 * Where a path of a site is looked for first, by the ways that sites have their
 * pages.
 */
export function likelyKeys(prefix: string, path: string): readonly string[] {
  if (isFolder(path)) return [prefix + path + USUAL_INDEX];
  return hasExtension(path) ? [prefix + path] : [`${prefix}${path}.html`, prefix + path];
}

/**
 * What the read gets, or null. Cost: that of the look-ups until a step of
 * the plan applies.
 */
export function createSiteVisit(
  options: SiteVisitOptions,
): (site: SitePath, read: PlainRead, readProtocol?: ReadProtocol) => FastPathVisit | null {
  const { hotMetadata, profiles, rules } = options;

  function planOf(
    site: SitePath,
    readPolicy: BucketReadPolicy,
    known: SiteRules,
    readProtocol: ReadProtocol,
  ): SitePlan | null {
    const cached = site.plan;
    const isCurrent =
      cached !== null && cached.settings === readPolicy.settings && cached.rules === known;
    const plan = isCurrent ? cached.plan : makePlan(site, readPolicy, known, null);
    if (plan === null || !plan.isByProtocol) return plan;
    if (readProtocol === undefined) return null;
    const knownProtocol = readProtocol();
    return site.plan?.knownProtocol === knownProtocol
      ? plan
      : makePlan(site, readPolicy, known, knownProtocol);
  }

  function makePlan(
    site: SitePath,
    readPolicy: BucketReadPolicy,
    known: SiteRules,
    knownProtocol: KnownProtocol,
  ): SitePlan | null {
    const { binding, path, host } = site;
    // There is no query. Where a redirect goes by `isSecure`, its target begins with
    // `http:`: isForAnyProtocol leaves it to the full path.
    const visit = { key: path, rawQuery: '', host, isSecure: false, knownProtocol };
    const plan = planVisit({ readPolicy, binding }, visit, {
      rules: known,
      wantsList: false,
      profiles,
    });
    site.plan =
      plan === null ? null : { settings: readPolicy.settings, rules: known, knownProtocol, plan };
    return plan;
  }

  function readPolicyOf({ bucket, keys }: SitePath): BucketReadPolicy | null {
    for (const key of keys) {
      const known = hotMetadata.peek(bucket, key);
      if (known !== null) return known.readPolicy;
    }
    return null;
  }

  return (site, read, readProtocol) => {
    const { bucket, binding } = site;
    const readPolicy = readPolicyOf(site);
    if (readPolicy === null) return null;
    if (binding !== null && binding.bucketId !== readPolicy.bucketId) return null;
    const known = rules.peek(readPolicy, prefixOf(binding));
    const plan = known === null ? null : planOf(site, readPolicy, known, readProtocol);
    if (plan === null) return null;
    const outcome = walkPlan(plan, {
      object(key): Seen {
        if (!canBePublic(readPolicy.access, key)) return 'denied';
        const found = hotMetadata.peek(bucket, key as ObjectKey);
        if (found === null) return 'unknown';
        // Where the policy must be evaluated, the full path does.
        const answer = everyoneMayRead(readPolicy.access, key, found.pointer);
        return answer === 'ask'
          ? 'unknown'
          : answer === 'no'
            ? 'denied'
            : (found.pointer ?? 'missing');
      },
      folder: () => 'unknown',
      isNavigation: () => isNavigation(site.path, read.header),
    });
    if (outcome.kind === 'page') {
      const { pointer, profile } = outcome;
      return { kind: 'page', readPolicy, pointer, profile };
    }
    if (outcome.kind !== 'redirect' || !isForAnyProtocol(outcome.redirect)) return null;
    return { kind: 'redirect', readPolicy, redirect: outcome.redirect };
  };
}

/**
 * Whether a redirect that was made for a visitor over plain HTTP is everyone's: to a
 * path of the same site, or by a protocol of its own.
 */
function isForAnyProtocol({ location }: Redirect): boolean {
  return location.startsWith('/') || location.startsWith('https:');
}
