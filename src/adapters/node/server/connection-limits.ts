// Limits of connections, of all clients and of one address. They are enforced when
// a connection is accepted, so they cost a request nothing. A connection beyond a
// limit goes to crowded-server.ts, which responds to health checks alone.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../../domain/ip-range.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { Log } from '../../../ports/system.ts';
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
 * listeners.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  log: Log,
): { families(): readonly MetricFamily[]; closeAll(): void } {
  const isTrusted = createProxyTrust(limits.trustedProxies);
  const sockets = new Set<Socket>();
  const byNetwork = new Map<string, number>();
  const refused: Record<CrowdedBy, number> = { address: 0, server: 0 };
  const crowded = createCrowdedServer(server);
  let admitted = 0;
  let loggedAtMs = Number.NEGATIVE_INFINITY;

  /** The network that a connection is counted on; null: none. */
  function countedNetwork(socket: Socket): string | null {
    const address = plainAddress(socket.remoteAddress);
    if (limits.connectionsPerAddress === 0 || (address !== null && isTrusted(address))) return null;
    return networkOf(address);
  }

  function admit(socket: Socket, network: string | null): void {
    admitted += 1;
    if (network !== null) byNetwork.set(network, (byNetwork.get(network) ?? 0) + 1);
    socket.once('close', () => {
      admitted -= 1;
      if (network === null) return;
      const left = (byNetwork.get(network) ?? 1) - 1;
      if (left === 0) byNetwork.delete(network);
      else byNetwork.set(network, left);
    });
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
    if (network !== null && (byNetwork.get(network) ?? 0) >= limits.connectionsPerAddress) {
      return refuse(socket, 'address', network);
    }
    if (admitted >= limits.connectionsMax) return refuse(socket, 'server', network);
    admit(socket, network);
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
