// Listens to the socket of a fast-path connection, and hands it over to node:http at
// the first chunk that is not one whole, plain request. Then the listeners go off, and
// the chunk is put back in front of what was not read yet. A connection that was handed
// over never comes back. Called by connections.ts for each fresh connection.
import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Backpressure } from './backpressure.ts';
import type { Connection, RequestHandler } from './connection.ts';
import { isPlainSocket } from './response-writer.ts';
import type { ShareReads } from './shared-read-buffer.ts';

export type ConnectionListenersOptions = {
  readonly handler: RequestHandler;
  readonly backpressure: Backpressure;
  readonly shareReads: ShareReads;
  readonly nowMs: () => number;
  /** Gives a connection to node:http, which listens to it from then on. */
  readonly handOver: (socket: Duplex) => void;
  /** Called once, when the fast path has no part in the connection any more. */
  readonly onGone: (connection: Connection, isHandedOver: boolean) => void;
};

/** Listens to a fresh connection; gives what is known of it. */
export function openConnection(socket: Duplex, options: ConnectionListenersOptions): Connection {
  const { handler, backpressure, shareReads } = options;
  const isPlain = isPlainSocket(socket);
  let isOurs = true;

  const handOver = (chunk: Buffer) => {
    // Nothing can be put back into a stream that has ended.
    if (socket.readableEnded) return void socket.destroy();
    isOurs = false;
    for (const [event, listener] of listeners) socket.off(event, listener);
    if (socket instanceof Socket) socket.setTimeout(0);
    options.onGone(connection, true);
    // From here on node:http counts it.
    backpressure.end(connection, true);
    // Paused, or the chunk would be emitted at once, to nobody.
    socket.pause();
    socket.unshift(Buffer.from(chunk));
    options.handOver(socket);
    socket.resume();
  };

  const connection: Connection = {
    socket,
    activeAtMs: options.nowMs(),
    hasServed: false,
    isWaiting: false,
    isBusy: false,
    due: null,
    control: {
      socket,
      pause: () => backpressure.pause(connection),
      resume: () => backpressure.resume(connection),
      handOver,
    },
    isPlain,
  };

  const onData = (chunk: Buffer) => handler.receive(connection, chunk);

  const onSharedChunk = (chunk: Buffer): boolean => {
    // The parser of node:http reads past this; where somebody reads the stream
    // instead, that is where the bytes go.
    if (!isOurs) return socket.push(Buffer.from(chunk));
    handler.receive(connection, chunk);
    return true;
  };

  const listeners = listenersOf(connection, options);
  const isShared = isPlain && shareReads(socket as Socket, onSharedChunk);
  if (!isShared) listeners.push(['data', onData]);
  for (const [event, listener] of listeners) socket.on(event, listener);
  // With shared reads too the stream flows, or its end would not show.
  if (isShared) socket.resume();
  return connection;
}

type Listener = [event: string, listener: (chunk: Buffer) => void];

function listenersOf(
  connection: Connection,
  { handler, backpressure, onGone }: ConnectionListenersOptions,
): Listener[] {
  const { socket } = connection;

  return [
    [
      'drain',
      () => {
        if (connection.isWaiting && !connection.isBusy) backpressure.readOn(connection);
      },
    ],
    [
      'end',
      () => {
        handler.send(connection);
        // A client that has said all it has to say still gets what is under way.
        if (!connection.isWaiting) socket.end();
      },
    ],
    ['error', ignoreError],
    ['timeout', () => void socket.destroy()],
    [
      'close',
      () => {
        onGone(connection, false);
        backpressure.end(connection, false);
      },
    ],
  ];
}

/**
 * A connection that breaks is closed by its stream; there is nobody left to tell.
 */
function ignoreError(): void {}
