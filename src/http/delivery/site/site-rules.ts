// The rules of a site's `_headers` and `_redirects`, parsed once per version and
// kept near the reader. Which versions count stands in the read policy, so a site
// without such files costs nothing, and one with them a look-up. A file that can't
// be read now leaves the rules that were known before; a site is never shown
// without its rules because something failed. Where index or bucket say nothing,
// one visitor at a time finds out, and none who can have the rules of before.
import type { Core } from '../../../core/core.ts';
import {
  type HeaderRules,
  NO_HEADER_RULES,
  parseHeaders,
} from '../../../core/hosting/parse-headers.ts';
import {
  NO_REDIRECTS,
  parseRedirects,
  type RedirectRules,
} from '../../../core/hosting/parse-redirects.ts';
import { readRuleFile } from '../../../core/hosting/read-rule-file.ts';
import { ruleFileKey } from '../../../core/hosting/rule-lines.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { SiteFileName } from '../../../domain/hosting.ts';
import type { BucketName, BucketReadPolicy, VersionId } from '../../../domain/nouns.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';

export type SiteRules = { readonly headers: HeaderRules; readonly redirects: RedirectRules };

export const NO_RULES: SiteRules = { headers: NO_HEADER_RULES, redirects: NO_REDIRECTS };

export type SiteRulesReader = {
  /**
   * The rules of the site with that root, at once; null when a file must be read
   * first.
   */
  peek(readPolicy: BucketReadPolicy, prefix: string): SiteRules | null;
  /**
   * Reads what is needed. Rejects with failures of the index or the bucket, and
   * with ServiceUnavailable for a while after they said nothing. Cost: an index
   * call and a read per file.
   */
  load(bucket: BucketName, readPolicy: BucketReadPolicy, prefix: string): Promise<SiteRules>;
};

/** Versions of the two files; null: there is none. */
type Versions = { readonly headers: VersionId | null; readonly redirects: VersionId | null };
type CacheEntry = Versions & { readonly rules: SiteRules; readonly sizeBytes: number };

/**
 * Parsed files of one reader, bytes of their texts together; they take some times
 * that.
 */
const CACHE_MAX_BYTES = 2 * 1024 * 1024;
/** What an entry costs besides. */
const OVERHEAD_BYTES = 512;

/**
 * How long the files of a site are left alone when they could not be had,
 * milliseconds.
 */
const PAUSE_MS = 2_000;
/**
 * For so long after that nobody waits for them who can have the rules of before,
 * milliseconds.
 */
const DOUBTED_MS = 10_000;

/** Makes an empty one. */
export function createSiteRulesReader(core: Core): SiteRulesReader {
  const { background, clock } = core.ports;
  const cache = new Map<string, CacheEntry>();
  const breaker = createCircuitBreaker(clock, PAUSE_MS);
  const doubted = createCircuitBreaker(clock, DOUBTED_MS);
  let cachedBytes = 0;

  function keep(name: string, entry: CacheEntry): void {
    cachedBytes += entry.sizeBytes - (cache.get(name)?.sizeBytes ?? 0);
    cache.delete(name);
    cache.set(name, entry);
    // The one that was loaded longest ago leaves first.
    for (const [oldest, { sizeBytes }] of cache) {
      if (cachedBytes <= CACHE_MAX_BYTES || oldest === name) break;
      cache.delete(oldest);
      cachedBytes -= sizeBytes;
    }
  }

  /** Reads the files, and keeps what they say. */
  async function renew(
    bucket: BucketName,
    name: string,
    prefix: string,
    versions: Versions,
  ): Promise<SiteRules> {
    const read = async (file: SiteFileName, version: VersionId | null): Promise<string | null> => {
      const found =
        version === null ? null : await readRuleFile(core, bucket, ruleFileKey(prefix, file));
      return found !== null && 'text' in found ? found.text : null;
    };
    try {
      const [headers, redirects] = await Promise.all([
        read('_headers', versions.headers),
        read('_redirects', versions.redirects),
      ]);
      const rules = {
        headers: headers === null ? NO_HEADER_RULES : parseHeaders(headers),
        redirects: redirects === null ? NO_REDIRECTS : parseRedirects(redirects),
      };
      // The index is at least as new as the read policy: what it gave counts for
      // the version that the read policy names too.
      const sizeBytes = OVERHEAD_BYTES + (headers?.length ?? 0) + (redirects?.length ?? 0);
      keep(name, { ...versions, rules, sizeBytes });
      breaker.end(name);
      doubted.end(name);
      return rules;
    } catch (error) {
      if (hasCode(error, 'ServiceUnavailable')) {
        breaker.begin(name);
        doubted.begin(name);
      }
      throw error;
    }
  }

  return {
    peek(readPolicy, prefix) {
      const versions = versionsIn(readPolicy, prefix);
      if (versions === null) return NO_RULES;
      const entry = cache.get(nameOf(readPolicy, prefix));
      return entry !== undefined && isSame(entry, versions) ? entry.rules : null;
    },
    async load(bucket, readPolicy, prefix) {
      const versions = versionsIn(readPolicy, prefix);
      if (versions === null) return NO_RULES;
      const name = nameOf(readPolicy, prefix);
      const known = cache.get(name);
      if (known !== undefined && isSame(known, versions)) return known.rules;
      if (breaker.isOn(name)) {
        if (known !== undefined) return known.rules;
        throw new StorageError('ServiceUnavailable', {
          cause: 'the rules of the site could not be had',
        });
      }
      // When the wait is over, the first caller is let through, to see.
      breaker.renew(name);
      const renewing = renew(bucket, name, prefix, versions);
      if (known === undefined) return renewing;
      const orKnown = renewing.catch(() => known.rules);
      if (!doubted.isOn(name)) return orKnown;
      background.run('site-rules', () => orKnown);
      return known.rules;
    },
  };
}

function nameOf({ bucketId }: BucketReadPolicy, prefix: string): string {
  return `${bucketId}/${prefix}`;
}

/** Null: the site has no such file, or the owner does not want them read. */
function versionsIn({ settings, siteFiles }: BucketReadPolicy, prefix: string): Versions | null {
  if (siteFiles === undefined || siteFiles.length === 0 || settings.hosting?.ruleFiles !== true)
    return null;
  const versionOf = (key: string) => siteFiles.find((file) => file.key === key)?.versionId ?? null;
  const headers = versionOf(ruleFileKey(prefix, '_headers'));
  const redirects = versionOf(ruleFileKey(prefix, '_redirects'));
  return headers === null && redirects === null ? null : { headers, redirects };
}

function isSame(one: Versions, other: Versions): boolean {
  return one.headers === other.headers && one.redirects === other.redirects;
}
