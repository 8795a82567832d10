// Handshakes of strangers: slow ones end, those of one network take turns, and plain HTTP is told
// where it is.
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createResponseCounts } from '../../../src/adapters/node/server/response-counts.ts';
import { createProxyTrust } from '../../../src/adapters/node/server/trusted-proxies.ts';
import {
  boundHandshakes,
  type HandshakeLimits,
} from '../../../src/adapters/node/tls/handshakes.ts';
import { makeSelfSigned } from '../kit/self-signed.ts';
import { connectTls } from './tls-kit.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function start(limits: HandshakeLimits, trusted: readonly string[] = []) {
  const server = createServer(makeSelfSigned(), (_incoming, outgoing) => outgoing.end('fine'));
  const counts = createResponseCounts();
  const { families } = boundHandshakes(server, {
    isTrusted: createProxyTrust(trusted),
    counts,
    limits,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const outcomes = () =>
    Object.fromEntries(
      families().flatMap(({ samples }) =>
        samples.map(({ labels, value }) => [labels.result, value] as const),
      ),
    );
  return { port: (server.address() as AddressInfo).port, outcomes, counts };
}

/** A connection that says nothing, or what it is given. */
async function connectPlain(port: number, text = ''): Promise<{ socket: Socket; all(): string }> {
  const socket = connect({ host: '127.0.0.1', port });
  closing.push(() => socket.destroy());
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => {});
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return { socket, all: () => received };
}

const untilClosed = (socket: Socket) =>
  socket.closed ? Promise.resolve() : once(socket, 'close').then(() => undefined);

describe('boundHandshakes', () => {
  it('ends a handshake that takes too long, whether it has begun or not', async () => {
    const { port, outcomes } = await start({ handshakeMs: 2000, perNetwork: 8 });
    const silent = await connectPlain(port);
    const begun = await connectPlain(port, '\x16\x03\x01');
    const healthy = await connectTls(port);
    await Promise.all([untilClosed(silent.socket), untilClosed(begun.socket)]);
    expect(outcomes()).toMatchObject({ slow: 2, full: 1 });
    await new Promise((resolve) => setTimeout(resolve, 2200));
    expect(healthy.destroyed).toBe(false);
  });

  it('lets the handshakes of a network take turns, and forgets who left', async () => {
    const { port, outcomes } = await start({ handshakeMs: 5000, perNetwork: 2 });
    const slow = [await connectPlain(port), await connectPlain(port)];
    let isDone = false;
    const waiting = connectTls(port).then((socket) => {
      isDone = true;
      return socket;
    });
    const leaving = await connectPlain(port);
    leaving.socket.destroy();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isDone).toBe(false);

    slow[0]?.socket.destroy();
    expect((await waiting).authorized).toBe(false);
    // Whole handshakes free their place: many more than two at once come through.
    const sockets = await Promise.all(Array.from({ length: 10 }, () => connectTls(port)));
    expect(sockets).toHaveLength(10);
    await expect.poll(outcomes).toMatchObject({ full: 11, slow: 0 });
  });

  it('lets those of a trusted proxy not wait', async () => {
    const { port } = await start({ handshakeMs: 5000, perNetwork: 1 }, ['127.0.0.1']);
    await connectPlain(port);
    await connectPlain(port);
    expect((await connectTls(port)).encrypted).toBe(true);
  });

  it('answers plain HTTP that this port speaks HTTPS', async () => {
    const { port, outcomes, counts } = await start({ handshakeMs: 5000, perNetwork: 8 });
    const head = 'PUT /a HTTP/1.1\r\nHost: h\r\nContent-Length: 90000\r\n\r\n';
    const { socket, all } = await connectPlain(port, `${head}${'x'.repeat(90_000)}`);
    await expect.poll(all).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(all()).toMatch(/\r\n\r\nThis port speaks HTTPS\. Plain HTTP was sent to it\.\n$/);
    socket.end();
    await untilClosed(socket);
    expect(outcomes()).toMatchObject({ 'plain-http': 1, failed: 0 });
    const refused = counts.families().find(({ name }) => name.includes('malformed'));
    expect(refused?.samples[0]?.value).toBe(1);
  });

  it.each(['A', 'Z', 'a', 'z'])('takes a first byte of %s for plain HTTP', async (letter) => {
    const { port } = await start({ handshakeMs: 60_000, perNetwork: 8 });
    const { all } = await connectPlain(port, `${letter}CL / HTTP/1.1\r\nHost: h\r\n\r\n`);
    await expect.poll(all).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  it.each(['@', '[', '`', '{'])('takes a first byte of %s for no HTTP', async (sign) => {
    const { port, outcomes } = await start({ handshakeMs: 60_000, perNetwork: 8 });
    const { socket, all } = await connectPlain(port, `${sign}CL / HTTP/1.1\r\nHost: h\r\n\r\n`);
    await untilClosed(socket);
    expect(all()).not.toMatch(/^HTTP/);
    expect(outcomes()).toMatchObject({ 'plain-http': 0, failed: 1 });
  });

  it('counts handshakes that fail, and goes on', async () => {
    const { port, outcomes } = await start({ handshakeMs: 5000, perNetwork: 1 });
    for (const noise of ['\x16\x03\x01\x00\x05hello', '\x00\x00\x00\x00\x00\x00']) {
      const { socket } = await connectPlain(port, noise);
      socket.resume();
      await untilClosed(socket);
    }
    expect(outcomes()).toMatchObject({ failed: 2 });
    expect((await connectTls(port)).encrypted).toBe(true);
  });
});
