// Whether a connection may carry encryption keys of clients (SSE-C).
import type { HttpRequest } from '../../request.ts';

/**
 * Where clients may send encryption keys from over plain http: this machine,
 * everywhere, or nowhere.
 */
export type KeysOverHttp = 'loopback' | 'always' | 'never';

/**
 * Whether a request may carry a client's encryption key, which everybody on its way
 * can read without TLS. S3 itself takes none over http. Loopback is what the
 * connection says: a Host header is the client's word, and any proxy hands it on.
 */
export function isConfidential(
  request: Pick<HttpRequest, 'isSecure' | 'isFromLoopback'>,
  overHttp: KeysOverHttp,
): boolean {
  if (request.isSecure || overHttp === 'always') return true;
  return overHttp === 'loopback' && request.isFromLoopback?.() === true;
}
