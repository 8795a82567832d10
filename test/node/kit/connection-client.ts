// Requests one after the other over one connection that is open already: which thread of the
// server answers is known by the connection.
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';

export type ConnectionClient = {
  /** Waits for requests that were sent before. Rejects when the connection breaks. */
  send(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ): Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>;
  close(): void;
};

export function connectionClient(socket: Socket): ConnectionClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agent.createConnection = () => socket;
  return {
    send: (method, path, headers = {}, body = new Uint8Array()) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) throw new Error('The connection has ended.');
        const host = `127.0.0.1:${socket.remotePort}`;
        const length =
          method === 'PUT' || method === 'POST' ? { 'content-length': body.length } : {};
        const options = { agent, method, path, headers: { host, ...length, ...headers } };
        const sent = request(options, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          );
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    close: () => agent.destroy(),
  };
}
