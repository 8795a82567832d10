import { hostNameOf } from '../../core/hosting/host-names.ts';
import type { HttpRequest } from '../request.ts';

/** Hosts from which encryption keys of clients may come over plain http: those that are this machine, all, or none. */
export type KeysOverHttp = 'loopback' | 'always' | 'never';

/** Names and addresses of this machine. Source: RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3 */
const LOOPBACK = /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Whether a request may carry a client's encryption key, which everybody on its way can read without TLS. S3 itself takes
 * none over http. The Host header is the client's word, but so is the key, and it protects nobody else.
 */
export function isConfidential(request: Pick<HttpRequest, 'isSecure' | 'host'>, overHttp: KeysOverHttp): boolean {
  if (request.isSecure || overHttp === 'always') return true;
  return overHttp === 'loopback' && LOOPBACK.test(hostNameOf(request.host));
}
