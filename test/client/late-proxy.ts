// A line that breaks in the middle of the first PUT of a key, whose bytes the server gets only when
// the second PUT arrives: by then the client has looked, and has seen nothing of the first.
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type LateProxy = {
  readonly url: string;
  /** How many PUTs were held back. */
  heldCount(): number;
  end(): Promise<void>;
};

type Held = { readonly incoming: IncomingMessage; readonly body: Buffer };
type Answer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/**
 * `between` runs before each PUT but the first of a key. `isLost`: what was held back never
 * arrives.
 */
export async function startLateProxy(
  target: string,
  {
    between = async () => {},
    isLost = false,
  }: {
    readonly between?: () => Promise<unknown>;
    readonly isLost?: boolean;
  } = {},
): Promise<LateProxy> {
  const { hostname, port } = new URL(target);
  const held = new Map<string, Held>();
  let count = 0;

  const forward = ({ incoming, body }: Held) =>
    new Promise<Answer>((resolve, reject) => {
      const { method, url: path, headers } = incoming;
      const upstream = request({ hostname, port, method, path, headers }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        const status = answer.statusCode ?? 502;
        resolve({ status, headers: answer.headers, body: Buffer.concat(chunks) });
      });
      upstream.on('error', reject);
      upstream.end(body);
    });

  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const one = { incoming, body: Buffer.concat(chunks) };
    const key = (incoming.url ?? '').split('?', 1)[0] ?? '';
    if (incoming.method === 'PUT') {
      const before = held.get(key);
      if (before === undefined) {
        held.set(key, one);
        count++;
        return incoming.socket.destroy();
      }
      if (!isLost) await forward(before);
      await between();
    }
    const { status, headers, body } = await forward(one);
    return outgoing.writeHead(status, headers).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heldCount: () => count,
    async end() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
