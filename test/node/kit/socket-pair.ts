// Two ends of a connection of the system, for tests of what is written to one.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Closed with the test. The client's is paused. */
export async function openSocketPair(): Promise<{ server: Socket; client: Socket }> {
  const listener = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1').pause();
  const [server] = (await once(listener, 'connection')) as [Socket];
  onTestFinished(() => {
    client.destroy();
    server.destroy();
    listener.close();
  });
  return { server, client };
}
