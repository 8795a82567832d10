// Whom attempts without a credential are counted on. Called by sign-in, audit and the request limits of the API.
import type { HttpRequest } from '../http/request.ts';
import { networkOf } from '../ports/ip-range.ts';

/** An IPv4 address, or an IPv6 network of 64 bits: `2001:db8:0:0::/64`, however the address was written. */
export function sourceOf({ remoteAddress }: Pick<HttpRequest, 'remoteAddress'>): string {
  return networkOf(remoteAddress);
}
