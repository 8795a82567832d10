// The HTTP server: node:http around @hono/node-server, its limits, and its end.
// node.ts starts it. It knows no surface: `fetch` is the app.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type MetricFamily, metricFamily } from '../../ports/metrics.ts';
import type { Log } from '../../ports/system.ts';
import { attachFastPath, type NodeFastPath } from './fast-path/attach-fast-path.ts';
import { createBehindNodeHttp } from './fast-path/behind-node-http.ts';
import { sendIfChunks } from './server/chunk-responses.ts';
import {
  CONNECTION_LIMITS,
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

/** What the app gets as its bindings with each request. */
export type NodeBindings = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
};

export type Fetch = (request: Request, bindings: NodeBindings) => Response | Promise<Response>;

export type RunningServer = {
  /** `http://host:port`, with the port that was taken. */
  readonly url: string;
  /**
   * Stops accepting, lets running requests finish for at most `limitMs`, then cuts
   * them off. Resolves with how many connections were cut.
   */
  close(limitMs: number): Promise<number>;
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
 * there is none.
 */
export type ServerOptions = Partial<ReceiveLimits> & {
  readonly log: Log;
  readonly counts?: ResponseCounts;
  readonly fastPath?: NodeFastPath | null;
};

/**
 * Starts to listen; where `hasFastConnections`, the fast path owns fresh
 * connections. Rejects when the address can't be taken.
 */
export async function serve(
  fetch: Fetch,
  options: ServerOptions &
    Partial<ConnectionLimits> & {
      readonly host: string;
      readonly port: number;
      readonly hasFastConnections?: boolean;
    },
): Promise<RunningServer> {
  const { fastPath = null, hasFastConnections = false, counts = createResponseCounts() } = options;
  const server = createHttpServer(fetch, { ...options, counts });
  const connectionsOfFastPath =
    hasFastConnections && fastPath !== null
      ? attachFastPath(server, fastPath, { log: options.log, counts })
      : null;
  const connections = limitConnections(server, { ...CONNECTION_LIMITS, ...options }, options.log);
  await listen(server, options);
  server.on('error', (cause) => options.log.error('server-error', { cause }));

  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `http://${host}:${port}`,
    close: (limitMs) => closeServer(server, limitMs, connections.closeAll),
    families: async () => [
      ...counts.families(),
      ...(connectionsOfFastPath?.families() ?? []),
      ...connections.families(),
      metricFamily('gauge', 'quayside_connections', 'Open connections.', [
        [{}, await countConnections(server)],
      ]),
    ],
  };
}

/** Makes the server with all its limits, not yet listening. */
export function createHttpServer(fetch: Fetch, options: ServerOptions): Server {
  const { log, counts = createResponseCounts(), fastPath = null } = options;
  const receiving: ReceiveLimits = { ...RECEIVE_LIMITS, ...options };
  const server = createLimitedServer(receiving);
  watchSockets(server, receiving);

  const callApp = createAppListener(fetch, log, counts);
  const answerFully = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    counts.watch(outgoing);
    // The time that node:http announces to the client in Keep-Alive.
    Object.assign(outgoing, { _keepAliveTimeout: KEEP_ALIVE_MS });
    lingerOnEarlyClose(incoming);
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

/** The server of node:http with the limits that it enforces itself. */
function createLimitedServer({ requestHeadMs }: ReceiveLimits): Server {
  const server = createServer({
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
  });
  // A client that has sent its last byte still gets the responses that are due;
  // without one due, its connection ends. Not in node:http's types, and as old as
  // it: https://github.com/nodejs/node/blob/v26.x/lib/_http_server.js, socketOnEnd.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
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
  server.on('connection', timeouts.watch);
  const checks = setInterval(timeouts.closeQuiet, LIMITS_CHECK_MS).unref();
  server.on('close', () => clearInterval(checks));
}

function plainText(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'Content-Type': 'text/plain' } });
}

function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
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
