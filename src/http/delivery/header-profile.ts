// What a bucket's settings and the address of a response do to the headers of its
// objects. A profile is the same object as long as it means the same, so that
// prepared-headers.ts can keep with it what it makes. Called by the full path, the
// fast path and sites.
import {
  createHostingRules,
  type HostingRules,
  SECURITY_HEADERS,
} from '../../core/hosting/hosting-rules.ts';
import { type HeaderChanges, NO_CHANGES } from '../../core/hosting/parse-headers.ts';
import type { HostingSettings } from '../../domain/hosting.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';

export type HeaderProfile = {
  /**
   * Whether the address shares its origin with the console: objects are kept apart
   * from it.
   */
  readonly isSharedOrigin: boolean;
  /**
   * Whether the address is a site's, for browsers: text that names no charset is
   * shown as UTF-8.
   */
  readonly isSite: boolean;
  /** Null for a bucket without hosting settings. */
  readonly rules: HostingRules | null;
  readonly changes: HeaderChanges;
  /** Headers of the request, besides those of CORS, by which the response differs. */
  readonly vary: readonly string[];
};

/** By which a site decides whether a visitor wants a page. */
const NAVIGATION_VARY = ['Accept', 'Sec-Fetch-Mode'] as const;

const NOTHING_ADDED = { rules: null, changes: NO_CHANGES, vary: [] } as const;

/**
 * Profiles of buckets without hosting settings: at their own hosts, at shared ones,
 * as S3's website.
 */
export const PLAIN_PROFILES = {
  own: { isSharedOrigin: false, isSite: false, ...NOTHING_ADDED },
  shared: { isSharedOrigin: true, isSite: false, ...NOTHING_ADDED },
  site: { isSharedOrigin: false, isSite: true, ...NOTHING_ADDED },
} as const satisfies Record<string, HeaderProfile>;

export type HeaderProfiles = {
  /** For objects at S3's addresses. */
  plain(hosting: HostingSettings | null, hasOwnOrigin: boolean): HeaderProfile;
  /**
   * For pages of a site. `file`: what `_headers` says of the path.
   * `isForNavigation`: others get something else there.
   */
  page(
    hosting: HostingSettings | null,
    file: HeaderChanges,
    isForNavigation: boolean,
  ): HeaderProfile;
};

type SettingsProfiles = {
  readonly own: HeaderProfile;
  readonly shared: HeaderProfile;
  readonly pages: WeakMap<
    HeaderChanges,
    { readonly any: HeaderProfile; readonly navigation: HeaderProfile }
  >;
};

/** Cost of a known one: a look-up or two. */
export function createHeaderProfiles(): HeaderProfiles {
  const rulesOf = createHostingRules();
  const known = new WeakMap<HostingSettings, SettingsProfiles>();

  function profilesOf(hosting: HostingSettings): SettingsProfiles {
    let profiles = known.get(hosting);
    if (profiles === undefined) {
      const rules = rulesOf(hosting);
      profiles = {
        own: { ...PLAIN_PROFILES.own, rules },
        shared: { ...PLAIN_PROFILES.shared, rules },
        pages: new WeakMap(),
      };
      known.set(hosting, profiles);
    }
    return profiles;
  }

  return {
    plain(hosting, hasOwnOrigin) {
      const of = hosting === null ? PLAIN_PROFILES : profilesOf(hosting);
      return hasOwnOrigin ? of.own : of.shared;
    },
    page(hosting, file, isForNavigation) {
      if (hosting === null) return PLAIN_PROFILES.site;
      const { own, pages } = profilesOf(hosting);
      let found = pages.get(file);
      if (found === undefined) {
        const any = { ...own, isSite: true, changes: withPreset(hosting, file) };
        found = { any, navigation: { ...any, vary: NAVIGATION_VARY } };
        pages.set(file, found);
      }
      return isForNavigation ? found.navigation : found.any;
    },
  };
}

/** The preset's headers where the file says nothing of them, then the file's. */
function withPreset(hosting: HostingSettings, file: HeaderChanges): HeaderChanges {
  const preset = SECURITY_HEADERS[hosting.securityHeaders];
  if (preset.length === 0) return file;
  const said = new Set([...file.removed, ...file.added.map(([name]) => name)]);
  return {
    removed: file.removed,
    added: [...preset.filter(([name]) => !said.has(name)), ...file.added],
  };
}

/** Changes the record, which is the caller's own, and gives it back. */
export function applyProfile(
  headers: HeaderRecord,
  { changes, vary }: HeaderProfile,
): HeaderRecord {
  for (const name of changes.removed) delete headers[name];
  for (const [name, value] of changes.added) headers[name] = value;
  addVary(headers, vary);
  return headers;
}

/**
 * By which responses tell shared caches alone how long they may keep them. Source:
 * RFC 9213; Edge Architecture 1.0.
 */
export const CDN_KEEPING_HEADERS = [
  'cdn-cache-control',
  'cloudflare-cdn-cache-control',
  'surrogate-control',
] as const;
/** By which responses say how long caches of every kind may keep them. */
const KEEPING_HEADERS = ['cache-control', 'expires', ...CDN_KEEPING_HEADERS] as const;

/**
 * Changes the record as `applyProfile` does, for what may be otherwise in a moment:
 * lists, and that something is not there. How long a path's files keep says nothing
 * of these, or `/assets/*` with a year would make a 404 last as long.
 */
export function applyPassingProfile(headers: HeaderRecord, profile: HeaderProfile): HeaderRecord {
  const own = KEEPING_HEADERS.map((name) => [name, headers[name]] as const);
  applyProfile(headers, profile);
  for (const [name, value] of own) {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
  return headers;
}

/** Adds names to the record's Vary. */
export function addVary(headers: HeaderRecord, names: readonly string[]): void {
  if (names.length === 0) return;
  headers.vary = [...(headers.vary === undefined ? [] : [headers.vary]), ...names].join(', ');
}
