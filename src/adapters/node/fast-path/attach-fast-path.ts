// Puts the hot lane in front of a node:http or node:https server. The connections stay the server's
// own: it accepts and counts them (maxConnections, getConnections, close), and the lane's join in
// when it closes idle ones or all.
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import type { HotDoor } from '../../../http/request.ts';
import type { Log } from '../../../ports/system.ts';
import { HEAD_TOO_SLOW } from '../server/malformed-requests.ts';
import { type AnswerCounts, createAnswerCounts } from '../server/response-counts.ts';
import { KEEP_ALIVE_MS, LIMITS_CHECK_MS, SOCKET_IDLE_MS } from '../server/socket-timeouts.ts';
import { createClientReader, peerOf, type ReadClient } from '../server/trusted-proxies.ts';
import { createHotLane, type HotLane, type NoteServed } from './connection.ts';
import { createHeaderFinder } from './find-header.ts';
import { createRecogniser } from './recognise.ts';

/** What the home gives the lane. */
export type HotLaneDoor = HotDoor & {
  /** Who a client is, for the access log. By default the peer of the connection. */
  readonly readClient?: ReadClient;
};

/** To be called once, after the server's own time-outs are set and before it listens. */
export function attachHotLane(
  server: Server,
  door: HotLaneDoor,
  {
    log,
    counts = createAnswerCounts(),
    nowMs = Date.now,
  }: { readonly log: Log; readonly counts?: AnswerCounts; readonly nowMs?: () => number },
): HotLane {
  const event = server instanceof TlsServer ? 'secureConnection' : 'connection';
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  const lane = createHotLane({
    recognise: createRecogniser({ deciding: door.decidingHeaders, signing: door.signingHeaders }),
    answer: door.answer,
    answerSigned: door.answerSigned,
    full: { ask: door.ask, readClient: door.readClient ?? createClientReader([]), log },
    requestId: door.requestId,
    noteServed: createServedNote(door),
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
  server.on(event, (socket: Duplex) => lane.take(socket));

  const { closeIdleConnections, closeAllConnections } = server;
  server.closeIdleConnections = () => {
    closeIdleConnections.call(server);
    lane.closeIdle();
  };
  server.closeAllConnections = () => {
    closeAllConnections.call(server);
    lane.closeAll();
  };
  const checks = setInterval(lane.closeExpired, LIMITS_CHECK_MS).unref();
  server.on('close', () => clearInterval(checks));
  return lane;
}

function createServedNote({
  served,
  readClient = createClientReader([]),
}: HotLaneDoor): NoteServed | null {
  if (served === null) return null;
  return ({ socket, chunk, read, reply, requestId, durationMs }) => {
    const header = createHeaderFinder(chunk);
    const { remoteAddress } = readClient(peerOf(socket), header);
    served({ read, reply, requestId, remoteAddress, durationMs, header });
  };
}

/** 0 means none to node:http. */
function orNever(ms: number): number {
  return ms > 0 ? ms : Number.POSITIVE_INFINITY;
}
