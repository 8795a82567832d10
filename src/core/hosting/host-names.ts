// Host names from requests and owners, and which of them can be bound to a bucket.
// Called for the Host header of every request, and before a domain is bound. Pure.

/** The domain of the platform, whose sub-domains are Workers' own addresses. */
const PLATFORM_DOMAIN = 'workers.dev';
/** Longest host name. Source: RFC 1035 section 2.3.4 */
export const HOST_MAX_LENGTH = 253;

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const DIGITS = /^\d+$/;

/**
 * Reads the name in a Host header: in lower case, without a port or a dot at the
 * end.
 */
export function hostNameOf(host: string): string {
  const portAt = host.lastIndexOf(':');
  const name = portAt > host.lastIndexOf(']') ? host.slice(0, portAt) : host;
  return (name.endsWith('.') ? name.slice(0, -1) : name).toLowerCase();
}

/**
 * Whether a name can be bound to a bucket: a domain name that is not the service's
 * own, nor below one that is. Addresses and names without a dot belong to this
 * machine.
 */
export function isBindableHost(name: string, ownHosts: readonly string[]): boolean {
  if (name.length > HOST_MAX_LENGTH || !isHostName(name)) return false;
  const isWithin = (domain: string) => name === domain || name.endsWith(`.${domain}`);
  return !isWithin(PLATFORM_DOMAIN) && !isWithin('localhost') && !ownHosts.some(isWithin);
}

/**
 * Whether a name has two labels at least, and a last one that no IPv4 address has.
 */
function isHostName(name: string): boolean {
  const labels = name.split('.');
  return (
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    !DIGITS.test(labels.at(-1) ?? '')
  );
}
