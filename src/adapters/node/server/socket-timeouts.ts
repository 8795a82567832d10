// Closes node:http's connections in which too little moves, by a look at all of
// them once a second. node:http would set a timer twice a request and restart it
// with each byte: near a tenth of the cost of a hot response of 10 KiB there
// (measured: bench/README.md, delivery).
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { acceptedAt } from './connection-limits.ts';
import { TOO_SLOW } from './http-request.ts';
import { responseUnderWay } from './pipelining.ts';

/**
 * Idle keep-alive, ms: longer than the 60 s after which load balancers and SDKs
 * close first.
 */
export const KEEP_ALIVE_MS = 75_000;
/**
 * Wait beyond the announced keep-alive, ms, as in node:http, so that the client
 * closes first.
 */
export const KEEP_ALIVE_BUFFER_MS = 1000;
/**
 * Milliseconds without a byte in either direction during a request: its reader
 * stopped reading.
 */
export const SOCKET_IDLE_MS = 300_000;
/**
 * Time that a body may come slower than the least rate, milliseconds: as long as
 * one that does not come at all. A faster body earns time again, up to this.
 */
export const BODY_CREDIT_MS = 60_000;

/**
 * How often connections are checked, milliseconds; each limit is that much longer
 * at most.
 */
export const LIMITS_CHECK_MS = 1000;

export type ReceiveLimits = {
  /**
   * Milliseconds from the connection, or a further request's first byte, to the
   * head's end.
   */
  readonly requestHeadMs: number;
  /** Bytes a second of a body; 0: none. */
  readonly receiveRateMin: number;
};

export type SocketTimeouts = {
  watch(socket: Duplex): void;
  /** Closes connections in which too little moved. Called every LIMITS_CHECK_MS. */
  closeQuiet(): void;
};

type Watched = {
  readonly socket: Socket;
  movedBytes: number;
  quietSinceMs: number;
  readBytes: number;
  writtenBytes: number;
  /** When the head that is coming began; null: none is. */
  headSinceMs: number | null;
  bodyCreditMs: number;
};

/**
 * `nowMs`: a monotonic clock. `refuseSlow` responds with 408 to a late head, and
 * closes.
 */
export function createSocketTimeouts(
  nowMs: () => number,
  { requestHeadMs, receiveRateMin }: ReceiveLimits,
  refuseSlow: (socket: Socket) => void,
): SocketTimeouts {
  const watched = new Set<Watched>();
  let lookedAtMs = nowMs();

  /**
   * Whether a head takes too long. Bytes without a response since the last look are
   * a head's.
   */
  function isHeadSlow(connection: Watched, now: number): boolean {
    const { bytesRead, bytesWritten } = connection.socket;
    if (bytesWritten !== connection.writtenBytes) connection.headSinceMs = null;
    else if (bytesRead !== connection.readBytes) connection.headSinceMs ??= now;
    return connection.headSinceMs !== null && now - connection.headSinceMs >= requestHeadMs;
  }

  /**
   * Whether a body comes too slowly. While nobody reads it, that is not its
   * client's fault.
   */
  function isBodySlow(
    connection: Watched,
    { complete, readableFlowing }: IncomingMessage,
    passedMs: number,
  ): boolean {
    if (receiveRateMin === 0 || complete || readableFlowing !== true) {
      connection.bodyCreditMs = BODY_CREDIT_MS;
      return false;
    }
    const newBytes = connection.socket.bytesRead - connection.readBytes;
    const earnedMs = (newBytes * 1000) / receiveRateMin;
    const creditMs = connection.bodyCreditMs - passedMs + earnedMs;
    connection.bodyCreditMs = Math.min(BODY_CREDIT_MS, creditMs);
    return connection.bodyCreditMs <= 0;
  }

  function look(connection: Watched, now: number, passedMs: number): void {
    const { socket } = connection;
    const response = responseUnderWay(socket);
    if (response === null) {
      if (isHeadSlow(connection, now)) refuseSlow(socket);
    } else {
      connection.headSinceMs = null;
      // The body's reader responds that it came too slowly.
      const isSlow = isBodySlow(connection, response.req, passedMs);
      if (isSlow && !response.req.emit(TOO_SLOW)) socket.destroy();
    }

    connection.readBytes = socket.bytesRead;
    connection.writtenBytes = socket.bytesWritten;
    const movedBytes = movedBytesOf(socket);
    if (movedBytes !== connection.movedBytes) {
      connection.movedBytes = movedBytes;
      connection.quietSinceMs = now;
    }
    const limitMs = response === null ? KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS : SOCKET_IDLE_MS;
    if (now - connection.quietSinceMs >= limitMs) socket.destroy();
  }

  return {
    watch(socket) {
      if (!(socket instanceof Socket)) return;
      const { bytesRead, bytesWritten } = socket;
      // A connection from the fast path that had responses comes with a head that
      // has just begun.
      const isFresh = bytesWritten === 0;
      watched.add({
        socket,
        movedBytes: 0,
        quietSinceMs: nowMs(),
        readBytes: bytesRead,
        writtenBytes: bytesWritten,
        headSinceMs: (isFresh ? acceptedAt(socket) : null) ?? nowMs(),
        bodyCreditMs: BODY_CREDIT_MS,
      });
    },
    closeQuiet() {
      const now = nowMs();
      // A process that was stopped has not read the bytes that came meanwhile.
      const passedMs = Math.min(now - lookedAtMs, 2 * LIMITS_CHECK_MS);
      lookedAtMs = now;
      for (const connection of watched) {
        if (connection.socket.destroyed) watched.delete(connection);
        else look(connection, now, passedMs);
      }
    },
  };
}

/**
 * Internals of node:net's sockets. The names are the same in every Node since 0.x.
 */
type Internals = Socket & { _handle?: { writeQueueSize?: number } | null };

/**
 * Bytes that came and that the system took; written ones may still wait in
 * node:net's handle.
 */
function movedBytesOf(socket: Internals): number {
  return socket.bytesRead + socket.bytesWritten - (socket._handle?.writeQueueSize ?? 0);
}
