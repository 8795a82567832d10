// The hot lane: owns a fresh connection for as long as it shows nothing but plain reads of what
// stands ready in memory, one whole request a chunk. At the first other thing (a part of a request,
// two at once, any doubt, a miss) it lets go: its listeners off, the chunk back in front of what
// was not read yet, and node:http has the connection for good. It decides nothing itself:
// recognise.ts says what is plain, delivery what the answer is. What is decided goes out at the end
// of the turn of the event loop: end-of-tick.ts.
import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import {
  type AnswerHot,
  type AnswerHotSigned,
  finished,
  type HotReply,
  type KnownProtocol,
} from '../../../http/request.ts';
import { createHistogram, type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import { createEndOfTurn } from '../server/end-of-tick.ts';
import type { AnswerCounts } from '../server/response-counts.ts';
import { KEEP_ALIVE_BUFFER_MS } from '../server/socket-timeouts.ts';
import { peerOf } from '../server/trusted-proxies.ts';
import { createKeptRequests } from './copied-requests.ts';
import { createFullAnswers, type FullAnswersOptions, type Line } from './full-path-responses.ts';
import { createPrebuiltHeads, type Head } from './prebuilt-heads.ts';
import type { Recognise, Recognised } from './recognise.ts';
import { createReplyWriter, maySend, writesAtOnce } from './response-writer.ts';
import { createSharedReads } from './shared-reads.ts';

export type HotLaneOptions = {
  readonly recognise: Recognise;
  readonly answer: AnswerHot;
  readonly answerSigned: AnswerHotSigned;
  /** For what that leaves: the app itself. */
  readonly full: Pick<FullAnswersOptions, 'ask' | 'readClient' | 'log'>;
  readonly requestId: () => string;
  /** Told of each answer that was written; null: nobody wants to know. */
  readonly noteServed: NoteServed | null;
  /** Counts the answers that take longer than a write. */
  readonly counts: Pick<AnswerCounts, 'begun' | 'ended' | 'cutShort'>;
  readonly nowMs: () => number;
  /** Gives a connection to node:http, which listens to it from then on. */
  readonly handOver: (socket: Duplex) => void;
  /** Answers 408 on a connection whose first request did not come in time, and closes it. */
  readonly refuseIdle: (socket: Duplex) => void;
  readonly limits: LaneLimits;
};

export type NoteServed = (served: {
  readonly socket: Duplex;
  readonly chunk: Buffer;
  readonly read: Recognised;
  readonly reply: HotReply;
  readonly requestId: string;
  readonly durationMs: number;
}) => void;

/** The limits of the server around it, milliseconds; Infinity for none. */
export type LaneLimits = {
  /** From the connection to its first byte. */
  readonly firstRequestMs: number;
  /** Between two requests, as told to the client in Keep-Alive. */
  readonly keepAliveMs: number;
  /** Without a byte taken by a client that has not read its answer. */
  readonly stalledMs: number;
};

export type HotLane = {
  /** Takes over a fresh connection. */
  take(socket: Duplex): void;
  /** Closes the connections that have run into a limit; to be called every second or so. */
  closeExpired(): void;
  /** Closes those that wait for a request. One that has sent none yet gets a moment to. */
  closeIdle(): void;
  /** Closes all, answers under way included. */
  closeAll(): void;
  counts(): {
    readonly connections: number;
    readonly answered: number;
    readonly handedOver: number;
  };
  families(): readonly MetricFamily[];
};

/**
 * What a connection without any request has before `closeIdle` takes it for idle: its first may be
 * on the way.
 */
const FRESH_MS = 1000;

/**
 * One request in so many is timed: two looks at the clock cost as much as a tenth of our own part
 * of a request.
 */
const SAMPLED_EVERY = 64;
/**
 * Seconds. From what an answer takes, its part of the turn included, to what a full garbage
 * collection in the middle of it does.
 */
const DURATION_BOUNDS = [0.000005, 0.00001, 0.00002, 0.00005, 0.0001, 0.00025, 0.001, 0.005, 0.025];

type Connection = {
  readonly socket: Duplex;
  activeAtMs: number;
  hasServed: boolean;
  /** Paused until the client has read; such an answer counts as open. */
  isWaiting: boolean;
  /** Paused while an answer is being made, or sent in chunks. */
  isBusy: boolean;
  /**
   * The answer to what it sent in this turn. Mostly one request is read in a turn; where more than
   * a thousand connections have something to say, libuv looks again before the turn is over.
   */
  due: DueAnswer | null;
  readonly line: Line;
  /** What `writesAtOnce` says of the socket. */
  readonly isAtOnce: boolean;
};

/** An answer that is decided, and goes out at the end of the turn. */
type DueAnswer = {
  readonly reply: HotReply;
  readonly head: Head;
  readonly requestId: string;
  readonly read: Recognised;
  /** The request begins it, where it may be needed once more. */
  readonly kept: Buffer | null;
  readonly requestBytes: number;
  /** NaN: it is not timed. */
  readonly startedMs: number;
  readonly isSampled: boolean;
};

const NO_REQUEST = Buffer.alloc(0);

function requestOf({ kept, requestBytes }: DueAnswer): Buffer {
  return kept?.subarray(0, requestBytes) ?? NO_REQUEST;
}

/**
 * Makes the lane of one server. Cost a request: about 2 µs above reading and writing the socket.
 */
export function createHotLane(options: HotLaneOptions): HotLane {
  const { recognise, answer, answerSigned, requestId, nowMs, limits, noteServed, counts } = options;
  const { readClient } = options.full;
  const heads = createPrebuiltHeads(limits.keepAliveMs);
  const writer = createReplyWriter({ counts, log: options.full.log });
  const keep = createKeptRequests();
  const shareReads = createSharedReads();
  const connections = new Set<Connection>();
  /** Hot answers, sent or due. */
  let decided = 0;
  let answered = 0;
  let handedOver = 0;
  const sending = createEndOfTurn(send);
  const durations = createHistogram(DURATION_BOUNDS);
  const answerFully = createFullAnswers({ ...options.full, heads, nowMs });

  /**
   * The read that is being answered, and where it came from: one for all, so that asking costs
   * nothing who does not ask.
   */
  const asking: { read: Recognised | null; socket: Duplex | null } = { read: null, socket: null };
  const askProtocol = (): KnownProtocol => {
    const { read, socket } = asking;
    return read === null || socket === null
      ? null
      : readClient(peerOf(socket), read.header).knownProtocol;
  };

  /** What fails here fails once more on the long way, where failures are answered and logged. */
  function answerOrNothing(read: Recognised, socket: Duplex): HotReply | null {
    asking.read = read;
    asking.socket = socket;
    try {
      return read.kind === 'plain'
        ? answer(read, askProtocol)
        : read.kind === 'signed'
          ? answerSigned(read)
          : null;
    } catch {
      return null;
    }
  }

  /** Whether the chunk was a request that could be answered here, and was, or will be. */
  function serve(connection: Connection, chunk: Buffer): boolean {
    const isSampled = decided % SAMPLED_EVERY === 0;
    const startedMs = isSampled || noteServed !== null ? performance.now() : Number.NaN;
    const read = recognise(chunk);
    if (read === null) return false;
    const reply = answerOrNothing(read, connection.socket);
    if (reply === null) return answerFully(connection.line, read, chunk);
    const now = nowMs();
    const id = requestId();
    connection.activeAtMs = now;
    connection.hasServed = true;
    decided += 1;
    connection.due = {
      reply,
      head: heads.of(reply, read.isHead, id.length, now),
      requestId: id,
      read,
      kept: reply.finish === null && noteServed === null ? null : keep(chunk),
      requestBytes: chunk.length,
      startedMs,
      isSampled,
    };
    // Other streams than those of the system may have the next request at hand already.
    if (connection.isAtOnce) sending.add(connection);
    else send(connection);
    return true;
  }

  function send(connection: Connection): void {
    const { socket, isAtOnce, due } = connection;
    connection.due = null;
    if (due === null || socket.destroyed) return;
    const { head, requestId: id, read, startedMs } = due;
    const reply = finished(due.reply, maySend(socket, isAtOnce));
    const hasRoom = reply === null ? null : writer.write(socket, isAtOnce, head, id, reply);
    if (reply === null || hasRoom === null) {
      const chunk = requestOf(due);
      if (!answerFully(connection.line, read, chunk)) connection.line.letGo(chunk);
      return;
    }
    answered += 1;
    // Little may wait in the socket: what its stream takes before it says that this is enough.
    if (!hasRoom) waitForReader(connection);
    if (Number.isNaN(startedMs)) return;
    const durationMs = performance.now() - startedMs;
    if (due.isSampled) durations.observe(durationMs / 1000);
    noteServed?.({ socket, chunk: requestOf(due), read, reply, requestId: id, durationMs });
  }

  /** Reads nothing more until the client has taken what waits in the socket. */
  function waitForReader(connection: Connection): void {
    const { socket } = connection;
    if (!connection.isWaiting) counts.begun();
    connection.isWaiting = true;
    socket.pause();
    // The timer of a system socket sees how much was taken meanwhile. It costs two calls a request,
    // so only now.
    if (socket instanceof Socket && Number.isFinite(limits.stalledMs))
      socket.setTimeout(limits.stalledMs);
  }

  function goOn(connection: Connection): void {
    const { socket } = connection;
    if (connection.isWaiting) counts.ended(true);
    connection.isWaiting = false;
    connection.isBusy = false;
    connection.activeAtMs = nowMs();
    if (socket instanceof Socket) socket.setTimeout(0);
    if (socket.readableEnded) socket.end();
    else socket.resume();
  }

  function hold(connection: Connection): void {
    connection.isBusy = true;
    waitForReader(connection);
  }

  function release(connection: Connection): void {
    connection.hasServed = true;
    answered += 1;
    if (connection.socket.writableNeedDrain) connection.isBusy = false;
    else goOn(connection);
  }

  function take(socket: Duplex): void {
    const isAtOnce = writesAtOnce(socket);
    let isOurs = true;
    const onData = (chunk: Buffer) => {
      const { due } = connection;
      if (due?.reply.finish) {
        // Nothing was done for it yet: node:http answers both, in order.
        connection.due = null;
        return letGo(Buffer.concat([requestOf(due), chunk]));
      }
      if (due !== null) send(connection);
      if (!serve(connection, chunk)) letGo(chunk);
    };
    const onSharedChunk = (chunk: Buffer): boolean => {
      // The parser of node:http reads past this; where somebody reads the stream instead, that is
      // where the bytes go.
      if (!isOurs) return socket.push(Buffer.from(chunk));
      onData(chunk);
      return true;
    };
    const onDrain = () => {
      if (connection.isWaiting && !connection.isBusy) goOn(connection);
    };
    const onEnd = () => {
      send(connection);
      // A client that has said all it has to say still gets what is under way.
      if (!connection.isWaiting) socket.end();
    };
    const onTimeout = () => {
      socket.destroy();
    };
    const onClose = () => {
      connections.delete(connection);
      if (connection.isWaiting) counts.ended(false);
      connection.isWaiting = false;
    };
    const letGo = (chunk: Buffer) => {
      // Nothing can be put back into a stream that has ended.
      if (socket.readableEnded) return void socket.destroy();
      isOurs = false;
      socket.off('data', onData);
      socket.off('drain', onDrain);
      socket.off('end', onEnd);
      socket.off('error', ignoreError);
      socket.off('timeout', onTimeout);
      socket.off('close', onClose);
      if (socket instanceof Socket) socket.setTimeout(0);
      connections.delete(connection);
      handedOver += 1;
      // From here on node:http counts it.
      if (connection.isWaiting) counts.ended(true);
      // Paused, or the chunk would be emitted at once, to nobody.
      socket.pause();
      socket.unshift(Buffer.from(chunk));
      options.handOver(socket);
      socket.resume();
    };
    const line: Line = {
      socket,
      hold: () => hold(connection),
      release: () => release(connection),
      letGo,
    };
    const connection: Connection = {
      socket,
      activeAtMs: nowMs(),
      hasServed: false,
      isWaiting: false,
      isBusy: false,
      due: null,
      line,
      isAtOnce,
    };
    connections.add(connection);
    const isShared = isAtOnce && shareReads(socket as Socket, onSharedChunk);
    // In either case the stream flows, or its end would not show.
    if (isShared) socket.resume();
    else socket.on('data', onData);
    socket.on('drain', onDrain);
    socket.on('end', onEnd);
    socket.on('error', ignoreError);
    socket.on('timeout', onTimeout);
    socket.on('close', onClose);
  }

  function isExpired(
    { socket, activeAtMs, hasServed, isWaiting, isBusy }: Connection,
    now: number,
  ): boolean {
    if (isBusy) return false;
    if (isWaiting && socket instanceof Socket) return false;
    if (socket.writableLength > 0) return now - activeAtMs > limits.stalledMs;
    return (
      now - activeAtMs >
      (hasServed ? limits.keepAliveMs + KEEP_ALIVE_BUFFER_MS : limits.firstRequestMs)
    );
  }

  return {
    take,
    closeExpired() {
      const now = nowMs();
      for (const connection of connections) {
        if (!isExpired(connection, now)) continue;
        if (connection.hasServed) connection.socket.destroy();
        else options.refuseIdle(connection.socket);
      }
    },
    closeIdle() {
      sending.flush();
      const now = nowMs();
      for (const { socket, hasServed, activeAtMs, isBusy } of connections) {
        if (isBusy || socket.writableLength > 0) continue;
        if (hasServed || now - activeAtMs > FRESH_MS) socket.destroy();
      }
    },
    closeAll() {
      sending.flush();
      for (const { socket } of connections) socket.destroy();
    },
    counts: () => ({ connections: connections.size, answered, handedOver }),
    families: () => [
      metricFamily('gauge', 'quayside_hot_lane_connections', 'Connections in the hot lane.', [
        [{}, connections.size],
      ]),
      metricFamily(
        'counter',
        'quayside_hot_lane_handed_over_total',
        'Connections that left it for node:http.',
        [[{}, handedOver]],
      ),
      {
        name: 'quayside_hot_lane_duration_seconds',
        help: `From the bytes of a request to the bytes of its answer in the socket at the end of the turn, one in ${SAMPLED_EVERY} of them.`,
        type: 'histogram',
        samples: durations.samples({}),
      },
    ],
  };
}

/** A connection that breaks is closed by its stream; there is nobody left to tell. */
function ignoreError(): void {}
