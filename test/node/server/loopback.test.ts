// Which requests count as sent within this machine: what the connection says, not what its client
// says.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRequest } from '../../../src/adapters/node/server/http-request.ts';
import { isConfidential } from '../../../src/http/s3/call/call.ts';
import { openRawClient } from '../kit/raw-socket.ts';

const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

const server = createServer((incoming, outgoing) => {
  outgoing.end(`takes keys: ${isConfidential(readRequest({ incoming, outgoing }), 'loopback')};`);
});
beforeAll(async () => {
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
});
afterAll(() => server.close());

async function takesKeys(address: string, headers: readonly string[]): Promise<boolean> {
  const client = await openRawClient(`http://${address}:${(server.address() as AddressInfo).port}`);
  client.send(`GET / HTTP/1.1\r\n${headers.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  return /takes keys: true;/.test(await client.closed());
}

describe('encryption keys over plain http', () => {
  it('are taken from this machine, whatever host its request names', async () => {
    expect(await takesKeys('127.0.0.1', ['Host: storage.example'])).toBe(true);
  });

  it.skipIf(outside === undefined)(
    'are not taken from a network, although the request names localhost',
    async () => {
      for (const host of ['localhost', 'localhost:9000', '127.0.0.1', '[::1]']) {
        expect(await takesKeys(outside ?? '', [`Host: ${host}`])).toBe(false);
      }
    },
  );

  it.each([
    'X-Forwarded-For: 192.0.2.1',
    'X-Forwarded-For: 127.0.0.1',
    'Forwarded: for=192.0.2.1',
    'Via: 1.1 proxy',
  ])('are not taken from a proxy of this machine (%s)', async (header) => {
    expect(await takesKeys('127.0.0.1', ['Host: localhost', header])).toBe(false);
  });
});
