// The end of a connection whose request has a body: at once where all of it came, after a while
// where the client still sends, so that it gets its response.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { lingerOnEarlyClose } from '../../../src/adapters/node/server/lingering-close.ts';

/** A server that closes after each response, and a client that never closes by itself. */
async function start(answer: (incoming: IncomingMessage, outgoing: ServerResponse) => void) {
  const server = createServer((incoming, outgoing) => {
    lingerOnEarlyClose(incoming);
    outgoing.setHeader('connection', 'close');
    answer(incoming, outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => {
    client.destroy();
    server.closeAllConnections();
    server.close();
  });
  let received = '';
  client.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const connections = () =>
    new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  return { client, connections, received: () => received };
}

const head = (length: number) =>
  `PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`;

it('the end of a connection comes at once where the whole body came', async () => {
  const { client, connections, received } = await start((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.end('stored'));
  });
  client.write(`${head(4)}body`);
  await once(client, 'end');
  expect(received()).toMatch(/^HTTP\/1\.1 200 .*stored$/s);
  // Less than a client that still sends would get.
  await expect.poll(connections, { timeout: 1000, interval: 10 }).toBe(0);
});

it('the end of a connection waits for a client that sends, which gets the refusal', async () => {
  const { client, connections, received } = await start((_, outgoing) => {
    outgoing.statusCode = 403;
    outgoing.end('refused');
  });
  const reset: unknown[] = [];
  client.on('error', (error) => reset.push(error));
  client.write(`${head(1_000_000)}${'x'.repeat(1000)}`);
  await once(client, 'end');
  for (let sent = 1000; sent < 1_000_000; sent += 9000) client.write('x'.repeat(9000));
  await expect.poll(connections, { interval: 10 }).toBe(0);
  expect(received()).toMatch(/^HTTP\/1\.1 403 .*refused$/s);
  expect(reset).toEqual([]);
});
