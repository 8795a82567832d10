// The connections of HTTP/2 of one server: each is a session of node:http2 on a TLS
// socket that serve.ts hands over. It keeps their limits and their end; requests go
// to the hot reads, and what those leave to the full path.
import {
  constants,
  type IncomingHttpHeaders,
  performServerHandshake,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import {
  KEEP_ALIVE_BUFFER_MS,
  KEEP_ALIVE_MS,
  LIMITS_CHECK_MS,
  type ReceiveLimits,
  SOCKET_IDLE_MS,
} from '../server/socket-timeouts.ts';
import { cutShort } from './cut-short.ts';
import type { AnswerHttp2 } from './http2-full-path.ts';
import type { AnswerHotRead } from './http2-hot-reads.ts';
import {
  isFlood,
  isSlow,
  REQUEST_BYTES,
  type Reception,
  refuseSlow,
  watchBody,
} from './http2-limits.ts';
import type { Http2Exchange } from './http2-request.ts';

export type Http2Sessions = {
  /** Takes a connection whose client chose HTTP/2. */
  take(socket: TLSSocket): void;
  /**
   * Tells clients to open no more streams, and closes connections without any; to
   * be called again until all are closed.
   */
  closeIdle(): void;
  /** Ends the checks of limits. */
  stop(): void;
  families(): readonly MetricFamily[];
};

export type Http2SessionsOptions = {
  /** Null: all requests take the full path. */
  readonly answerHotRead: AnswerHotRead | null;
  readonly answerFully: AnswerHttp2;
  readonly limits: ReceiveLimits;
  readonly nowMs?: () => number;
  readonly checkMs?: number;
};

/** Bytes of a request's headers, as over HTTP/1.1. */
const HEADERS_MAX_BYTES = 32 * 1024;
/** Streams of a connection at once. nginx has 128. */
const STREAMS_MAX = 100;
/**
 * Bytes of a body that come before somebody has read them. Less would slow uploads
 * over long ways down: one window goes per round trip.
 */
const WINDOW_BYTES = 256 * 1024;
/** Bytes of all bodies of a connection together that come before somebody has read them. */
const CONNECTION_WINDOW_BYTES = 1024 * 1024;

/**
 * nghttp2 and node:http2 end a session beyond these: resets of streams (a burst, and
 * so many a second), acknowledgements that the client does not take, frames that are
 * invalid or refused, and MB of memory.
 */
const SESSION_OPTIONS = {
  settings: {
    maxConcurrentStreams: STREAMS_MAX,
    maxHeaderListSize: HEADERS_MAX_BYTES,
    initialWindowSize: WINDOW_BYTES,
  },
  streamResetBurst: 1000,
  streamResetRate: 33,
  maxOutstandingPings: 10,
  maxOutstandingSettings: 10,
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  maxSessionMemory: 10,
};

/**
 * node:http2 goes on counting what waited in a stream that was reset against the
 * memory of its session, and refuses streams when that is used up: seen with Node
 * 26.10. So a session that lost as much as this ends in order, and its client opens
 * another.
 */
const LOST_MAX_BYTES = 4 * 1024 * 1024;
/** How long a client gets to hear that the server closes, milliseconds. */
const GOING_AWAY_MS = 500;
/** The highest id of a stream: none that is under way is refused. Source: RFC 9113 section 6.8 */
const LAST_STREAM = 2 ** 31 - 1;

type Session = {
  readonly session: ServerHttp2Session;
  readonly socket: TLSSocket;
  readonly receptions: Set<Reception>;
  streams: number;
  usefulBytes: number;
  /** Bytes that waited in streams that their client has closed. */
  lostBytes: number;
  hasServed: boolean;
  quietSinceMs: number;
  /** When the client heard that the server closes; null: not yet. */
  goingSinceMs: number | null;
};

export function createHttp2Sessions(options: Http2SessionsOptions): Http2Sessions {
  const { answerHotRead, answerFully, limits } = options;
  const { nowMs = () => performance.now(), checkMs = LIMITS_CHECK_MS } = options;
  const sessions = new Set<Session>();
  let floods = 0;
  let lookedAtMs = nowMs();

  function onStream(
    state: Session,
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
  ): void {
    state.streams += 1;
    state.hasServed = true;
    let headersBytes = 0;
    for (const text of rawHeaders) headersBytes += text.length;
    state.usefulBytes += REQUEST_BYTES + headersBytes;
    stream.on('error', ignoreError);
    // A client that neither sends nor takes anything for so long is gone.
    stream.setTimeout(SOCKET_IDLE_MS, () => cutShort(stream, new Error('Its client is gone.')));
    stream.once('close', () => {
      state.streams -= 1;
      state.quietSinceMs = nowMs();
      if (stream.writableFinished) return;
      state.lostBytes += exchange.waitingBytes;
      if (state.lostBytes > LOST_MAX_BYTES) goAway(state, nowMs());
    });

    // The settings ask for less, and node:http2 takes more all the same.
    if (headersBytes > HEADERS_MAX_BYTES) {
      stream.respond({ ':status': 431 }, { endStream: true });
      return;
    }

    const exchange: Http2Exchange = {
      stream,
      headers,
      rawHeaders,
      socket: state.socket,
      waitingBytes: 0,
      moved(lengthBytes) {
        state.usefulBytes += lengthBytes;
        if (reception !== null) reception.receivedBytes += lengthBytes;
      },
    };
    let reception: Reception | null = null;
    if (answerHotRead?.(exchange) === true) return;
    if (!stream.endAfterHeaders) reception = watchBody(state.receptions, stream);
    answerFully(exchange);
  }

  function look(state: Session, now: number, passedMs: number): void {
    const { session, socket } = state;
    if (isFlood(socket.bytesRead, state.usefulBytes)) {
      floods += 1;
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM);
      return;
    }
    if (state.lostBytes > LOST_MAX_BYTES) goAway(state, now);
    for (const reception of state.receptions) {
      if (isSlow(reception, limits.receiveRateMin, passedMs)) refuseSlow(reception.stream);
    }
    const limitMs = state.hasServed ? KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS : limits.requestHeadMs;
    if (state.streams === 0 && now - state.quietSinceMs >= limitMs) endSession(state, now);
  }

  function check(): void {
    const now = nowMs();
    // A process that was stopped has not read the bytes that came meanwhile.
    const passedMs = Math.min(now - lookedAtMs, 2 * LIMITS_CHECK_MS);
    lookedAtMs = now;
    for (const state of sessions) look(state, now, passedMs);
  }
  const checks = setInterval(check, checkMs).unref();

  return {
    take(socket) {
      const state = openSession(socket, nowMs());
      const { session } = state;
      sessions.add(state);
      session.on('close', () => sessions.delete(state));
      session.on('stream', (stream, headers, _flags, rawHeaders: readonly string[]) =>
        onStream(state, stream, headers, rawHeaders),
      );
    },
    closeIdle() {
      const now = nowMs();
      for (const state of sessions) goAway(state, now);
    },
    stop: () => clearInterval(checks),
    families: () => familiesOf(sessions.size, floods),
  };
}

function familiesOf(connections: number, floods: number): readonly MetricFamily[] {
  return [
    metricFamily('gauge', 'quayside_http2_connections', 'Connections of HTTP/2.', [
      [{}, connections],
    ]),
    metricFamily(
      'counter',
      'quayside_http2_floods_total',
      'Connections of HTTP/2 that were cut because they sent little but control frames.',
      [[{}, floods]],
    ),
  ];
}

function openSession(socket: TLSSocket, quietSinceMs: number): Session {
  // Over HTTP/2 a client that ends its side has left: node:http2 would wait on.
  socket.allowHalfOpen = false;
  const session = performServerHandshake(socket, SESSION_OPTIONS) as ServerHttp2Session;
  session.setLocalWindowSize(CONNECTION_WINDOW_BYTES);
  session.on('error', ignoreError);
  return {
    session,
    socket,
    receptions: new Set(),
    streams: 0,
    usefulBytes: 0,
    lostBytes: 0,
    hasServed: false,
    quietSinceMs,
    goingSinceMs: null,
  };
}

/** Says goodbye, and cuts what is still there a moment later. */
function endSession(state: Session, now: number): void {
  if (state.goingSinceMs === null) {
    state.goingSinceMs = now;
    state.session.close();
  } else if (now - state.goingSinceMs >= GOING_AWAY_MS) state.session.destroy();
}

/**
 * Tells a client to open no more streams; the next time, a moment later, its session
 * ends with the last of them.
 */
function goAway(state: Session, now: number): void {
  const { session } = state;
  if (session.closed || session.destroyed) return;
  if (state.goingSinceMs === null) {
    state.goingSinceMs = now;
    session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
  } else if (now - state.goingSinceMs >= GOING_AWAY_MS) session.close();
}

/** Errors of streams and sessions end them; there is nobody left to tell. */
function ignoreError(): void {}
