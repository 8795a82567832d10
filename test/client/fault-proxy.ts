// A bad line to a server: refuses, loses, cuts and spoils a share of the requests that pass.
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What may become of a request. */
export const FAULTS = [
  'refused',
  'lost-answer',
  'cut-request',
  'cut-answer',
  'status-500',
] as const;
export type Fault = (typeof FAULTS)[number];

export type FaultProxy = {
  readonly url: string;
  /** How often each fault came about. */
  readonly counts: Record<Fault, number>;
  end(): Promise<void>;
};

/** `choose` decides on each request. */
export async function startFaultProxy(
  target: string,
  choose: (request: IncomingMessage) => Fault | null,
): Promise<FaultProxy> {
  const { hostname, port } = new URL(target);
  const agent = new Agent({ keepAlive: true });
  const counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;

  function pass(
    incoming: IncomingMessage,
    body: Buffer,
    outgoing: ServerResponse,
    fault: Fault | null,
  ) {
    const { method, url: path, headers } = incoming;
    const upstream = request({ agent, hostname, port, method, path, headers }, async (answer) => {
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      const whole = Buffer.concat(chunks);
      if (fault === 'lost-answer') return incoming.socket.destroy();
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      if (fault !== 'cut-answer') return outgoing.end(whole);
      outgoing.write(whole.subarray(0, whole.length >> 1));
      return setTimeout(() => incoming.socket.destroy(), 5);
    });
    upstream.on('error', () => incoming.socket.destroy());
    if (fault === 'cut-request') {
      upstream.write(body.subarray(0, body.length >> 1));
      setTimeout(() => upstream.destroy(), 5);
    } else {
      upstream.end(body);
    }
  }

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      // The client went away before its request was whole: there is nothing to pass on.
      return;
    }
    const body = Buffer.concat(chunks);
    const wanted = choose(incoming);
    // A request without a body has no half.
    const fault = wanted === 'cut-request' && body.length === 0 ? 'refused' : wanted;
    if (fault !== null) counts[fault]++;
    if (fault === 'refused') return incoming.socket.destroy();
    if (fault === 'status-500') return outgoing.writeHead(500).end();
    return pass(incoming, body, outgoing, fault);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    async end() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Chooses a share of all requests, the same for the same seed. */
export function someOf(share: number, seed: number): () => Fault | null {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
  return () => (random() < share ? (FAULTS[Math.floor(random() * FAULTS.length)] ?? null) : null);
}
