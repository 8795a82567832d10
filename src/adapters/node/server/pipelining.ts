// Pipelined requests, one at a time. node:http parses all that it has read and emits every request
// in it at once: answers behind a slow one would be made, and held, long before their client can
// take them, some thousand of them for each 64 KiB of requests. Here a request is handled when all
// in front of it have been answered, and little more is read meanwhile.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export type HandleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/**
 * Requests that may wait in a connection before nothing more is read of it. What its last read
 * brought comes on top: 64 KiB.
 */
const WAITING_MAX = 32;

export type Pipelining = {
  /**
   * Handles a request when all in front of it have been answered; one whose client has left by
   * then, never.
   */
  readonly handle: HandleRequest;
  /**
   * For a connection on which broken bytes have come: calls `refuse` when every whole request
   * before them has been answered. A request whose own body is broken is not handled any more,
   * unless it is already.
   */
  afterAnswers(socket: Duplex, refuse: () => void): void;
};

/** Cost: nothing for a request that waits for no other. */
export function oneAtATime(handle: HandleRequest): Pipelining {
  const queues = new WeakMap<Socket, Queue>();

  function queueOf(socket: Socket): Queue {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue = createQueue(socket);
    queues.set(socket, queue);
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
 * What node:http keeps of the answer that it is sending. The name is the same in every Node since
 * 0.x.
 */
export function responseUnderWay(socket: Duplex): ServerResponse | null {
  return '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null;
}

/** What node:http itself keeps of a connection that it has paused. */
type PausedSocket = Socket & { _paused: boolean; parser?: { resume(): void } | null };

/**
 * Pauses as node:http pauses a connection whose client does not read, so that no body that is read
 * or dropped resumes it. Source: lib/_http_server.js of Node 26, parserOnIncoming and
 * socketOnDrain.
 */
function createQueue(given: Socket): Queue {
  const socket = given as PausedSocket;
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
