// Limits of connections, of all clients and of one address. They are enforced when
// a connection is accepted, so they cost a request nothing. A connection beyond a
// limit goes to crowded-server.ts, which responds to health checks alone.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../../domain/ip-range.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Log } from '../../../ports/system.ts';
import type { OpenTls } from '../tls/open-tls.ts';
import { createCrowdedServer } from './crowded-server.ts';
import { createProxyTrust, plainAddress } from './trusted-proxies.ts';

export type ConnectionLimits = {
  /** Connections at once. About 100 KiB each while idle with buffers. */
  readonly connectionsMax: number;
  /**
   * Connections at once of one IPv4 address or IPv6 network of 64 bits; 0: no such
   * limit.
   */
  readonly connectionsPerAddress: number;
  /**
   * Addresses and CIDR ranges that no such limit is for: behind each of them are
   * many clients.
   */
  readonly trustedProxies: readonly string[];
};

/** The default limits. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  connectionsMax: 4096,
  connectionsPerAddress: 1024,
  trustedProxies: [],
};

/** Counts the connections that the limits are for. */
export type ConnectionCounts = {
  /** Counts one more; null network: it counts on none. */
  add(network: string | null): void;
  remove(network: string | null): void;
  all(): number;
  of(network: string): number;
};

/** Counts of a process whose one thread has all connections. */
export function createConnectionCounts(): ConnectionCounts {
  const byNetwork = new Map<string, number>();
  let all = 0;

  const change = (network: string | null, by: 1 | -1): void => {
    all += by;
    if (network === null) return;
    const count = (byNetwork.get(network) ?? 0) + by;
    if (count === 0) byNetwork.delete(network);
    else byNetwork.set(network, count);
  };
  return {
    add: (network) => change(network, 1),
    remove: (network) => change(network, -1),
    all: () => all,
    of: (network) => byNetwork.get(network) ?? 0,
  };
}

/** Which limit a connection is beyond. */
export type CrowdedBy = 'address' | 'server';

/** Least time between two log lines about a limit, milliseconds. */
const LOGGED_EVERY_MS = 60_000;

const acceptedAtMs = new WeakMap<object, number>();

/**
 * When a connection was accepted, by `performance.now()`; null without limits of
 * connections.
 */
export function acceptedAt(socket: object): number | null {
  return acceptedAtMs.get(socket) ?? null;
}

/**
 * Limits a server's connections. To be called once, after all other connection
 * listeners. `tls`: what connections of this server speak; null: plain HTTP.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  {
    log,
    counts = createConnectionCounts(),
    tls = null,
  }: {
    readonly log: Log;
    readonly counts?: ConnectionCounts | undefined;
    readonly tls?: OpenTls | null;
  },
): { families(): readonly MetricFamily[]; closeAll(): void } {
  const isTrusted = createProxyTrust(limits.trustedProxies);
  const sockets = new Set<Socket>();
  const refused: Record<CrowdedBy, number> = { address: 0, server: 0 };
  const crowded = createCrowdedServer(server, tls);
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  /** The network that a connection is counted on; null: none. */
  function countedNetwork(socket: Socket): string | null {
    const address = plainAddress(socket.remoteAddress);
    if (limits.connectionsPerAddress === 0 || (address !== null && isTrusted(address))) return null;
    return networkOf(address);
  }

  /**
   * Counts a connection, and returns the limit that it is beyond; null: none. Race: two
   * threads admit the last one. Guard: each counts its own first, and looks then.
   */
  function admit(socket: Socket, network: string | null): CrowdedBy | null {
    counts.add(network);
    const isOfCrowd = network !== null && counts.of(network) > limits.connectionsPerAddress;
    const crowdedBy = isOfCrowd
      ? 'address'
      : counts.all() > limits.connectionsMax
        ? 'server'
        : null;
    if (crowdedBy === null) socket.once('close', () => counts.remove(network));
    else counts.remove(network);
    return crowdedBy;
  }

  function refuse(socket: Socket, by: CrowdedBy, network: string | null): void {
    refused[by] += 1;
    const nowMs = performance.now();
    if (nowMs - loggedAtMs >= LOGGED_EVERY_MS) {
      loggedAtMs = nowMs;
      log.info('connections-crowded', { by, network, refused: refused[by] });
    }
    crowded.take(socket, by);
  }

  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    acceptedAtMs.set(socket, performance.now());
    const network = countedNetwork(socket);
    const crowdedBy = admit(socket, network);
    if (crowdedBy !== null) return refuse(socket, crowdedBy, network);
    for (const listener of listeners) listener.call(server, socket);
  });

  return {
    families: () => [
      metricFamily(
        'counter',
        'quayside_connections_crowded_total',
        'Connections beyond a limit, which got responses to health checks alone.',
        (['address', 'server'] as const).map((limit) => [{ limit }, refused[limit]]),
      ),
    ],
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
