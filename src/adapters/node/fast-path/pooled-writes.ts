// Buffers for responses that wait in the stream of their socket. Under TLS each serves
// again when it is encrypted; any other stream may hand on the very bytes, and gets
// fresh ones. A fresh one for each response of 10 KiB made the garbage collector a
// sixth of the CPU of a hot read under TLS (bench/README.md, tls). Called by
// response-writer.ts.
import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** Most buffers that wait for their next response. */
const POOLED_MAX = 64;

export type PooledWrites = {
  /** A buffer of at least so many bytes, to be filled and written to it at once. */
  take(socket: Duplex, lengthBytes: number): Buffer;
  /**
   * Writes the beginning of a buffer that `take` gave. False: the socket has enough
   * for now.
   */
  write(socket: Duplex, buffer: Buffer, lengthBytes: number): boolean;
};

/** Makes a pool of buffers of `bufferBytes`; longer ones are made for one response. */
export function createPooledWrites(bufferBytes: number): PooledWrites {
  const free: Buffer[] = [];

  return {
    take(socket, lengthBytes) {
      const isPooled = lengthBytes <= bufferBytes && socket instanceof TLSSocket;
      if (!isPooled) return Buffer.allocUnsafe(lengthBytes);
      return free.pop() ?? Buffer.allocUnsafeSlow(bufferBytes);
    },
    write(socket, buffer, lengthBytes) {
      if (!(socket instanceof TLSSocket)) return socket.write(buffer.subarray(0, lengthBytes));
      // Called once, when the bytes are encrypted, or never will be.
      return socket.write(buffer.subarray(0, lengthBytes), () => {
        if (buffer.length === bufferBytes && free.length < POOLED_MAX) free.push(buffer);
      });
    },
  };
}
