// Lingering close of a connection whose client still sends. Race: the server
// responds and closes; the client sends on; the system resets the connection, and
// the client loses the response. Guard: the sending half is closed first, and bytes
// that still come are read and dropped for a while. Source: RFC 9112 section 9.6.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds that a refused client gets to read the refusal. */
const LINGER_MS = 2_000;
/** Bytes of the refused body that are read and dropped meanwhile. */
const LINGER_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Makes the connection linger where node:http closes it before the request's body
 * has come.
 */
export function lingerOnEarlyClose(incoming: IncomingMessage): void {
  const { headers, socket } = incoming;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
  const destroySoon = Object.getPrototypeOf(socket).destroySoon as () => void;
  // node:http and @hono/node-server end every connection through this method.
  socket.destroySoon = () => {
    if (incoming.complete || socket.destroyed) destroySoon.call(socket);
    else linger(socket, incoming, () => destroySoon.call(socket));
  };
}

/**
 * Drops the rest of the body, then calls `closeNow`, which still flushes the
 * response.
 */
function linger(socket: Socket, incoming: IncomingMessage, closeNow: () => void): void {
  let droppedBytes = 0;
  const destroy = () => socket.destroy();
  const timer = setTimeout(destroy, LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', closeNow);
  socket.end();
  incoming.on('end', closeNow);
  incoming.on('data', (chunk: Buffer) => {
    droppedBytes += chunk.length;
    if (droppedBytes > LINGER_MAX_BYTES) destroy();
  });
  incoming.resume();
}
