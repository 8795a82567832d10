// Makes the plan of a visit from what the read policy says of the bucket: hosting
// settings first, else S3's website. Called by deliver-site.ts and by the fast path
// (fast-path/visit-site.ts).
import type { BucketReadPolicy } from '../../../domain/nouns.ts';
import type { HostBinding } from '../../../ports/directory.ts';
import { type HeaderProfiles, PLAIN_PROFILES } from '../header-profile.ts';
import type { SitePlan } from './plan.ts';
import { planHosting } from './plan-hosting.ts';
import { planWebsite } from './plan-website.ts';
import type { Visit } from './redirects.ts';
import type { SiteRules } from './site-rules.ts';

/**
 * A site at one of its hosts. `binding` null: the host is `{bucket}.{website
 * domain}`.
 */
export type SiteAt = {
  readonly readPolicy: BucketReadPolicy;
  readonly binding: HostBinding | null;
};

/** What stands before every key of the site. */
export function prefixOf(binding: HostBinding | null): string {
  return binding?.prefix ?? '';
}

/**
 * The read policy; null where the host is bound to an earlier incarnation of the
 * bucket.
 */
export function readPolicyAt(
  readPolicy: BucketReadPolicy | null,
  binding: HostBinding | null,
): BucketReadPolicy | null {
  return binding === null || binding.bucketId === readPolicy?.bucketId ? readPolicy : null;
}

/**
 * Null: the bucket is no site. `wantsList`: of the folder that the path names.
 * Cost: 1 to 3 µs.
 */
export function planVisit(
  { readPolicy, binding }: SiteAt,
  visit: Visit,
  options: {
    readonly rules: SiteRules;
    readonly wantsList: boolean;
    readonly profiles: HeaderProfiles;
  },
): SitePlan | null {
  const { website, hosting } = readPolicy.settings;
  const prefix = prefixOf(binding);
  const { rules, wantsList, profiles } = options;
  if (hosting !== null) return planHosting({ hosting, rules, prefix }, visit, wantsList, profiles);
  return website === null ? null : planWebsite(website, prefix, visit, PLAIN_PROFILES.site);
}
