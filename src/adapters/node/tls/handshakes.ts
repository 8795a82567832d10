// TLS handshakes of strangers, bounded in time and in number for each network, and
// the refusal of plain HTTP on a TLS port. It stands between the connections that
// connection-limits.ts admits and the TLS server. A handshake costs the server a
// signature, some hundred times what a hot request does, and a client nothing: so
// one network has a bounded number of them at once.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import { networkOf } from '../../../domain/ip-range.ts';
import { type MetricFamily, metricFamily } from '../../../ports/metrics.ts';
import type { ResponseCounts } from '../server/response-counts.ts';
import { type IsTrusted, plainAddress } from '../server/trusted-proxies.ts';

export type HandshakeLimits = {
  /** From the connection to the end of its handshake, milliseconds. */
  readonly handshakeMs: number;
  /**
   * Handshakes of one network at once; further connections of it wait. Trusted
   * proxies have no such limit.
   */
  readonly perNetwork: number;
};

export const HANDSHAKE_LIMITS: HandshakeLimits = { handshakeMs: 10_000, perNetwork: 32 };

/** How a handshake ended, as the metric names it. */
type Outcome = 'full' | 'resumed' | 'failed' | 'slow' | 'plain-http';
const OUTCOMES: readonly Outcome[] = ['full', 'resumed', 'failed', 'slow', 'plain-http'];

/** First byte of every TLS record that begins a connection. Source: RFC 8446 section 5.1 */
const HANDSHAKE_RECORD = 22;
/** How long a client of plain HTTP gets to read its refusal, milliseconds. */
const REFUSAL_MS = 2000;
const REFUSAL_TEXT = 'This port speaks HTTPS. Plain HTTP was sent to it.\n';
const REFUSAL =
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n' +
  `Content-Length: ${REFUSAL_TEXT.length}\r\n\r\n${REFUSAL_TEXT}`;

export type HandshakeOptions = {
  readonly isTrusted: IsTrusted;
  /** Counts bytes that were no request. */
  readonly counts: Pick<ResponseCounts, 'refused'>;
  readonly limits?: HandshakeLimits;
};

/**
 * Bounds the handshakes of an HTTPS server. To be called once, before
 * `limitConnections`.
 */
export function boundHandshakes(
  server: Server & TlsServer,
  { isTrusted, counts, limits = HANDSHAKE_LIMITS }: HandshakeOptions,
): { families(): readonly MetricFamily[] } {
  const outcomes = new Map<Outcome, number>(OUTCOMES.map((outcome) => [outcome, 0]));
  const count = (outcome: Outcome) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const slots = createNetworkSlots(limits.perNetwork);
  /** Functions that end a handshake under way, by the two ends of its connection. */
  const underWay = new Map<string, () => void>();

  const listeners = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress);
    const network = address !== null && isTrusted(address) ? null : networkOf(address);
    const ends = endsOf(socket);
    let isOver = false;

    const over = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      underWay.delete(ends);
      leave();
    };
    const timer = setTimeout(() => {
      count('slow');
      socket.destroy();
    }, limits.handshakeMs).unref();
    // Until TLS takes the socket, nobody else listens for its errors.
    socket.on('error', () => {});
    socket.once('close', over);

    const leave = slots.enter(network, () => {
      if (socket.destroyed) return;
      afterFirstByte(socket, (firstByte) => {
        if (isOver) return;
        if (!isLetter(firstByte)) {
          underWay.set(ends, over);
          for (const listener of listeners) listener.call(server, socket);
          return;
        }
        over();
        count('plain-http');
        counts.refused();
        refusePlainHttp(socket);
      });
    });
  });

  server.prependListener('secureConnection', (socket: TLSSocket) => {
    count(socket.isSessionReused() ? 'resumed' : 'full');
    underWay.get(endsOf(socket))?.();
  });
  // node:https would answer here with what only a whole handshake could carry.
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (_error, socket: TLSSocket) => {
    count('failed');
    socket.destroy();
  });

  return {
    families: () => [
      metricFamily(
        'counter',
        'quayside_tls_handshakes_total',
        'Handshakes of TLS, by how they ended.',
        [...outcomes].map(([result, value]) => [{ result }, value]),
      ),
    ],
  };
}

/** Names a connection by its ends, which a TLS socket shares with the one beneath it. */
function endsOf({ remoteAddress, remotePort, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localPort}`;
}

/**
 * Waits for the first byte, and puts back what was read. A socket that never sends one
 * ends at its deadline.
 */
function afterFirstByte(socket: Socket, onFirst: (byte: number) => void): void {
  socket.once('data', (chunk: Buffer) => {
    socket.pause();
    socket.unshift(chunk);
    onFirst(chunk[0] ?? HANDSHAKE_RECORD);
  });
}

/** Whether a byte begins the method of a request. */
function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a);
}

/** Answers, and drops what still comes until the client has closed, or its time is over. */
function refusePlainHttp(socket: Socket): void {
  const limit = setTimeout(() => socket.destroy(), REFUSAL_MS).unref();
  socket.once('close', () => clearTimeout(limit));
  socket.once('end', () => socket.destroy());
  socket.end(REFUSAL);
  socket.resume();
}

/** A semaphore for each network. */
type NetworkSlots = {
  /**
   * Takes a slot: calls `begin` at once, or when others of the network have left. The
   * result gives the slot back and is called once. `network` null: it has no limit.
   */
  enter(network: string | null, begin: () => void): () => void;
};

type Queue = { active: number; readonly waiting: Set<() => void> };

function createNetworkSlots(perNetwork: number): NetworkSlots {
  const queues = new Map<string, Queue>();

  return {
    enter(network, begin) {
      if (network === null) {
        begin();
        return () => undefined;
      }
      const queue = queues.get(network) ?? { active: 0, waiting: new Set() };
      queues.set(network, queue);
      if (queue.active < perNetwork) {
        queue.active += 1;
        begin();
      } else queue.waiting.add(begin);

      return () => {
        if (queue.waiting.delete(begin)) return;
        const [next] = queue.waiting;
        if (next !== undefined) {
          queue.waiting.delete(next);
          next();
          return;
        }
        queue.active -= 1;
        if (queue.active === 0) queues.delete(network);
      };
    },
  };
}
