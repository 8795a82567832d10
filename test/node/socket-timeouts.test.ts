import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import {
  createSocketTimeouts,
  KEEP_ALIVE_BUFFER_MS,
  KEEP_ALIVE_MS,
  SOCKET_IDLE_MS,
} from '../../src/adapters/node/socket-timeouts.ts';

const IDLE_MS = KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS;
const REQUEST = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
/** More than the system takes for a reader that reads nothing. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A server that answers when the test says so, and one connection to it. */
async function setUp() {
  const state = { nowMs: 1000 };
  const timeouts = createSocketTimeouts(() => state.nowMs);
  const server = createServer({ keepAliveTimeout: 0 }).listen(0, '127.0.0.1');
  server.on('connection', timeouts.watch);
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  const [socket] = (await once(server, 'connection')) as [Socket];
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  /** Looks after so many milliseconds; whether the connection is still there. */
  const isOpenAfter = (ms: number) => {
    state.nowMs += ms;
    timeouts.closeQuiet();
    return !socket.destroyed;
  };
  const ask = async (): Promise<ServerResponse> => {
    const asked = once(server, 'request');
    client.write(REQUEST);
    const [, outgoing] = (await asked) as [unknown, ServerResponse];
    return outgoing;
  };
  return { client, socket, isOpenAfter, ask };
}

it('closes a connection that is idle, from its last byte on', async () => {
  const { client, isOpenAfter, ask } = await setUp();
  expect(isOpenAfter(IDLE_MS - 1)).toBe(true);
  client.resume();
  const outgoing = await ask();
  outgoing.end('fine');
  await once(outgoing, 'close');
  expect(isOpenAfter(1)).toBe(true);
  expect(isOpenAfter(IDLE_MS - 1)).toBe(true);
  expect(isOpenAfter(1)).toBe(false);
});

it('leaves one that waits for its answer more time', async () => {
  const { client, isOpenAfter, ask } = await setUp();
  client.resume();
  await ask();
  expect(isOpenAfter(0)).toBe(true);
  expect(isOpenAfter(SOCKET_IDLE_MS - 1)).toBe(true);
  expect(isOpenAfter(1)).toBe(false);
});

it('sees what a slow reader takes of bytes that were written long ago, and when it takes no more', async () => {
  const { client, socket, isOpenAfter, ask } = await setUp();
  client.pause();
  (await ask()).end(LARGE);
  const waiting = () => (socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;
  await expect.poll(waiting).toBeGreaterThan(0);
  expect(isOpenAfter(0)).toBe(true);
  const before = waiting();
  const written = socket.bytesWritten;
  const moved = new Promise<void>((resolve) => {
    client.on('data', () => {
      if (waiting() === before) return;
      client.pause();
      resolve();
    });
  });
  client.resume();
  await moved;
  expect(socket.bytesWritten).toBe(written);
  expect(isOpenAfter(SOCKET_IDLE_MS)).toBe(true);
  // What was on the way to it, arrives.
  const looks = [-1];
  await expect.poll(() => looks.push(waiting()) > 2 && looks.at(-1) === looks.at(-2)).toBe(true);
  expect(isOpenAfter(0)).toBe(true);
  expect(isOpenAfter(SOCKET_IDLE_MS)).toBe(false);
});

it('forgets connections that are gone', async () => {
  const { socket, isOpenAfter } = await setUp();
  socket.destroy();
  expect(isOpenAfter(2 * SOCKET_IDLE_MS)).toBe(false);
});
