// Whom attempts without a credential are counted on. Called by sign-in, audit and the request limits of the API.
import type { HttpRequest } from '../http/request.ts';
import { parseIp } from '../ports/ip-range.ts';

/** Bytes of an IPv6 address that name the network: whoever has one address there has all of them. Source: RFC 6177 section 2 */
const NETWORK_BYTES = 8;

/** An IPv4 address, or an IPv6 network of 64 bits: `2001:db8:0:0::/64`, however the address was written. */
export function sourceOf({ remoteAddress }: Pick<HttpRequest, 'remoteAddress'>): string {
  if (remoteAddress === null) return 'unknown';
  const bytes = parseIp(remoteAddress);
  if (bytes === null) return remoteAddress;
  if (bytes.length === 4) return bytes.join('.');
  const groups: string[] = [];
  for (let at = 0; at < NETWORK_BYTES; at += 2) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  }
  return `${groups.join(':')}::/64`;
}
