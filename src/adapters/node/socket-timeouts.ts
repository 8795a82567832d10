// Closes node:http's connections in which nothing moves, by a look at all of them once a second. node:http would set a timer twice a
// request, and each byte that comes or goes would start it anew: near a tenth of what a hot answer of 10 KiB takes there
// (measured: bench/README.md, delivery).
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Idle keep-alive, milliseconds: longer than the 60 s after which common load balancers and SDKs let go first. */
export const KEEP_ALIVE_MS = 75_000;
/** As node:http: what it waits beyond the time that it tells, so that the client is the first to close. */
export const KEEP_ALIVE_BUFFER_MS = 1000;
/** Milliseconds without a byte in either direction while a request is under way: a reader that stopped reading. */
export const SOCKET_IDLE_MS = 300_000;

/** How often limits of connections are looked at, milliseconds; they are that much longer at most. */
export const LIMITS_CHECK_MS = 1000;

export type SocketTimeouts = {
  watch(socket: Duplex): void;
  /** To be called every LIMITS_CHECK_MS. */
  closeQuiet(): void;
};

type Watched = { readonly socket: Socket; movedBytes: number; quietSinceMs: number };

/** `nowMs`: a clock that never goes back. */
export function createSocketTimeouts(nowMs: () => number): SocketTimeouts {
  const watched = new Set<Watched>();
  return {
    watch(socket) {
      if (socket instanceof Socket) watched.add({ socket, movedBytes: 0, quietSinceMs: nowMs() });
    },
    closeQuiet() {
      const now = nowMs();
      for (const one of watched) {
        const { socket } = one;
        if (socket.destroyed) {
          watched.delete(one);
          continue;
        }
        const movedBytes = movedBytesOf(socket);
        if (movedBytes !== one.movedBytes) {
          one.movedBytes = movedBytes;
          one.quietSinceMs = now;
        }
        const limitMs = isAnswering(socket) ? SOCKET_IDLE_MS : KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS;
        if (now - one.quietSinceMs >= limitMs) socket.destroy();
      }
    },
  };
}

/** What node:net and node:http keep of a socket. The names are the same in every Node since 0.x. */
type Internals = Socket & { _handle?: { writeQueueSize?: number } | null; _httpMessage?: object | null };

/** Bytes that came and that the system took. What node:net counts as written may still wait in its handle. */
function movedBytesOf(socket: Internals): number {
  return socket.bytesRead + socket.bytesWritten - (socket._handle?.writeQueueSize ?? 0);
}

/** Whether a request is under way, its body included. */
function isAnswering({ _httpMessage: answer }: Internals): boolean {
  return answer !== null && answer !== undefined;
}
