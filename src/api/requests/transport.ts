// How a request comes from its browser, as far as secrets are concerned: whether
// somebody on the way could read them. Sign-in, its cookies and the console's
// warning go by it.
//
// A proxy that ends TLS may be one that no setting names. Then the browser says it:
// the Origin of a change has the scheme of the page, and Sec-Fetch-Site is sent to
// trustworthy addresses alone. Whoever forges them gets a cookie that browsers keep
// over TLS only, so nothing is won. Source:
// https://www.w3.org/TR/fetch-metadata/#http-headerdef-sec-fetch-site
import { hostNameOf } from '../../core/hosting/host-names.ts';
import { isInRange, parseIp, parseIpRange } from '../../domain/ip-range.ts';
import type { HttpRequest } from '../../http/request.ts';

/**
 * `secure`: over TLS. `local`: to a name of the browser's own machine, which needs
 * none. `private-http`: plain, within a private network. `public-http`: plain over
 * any other; nobody signs in there.
 */
export const TRANSPORTS = ['secure', 'local', 'private-http', 'public-http'] as const;
export type Transport = (typeof TRANSPORTS)[number];

type Way = Pick<HttpRequest, 'isSecure' | 'host' | 'remoteAddress' | 'header'>;

const rangesOf = (texts: readonly string[]) => {
  const ranges = texts.map(parseIpRange);
  return ranges.filter((range) => range !== null);
};

/** Source: RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3 */
const LOOPBACK = rangesOf(['127.0.0.0/8', '::1/128']);
/** Source: RFC 1918 section 3, RFC 3927, RFC 4193 section 3.1, RFC 4291 section 2.5.6 */
const PRIVATE = rangesOf([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
]);

/** How a request came. Never throws. */
export function transportOf(request: Way): Transport {
  if (isOverTls(request)) return 'secure';
  const name = hostOf(request);
  if (isLoopbackName(name)) return 'local';

  const isPrivate = isIn(name, PRIVATE);
  const isFromNear = isIn(request.remoteAddress, PRIVATE) || isIn(request.remoteAddress, LOOPBACK);
  return isPrivate && isFromNear ? 'private-http' : 'public-http';
}

/** Whether the client's own connection is TLS, by the platform or by the browser. */
export function isOverTls(request: Pick<Way, 'isSecure' | 'host' | 'header'>): boolean {
  if (request.isSecure) return true;
  if (request.header('origin')?.startsWith('https://') === true) return true;
  // Plain http to the browser's own machine is trustworthy too.
  return request.header('sec-fetch-site') !== null && !isLoopbackName(hostOf(request));
}

/**
 * The domain that passkeys are bound to at this address; null: browsers have none
 * there, as at every IP address. Source: https://www.w3.org/TR/webauthn-3/#rp-id
 */
export function passkeyDomainOf(request: Way): string | null {
  const name = hostOf(request);
  if (name === '' || parseIp(name) !== null) return null;
  const transport = transportOf(request);
  return transport === 'secure' || transport === 'local' ? name : null;
}

/** The name in the Host header, an IPv6 address without its brackets. */
function hostOf({ host }: Pick<Way, 'host'>): string {
  const name = hostNameOf(host);
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
}

/** Source: RFC 6761 section 6.3 */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || isIn(name, LOOPBACK);
}

function isIn(text: string | null, ranges: ReturnType<typeof rangesOf>): boolean {
  const address = text === null ? null : parseIp(text);
  return address !== null && ranges.some((range) => isInRange(address, range));
}
