// Requests that concern the server as a whole: `OPTIONS *`, and HTTP/1.0 without a
// host. serve.ts calls it on the way to the app; the app and @hono/node-server
// would refuse both.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Methods of all surfaces together. */
export const METHODS = 'GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS';
/** A host that no bucket can have: the service itself. */
const NO_HOST = 'localhost';

/**
 * Responds to `OPTIONS *`. False: it is another request. Source: RFC 9110 section
 * 9.3.7.
 */
export function respondForServer(
  { method, url }: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  if (url !== '*' || method !== 'OPTIONS') return false;
  outgoing.writeHead(204, { Allow: METHODS }).end();
  return true;
}

/**
 * Adds a Host to HTTP/1.0 without one, as health checks send it. Source: RFC 9112
 * section 3.2.
 */
export function assumeHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.0' && !headers.host) headers.host = NO_HOST;
}
