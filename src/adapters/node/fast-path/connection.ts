// The walk of a hot request on a connection of the fast path: bytes are recognised,
// answered by the app's fast path, and sent at the end of the tick of the event
// loop. Called by connection-listeners.ts with what a socket brings. It decides
// nothing itself: recognise.ts says what is plain, the app what the response is.
import { Buffer } from 'node:buffer';
import { performance } from 'node:perf_hooks';
import type { Duplex } from 'node:stream';
import type {
  AnswerAtOnce,
  AnswerSignedAtOnce,
} from '../../../http/delivery/fast-path/fast-path.ts';
import {
  type FastResponse,
  resolveBody,
  type WholeResponse,
} from '../../../http/delivery/fast-path/fast-response.ts';
import type { KnownProtocol } from '../../../http/request.ts';
import type { Histogram } from '../../../ports/metrics.ts';
import { createEndOfTick } from '../server/end-of-tick.ts';
import { peerOf, type ReadClient } from '../server/trusted-proxies.ts';
import type { Backpressure } from './backpressure.ts';
import { createCopiedRequests } from './copied-requests.ts';
import type { ConnectionControl, RespondByFullPath } from './full-path-responses.ts';
import type { Head, PrebuiltHeads } from './prebuilt-heads.ts';
import type { Recognise, Recognised } from './recognise.ts';
import { canSendDirectly, type ResponseWriter } from './response-writer.ts';

export type Connection = {
  readonly socket: Duplex;
  activeAtMs: number;
  hasServed: boolean;
  /** Paused until the client has read; such a response counts as open. */
  isWaiting: boolean;
  /** Paused while a response is being made, or sent in chunks. */
  isBusy: boolean;
  /**
   * The response to what it sent in this tick. Mostly one request is read in a
   * tick; where more than a thousand connections have something to say, libuv looks
   * again before the tick is over.
   */
  due: DueResponse | null;
  readonly control: ConnectionControl;
  /** What `isPlainSocket` says of the socket. */
  readonly isPlain: boolean;
};

/** A response that is decided, and goes out at the end of the tick. */
export type DueResponse = {
  readonly response: FastResponse;
  readonly head: Head;
  readonly requestId: string;
  readonly read: Recognised;
  /** A buffer that the request begins, where it may be needed once more. */
  readonly copy: Buffer | null;
  readonly requestBytes: number;
  /** NaN: it is not timed. */
  readonly startedMs: number;
  readonly isSampled: boolean;
};

export type ReportServed = (served: {
  readonly socket: Duplex;
  readonly chunk: Buffer;
  readonly read: Recognised;
  readonly response: WholeResponse;
  readonly requestId: string;
  readonly durationMs: number;
}) => void;

export type RequestHandlerOptions = {
  readonly recognise: Recognise;
  readonly answer: AnswerAtOnce;
  readonly answerSigned: AnswerSignedAtOnce;
  readonly readClient: ReadClient;
  readonly requestId: () => string;
  readonly reportServed: ReportServed | null;
  readonly nowMs: () => number;
  readonly heads: PrebuiltHeads;
  readonly writer: ResponseWriter;
  readonly durations: Histogram;
  readonly backpressure: Backpressure;
  readonly respondByFullPath: RespondByFullPath;
};

export type RequestHandler = {
  /**
   * Answers the request that a chunk is, at once or later, or hands the connection
   * over.
   */
  receive(connection: Connection, chunk: Buffer): void;
  /** Sends the response that is due on a connection, if one is. */
  send(connection: Connection): void;
  /** Sends the responses of this tick now. */
  flush(): void;
};

/**
 * One request in so many is timed: two looks at the clock cost as much as a tenth
 * of our own part of a request.
 */
export const SAMPLED_EVERY = 64;

const NO_REQUEST = Buffer.alloc(0);

/** The bytes of the request that a response is due to. */
function requestOf({ copy, requestBytes }: DueResponse): Buffer {
  return copy?.subarray(0, requestBytes) ?? NO_REQUEST;
}

/**
 * Makes the handler of one server. Cost: about 2 µs above reading and writing the
 * socket.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { recognise, requestId, nowMs, reportServed, heads, writer, backpressure } = options;
  const { respondByFullPath, durations } = options;
  const answerAtOnce = createAnswer(options);
  const copyRequest = createCopiedRequests();
  const sending = createEndOfTick(send);
  /** Fast-path responses, sent or due. */
  let decided = 0;

  function receive(connection: Connection, chunk: Buffer): void {
    const { due, control } = connection;
    if (due?.response.kind === 'later') {
      // Nothing was done for it yet: node:http answers both, in order.
      connection.due = null;
      control.handOver(Buffer.concat([requestOf(due), chunk]));
      return;
    }
    if (due !== null) send(connection);
    if (!serve(connection, chunk)) control.handOver(chunk);
  }

  /**
   * Whether the chunk was a request that could be answered here, and was, or will
   * be.
   */
  function serve(connection: Connection, chunk: Buffer): boolean {
    const isSampled = decided % SAMPLED_EVERY === 0;
    const startedMs = isSampled || reportServed !== null ? performance.now() : Number.NaN;
    const read = recognise(chunk);
    if (read === null) return false;
    const response = answerAtOnce(read, connection.socket);
    if (response === null) return respondByFullPath(connection.control, read, chunk);

    const now = nowMs();
    const id = response.kind === 'document' ? response.body.requestId : requestId();
    const isNeededLater = response.kind === 'later' || reportServed !== null;
    connection.activeAtMs = now;
    connection.hasServed = true;
    decided += 1;
    connection.due = {
      response,
      head: heads.of(response, read.isHead, id.length, now),
      requestId: id,
      read,
      copy: isNeededLater ? copyRequest(chunk) : null,
      requestBytes: chunk.length,
      startedMs,
      isSampled,
    };
    // Other streams than those of the system may have the next request at hand
    // already.
    if (connection.isPlain) sending.add(connection);
    else send(connection);
    return true;
  }

  function send(connection: Connection): void {
    const { socket, isPlain, due } = connection;
    connection.due = null;
    if (due === null || socket.destroyed) return;
    const { head, requestId: id, read, startedMs } = due;

    const response = resolveBody(due.response, canSendDirectly(socket, isPlain));
    const hasRoom = response === null ? null : writer.write(socket, isPlain, head, id, response);
    if (response === null || hasRoom === null) {
      const chunk = requestOf(due);
      if (!respondByFullPath(connection.control, read, chunk)) connection.control.handOver(chunk);
      return;
    }

    backpressure.countAnswered();
    // Little may wait in the socket: what its stream takes before it says that this
    // is enough.
    if (!hasRoom) backpressure.waitForReader(connection);

    if (Number.isNaN(startedMs)) return;
    const durationMs = performance.now() - startedMs;
    if (due.isSampled) durations.observe(durationMs / 1000);
    const chunk = requestOf(due);
    reportServed?.({ socket, chunk, read, response, requestId: id, durationMs });
  }

  return { receive, send, flush: sending.flush };
}

/**
 * Makes the call of the app's fast path; what fails there fails once more on the
 * full path.
 */
function createAnswer({
  answer,
  answerSigned,
  readClient,
}: RequestHandlerOptions): (read: Recognised, socket: Duplex) => FastResponse | null {
  /**
   * The read that is being answered, and where it came from: one record for all
   * reads, so that those that do not need the protocol pay nothing for it.
   */
  const current: { read: Recognised | null; socket: Duplex | null } = { read: null, socket: null };
  const readProtocol = (): KnownProtocol => {
    const { read, socket } = current;
    if (read === null || socket === null) return null;
    return readClient(peerOf(socket), read.header).knownProtocol;
  };

  return (read, socket) => {
    current.read = read;
    current.socket = socket;
    try {
      if (read.kind === 'plain') return answer(read, readProtocol);
      return read.kind === 'signed' ? answerSigned(read) : null;
    } catch {
      // Failures are answered and logged by the full path.
      return null;
    }
  };
}
