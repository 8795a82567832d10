// A path of the request's own host as a source in a Content-Security-Policy. Called
// by whoever makes the policy of a page.

/**
 * Hosts that a policy can name: labels of letters, digits and hyphens, IPv4
 * addresses, and a port. Source: https://www.w3.org/TR/CSP3/#grammardef-host-source
 */
const NAMED_HOST = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*(?::\d{1,5})?$/i;
/** Longest host with its port, characters. Source: RFC 1035 section 2.3.4 */
const HOST_MAX_LENGTH = 253 + ':65535'.length;

/**
 * Names a file, or a folder by its final slash. Stored objects may be of the same
 * origin, so `'self'` would let a stored script act as the page; nothing at the path
 * redirects. A policy has no words for an IPv6 address or an underscore: there it is
 * `'self'`.
 */
export function hostSource(host: string, path: string): string {
  if (host.length > HOST_MAX_LENGTH || !NAMED_HOST.test(host)) return "'self'";
  return `${host}${path}`;
}
