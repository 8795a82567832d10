// Pipelining: requests of a connection are handled one at a time. node:http emits
// every request that it has read at once, so responses behind a slow one would fill
// memory long before their client can take them: some thousand for each 64 KiB of
// requests. Here a request waits for the responses in front of it, and little more
// is read meanwhile (backpressure).
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type HandleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Waiting requests of a connection at which reading stops; the last read's 64 KiB
 * come on top.
 */
const WAITING_MAX = 32;

export type Pipelining = {
  /**
   * Handles a request after all in front of it; never one whose client has left by
   * then.
   */
  readonly handle: HandleRequest;
  /**
   * Calls `refuse` for a connection with broken bytes, after the responses to all
   * whole requests before them. A waiting request whose own body is broken is never
   * handled.
   */
  afterAnswers(socket: Duplex, refuse: () => void): void;
};

/**
 * Makes the pipelining of a server. Cost: nothing for a request that waits for no
 * other.
 */
export function createPipelining(handle: HandleRequest): Pipelining {
  const queues = new WeakMap<Socket, Queue>();

  function queueOf(socket: Socket): Queue {
    let queue = queues.get(socket);
    if (queue === undefined) {
      queue = createQueue(socket);
      queues.set(socket, queue);
    }
    return queue;
  }

  return {
    handle(incoming, outgoing) {
      // A response gets its socket when all in front of it have been sent.
      if (outgoing.socket !== null) return handle(incoming, outgoing);
      const queue = queueOf(incoming.socket);
      queue.enter(outgoing);
      outgoing.once('socket', () => {
        queue.leave();
        // node:http is still about to see what the response has to send.
        process.nextTick(() => {
          if (!outgoing.destroyed && !queue.isBroken(outgoing)) handle(incoming, outgoing);
        });
      });
    },

    afterAnswers(socket, refuse) {
      const queue = queues.get(socket as Socket);
      const waiting = queue?.last() ?? null;
      const last = waiting ?? responseUnderWay(socket);
      if (last?.req.complete === true) {
        last.once('close', refuse);
      } else if (waiting === null) {
        refuse();
      } else {
        queue?.breakLast();
        waiting.once('socket', refuse);
      }
    },
  };
}

type Queue = {
  enter(response: ServerResponse): void;
  leave(): void;
  /** The newest response that waits. */
  last(): ServerResponse | null;
  /** From now on its request counts as broken. */
  breakLast(): void;
  isBroken(response: ServerResponse): boolean;
};

/**
 * The response that node:http is sending on a socket; the property's name is as old
 * as Node.
 */
export function responseUnderWay(socket: Duplex): ServerResponse | null {
  return '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null;
}

/** State of node:http on a connection that it has paused. */
type PausedSocket = Socket & { _paused: boolean; parser?: { resume(): void } | null };

/**
 * A connection's queue. It pauses the socket as node:http does for a client that
 * does not read, so that no body that is read or dropped resumes it. Source:
 * lib/_http_server.js of Node 26, parserOnIncoming and socketOnDrain.
 */
function createQueue(connection: Socket): Queue {
  const socket = connection as PausedSocket;
  let waiting = 0;
  let newest: ServerResponse | null = null;
  let broken: ServerResponse | null = null;
  function pauseWhenFull(): void {
    if (waiting <= WAITING_MAX) return;
    socket._paused = true;
    socket.pause();
  }
  // node:http resumes it then.
  socket.on('drain', pauseWhenFull);
  return {
    enter(response) {
      waiting += 1;
      newest = response;
      pauseWhenFull();
    },
    last: () => newest,
    breakLast() {
      broken = newest;
    },
    isBroken: (response) => response === broken,
    leave() {
      waiting -= 1;
      if (waiting === 0) newest = null;
      if (waiting !== WAITING_MAX) return;
      socket._paused = false;
      socket.parser?.resume();
      socket.resume();
    },
  };
}
