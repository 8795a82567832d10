// Frames of HTTP/2 as bytes, for clients that do what no library does.
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';

/** A frame. Source: RFC 9113 section 4.1 */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}
export const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(4, 0, 0),
]);
export const PING = frame(6, 0, 0, Buffer.alloc(8));
export const SETTINGS = frame(4, 0, 0);
export const UNKNOWN = frame(0xee, 0, 0, Buffer.alloc(100));
export const EMPTY_HEADERS_NOT_ENDED = frame(1, 0, 1, Buffer.from([0x82]));
export const CONTINUATION = frame(9, 0, 1);
/** GET / of `a`, ended, by the static table and a literal. */
export const openStream = (id: number) =>
  frame(1, 5, id, Buffer.from([0x82, 0x87, 0x84, 0x01, 0x01, 0x61]));
/** PUT / of `a`, whose body is to come. */
export const OPEN_PUT = frame(
  1,
  4,
  1,
  Buffer.concat([
    Buffer.from([0x02, 3]),
    Buffer.from('PUT'),
    Buffer.from([0x87, 0x84, 1, 1, 0x61]),
  ]),
);
export const resetStream = (id: number) => frame(3, 0, id, Buffer.from([0, 0, 0, 8]));

/** Sends frames until the connection ends, for some seconds at most; whether it did. */
export async function isEndedBy(
  socket: TLSSocket,
  next: (round: number) => Buffer,
): Promise<boolean> {
  let isEnded = false;
  socket.on('close', () => (isEnded = true)).on('end', () => (isEnded = true));
  socket.resume();
  const deadline = performance.now() + 8000;
  for (let round = 0; !isEnded && performance.now() < deadline; round++) {
    if (!socket.write(next(round))) {
      await Promise.race([
        once(socket, 'drain').catch(() => undefined),
        new Promise((resolve) => setTimeout(resolve, 50)),
      ]);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return isEnded;
}
