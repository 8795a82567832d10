// What HTTP asks of a server before it has pages: an answer to `OPTIONS *`, and one for clients of
// HTTP/1.0 that name no host. serve.ts asks it on the way to the app; the app and @hono/node-server
// would refuse both.
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Those of all surfaces together. */
const METHODS = 'GET, HEAD, PUT, POST, PATCH, DELETE, OPTIONS';
/** A host that is nobody's bucket and can be bound to none: the service itself. */
const NO_HOST = 'localhost';

/**
 * Whether it was the question what the server can do, which was answered. Source: RFC 9110 section
 * 9.3.7.
 */
export function answerForServer(
  { method, url }: IncomingMessage,
  outgoing: ServerResponse,
): boolean {
  if (url !== '*' || method !== 'OPTIONS') return false;
  outgoing.writeHead(204, { Allow: METHODS }).end();
  return true;
}

/**
 * HTTP/1.0 needs no Host, and health checks of load balancers send none. Later versions do (RFC
 * 9112 section 3.2).
 */
export function assumeHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion === '1.0' && !headers.host) headers.host = NO_HOST;
}
