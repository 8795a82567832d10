// The plan of a visit to a site with hosting settings: rules of `_redirects`, clean
// addresses, slashes at the end, lists of folders, fallback and error document, in
// the order that docs/hosting.md tells. Pure.
import type { FoundRule, RedirectRule } from '../../../core/hosting/parse-redirects.ts';
import { decodeLeniently, fillTemplate } from '../../../core/hosting/path-pattern.ts';
import { type HostingSettings, SITE_FILE_NAMES } from '../../../domain/hosting.ts';
import type { HeaderProfiles } from '../header-profile.ts';
import { hasExtension, isFolder } from './page.ts';
import type { SitePlan, Step } from './plan.ts';
import { stepsToTarget } from './redirect-loop-check.ts';
import {
  followTemplate,
  followToPath,
  isUrlOfHost,
  type Redirect,
  type Target,
  type Visit,
  withoutQuery,
} from './redirects.ts';
import type { SiteRules } from './site-rules.ts';

/** Everything that a plan is made of. */
export type HostedSite = {
  readonly hosting: HostingSettings;
  readonly rules: SiteRules;
  /** What stands before every key of the site. */
  readonly prefix: string;
};

const PAGE_EXTENSION = '.html';
/**
 * Longest place that a rule may send to, characters: more than clients and proxies
 * take as a header. `:splat` a hundred times would make a body of a Location, which
 * no bill counts.
 */
const LOCATION_MAX_LENGTH = 8192;
/**
 * The status of redirects to the one address of a page; keeps the method, as
 * Cloudflare Pages does.
 */
const CANONICAL = 308;

/**
 * `wantsList`: the visitor asks for the list of a folder even where there is a
 * page.
 */
export function planHosting(
  site: HostedSite,
  visit: Visit,
  wantsList: boolean,
  profiles: HeaderProfiles,
): SitePlan {
  const { hosting, rules, prefix } = site;
  const { key } = visit;
  const path = `/${key}`;
  const changes = rules.headers.changesFor(path);
  const firm = rules.redirects.findFirm(path);
  const steps: Step[] = [];
  if (wantsList && hosting.directoryListing && isFolder(key))
    steps.push({ kind: 'list', prefix: prefix + key });
  const isDone = addRule(steps, site, visit, firm);
  const weak = isDone ? null : rules.redirects.findWeak(path);
  const meant = candidatesOf(hosting, key);
  if (!isDone) {
    if (!isRuleFile(key)) addPages(steps, site, visit);
    addDefaults(steps, hosting, key);
    if (!addRule(steps, site, visit, weak)) addFallbacks(steps, site);
  }
  return {
    steps,
    meantKey: prefix + (meant[0] ?? key),
    profile: profiles.page(hosting, changes, false),
    lateProfile: profiles.page(hosting, changes, true),
    isByProtocol: [firm, weak].some((found) => found !== null && isUrlOfHost(found.rule, visit)),
  };
}

/** The files of rules are for us. */
function isRuleFile(key: string): boolean {
  return SITE_FILE_NAMES.some((name) => name === key);
}

/** Adds what a rule wants. True: nothing behind it can apply. */
function addRule(steps: Step[], site: HostedSite, visit: Visit, found: FoundRule | null): boolean {
  if (found === null) return false;
  const { rule, captures } = found;
  if (rule.status !== 200 && rule.status !== 404) {
    const target = followTemplate(rule, captures, visit);
    // The visitor's own query is as long as it came.
    if (target.redirect.location.length > LOCATION_MAX_LENGTH + visit.rawQuery.length) return false;
    // A rule that leads to where the visitor is would lead there for ever.
    if (target.key === visit.key) return false;
    addRedirect(steps, site, visit, { rule, target });
    return true;
  }
  // Cut before it is filled: a visitor's `%23` or `%3F` is part of a key.
  const template = withoutQuery(rule.to);
  const target = decodeLeniently(fillTemplate(template, captures, encodeURIComponent)).slice(1);
  const keys = candidatesOf(site.hosting, target).map((key) => site.prefix + key);
  if (rule.status === 200) {
    steps.push(...keys.map((key): Step => ({ kind: 'page', key, isForNavigation: false })));
    return false;
  }
  steps.push(...keys.map((key): Step => ({ kind: 'document', key, status: 404 })));
  addErrorDocument(steps, site);
  steps.push({ kind: 'missing' });
  return true;
}

function addRedirect(
  steps: Step[],
  site: HostedSite,
  visit: Visit,
  { rule, target }: { readonly rule: RedirectRule; readonly target: Target },
): void {
  const { redirect, key } = target;
  const there: Step[] = [];
  const ruleThere = key === null ? null : site.rules.redirects.findFirm(`/${key}`);
  // Where another rule is for that path, its page has no say.
  if (key !== null && (ruleThere === null || ruleThere.rule === rule))
    addPages(there, site, { ...visit, key });
  steps.push(...stepsToTarget(redirect, there, canonical(visit, visit.key).location));
}

/**
 * Keys that a path can mean, the likeliest first: for one without an extension that
 * is a page.
 */
function candidatesOf({ indexDocument, cleanUrls }: HostingSettings, path: string): string[] {
  if (isFolder(path)) return [path + indexDocument];
  if (!cleanUrls) return [path];
  const page = path + PAGE_EXTENSION;
  return hasExtension(path) ? [path, page] : [page, path];
}

/** The object that the path means, or the way to the one address that it has. */
function addPages(steps: Step[], { hosting, prefix }: HostedSite, visit: Visit): void {
  const { indexDocument, cleanUrls, trailingSlash, directoryListing } = hosting;
  const { key } = visit;
  const show = (name: string) =>
    steps.push({ kind: 'page', key: prefix + name, isForNavigation: false });
  const move = (name: string, to: string) =>
    steps.push({ kind: 'redirect-if', key: prefix + name, redirect: canonical(visit, to) });

  if (isFolder(key)) {
    const bare = key.slice(0, -1);
    const index = key + indexDocument;
    if (key === '' || trailingSlash !== 'never') show(index);
    else move(index, bare);
    if (cleanUrls && bare !== '') {
      if (trailingSlash === 'always') show(bare + PAGE_EXTENSION);
      else move(bare + PAGE_EXTENSION, bare);
    }
    if (directoryListing) steps.push({ kind: 'list', prefix: prefix + key });
    return;
  }
  const clean = cleanUrls ? cleanAddress(hosting, key) : null;
  if (clean !== null) move(key, clean);
  for (const name of candidatesOf(hosting, key)) {
    if (name === key || trailingSlash !== 'always') show(name);
    else move(name, `${key}/`);
  }
  if (trailingSlash === 'never') show(`${key}/${indexDocument}`);
  else move(`${key}/${indexDocument}`, `${key}/`);
  if (directoryListing) {
    steps.push({
      kind: 'redirect-if-any',
      prefix: `${prefix}${key}/`,
      redirect: canonical(visit, `${key}/`),
    });
  }
}

/**
 * Where a page is that is asked for by the name of its file; null for other files.
 */
function cleanAddress(
  { indexDocument, trailingSlash }: HostingSettings,
  key: string,
): string | null {
  const nameAt = key.lastIndexOf('/') + 1;
  if (key.slice(nameAt) === indexDocument) {
    const folder = key.slice(0, nameAt);
    return trailingSlash === 'never' ? folder.slice(0, -1) : folder;
  }
  if (!key.endsWith(PAGE_EXTENSION) || key.length - nameAt === PAGE_EXTENSION.length) return null;
  const bare = key.slice(0, -PAGE_EXTENSION.length);
  return trailingSlash === 'always' ? `${bare}/` : bare;
}

function canonical(visit: Visit, path: string): Redirect {
  return followToPath(CANONICAL, path, visit);
}

/**
 * What every site is asked for, answered also where the owner did not think of it.
 */
function addDefaults(steps: Step[], { robots }: HostingSettings, key: string): void {
  if (key === 'robots.txt') {
    steps.push({
      kind: 'robots',
      text: `User-agent: *\n${robots === 'allow' ? 'Allow' : 'Disallow'}: /\n`,
    });
  } else if (key === 'favicon.ico') steps.push({ kind: 'no-icon' });
}

function addFallbacks(steps: Step[], { hosting, prefix }: HostedSite): void {
  if (hosting.spaFallback)
    steps.push({ kind: 'page', key: prefix + hosting.indexDocument, isForNavigation: true });
  addErrorDocument(steps, { hosting, prefix });
}

function addErrorDocument(
  steps: Step[],
  { hosting, prefix }: Pick<HostedSite, 'hosting' | 'prefix'>,
): void {
  if (hosting.errorDocument === null) return;
  steps.push({ kind: 'document', key: prefix + hosting.errorDocument, status: null });
}
