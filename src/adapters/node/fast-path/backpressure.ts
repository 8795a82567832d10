// Backpressure of fast-path connections: nothing more is read of one whose client
// has not taken its response, or whose response is still being made. Called by
// connection.ts and connection-listeners.ts. It counts such responses as open, and
// closes none itself.
import { Socket } from 'node:net';
import type { ResponseCounts } from '../server/response-counts.ts';
import type { Connection } from './connection.ts';

export type Backpressure = {
  /** Reads nothing more until the client has taken what waits in the socket. */
  waitForReader(connection: Connection): void;
  /** Reads on: the client has taken everything. */
  readOn(connection: Connection): void;
  /** Reads nothing more while a response is being made. */
  pause(connection: Connection): void;
  /** Reads on once the client has taken the response, which is in the socket. */
  resume(connection: Connection): void;
  /** A connection that closed, or was handed over, waits no more. */
  end(connection: Connection, isHandedOver: boolean): void;
  countAnswered(): void;
  /** Responses that were given. */
  answered(): number;
};

export type BackpressureOptions = {
  /** Counts the responses that take longer than a write. */
  readonly counts: Pick<ResponseCounts, 'begun' | 'ended'>;
  readonly nowMs: () => number;
  /** How long a client may take nothing of its response, milliseconds. */
  readonly stalledMs: number;
};

export function createBackpressure(options: BackpressureOptions): Backpressure {
  const { counts, nowMs, stalledMs } = options;
  let answered = 0;

  function waitForReader(connection: Connection): void {
    const { socket } = connection;
    if (!connection.isWaiting) counts.begun();
    connection.isWaiting = true;
    socket.pause();
    // The timer of a system socket sees how much was taken meanwhile. It costs two
    // calls a request, so only now.
    if (socket instanceof Socket && Number.isFinite(stalledMs)) socket.setTimeout(stalledMs);
  }

  function readOn(connection: Connection): void {
    const { socket } = connection;
    if (connection.isWaiting) counts.ended(true);
    connection.isWaiting = false;
    connection.isBusy = false;
    connection.activeAtMs = nowMs();
    if (socket instanceof Socket) socket.setTimeout(0);
    if (socket.readableEnded) socket.end();
    else socket.resume();
  }

  return {
    waitForReader,
    readOn,
    pause(connection) {
      connection.isBusy = true;
      waitForReader(connection);
    },
    resume(connection) {
      connection.hasServed = true;
      answered += 1;
      if (connection.socket.writableNeedDrain) connection.isBusy = false;
      else readOn(connection);
    },
    end(connection, isHandedOver) {
      if (connection.isWaiting) counts.ended(isHandedOver);
      if (!isHandedOver) connection.isWaiting = false;
    },
    countAnswered() {
      answered += 1;
    },
    answered: () => answered,
  };
}
