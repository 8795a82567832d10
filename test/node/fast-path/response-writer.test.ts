import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createPrebuiltHeads } from '../../../src/adapters/node/fast-path/prebuilt-heads.ts';
import { createResponseWriter } from '../../../src/adapters/node/fast-path/response-writer.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { WholeResponse } from '../../../src/http/delivery/fast-path/fast-response.ts';
import type { BorrowedBuffer, RangeSender } from '../../../src/ports/blob-store.ts';
import { FAST_RESPONSE } from '../../http/delivery/fast-path/fast-response-sample.ts';
import { openSocketPair } from '../kit/socket-pair.ts';

type BorrowedResponse = Extract<WholeResponse, { kind: 'borrowed' }>;

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const BODY_BYTES = 256 * 1024;
const HEADROOM_BYTES = 2048;
/** More than the buffers of both ends of a connection take. */
const REPLIES_MAX = 400;

const heads = createPrebuiltHeads(5000);

const log = createConsoleLog(systemClock, 'off');
const notCutShort = { log, counts: { cutShort: () => expect.fail('An answer was cut short.') } };

/**
 * A range whose bytes are borrowed, all of them `fill`. Once they are given back they are
 * another's, and look it.
 */
function lend(
  fill: number,
  headroomBytes: number,
): { reply: BorrowedResponse; releases: () => number } {
  const buffer = Buffer.alloc(HEADROOM_BYTES + BODY_BYTES, fill);
  let releases = 0;
  const release = () => {
    releases += 1;
    buffer.fill(0);
  };
  const borrowed: BorrowedBuffer = {
    buffer,
    at: headroomBytes,
    lengthBytes: BODY_BYTES,
    tookMs: 0,
    release,
    sender: null,
  };
  const reply: BorrowedResponse = {
    ...FAST_RESPONSE,
    status: 206,
    headers: { 'content-length': '', 'content-range': '', 'x-other': 'here' },
    kind: 'borrowed',
    body: borrowed,
    range: {
      range: { startByte: 0, endByteInclusive: BODY_BYTES - 1 },
      sizeBytes: 1_000_000,
      serverTiming: '',
    },
  };
  return { reply, releases: () => releases };
}

function answerOf(fill: number): Buffer {
  const head =
    `HTTP/1.1 206 Partial Content\r\ncontent-length: ${BODY_BYTES}\r\n` +
    `content-range: bytes 0-${BODY_BYTES - 1}/1000000\r\n` +
    'x-other: here\r\nx-amz-request-id: ID16\r\nDate: Sat, 21 Nov 2026 12:00:00 GMT\r\n' +
    'Connection: keep-alive\r\n' +
    'Keep-Alive: timeout=5\r\n\r\n';
  return Buffer.concat([Buffer.from(head), Buffer.alloc(BODY_BYTES, fill)]);
}

it('a writer lends nothing behind what a client does not read', async () => {
  const { server } = await openSocketPair();
  const writer = createResponseWriter(notCutShort);
  const { reply, releases } = lend(1, HEADROOM_BYTES);
  const write = (given: BorrowedResponse) =>
    writer.write(server, true, heads.of(given, false, 4, NOW_MS), 'ID16', given);
  let hasRoom: boolean | null = true;
  for (let written = 0; hasRoom && written < REPLIES_MAX; written++)
    hasRoom = write(lend(1, HEADROOM_BYTES).reply);
  expect(server.writableLength).toBeGreaterThan(0);
  write(reply);
  expect(releases()).toBe(1);
});

describe.each([
  ['with room in front of it', HEADROOM_BYTES],
  ['without', 0],
])('a borrowed body %s', (_, headroomBytes) => {
  const writer = createResponseWriter(notCutShort);
  const write = (socket: Socket, reply: BorrowedResponse) =>
    writer.write(socket, true, heads.of(reply, false, 4, NOW_MS), 'ID16', reply);

  it('a response stays borrowed while the client stalls, and is given back once', async () => {
    const { server, client } = await openSocketPair();
    const written = [];
    let hasRoom: boolean | null = true;
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

  it('a response is given back once when the client leaves before its end', async () => {
    const { server, client } = await openSocketPair();
    server.on('error', () => {});
    const written = [];
    let hasRoom: boolean | null = true;
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
    expect([...written, late].map(({ releases }) => releases())).toEqual(
      [...written, late].map(() => 1),
    );
  });
});

describe('a range that is sent from where it is', () => {
  /** Sends as much of each as `takes` says, by the system's own write, and reads the rest. */
  function sendable(
    fill: number,
    takes: (wantedBytes: number) => number,
    read: 'reads' | 'fails' = 'reads',
  ) {
    const { reply } = lend(fill, HEADROOM_BYTES);
    const body = Buffer.alloc(BODY_BYTES, fill);
    const sent: { fd: number; bytes: Buffer }[] = [];
    const sender: RangeSender = {
      head: Buffer.alloc(1024),
      send(fd, headBytes) {
        const whole = Buffer.concat([Buffer.from(sender.head.subarray(0, headBytes)), body]);
        const taken = takes(whole.length);
        sent.push({ fd, bytes: whole.subarray(0, taken) });
        return taken;
      },
      readBehind: (skipBytes) =>
        read === 'fails' ? null : { bytes: body.subarray(skipBytes), release: () => undefined },
    };
    const borrowed: BorrowedBuffer = {
      buffer: Buffer.alloc(0),
      at: 0,
      lengthBytes: BODY_BYTES,
      tookMs: 0,
      release() {},
      sender,
    };
    return { reply: { ...reply, body: borrowed }, sent };
  }

  it.each([
    ['all of it', (wantedBytes: number) => wantedBytes],
    ['none of it', () => 0],
    ['a part of the head', () => 20],
    ['the head', (wantedBytes: number) => wantedBytes - BODY_BYTES],
    ['all but a byte', (wantedBytes: number) => wantedBytes - 1],
  ])('is whole when the socket takes %s at once', async (_name, takes) => {
    const { server, client } = await openSocketPair();
    const { reply, sent } = sendable(7, takes);
    const writer = createResponseWriter(notCutShort);
    writer.write(server, true, heads.of(reply, false, 4, NOW_MS), 'ID16', reply);
    server.end();
    const chunks: Buffer[] = [];
    for await (const chunk of client) chunks.push(chunk as Buffer);
    const [{ fd, bytes } = { fd: -1, bytes: Buffer.alloc(0) }] = sent;
    expect(fd).toBeGreaterThan(2);
    expect(Buffer.concat([bytes, ...chunks]).equals(answerOf(7))).toBe(true);
    expect(sent.length).toBe(1);
  });

  it('goes the way of others when its head is too long for the room there is', async () => {
    const { server, client } = await openSocketPair();
    const { reply, sent } = sendable(7, (wantedBytes) => wantedBytes);
    const long: BorrowedResponse = {
      ...reply,
      headers: { ...reply.headers, 'x-other': 'y'.repeat(2000) },
    };
    createResponseWriter(notCutShort).write(
      server,
      true,
      heads.of(long, false, 4, NOW_MS),
      'ID16',
      long,
    );
    server.end();
    const chunks: Buffer[] = [];
    for await (const chunk of client) chunks.push(chunk as Buffer);
    const expected = answerOf(7)
      .toString('latin1')
      .replace('x-other: here', `x-other: ${'y'.repeat(2000)}`);
    expect(Buffer.concat(chunks).toString('latin1') === expected).toBe(true);
    expect(sent).toEqual([]);
  });

  it('ends the connection when the rest of it can not be read, and says so', async () => {
    const { server, client } = await openSocketPair();
    const { reply } = sendable(7, () => 20, 'fails');
    let cutShort = 0;
    const logged: string[] = [];
    const counts = {
      cutShort() {
        cutShort += 1;
      },
    };
    const writer = createResponseWriter({
      counts,
      log: { ...log, error: (event) => void logged.push(event) },
    });
    writer.write(server, true, heads.of(reply, false, 4, NOW_MS), 'ID16', reply);
    client.resume();
    await new Promise((resolve) => client.once('close', resolve));
    expect([server.destroyed, client.bytesRead, cutShort, logged]).toEqual([
      true,
      0,
      1,
      ['body-failed'],
    ]);
  });

  it('leaves the connection as it is when nothing of it could be sent or read', async () => {
    const { server } = await openSocketPair();
    const { reply } = sendable(7, () => 0, 'fails');
    const writer = createResponseWriter(notCutShort);
    expect(writer.write(server, true, heads.of(reply, false, 4, NOW_MS), 'ID16', reply)).toBeNull();
    expect([server.destroyed, server.bytesWritten]).toEqual([false, 0]);
  });
});
