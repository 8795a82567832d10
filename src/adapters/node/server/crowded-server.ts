// A server for connections beyond a limit: each gets one response, 503 with
// Retry-After or that to a health check. So a load balancer sees a busy server and
// not a dead one. connection-limits.ts hands connections over.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { OpenTls } from '../tls/open-tls.ts';
import type { CrowdedBy } from './connection-limits.ts';
import { lingerOnEarlyClose } from './lingering-close.ts';

export type CrowdedServer = { take(socket: Socket, by: CrowdedBy): void };

/** Most connections of this server. A further one closes the oldest. */
const CROWDED_MAX = 64;
/**
 * How long a connection may last, milliseconds: a health check sends its request at
 * once.
 */
const CROWDED_MS = 5000;
/** Bytes of request line and headers. */
const HEADERS_MAX_BYTES = 32 * 1024;
/** Source: `src/http/system/system.ts`. */
const HEALTH_PATH = '/-/health';
/** Retry-After of a refusal, seconds. */
const RETRY_AFTER_SECONDS = 5;

/**
 * Makes the server. `server`: the full one, which responds to health checks. `tls`:
 * what connections speak; null: plain HTTP.
 */
export function createCrowdedServer(server: Server, tls: OpenTls | null = null): CrowdedServer {
  const sockets = new Map<Socket, CrowdedBy>();
  const crowded = createServerFor(tls);
  crowded.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    outgoing.shouldKeepAlive = false;
    if (incoming.url?.split('?', 1)[0] === HEALTH_PATH) {
      server.emit('request', incoming, outgoing);
      return;
    }
    lingerOnEarlyClose(incoming);
    const headers = { 'Content-Type': 'text/plain', 'Retry-After': `${RETRY_AFTER_SECONDS}` };
    outgoing.writeHead(503, headers).end('Too many connections. Try again later.\n');
  });
  crowded.on('clientError', (_error, socket) => socket.destroy());

  /**
   * Closes a connection: of an address with too many before one that came to a full
   * server.
   */
  function dropOne(): void {
    const ofAddress = sockets.entries().find(([, by]) => by === 'address')?.[0];
    (ofAddress ?? sockets.keys().next().value)?.destroy();
  }

  return {
    take(socket, by) {
      if (sockets.size >= CROWDED_MAX) dropOne();
      sockets.set(socket, by);
      const limit = setTimeout(() => socket.destroy(), CROWDED_MS).unref();
      socket.once('close', () => {
        clearTimeout(limit);
        sockets.delete(socket);
      });
      crowded.emit('connection', socket);
    },
  };
}

function createServerFor(tls: OpenTls | null): Server {
  const options = { maxHeaderSize: HEADERS_MAX_BYTES, joinDuplicateHeaders: true };
  if (tls === null) return createServer(options);
  const server = createTlsServer({ ...options, ...tls.optionsOf(false) });
  tls.add(server);
  return server;
}
