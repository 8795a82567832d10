// Pipelined requests, one at a time. node:http parses all that it has read and emits every request in it at once: answers
// behind a slow one would be made, and held, long before their client can take them, some thousand of them for each 64 KiB
// of requests. Here a request is handled when all in front of it have been answered, and little more is read meanwhile.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type HandleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** So many may wait in a connection before nothing more is read of it. What its last read brought comes on top: 64 KiB. */
const WAITING_MAX = 32;

/**
 * Calls `handle` when it is the request's turn; for one whose client has left by then, never. Cost: nothing for a
 * request that waits for no other.
 */
export function oneAtATime(handle: HandleRequest): HandleRequest {
  const queues = new WeakMap<Socket, Queue>();

  function queueOf(socket: Socket): Queue {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue = createQueue(socket);
    queues.set(socket, queue);
    return queue;
  }

  return (incoming, outgoing) => {
    // A response gets its socket when all in front of it have been sent.
    if (outgoing.socket !== null) return handle(incoming, outgoing);
    const queue = queueOf(incoming.socket);
    queue.enter();
    outgoing.once('socket', () => {
      queue.leave();
      // node:http is still about to see what the response has to send.
      process.nextTick(() => {
        if (!outgoing.destroyed) handle(incoming, outgoing);
      });
    });
  };
}

type Queue = { enter(): void; leave(): void };

/** What node:http itself keeps of a connection that it has paused. */
type PausedSocket = Socket & { _paused: boolean; parser?: { resume(): void } | null };

/**
 * Pauses as node:http pauses a connection whose client does not read, so that no body that is read or dropped resumes it.
 * Source: lib/_http_server.js of Node 26, parserOnIncoming and socketOnDrain.
 */
function createQueue(given: Socket): Queue {
  const socket = given as PausedSocket;
  let waiting = 0;
  function pauseWhenFull(): void {
    if (waiting <= WAITING_MAX) return;
    socket._paused = true;
    socket.pause();
  }
  // node:http resumes it then.
  socket.on('drain', pauseWhenFull);
  return {
    enter() {
      waiting += 1;
      pauseWhenFull();
    },
    leave() {
      waiting -= 1;
      if (waiting !== WAITING_MAX) return;
      socket._paused = false;
      socket.parser?.resume();
      socket.resume();
    },
  };
}
