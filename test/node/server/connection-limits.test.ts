// One address can't have all connections, and whoever has them all, a load balancer learns that the
// server is well. Over TCP: 127.0.0.1 and 127.0.0.2 are two clients.
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { NodeFastPath } from '../../../src/adapters/node/fast-path/attach-fast-path.ts';
import { type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import type { ConnectionLimits } from '../../../src/adapters/node/server/connection-limits.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';

const log = createConsoleLog(systemClock, 'off');
const PLAIN = 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n';
const HEALTH = 'GET /-/health HTTP/1.1\r\nHost: h\r\n\r\n';

/** A fast path that leaves everything to the app. */
const DOOR: NodeFastPath = {
  answerFully: () => new Response('lane'),
  answer: () => null,
  answerSigned: () => null,
  decidingHeaders: [],
  signingHeaders: [],
  requestId: () => 'id',
  served: null,
};

async function start(limits: Partial<ConnectionLimits>): Promise<RunningServer> {
  const server = await serve((request) => new Response(`path ${new URL(request.url).pathname}`), {
    host: '127.0.0.1',
    port: 0,
    log,
    fastPath: DOOR,
    hasFastConnections: true,
    ...limits,
  });
  onTestFinished(() => server.close(0).then(() => undefined));
  return server;
}

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/**
 * A connection from that address; `answer` resolves with all that came, when something has or the
 * connection has ended.
 */
async function open(server: RunningServer, from: string) {
  const port = Number(new URL(server.url).port);
  const socket = connect({ host: '127.0.0.1', port, localAddress: from }).setEncoding('latin1');
  sockets.push(socket);
  let text = '';
  let isClosed = false;
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
  });
  await new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject),
  );
  return {
    socket,
    isClosed: () => isClosed,
    async ask(request: string): Promise<string> {
      text = '';
      socket.write(request);
      await expect.poll(() => isClosed || /\r\n\r\n/.test(text), { interval: 2 }).toBe(true);
      return text;
    },
    async closed(): Promise<string> {
      await expect.poll(() => isClosed).toBe(true);
      return text;
    },
  };
}

/** Connections that have sent the beginning of a request. */
async function holdOpen(server: RunningServer, from: string, count: number) {
  const held = await Promise.all(Array.from({ length: count }, () => open(server, from)));
  for (const { socket } of held) socket.write('GET /');
  return held;
}

describe('connections', () => {
  it('of one address are limited, and those of others are not affected', async () => {
    const server = await start({ connectionsPerAddress: 4 });
    await holdOpen(server, '127.0.0.1', 4);
    const beyond = await open(server, '127.0.0.1');
    const refused = await beyond.ask(PLAIN);
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toMatch(/\r\nRetry-After: 5\r\n/);
    expect(await beyond.closed()).toMatch(/\r\nConnection: close\r\n/);
    const other = await open(server, '127.0.0.2');
    expect(await other.ask(PLAIN)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await other.ask(PLAIN)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('that close make room for others', async () => {
    const server = await start({ connectionsPerAddress: 2 });
    const [first] = await holdOpen(server, '127.0.0.1', 2);
    first?.socket.destroy();
    await expect
      .poll(async () => {
        const again = await open(server, '127.0.0.1');
        const text = await again.ask(PLAIN);
        again.socket.destroy();
        return text.slice(0, 12);
      })
      .toBe('HTTP/1.1 200');
  });

  it('of trusted proxies are not counted on one address, but in all', async () => {
    const limits = { connectionsPerAddress: 2, connectionsMax: 6, trustedProxies: ['127.0.0.1'] };
    const server = await start(limits);
    await holdOpen(server, '127.0.0.1', 5);
    expect(await (await open(server, '127.0.0.1')).ask(PLAIN)).toMatch(/^HTTP\/1\.1 200 /);
    expect(await (await open(server, '127.0.0.1')).ask(PLAIN)).toMatch(/^HTTP\/1\.1 503 /);
  });
});

describe('the health of a server', () => {
  it('responds when one address has its share, and when all connections are taken', async () => {
    const server = await start({ connectionsPerAddress: 3, connectionsMax: 5 });
    await holdOpen(server, '127.0.0.1', 3);
    expect(await (await open(server, '127.0.0.1')).ask(HEALTH)).toMatch(
      /^HTTP\/1\.1 200 [\s\S]*path \/-\/health$/,
    );
    await holdOpen(server, '127.0.0.2', 2);
    const full = await open(server, '127.0.0.3');
    expect(await full.ask(PLAIN)).toMatch(/^HTTP\/1\.1 503 /);
    expect(await (await open(server, '127.0.0.3')).ask(HEALTH)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('responds while a flood takes the connections that are left for it', async () => {
    const server = await start({ connectionsPerAddress: 1, connectionsMax: 1 });
    await holdOpen(server, '127.0.0.1', 200);
    const check = await open(server, '127.0.0.3');
    await holdOpen(server, '127.0.0.1', 200);
    expect(await check.ask(HEALTH)).toMatch(/^HTTP\/1\.1 200 /);
    await expect
      .poll(async () => {
        const families = await server.families();
        const crowded = families.find(({ name }) => name === 'quayside_connections_crowded_total');
        return crowded?.samples.map(({ value }) => value);
      })
      .toEqual([399, 1]);
  });
});

it('a server that closes cuts connections beyond its limits off too', async () => {
  const server = await start({ connectionsPerAddress: 1 });
  const held = await holdOpen(server, '127.0.0.1', 3);
  await server.close(0);
  await expect.poll(() => held.every(({ isClosed }) => isClosed())).toBe(true);
});
