import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DIRECT, readRequest } from '../../../src/adapters/node/server/http-request.ts';
import {
  BODY_CREDIT_MS,
  createSocketTimeouts,
  KEEP_ALIVE_BUFFER_MS,
  KEEP_ALIVE_MS,
  SOCKET_IDLE_MS,
} from '../../../src/adapters/node/server/socket-timeouts.ts';

const IDLE_MS = KEEP_ALIVE_MS + KEEP_ALIVE_BUFFER_MS;
const LIMITS = { requestHeadMs: 30_000, receiveRateMin: 500 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: h\r\n\r\n';
/** More than the system takes for a reader that reads nothing. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A server that answers when the test says so, and one connection to it. */
async function setUp() {
  const state = { nowMs: 1000, refused: 0 };
  const timeouts = createSocketTimeouts(
    () => state.nowMs,
    LIMITS,
    (socket) => {
      state.refused += 1;
      socket.destroy();
    },
  );
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
  return { client, socket, server, isOpenAfter, ask, refused: () => state.refused };
}

it('the server closes a connection that is idle, from its last byte on', async () => {
  const { client, isOpenAfter, ask } = await setUp();
  client.resume();
  const outgoing = await ask();
  outgoing.end('fine');
  await once(outgoing, 'close');
  expect(isOpenAfter(1)).toBe(true);
  expect(isOpenAfter(IDLE_MS - 1)).toBe(true);
  expect(isOpenAfter(1)).toBe(false);
});

it('the server leaves a connection that waits for its response more time', async () => {
  const { client, isOpenAfter, ask } = await setUp();
  client.resume();
  await ask();
  expect(isOpenAfter(0)).toBe(true);
  expect(isOpenAfter(SOCKET_IDLE_MS - 1)).toBe(true);
  expect(isOpenAfter(1)).toBe(false);
});

it('the server sees whether a slow reader still takes what was written long ago', async () => {
  const { client, socket, isOpenAfter, ask } = await setUp();
  client.pause();
  (await ask()).end(LARGE);
  const waiting = () =>
    (socket as unknown as { _handle: { writeQueueSize: number } })._handle.writeQueueSize;
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

it('the server forgets connections that are gone', async () => {
  const { socket, isOpenAfter } = await setUp();
  socket.destroy();
  expect(isOpenAfter(2 * SOCKET_IDLE_MS)).toBe(false);
});

/** Bytes that a socket has been given so far; resolves when all of `text` has come. */
async function send(
  { client, socket }: { client: Socket; socket: Socket },
  text: string,
): Promise<void> {
  const before = socket.bytesRead;
  client.write(text);
  await expect.poll(() => socket.bytesRead, { interval: 1 }).toBe(before + text.length);
}

it('the server refuses a head that takes too long in all, however often a byte comes', async () => {
  const made = await setUp();
  await send(made, 'G');
  expect(made.isOpenAfter(12_000)).toBe(true);
  await send(made, 'E');
  expect(made.isOpenAfter(12_000)).toBe(true);
  await send(made, 'T');
  expect(made.isOpenAfter(5_999)).toBe(true);
  expect(made.isOpenAfter(1)).toBe(false);
  expect(made.refused()).toBe(1);
});

it('the server counts the head of a further request from its own first byte', async () => {
  const made = await setUp();
  made.client.resume();
  const outgoing = await made.ask();
  expect(made.isOpenAfter(60_000)).toBe(true);
  outgoing.end('fine');
  await once(outgoing, 'close');
  expect(made.isOpenAfter(60_000)).toBe(true);
  await send(made, 'G');
  expect(made.isOpenAfter(0)).toBe(true);
  expect(made.isOpenAfter(29_999)).toBe(true);
  expect(made.isOpenAfter(1)).toBe(false);
});

it('the server forgets a head once its response begins, though no byte may come', async () => {
  const made = await setUp();
  const outgoing = await made.ask();
  outgoing.setHeader('content-length', 4);
  outgoing.write('fine');
  await once(made.client, 'data');
  expect(made.isOpenAfter(20_000)).toBe(true);
  outgoing.end();
  await once(outgoing, 'close');
  expect(made.isOpenAfter(20_000)).toBe(true);
});

describe('a body', () => {
  const begin = async () => {
    const made = await setUp();
    const asked = once(made.server, 'request');
    made.client.write('PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n');
    const [incoming, outgoing] = (await asked) as [IncomingMessage, ServerResponse];
    expect(made.isOpenAfter(0)).toBe(true);
    return { ...made, incoming, outgoing };
  };
  /** Looks once a second, after so many bytes each time. */
  const trickle = async (
    made: Awaited<ReturnType<typeof begin>>,
    seconds: number,
    bytes: number,
  ) => {
    for (let i = 0; i < seconds; i++) {
      if (bytes > 0) await send(made, 'x'.repeat(bytes));
      made.isOpenAfter(1000);
    }
  };

  it('that comes too slowly is given up, although a byte of it comes each second', async () => {
    const made = await begin();
    const reading = readRequest(made, DIRECT)
      .body()
      .pump(() => undefined);
    const given = expect(reading).rejects.toMatchObject({ code: 'RequestTimeout' });
    await trickle(made, BODY_CREDIT_MS / 1000 + 1, 1);
    await given;
  });

  it('that comes at the least rate goes on', async () => {
    const made = await begin();
    let bytes = 0;
    const reading = readRequest(made, DIRECT)
      .body()
      .pump((chunk) => {
        bytes += chunk.length;
      });
    const given = expect(reading).rejects.toMatchObject({ code: 'IncompleteBody' });
    await trickle(made, 150, 500);
    expect([made.socket.destroyed, bytes]).toEqual([false, 75_000]);
    made.client.destroy();
    await given;
  });

  it("that nobody reads is not its client's fault", async () => {
    const made = await begin();
    made.incoming.pause();
    await trickle(made, 150, 0);
    expect(made.socket.destroyed).toBe(false);
  });
});
