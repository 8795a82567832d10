import type { HttpRequest } from '../http/request.ts';

/** Whom attempts are counted on. An IPv6 network is one source: whoever has one address there has all of them. */
export function sourceOf({ remoteAddress }: Pick<HttpRequest, 'remoteAddress'>): string {
  if (remoteAddress === null) return 'unknown';
  const isV6 = remoteAddress.includes(':') && !remoteAddress.includes('.');
  return isV6 ? remoteAddress.split(':').slice(0, 4).join(':') : remoteAddress;
}
