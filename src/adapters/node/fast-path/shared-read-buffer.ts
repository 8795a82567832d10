// Lets the connections of the fast path read into one buffer. By default each read
// gets 64 KiB of fresh memory, a Buffer on it and a walk through the stream's
// machinery: a fifth of what a whole hot request costs (bench/README.md, delivery).
// node:net has the remedy, `onread`, but only for sockets that connect, so this
// sets on an accepted one what `onread` sets. Where a Node does not look as
// expected, sockets read as ever. Source: `onread` of
// https://nodejs.org/api/net.html#new-netsocketoptions; lib/net.js of Node 26,
// Socket and initSocketHandle. To be dropped when net.createServer takes `onread`.
import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What node:net itself offers a read. Bytes. */
const BUFFER_BYTES = 64 * 1024;

/** Views of so many bytes at most are kept: longer requests are rare. */
const VIEWED_MAX_BYTES = 2048;

/**
 * Gives each chunk to `onChunk` from now on, whose bytes are good during the call
 * only; it says, as `push` does, whether to go on reading. Afterwards the socket
 * itself emits no `data`. False, and nothing was done, where that is not possible.
 */
export type ShareReads = (socket: Socket, onChunk: (chunk: Buffer) => boolean) => boolean;

type SharedSocket = Socket &
  Record<symbol, unknown> & { _handle?: { useUserBuffer?: (buffer: Uint8Array) => void } };

/** Makes the buffer of a server: its connections use it one after the other. */
export function createSharedReads(): ShareReads {
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  const names = onreadNames(buffer);
  if (names === null) return () => false;
  const { ofBuffer, ofCallback } = names;
  // Requests of one client are about as long as each other, and a view takes longer
  // to make than to find.
  const views = Array.from<Buffer | undefined>({ length: VIEWED_MAX_BYTES + 1 });
  const viewOf = (lengthBytes: number): Buffer => {
    if (lengthBytes > VIEWED_MAX_BYTES) return buffer.subarray(0, lengthBytes);
    const known = views[lengthBytes];
    if (known !== undefined) return known;
    const view = buffer.subarray(0, lengthBytes);
    views[lengthBytes] = view;
    return view;
  };
  return (given, onChunk) => {
    const socket = given as SharedSocket;
    const handle = socket._handle;
    if (socket instanceof TLSSocket || typeof handle?.useUserBuffer !== 'function') return false;
    socket[ofBuffer] = buffer;
    socket[ofCallback] = (lengthBytes: number) => onChunk(viewOf(lengthBytes));
    handle.useUserBuffer(buffer);
    return true;
  };
}

/**
 * The symbols under which a socket keeps its `onread`; null when this Node has none
 * such.
 */
function onreadNames(buffer: Buffer): { ofBuffer: symbol; ofCallback: symbol } | null {
  const callback = () => true;
  const probe = new Socket({ onread: { buffer, callback } }) as SharedSocket;
  const symbols = Object.getOwnPropertySymbols(probe);
  const ofBuffer = symbols.find((symbol) => probe[symbol] === buffer);
  const ofCallback = symbols.find((symbol) => probe[symbol] === callback);
  return ofBuffer === undefined || ofCallback === undefined ? null : { ofBuffer, ofCallback };
}
