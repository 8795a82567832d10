import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createPrebuiltHeads } from '../../../src/adapters/node/hot-lane/prebuilt-heads.ts';
import { createReplyWriter } from '../../../src/adapters/node/hot-lane/reply-writer.ts';
import type { HotReply } from '../../../src/http/request.ts';
import type { LentBytes } from '../../../src/ports/blob-store.ts';
import { HOT_REPLY } from '../../http/hot-reply-sample.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const BODY_BYTES = 256 * 1024;
const HEADROOM_BYTES = 2048;
/** More than the buffers of both ends of a connection take. */
const REPLIES_MAX = 400;

const heads = createPrebuiltHeads(5000);

/** Two ends of a connection; the client's is paused. */
async function openPair(): Promise<{ server: Socket; client: Socket }> {
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

/** A range whose bytes are lent, all of them `fill`. Once they are given back they are another's, and look it. */
function lend(fill: number, headroomBytes: number): { reply: HotReply; releases: () => number } {
  const buffer = Buffer.alloc(HEADROOM_BYTES + BODY_BYTES, fill);
  let releases = 0;
  const release = () => {
    releases += 1;
    buffer.fill(0);
  };
  const lent: LentBytes = { buffer, at: headroomBytes, lengthBytes: BODY_BYTES, tookMs: 0, release };
  const reply: HotReply = {
    ...HOT_REPLY,
    status: 206,
    headers: { 'content-length': '', 'content-range': '', 'x-other': 'here' },
    part: { range: { startByte: 0, endByteInclusive: BODY_BYTES - 1 }, sizeBytes: 1_000_000, serverTiming: '' },
    body: null,
    lent,
  };
  return { reply, releases: () => releases };
}

function answerOf(fill: number): Buffer {
  const head =
    `HTTP/1.1 206 Partial Content\r\ncontent-length: ${BODY_BYTES}\r\ncontent-range: bytes 0-${BODY_BYTES - 1}/1000000\r\n` +
    'x-other: here\r\nx-amz-request-id: ID16\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\nConnection: keep-alive\r\n' +
    'Keep-Alive: timeout=5\r\n\r\n';
  return Buffer.concat([Buffer.from(head), Buffer.alloc(BODY_BYTES, fill)]);
}

it('lends nothing behind what a client does not read', async () => {
  const { server } = await openPair();
  const writer = createReplyWriter();
  const { reply, releases } = lend(1, HEADROOM_BYTES);
  const write = (given: HotReply) => writer.write(server, true, heads.of(given, false, 4, NOW_MS), 'ID16', given);
  let hasRoom = true;
  for (let written = 0; hasRoom && written < REPLIES_MAX; written++) hasRoom = write(lend(1, HEADROOM_BYTES).reply);
  expect(server.writableLength).toBeGreaterThan(0);
  write(reply);
  expect(releases()).toBe(1);
});

describe.each([
  ['with room in front of it', HEADROOM_BYTES],
  ['without', 0],
])('a lent body %s', (_, headroomBytes) => {
  const writer = createReplyWriter();
  const write = (socket: Socket, reply: HotReply) =>
    writer.write(socket, true, heads.of(reply, false, 4, NOW_MS), 'ID16', reply);

  it('stays lent while the client stalls, arrives whole, and is given back once', async () => {
    const { server, client } = await openPair();
    const written = [];
    let hasRoom = true;
    while (hasRoom && written.length < REPLIES_MAX) {
      const loan = lend(1 + written.length, headroomBytes);
      written.push(loan);
      hasRoom = write(server, loan.reply);
    }
    expect([hasRoom, server.writableLength > 0]).toEqual([false, true]);
    // What could end, ends.
    await new Promise((resolve) => setImmediate(resolve));
    expect(written.at(-1)?.releases()).toBe(0);
    server.end();
    const chunks: Buffer[] = [];
    for await (const chunk of client) chunks.push(chunk as Buffer);
    const expected = Buffer.concat(written.map((_loan, at) => answerOf(1 + at)));
    expect(Buffer.concat(chunks).equals(expected)).toBe(true);
    expect(written.map(({ releases }) => releases())).toEqual(written.map(() => 1));
  });

  it('is given back once when the client is gone, before or while it is sent', async () => {
    const { server, client } = await openPair();
    server.on('error', () => {});
    const written = [];
    let hasRoom = true;
    while (hasRoom && written.length < REPLIES_MAX) {
      const loan = lend(1, headroomBytes);
      written.push(loan);
      hasRoom = write(server, loan.reply);
    }
    client.resetAndDestroy();
    await new Promise((resolve) => server.once('close', resolve));
    const late = lend(1, headroomBytes);
    write(server, late.reply);
    await new Promise((resolve) => setImmediate(resolve));
    expect([...written, late].map(({ releases }) => releases())).toEqual([...written, late].map(() => 1));
  });
});
