// How the owner of a bucket wants it shown as a website: the `hosting` setting, as
// plain data. core/hosting reads the JSON that owners write and fills in what they
// leave out; delivery acts on it.

/**
 * What becomes of a slash at the end of a page's address. `auto`: as the file is,
 * `docs/index.html` has one.
 */
export type TrailingSlash = 'auto' | 'always' | 'never';

/**
 * Headers that every response of the site has: none, those that break nothing, or
 * those that a careful owner sets.
 */
export type SecurityPreset = 'off' | 'basic' | 'strict';

/**
 * Cache-Control for objects whose `/key` matches the pattern
 * (core/hosting/glob.ts).
 */
export type CacheControlRule = { readonly match: string; readonly cacheControl: string };

/**
 * Which other sites may show objects of the bucket in their pages. HTML is never
 * refused: links must work.
 */
export type HotlinkRules = {
  /**
   * Host names, or `*.example.com` for all below one. The site's own host need not
   * be listed.
   */
  readonly allowedHosts: readonly string[];
  readonly allowEmptyReferer: boolean;
  /** Patterns of `/key`; only what matches one is protected. */
  readonly match: readonly string[];
};

/**
 * Images in other sizes and formats, by parameters of the address (docs/images.md).
 */
export type ImageSettings = {
  /**
   * The widths and heights that everybody may ask for, pixels: few, since each is
   * made and kept. Any other needs the owner's signature. `any`: strangers choose
   * too.
   */
  readonly sizes: readonly number[] | 'any';
  /** Largest width and height, pixels. */
  readonly maxSize: number;
};

/**
 * A host name of the owner's; with a prefix it shows only keys that begin with it,
 * without it.
 */
export type HostedDomain = { readonly host: string; readonly prefix: string };

export type HostingSettings = {
  /** Name of the page that stands for a folder. */
  readonly indexDocument: string;
  /**
   * Page shown with a 404, a path below the site's root; null: a small one of ours.
   */
  readonly errorDocument: string | null;
  /** `/about` shows `about.html`, and `/about.html` leads there. */
  readonly cleanUrls: boolean;
  readonly trailingSlash: TrailingSlash;
  /**
   * Whether visits to pages that don't exist get the root's index document, as a
   * 200.
   */
  readonly spaFallback: boolean;
  /** Whether `_headers` and `_redirects` are read. */
  readonly ruleFiles: boolean;
  /** The first that matches counts, for objects that bring no Cache-Control. */
  readonly cacheControlRules: readonly CacheControlRule[];
  /**
   * Whether objects of types that gain by it go out compressed to readers who can
   * read that.
   */
  readonly compression: boolean;
  /** Null: images go out as they are, whatever the address asks for. */
  readonly images: ImageSettings | null;
  /** Whether objects with a hash in their name may be kept for good. */
  readonly immutableHashedNames: boolean;
  /** Whether folders without an index document are listed. */
  readonly directoryListing: boolean;
  readonly hotlink: HotlinkRules | null;
  readonly securityHeaders: SecurityPreset;
  /** What robots may do where the bucket has no robots.txt. */
  readonly robots: 'allow' | 'disallow';
  readonly domains: readonly HostedDomain[];
};

/** Files at the root of a site that hold rules for it. */
export const SITE_FILE_NAMES = ['_headers', '_redirects'] as const;
export type SiteFileName = (typeof SITE_FILE_NAMES)[number];

/** Whether the key could be such a file of some site. */
export function isSiteFileKey(key: string): boolean {
  const name = key.slice(key.lastIndexOf('/') + 1);
  return SITE_FILE_NAMES.some((known) => known === name);
}

/**
 * The keys that are such files of the sites of a bucket: at its root, and at those
 * of its domains.
 */
export function siteFileKeys({ domains }: Pick<HostingSettings, 'domains'>): string[] {
  const roots = new Set(['', ...domains.map(({ prefix }) => prefix)]);
  return [...roots].flatMap((root) => SITE_FILE_NAMES.map((name) => root + name));
}
