// The HTTP server: node:http around @hono/node-server, its limits, and its end.
// node.ts starts it. It knows no surface: `fetch` is the app.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type MetricFamily, metricFamily } from '../../ports/metrics.ts';
import type { Log } from '../../ports/system.ts';
import { attachFastPath, type NodeFastPath } from './fast-path/attach-fast-path.ts';
import { createBehindNodeHttp } from './fast-path/behind-node-http.ts';
import { attachHttp2 } from './http2/attach-http2.ts';
import { sendIfChunks } from './server/chunk-responses.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionCounts,
  type ConnectionLimits,
  limitConnections,
} from './server/connection-limits.ts';
import { expectContinue } from './server/http-request.ts';
import { lingerOnEarlyClose } from './server/lingering-close.ts';
import {
  createMalformedRefusal,
  HEAD_TOO_SLOW,
  TUNNEL_REFUSED,
} from './server/malformed-requests.ts';
import { createPipelining, type HandleRequest } from './server/pipelining.ts';
import { createResponseCounts, type ResponseCounts } from './server/response-counts.ts';
import { assumeHost, respondForServer } from './server/server-wide-requests.ts';
import {
  createSocketTimeouts,
  KEEP_ALIVE_MS,
  LIMITS_CHECK_MS,
  type ReceiveLimits,
} from './server/socket-timeouts.ts';
import { createProxyTrust } from './server/trusted-proxies.ts';
import { boundHandshakes } from './tls/handshakes.ts';
import type { OpenTls } from './tls/open-tls.ts';

/** What the app gets as its bindings with each request. */
export type NodeBindings = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
};

export type Fetch = (request: Request, bindings: NodeBindings) => Response | Promise<Response>;

export type RunningServer = {
  /** `http://host:port` or `https://host:port`, with the port that was taken. */
  readonly url: string;
  /**
   * Stops accepting, lets running requests finish for at most `limitMs`, then cuts
   * them off. Resolves with how many connections were cut.
   */
  close(limitMs: number): Promise<number>;
  /** Takes a connection that another thread hands over, which is counted there. */
  take(connection: Duplex): void;
  families(): Promise<readonly MetricFamily[]>;
};

/**
 * Bytes of request line and headers: room for a 1,024-byte key in percent-encoding,
 * and 8 KiB.
 */
const HEADERS_MAX_BYTES = 32 * 1024;
/** How often node:http looks for connections whose head is late, milliseconds. */
const CONNECTION_CHECK_MS = 5_000;
/**
 * Limits of Apache's mod_reqtimeout: 20 to 40 s for a head, 500 bytes a second of a
 * body.
 */
const RECEIVE_LIMITS: ReceiveLimits = { requestHeadMs: 30_000, receiveRateMin: 500 };
/**
 * How often a closing server closes connections that have become idle,
 * milliseconds.
 */
const CLOSE_IDLE_MS = 50;

/**
 * How a server is made. `fastPath`: the fast path, called before the app; null:
 * there is none. `tls`: null for plain HTTP; closed with the server.
 */
export type ServerOptions = Partial<ReceiveLimits> & {
  readonly log: Log;
  readonly counts?: ResponseCounts;
  readonly fastPath?: NodeFastPath | null;
  readonly tls?: OpenTls | null;
  /** Answers requests that another thread is for; false: it is this one's. */
  readonly handOver?: HandOver;
};

export type HandOver = (incoming: IncomingMessage, outgoing: ServerResponse) => boolean;

/** State that is shared by the threads that listen at one port. */
export type SharedListening = {
  readonly reusePort?: boolean;
  readonly connectionCounts?: ConnectionCounts;
};

/**
 * Starts to listen; where `hasFastConnections`, the fast path owns fresh
 * connections. Rejects when the address can't be taken.
 */
export async function serve(
  fetch: Fetch,
  options: ServerOptions &
    SharedListening &
    Partial<ConnectionLimits> & {
      readonly host: string;
      readonly port: number;
      readonly hasFastConnections?: boolean;
    },
): Promise<RunningServer> {
  const { fastPath = null, hasFastConnections = false, counts = createResponseCounts() } = options;
  const { tls = null } = options;
  const limits: ConnectionLimits = { ...CONNECTION_LIMITS, ...options };
  const server = createHttpServer(fetch, { ...options, counts });
  const accepted = isTlsServer(server) ? 'secureConnection' : 'connection';
  const listeners = server.listeners(accepted) as ((connection: Duplex) => void)[];
  const connectionsOfFastPath =
    hasFastConnections && fastPath !== null
      ? attachFastPath(server, fastPath, { log: options.log, counts })
      : null;
  const http2 =
    isTlsServer(server) && fastPath !== null
      ? attachHttp2(server, fastPath, {
          counts,
          log: options.log,
          limits: { ...RECEIVE_LIMITS, ...options },
          hasHotReads: hasFastConnections,
        })
      : null;
  const handshakes = isTlsServer(server)
    ? boundHandshakes(server, { isTrusted: createProxyTrust(limits.trustedProxies), counts })
    : null;
  const connections = limitConnections(server, limits, {
    log: options.log,
    counts: options.connectionCounts,
    tls,
  });
  await listen(server, options);
  server.on('error', (cause) => options.log.error('server-error', { cause }));

  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${tls === null ? 'http' : 'https'}://${host}:${port}`,
    async close(limitMs) {
      const cut = await closeServer(server, limitMs, connections.closeAll);
      await tls?.close();
      return cut;
    },
    take(connection) {
      for (const listener of listeners) listener.call(server, connection);
    },
    families: async () => [
      ...counts.families(),
      ...(connectionsOfFastPath?.families() ?? []),
      ...connections.families(),
      ...(handshakes?.families() ?? []),
      ...(tls?.families() ?? []),
      ...(http2?.families() ?? []),
      metricFamily('gauge', 'quayside_connections', 'Open connections.', [
        [{}, await countConnections(server)],
      ]),
    ],
  };
}

/** Makes the server with all its limits, not yet listening. */
export function createHttpServer(fetch: Fetch, options: ServerOptions): Server {
  const { log, counts = createResponseCounts(), fastPath = null, tls = null, handOver } = options;
  const receiving: ReceiveLimits = { ...RECEIVE_LIMITS, ...options };
  // HTTP/2 goes to the app itself, which only the fast path has.
  const isHttp2Served = fastPath !== null;
  const server = createLimitedServer(receiving, tls, isHttp2Served);
  watchSockets(server, receiving);

  const callApp = createAppListener(fetch, log, counts);
  const answerFully = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The time that node:http announces to the client in Keep-Alive.
    Object.assign(outgoing, { _keepAliveTimeout: KEEP_ALIVE_MS });
    lingerOnEarlyClose(incoming);
    if (handOver?.(incoming, outgoing) === true) return;
    counts.watch(outgoing);
    if (respondForServer(incoming, outgoing)) return;
    assumeHost(incoming);
    callApp(incoming, outgoing);
  };
  const hot =
    fastPath === null ? null : createBehindNodeHttp(fastPath, { counts, log, answerFully });
  const pipelining = createPipelining((incoming, outgoing) => {
    if (hot?.answer(incoming, outgoing) !== true) answerFully(incoming, outgoing);
  });

  const { handle } = pipelining;
  server.on('request', handle);
  server.on('checkContinue', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    expectContinue(incoming, outgoing);
    handle(incoming, outgoing);
  });
  // An unknown expectation. node:http alone would respond with 417; S3 goes on, as
  // RFC 9110 section 10.1.1 allows.
  server.on('checkExpectation', handle);

  const refuseMalformed = createMalformedRefusal(pipelining, counts);
  const refuse = (error: NodeJS.ErrnoException, socket: Duplex) => {
    // Responses that are decided already go out before anything else happens to the
    // connection.
    hot?.flush();
    refuseMalformed(error, socket);
  };
  server.on('clientError', refuse);
  server.on('connect', (_incoming, socket) => refuse(TUNNEL_REFUSED, socket));
  return server;
}

/** The app behind @hono/node-server, as a listener of node:http. */
function createAppListener(fetch: Fetch, log: Log, counts: ResponseCounts): HandleRequest {
  const callApp = (request: Request, bindings: NodeBindings) => {
    const outcome = fetch(request, bindings);
    const send = (response: Response) => sendIfChunks(response, bindings.outgoing, log);
    return outcome instanceof Promise ? outcome.then(send) : send(outcome);
  };
  const listener = getRequestListener(
    (request, bindings) => callApp(request, bindings as NodeBindings),
    {
      // A RequestError is a target or a Host header that is no URL; any other
      // slipped through the app.
      errorHandler(error) {
        if (error instanceof RequestError) {
          counts.refused();
          return plainText(400, 'Bad Request');
        }
        log.error('request-failed', { cause: error });
        return plainText(500, 'Internal Server Error');
      },
    },
  );
  return (incoming, outgoing) => void listener(incoming, outgoing);
}

/** The server of node:http or node:https with the limits that it enforces itself. */
function createLimitedServer(
  { requestHeadMs }: ReceiveLimits,
  tls: OpenTls | null,
  isHttp2Served: boolean,
): Server {
  const options = {
    maxHeaderSize: HEADERS_MAX_BYTES,
    headersTimeout: requestHeadMs,
    // No limit for a whole upload: socket-timeouts.ts ends a slow one,
    // http-request.ts an idle one.
    requestTimeout: 0,
    connectionsCheckingInterval: CONNECTION_CHECK_MS,
    // Idle connections end by socket-timeouts.ts.
    keepAliveTimeout: 0,
    joinDuplicateHeaders: true,
    optimizeEmptyRequests: true,
  };
  const server =
    tls === null
      ? createServer(options)
      : createTlsServer({ ...options, ...tls.optionsOf(isHttp2Served), allowHalfOpen: true });
  if (isTlsServer(server)) tls?.add(server);
  // A client that has sent its last byte still gets the responses that are due;
  // without one due, its connection ends. Not in node:http's types, and as old as
  // it: https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js, socketOnEnd.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

function isTlsServer(server: Server): server is Server & TlsServer {
  return server instanceof TlsServer;
}

/**
 * Closes connections in which too little moves, for as long as the server lives.
 */
function watchSockets(server: Server, receiving: ReceiveLimits): void {
  const timeouts = createSocketTimeouts(
    () => performance.now(),
    receiving,
    (socket) => server.emit('clientError', HEAD_TOO_SLOW, socket),
  );
  server.on(isTlsServer(server) ? 'secureConnection' : 'connection', timeouts.watch);
  const checks = setInterval(timeouts.closeQuiet, LIMITS_CHECK_MS).unref();
  server.on('close', () => clearInterval(checks));
}

function plainText(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'Content-Type': 'text/plain' } });
}

function listen(
  server: Server,
  { host, port, reusePort = false }: SharedListening & { host: string; port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, reusePort }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function countConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((_error, count) => resolve(count ?? 0)));
}

function closeServer(server: Server, limitMs: number, closeAll: () => void): Promise<number> {
  return new Promise((resolve) => {
    let cut = 0;
    // A connection that becomes idle would otherwise wait for its next request.
    const closeIdle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_MS);
    const limit = setTimeout(() => {
      server.getConnections((_error, count) => {
        cut = count ?? 0;
        closeAll();
      });
    }, limitMs);
    server.close(() => {
      clearInterval(closeIdle);
      clearTimeout(limit);
      resolve(cut);
    });
  });
}
