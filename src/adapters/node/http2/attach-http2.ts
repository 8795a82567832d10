// Puts HTTP/2 beside HTTP/1.1 on a node:https server: connections whose client chose
// it by ALPN become sessions of node:http2, all others go on as before. Called by
// serve.ts, after the fast path is attached.
import type { Server } from 'node:http';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { Log } from '../../../ports/system.ts';
import type { NodeFastPath } from '../fast-path/attach-fast-path.ts';
import type { ResponseCounts } from '../server/response-counts.ts';
import type { ReceiveLimits } from '../server/socket-timeouts.ts';
import { createClientReader } from '../server/trusted-proxies.ts';
import { createHttp2FullPath } from './http2-full-path.ts';
import { createHttp2HotReads } from './http2-hot-reads.ts';
import { createHttp2Sessions, type Http2Sessions } from './http2-sessions.ts';

export type AttachHttp2Options = {
  readonly counts: ResponseCounts;
  readonly log: Log;
  readonly limits: ReceiveLimits;
  /** Whether hot reads are answered before the app. */
  readonly hasHotReads: boolean;
};

/** Takes connections that chose HTTP/2 off the server. Called once, before it listens. */
export function attachHttp2(
  server: Server & TlsServer,
  fastPath: NodeFastPath,
  { counts, log, limits, hasHotReads }: AttachHttp2Options,
): Http2Sessions {
  const { answerFully, readClient = createClientReader([]) } = fastPath;
  const sessions = createHttp2Sessions({
    answerHotRead: hasHotReads ? createHttp2HotReads(fastPath) : null,
    answerFully: createHttp2FullPath({ answerFully, readClient, counts, log }),
    limits,
  });

  const listeners = server.listeners('secureConnection');
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === 'h2') return sessions.take(socket);
    for (const listener of listeners) listener.call(server, socket);
  });

  const { closeIdleConnections } = server;
  server.closeIdleConnections = () => {
    closeIdleConnections.call(server);
    sessions.closeIdle();
  };
  server.on('close', sessions.stop);
  return sessions;
}
