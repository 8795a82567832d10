// Puts the fast path in front of a node:http or node:https server. Called by
// serve.ts. Connections stay the server's own: it accepts and counts them
// (maxConnections, getConnections, close), and those of the fast path join in when
// it closes idle ones or all.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import type { FastPath } from '../../../http/delivery/fast-path/fast-path.ts';
import type { Log } from '../../../ports/system.ts';
import { HEAD_TOO_SLOW } from '../server/malformed-requests.ts';
import { createResponseCounts, type ResponseCounts } from '../server/response-counts.ts';
import { KEEP_ALIVE_MS, LIMITS_CHECK_MS, SOCKET_IDLE_MS } from '../server/socket-timeouts.ts';
import { createClientReader, peerOf, type ReadClient } from '../server/trusted-proxies.ts';
import type { ReportServed } from './connection.ts';
import { createFastPathConnections, type FastPathConnections } from './connections.ts';
import { createHeaderFinder } from './find-header.ts';
import { createRecogniser } from './recognise.ts';

/** The app's fast path, with what Node adds to it. */
export type NodeFastPath = FastPath & {
  /** Who a client is, for the access log. By default the peer of the connection. */
  readonly readClient?: ReadClient;
};

/**
 * Hands the server's new connections to the fast path. Called once, after the server's
 * own time-outs are set and before it listens.
 */
export function attachFastPath(
  server: Server,
  fastPath: NodeFastPath,
  {
    log,
    counts = createResponseCounts(),
    nowMs = Date.now,
  }: { readonly log: Log; readonly counts?: ResponseCounts; readonly nowMs?: () => number },
): FastPathConnections {
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  const connections = createFastPathConnections({
    recognise: createRecogniser({
      deciding: fastPath.decidingHeaders,
      signing: fastPath.signingHeaders,
    }),
    answer: fastPath.answer,
    answerSigned: fastPath.answerSigned,
    full: {
      answerFully: fastPath.answerFully,
      readClient: fastPath.readClient ?? createClientReader([]),
      log,
    },
    requestId: fastPath.requestId,
    reportServed: createServedReport(fastPath),
    counts,
    nowMs,
    handOver(socket) {
      for (const listener of listeners) listener.call(server, socket);
    },
    refuseIdle(socket) {
      server.emit('clientError', HEAD_TOO_SLOW, socket);
    },
    limits: {
      firstRequestMs: orNever(server.headersTimeout),
      keepAliveMs: KEEP_ALIVE_MS,
      stalledMs: SOCKET_IDLE_MS,
    },
  });
  server.on(event, (socket: Duplex) => connections.take(socket));

  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    closeIdleConnections.call(server);
    connections.closeIdle();
  };
  server.closeAllConnections = () => {
    closeAllConnections.call(server);
    connections.closeAll();
  };
  const checks = setInterval(connections.closeExpired, LIMITS_CHECK_MS).unref();
  server.on('close', () => clearInterval(checks));
  return connections;
}

function createServedReport({
  served,
  readClient = createClientReader([]),
}: NodeFastPath): ReportServed | null {
  if (served === null) return null;
  return ({ socket, chunk, read, response, requestId, durationMs }) => {
    const header = createHeaderFinder(chunk);
    const { remoteAddress } = readClient(peerOf(socket), header);
    served({ read, response, requestId, remoteAddress, durationMs, header });
  };
}

/** 0 means none to node:http. */
function orNever(ms: number): number {
  return ms > 0 ? ms : Number.POSITIVE_INFINITY;
}
