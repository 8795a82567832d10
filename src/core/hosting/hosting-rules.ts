// What hosting settings say of one object, made once per settings and kept with them:
// Cache-Control, protection against other sites that show it, and the headers of the security
// preset. Pure.
import type { HostingSettings, SecurityPreset } from '../../domain/hosting.ts';
import { compileGlobs } from './compile-globs.ts';
import { hasHashedName } from './hashed-names.ts';
import { hostNameOf } from './host-names.ts';

export type HostingRules = {
  /** Whether objects of types that gain by it go out compressed. */
  readonly isCompressed: boolean;
  /** For an object that brings none; null: nobody said. */
  cacheControlOf(key: string): string | null;
  /** Whether only allowed sites may show it. Pages never are: links to them must work. */
  isProtected(key: string, contentType: string): boolean;
  /**
   * Whether a page with that Referer may show protected objects. `host`: the Host header of the
   * request.
   */
  allowsReferer(referer: string | null, host: string): boolean;
};

/** A year: what RFC 9111 and browsers take for "for good". Source: RFC 8246 */
const IMMUTABLE = 'public, max-age=31536000, immutable';

const BASIC = [
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'strict-origin-when-cross-origin'],
  ['x-frame-options', 'SAMEORIGIN'],
] as const;

/**
 * The headers of each preset. Browsers leave Strict-Transport-Security out of account where there
 * is no TLS.
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

/** Makes the memo. Cost of a known one: a look-up. */
export function createHostingRules(): (settings: HostingSettings) => HostingRules {
  const known = new WeakMap<HostingSettings, HostingRules>();
  return (settings) => {
    let rules = known.get(settings);
    if (rules === undefined) {
      rules = compile(settings);
      known.set(settings, rules);
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
  const cached = compileGlobs(cacheControlRules.map(({ match }) => match));
  const guarded = compileGlobs(hotlink?.match ?? []);
  const allowed = [...(hotlink?.allowedHosts ?? []), ...domains.map(({ host }) => host)];
  return {
    // Settings that were stored before there was this one say nothing of it.
    isCompressed: compression !== false,
    cacheControlOf(key) {
      const rule = cacheControlRules[cached.firstMatch(`/${key}`)];
      if (rule !== undefined) return rule.cacheControl;
      return immutableHashedNames && hasHashedName(key) ? IMMUTABLE : null;
    },
    isProtected(key, contentType) {
      if (hotlink === null || /^text\/html\b/i.test(contentType)) return false;
      // Settings from before their patterns had a bound: what can't be compared is rather not
      // shown.
      return guarded.leftOut > 0 || guarded.firstMatch(`/${key}`) !== -1;
    },
    allowsReferer(referer, host) {
      if (hotlink === null) return true;
      if (referer === null || referer.trim() === '') return hotlink.allowEmptyReferer;
      const name = /^https?:\/\/(?:[^/?#@]*@)?([^/?#]+)/i.exec(referer.trim())?.[1];
      if (name === undefined) return false;
      const site = hostNameOf(name);
      return site === hostNameOf(host) || allowed.some((pattern) => isWithin(site, pattern));
    },
  };
}

/** `*.example.com` is every name below example.com. */
function isWithin(site: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? site.endsWith(pattern.slice(1)) : site === pattern;
}
