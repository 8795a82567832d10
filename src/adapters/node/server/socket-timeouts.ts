// Closes node:http's connections in which too little moves, by a look at all of them once a second.
// node:http would set a timer twice a request, and each byte that comes or goes would start it
// anew: near a tenth of what a hot answer of 10 KiB takes there (measured: bench/README.md,
// delivery).
import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { acceptedAt } from './connection-limits.ts';
import { TOO_SLOW } from './http-request.ts';
import { responseUnderWay } from './pipelining.ts';

/**
 * Idle keep-alive, milliseconds: longer than the 60 s after which common load balancers and SDKs
 * let go first.
 */
export const KEEP_ALIVE_MS = 75_000;
/**
 * The wait beyond the time that clients are told, as in node:http, so that the client is the first
 * to close. Milliseconds.
 */
export const KEEP_ALIVE_BUFFER_MS = 1000;
/**
 * Milliseconds without a byte in either direction while a request is under way: a reader that
 * stopped reading.
 */
export const SOCKET_IDLE_MS = 300_000;
/**
 * How long a body may come slower than the least rate before it is given up, milliseconds: as long
 * as one that does not come at all. What comes faster earns time again, up to this.
 */
export const BODY_CREDIT_MS = 60_000;

/**
 * How often limits of connections are looked at, milliseconds; they are that much longer at most.
 */
export const LIMITS_CHECK_MS = 1000;

export type ReceiveLimits = {
  /**
   * From the connection, or the first byte of a further request, to the end of the request's head.
   * Milliseconds.
   */
  readonly requestHeadMs: number;
  /** Bytes a second of a body; 0: none. */
  readonly receiveRateMin: number;
};

export type SocketTimeouts = {
  watch(socket: Duplex): void;
  /** To be called every LIMITS_CHECK_MS. */
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
 * `nowMs`: a clock that never goes back. `refuseSlow` answers 408 to a head that does not come, and
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
   * Whether a head takes too long. Without an answer since the last look, what came can only be
   * one.
   */
  function isHeadSlow(one: Watched, now: number): boolean {
    const { bytesRead, bytesWritten } = one.socket;
    if (bytesWritten !== one.writtenBytes) one.headSinceMs = null;
    else if (bytesRead !== one.readBytes) one.headSinceMs ??= now;
    return one.headSinceMs !== null && now - one.headSinceMs >= requestHeadMs;
  }

  /** Whether a body comes too slowly. While nobody reads it, that is not its client's fault. */
  function isBodySlow(
    one: Watched,
    { complete, readableFlowing }: IncomingMessage,
    passedMs: number,
  ): boolean {
    if (receiveRateMin === 0 || complete || readableFlowing !== true) {
      one.bodyCreditMs = BODY_CREDIT_MS;
      return false;
    }
    const earnedMs = ((one.socket.bytesRead - one.readBytes) * 1000) / receiveRateMin;
    one.bodyCreditMs = Math.min(BODY_CREDIT_MS, one.bodyCreditMs - passedMs + earnedMs);
    return one.bodyCreditMs <= 0;
  }

  function look(one: Watched, now: number, passedMs: number): void {
    const { socket } = one;
    const answer = responseUnderWay(socket);
    if (answer === null) {
      if (isHeadSlow(one, now)) refuseSlow(socket);
    } else {
      one.headSinceMs = null;
      // Whoever reads the body answers that it came too slowly.
      if (isBodySlow(one, answer.req, passedMs) && !answer.req.emit(TOO_SLOW)) socket.destroy();
    }
    one.readBytes = socket.bytesRead;
    one.writtenBytes = socket.bytesWritten;
    const movedBytes = movedBytesOf(socket);
    if (movedBytes !== one.movedBytes) {
      one.movedBytes = movedBytes;
      one.quietSinceMs = now;
    }
    const limitMs = answer === null ? KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS : SOCKET_IDLE_MS;
    if (now - one.quietSinceMs >= limitMs) socket.destroy();
  }

  return {
    watch(socket) {
      if (!(socket instanceof Socket)) return;
      const { bytesRead, bytesWritten } = socket;
      // One that comes from the hot lane with answers behind it comes with a head that has just
      // begun.
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
      // A process that was held up has not read what came meanwhile.
      const passedMs = Math.min(now - lookedAtMs, 2 * LIMITS_CHECK_MS);
      lookedAtMs = now;
      for (const one of watched) {
        if (one.socket.destroyed) watched.delete(one);
        else look(one, now, passedMs);
      }
    },
  };
}

/** What node:net keeps of a socket. The names are the same in every Node since 0.x. */
type Internals = Socket & { _handle?: { writeQueueSize?: number } | null };

/**
 * Bytes that came and that the system took. What node:net counts as written may still wait in its
 * handle.
 */
function movedBytesOf(socket: Internals): number {
  return socket.bytesRead + socket.bytesWritten - (socket._handle?.writeQueueSize ?? 0);
}
