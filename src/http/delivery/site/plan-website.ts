// The plan of a visit to a website as S3 has them. Pure. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/WebsiteEndpoints.html
import type { WebsiteConfiguration } from '../../../domain/bucket-settings.ts';
import type { HeaderProfile } from '../header-profile.ts';
import { isFolder, pageKey, USUAL_INDEX } from './page.ts';
import type { SitePlan, Step } from './plan.ts';
import { findRoutingRule, followAll, followRule, followToFolder, type Visit } from './redirects.ts';

/** `prefix`: what stands before every key of the site. */
export function planWebsite(
  website: WebsiteConfiguration,
  prefix: string,
  visit: Visit,
  profile: HeaderProfile,
): SitePlan {
  const index = website.indexSuffix ?? USUAL_INDEX;
  const meantKey = prefix + pageKey(visit.key, index);
  const always = (redirect: ReturnType<typeof followAll>): SitePlan => ({
    steps: [{ kind: 'redirect', redirect, ifFailure: null }],
    meantKey,
    profile,
    lateProfile: profile,
    isByProtocol: false,
  });
  if (website.redirectAllTo !== null) return always(followAll(website.redirectAllTo, visit));
  const rule = findRoutingRule(website.routingRules, visit.key, null);
  if (rule !== null) return always(followRule(rule, visit));
  const steps: Step[] = [{ kind: 'page', key: meantKey, isForNavigation: false }];
  if (!isFolder(visit.key)) {
    const key = `${prefix}${visit.key}/${index}`;
    steps.push({ kind: 'redirect-if', key, redirect: followToFolder(visit) });
  }
  for (const failure of [403, 404] as const) {
    const after = findRoutingRule(website.routingRules, visit.key, failure);
    if (after !== null)
      steps.push({ kind: 'redirect', redirect: followRule(after, visit), ifFailure: failure });
  }
  if (website.errorKey !== null)
    steps.push({ kind: 'document', key: prefix + website.errorKey, status: null });
  return { steps, meantKey, profile, lateProfile: profile, isByProtocol: false };
}
