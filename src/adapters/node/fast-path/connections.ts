// All connections of the fast path of one server. It owns a fresh connection for as
// long as that shows nothing but plain reads, one whole request a chunk; anything
// else it hands over to node:http. Called by attach-fast-path.ts. It keeps the
// limits of connections and their metrics.
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createHistogram, type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { ResponseCounts } from '../server/response-counts.ts';
import { KEEP_ALIVE_BUFFER_MS } from '../server/socket-timeouts.ts';
import { createBackpressure } from './backpressure.ts';
import {
  type Connection,
  createRequestHandler,
  type RequestHandlerOptions,
  SAMPLED_EVERY,
} from './connection.ts';
import { openConnection } from './connection-listeners.ts';
import { createFullPathResponses, type FullPathOptions } from './full-path-responses.ts';
import { createPrebuiltHeads } from './prebuilt-heads.ts';
import { createResponseWriter } from './response-writer.ts';
import { createSharedReads } from './shared-read-buffer.ts';

export type FastPathConnectionsOptions = Pick<
  RequestHandlerOptions,
  'recognise' | 'answer' | 'answerSigned' | 'requestId' | 'nowMs' | 'reportServed'
> & {
  /** The full path, for what the fast path leaves: the app itself. */
  readonly full: Pick<FullPathOptions, 'answerFully' | 'readClient' | 'log'>;
  /** Counts the responses that take longer than a write. */
  readonly counts: Pick<ResponseCounts, 'begun' | 'ended' | 'cutShort'>;
  /** Gives a connection to node:http, which listens to it from then on. */
  readonly handOver: (socket: Duplex) => void;
  /**
   * Answers 408 on a connection whose first request did not come in time, and
   * closes it.
   */
  readonly refuseIdle: (socket: Duplex) => void;
  readonly limits: FastPathLimits;
};

/** The limits of the server around it, milliseconds; Infinity for none. */
export type FastPathLimits = {
  /** From the connection to its first byte. */
  readonly firstRequestMs: number;
  /** Between two requests, as Keep-Alive says it to the client. */
  readonly keepAliveMs: number;
  /** Without a byte taken by a client that has not read its response. */
  readonly stalledMs: number;
};

export type FastPathConnections = {
  /** Takes over a fresh connection. */
  take(socket: Duplex): void;
  /**
   * Closes the connections that have run into a limit; to be called every second or
   * so.
   */
  closeExpired(): void;
  /**
   * Closes those that wait for a request. One that has sent none yet gets a moment
   * to.
   */
  closeIdle(): void;
  /** Closes all, responses under way included. */
  closeAll(): void;
  counts(): {
    readonly connections: number;
    readonly answered: number;
    readonly handedOver: number;
  };
  families(): readonly MetricFamily[];
};

/**
 * What a connection without any request has before `closeIdle` takes it for idle:
 * its first may be on the way.
 */
const FRESH_MS = 1000;

/**
 * Bounds of the histogram of durations, seconds. From what a response takes, its
 * part of the tick included, to what a full garbage collection in the middle of it
 * does.
 */
const DURATION_BOUNDS = [0.000005, 0.00001, 0.00002, 0.00005, 0.0001, 0.00025, 0.001, 0.005, 0.025];

export function createFastPathConnections(
  options: FastPathConnectionsOptions,
): FastPathConnections {
  const { nowMs, limits, counts } = options;
  const heads = createPrebuiltHeads(limits.keepAliveMs);
  const durations = createHistogram(DURATION_BOUNDS);
  const backpressure = createBackpressure({ counts, nowMs, stalledMs: limits.stalledMs });
  const handler = createRequestHandler({
    ...options,
    readClient: options.full.readClient,
    heads,
    writer: createResponseWriter({ counts, log: options.full.log }),
    durations,
    backpressure,
    respondByFullPath: createFullPathResponses({ ...options.full, heads, nowMs }),
  });
  const shareReads = createSharedReads();
  const connections = new Set<Connection>();
  let handedOver = 0;

  const onGone = (connection: Connection, isHandedOver: boolean) => {
    connections.delete(connection);
    if (isHandedOver) handedOver += 1;
  };
  const { handOver } = options;
  const listening = { handler, backpressure, shareReads, nowMs, handOver, onGone };

  return {
    take(socket) {
      connections.add(openConnection(socket, listening));
    },
    closeExpired() {
      const now = nowMs();
      for (const connection of connections) {
        if (!isExpired(connection, limits, now)) continue;
        if (connection.hasServed) connection.socket.destroy();
        else options.refuseIdle(connection.socket);
      }
    },
    closeIdle() {
      handler.flush();
      const now = nowMs();
      for (const { socket, hasServed, activeAtMs, isBusy } of connections) {
        if (isBusy || socket.writableLength > 0) continue;
        if (hasServed || now - activeAtMs > FRESH_MS) socket.destroy();
      }
    },
    closeAll() {
      handler.flush();
      for (const { socket } of connections) socket.destroy();
    },
    counts: () => ({
      connections: connections.size,
      answered: backpressure.answered(),
      handedOver,
    }),
    families: () => [
      metricFamily('gauge', 'quayside_fast_path_connections', 'Connections of the fast path.', [
        [{}, connections.size],
      ]),
      metricFamily(
        'counter',
        'quayside_fast_path_handed_over_total',
        'Connections that left it for node:http.',
        [[{}, handedOver]],
      ),
      {
        name: 'quayside_fast_path_duration_seconds',
        help:
          'From the bytes of a request to the bytes of its response in the socket at the end of ' +
          `the tick, one in ${SAMPLED_EVERY} of them.`,
        type: 'histogram',
        samples: durations.samples({}),
      },
    ],
  };
}

function isExpired(
  { socket, activeAtMs, hasServed, isWaiting, isBusy }: Connection,
  limits: FastPathLimits,
  now: number,
): boolean {
  if (isBusy) return false;
  if (isWaiting && socket instanceof Socket) return false;
  const quietMs = now - activeAtMs;
  if (socket.writableLength > 0) return quietMs > limits.stalledMs;
  const limitMs = hasServed ? limits.keepAliveMs + KEEP_ALIVE_BUFFER_MS : limits.firstRequestMs;
  return quietMs > limitMs;
}
