// A path of the request's own host as a source in a Content-Security-Policy. Called
// by whoever makes the policy of a page.

/**
 * Hosts that a policy can name: labels of letters, digits and hyphens, IPv4
 * addresses, and a port. The dot of a whole name at the end is taken by Chromium 153,
 * measured 2026-11. Source: https://www.w3.org/TR/CSP3/#grammardef-host-source
 */
const NAMED_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.?(?::\d{1,5})?$/i;
/** Other hosts that browsers come to: IPv6 addresses, and labels with underscores. */
const OTHER_HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?)(?::\d{1,5})?$/i;
/** Longest host with its port, characters. Source: RFC 1035 section 2.3.4 */
const HOST_MAX_LENGTH = 253 + ':65535'.length;

/**
 * Names a file, or a folder by its final slash. Stored objects may be of the same
 * origin, so `'self'` would let a stored script act as the page; nothing at the path
 * redirects. A policy has no words for an IPv6 address or an underscore: there it is
 * `'self'`; for what is no host it is `'none'`.
 */
export function hostSource(host: string, path: string): string {
  if (host.length > HOST_MAX_LENGTH) return "'none'";
  if (NAMED_HOST.test(host)) return `${host}${path}`;
  return OTHER_HOST.test(host) ? "'self'" : "'none'";
}
