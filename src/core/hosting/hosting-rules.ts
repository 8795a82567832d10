// Hosting settings compiled to rules for one object: Cache-Control, hotlink
// protection and the headers of the security preset. Compiled once per settings
// object, and cached as long as it lives. Called by delivery.
import type { HostingSettings, SecurityPreset } from '../../domain/hosting.ts';
import { compileGlobs } from './compile-globs.ts';
import { hasHashedName } from './hashed-names.ts';
import { hostNameOf } from './host-names.ts';

/** Compiled hosting settings. */
export type HostingRules = {
  /** Whether objects of compressible types are sent compressed. */
  readonly isCompressed: boolean;
  /** Cache-Control of an object that has none of its own; null: no rule applies. */
  cacheControlOf(key: string): string | null;
  /**
   * Whether hotlink protection covers an object. It never covers pages: links to
   * them must work.
   */
  isProtected(key: string, contentType: string): boolean;
  /**
   * Whether a page of that Referer may show protected objects. `host`: of the
   * request.
   */
  allowsReferer(referer: string | null, host: string): boolean;
};

/** Cache-Control for good, as a year. Source: RFC 8246 */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const BASIC = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'strict-origin-when-cross-origin'],
  ['x-frame-options', 'SAMEORIGIN'],
] as const;

/**
 * The headers of each preset. Browsers ignore Strict-Transport-Security without
 * TLS.
 */
export const SECURITY_HEADERS: Readonly<
  Record<SecurityPreset, readonly (readonly [name: string, value: string])[]>
> = {
  off: [],
  basic: BASIC,
  strict: [
    ['x-content-type-options', 'nosniff'],
    ['referrer-policy', 'no-referrer'],
    ['x-frame-options', 'DENY'],
    ['strict-transport-security', 'max-age=31536000'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['permissions-policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ],
};

/**
 * Creates the compiler with its cache of rules. Cost of cached rules: a look-up.
 */
export function createHostingRules(): (settings: HostingSettings) => HostingRules {
  const cache = new WeakMap<HostingSettings, HostingRules>();
  return (settings) => {
    let rules = cache.get(settings);
    if (rules === undefined) {
      rules = compile(settings);
      cache.set(settings, rules);
    }
    return rules;
  };
}

function compile({
  cacheControlRules,
  compression,
  immutableHashedNames,
  hotlink,
  domains,
}: HostingSettings): HostingRules {
  const cacheGlobs = compileGlobs(cacheControlRules.map(({ match }) => match));
  const protectedGlobs = compileGlobs(hotlink?.match ?? []);
  const allowedHosts = [...(hotlink?.allowedHosts ?? []), ...domains.map(({ host }) => host)];
  return {
    // Absent in settings that were stored before it existed.
    isCompressed: compression !== false,
    cacheControlOf(key) {
      const rule = cacheControlRules[cacheGlobs.firstMatch(`/${key}`)];
      if (rule !== undefined) return rule.cacheControl;
      return immutableHashedNames && hasHashedName(key) ? IMMUTABLE : null;
    },
    isProtected(key, contentType) {
      if (hotlink === null || /^text\/html\b/i.test(contentType)) return false;
      // Settings from before patterns had a bound: what can't be matched is
      // protected.
      return protectedGlobs.leftOut > 0 || protectedGlobs.firstMatch(`/${key}`) !== -1;
    },
    allowsReferer(referer, host) {
      if (hotlink === null) return true;
      if (referer === null || referer.trim() === '') return hotlink.allowEmptyReferer;
      const name = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(referer.trim())?.[1];
      if (name === undefined) return false;
      const site = hostNameOf(name);
      return site === hostNameOf(host) || allowedHosts.some((pattern) => isWithin(site, pattern));
    },
  };
}

/**
 * Whether a site matches a host pattern; `*.example.com` is every name below
 * example.com.
 */
function isWithin(site: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? site.endsWith(pattern.slice(1)) : site === pattern;
}
