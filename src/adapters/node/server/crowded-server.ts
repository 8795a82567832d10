// Connections beyond a limit: each may ask once, is answered if it asks whether the server is well,
// and is told to come back otherwise. So a load balancer sees a server that is busy, not one that
// is dead, whoever holds the connections.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { CrowdedBy } from './connection-limits.ts';
import { lingerOnEarlyClose } from './lingering-close.ts';

export type CrowdedServer = { take(socket: Socket, by: CrowdedBy): void };

/** Such connections at once. A further one takes the place of the oldest. */
const CROWDED_MAX = 64;
/** How long one of them may last, milliseconds: a health check sends its request at once. */
const CROWDED_MS = 5000;
/**
 * Request line and headers of a health check together, bytes; other requests are refused all the
 * same.
 */
const HEADERS_MAX_BYTES = 32 * 1024;
/** Source: `src/http/system/system.ts`. */
const HEALTH_PATH = '/-/health';
/** What a refused client is told to wait, seconds. */
const RETRY_AFTER_SECONDS = 5;

/** `server` answers the health checks. */
export function createCrowdedServer(server: Server): CrowdedServer {
  const sockets = new Map<Socket, CrowdedBy>();
  const crowded = createServer({ maxHeaderSize: HEADERS_MAX_BYTES, joinDuplicateHeaders: true });
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

  /** One whose address has too many goes before one that came when the server was full. */
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
