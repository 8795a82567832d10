// Buffers of responses under TLS: used again once their bytes are encrypted, and never while a
// socket may still look at them.
import type { Duplex } from 'node:stream';
import { PassThrough } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createPooledWrites } from '../../../src/adapters/node/fast-path/pooled-writes.ts';

const BUFFER_BYTES = 1024;
/** Most buffers that wait, as pooled-writes.ts has it. */
const POOLED_MAX = 64;

/** A socket under TLS that encrypts when it is told to. */
function openTlsSocket() {
  const written: Uint8Array[] = [];
  const waiting: (() => void)[] = [];
  const socket: Duplex = Object.create(TLSSocket.prototype, {
    write: {
      value(bytes: Uint8Array, done: () => void) {
        written.push(bytes);
        waiting.push(done);
        return written.length < 2;
      },
    },
  });
  const encrypt = () => {
    for (const done of waiting.splice(0)) done();
  };
  return { socket, written, encrypt };
}

describe('a buffer under TLS', () => {
  it('is longer than asked for, and only what was asked for is written', () => {
    const { socket, written } = openTlsSocket();
    const writes = createPooledWrites(BUFFER_BYTES);
    const buffer = writes.take(socket, 10);
    expect(buffer.length).toBe(BUFFER_BYTES);
    buffer.fill(7);
    expect(writes.write(socket, buffer, 10)).toBe(true);
    expect(written.map((bytes) => bytes.length)).toEqual([10]);
    expect(writes.write(socket, writes.take(socket, 10), 10)).toBe(false);
  });

  it('serves again once it is encrypted, and not before', () => {
    const { socket, encrypt } = openTlsSocket();
    const writes = createPooledWrites(BUFFER_BYTES);
    const first = writes.take(socket, BUFFER_BYTES);
    writes.write(socket, first, BUFFER_BYTES);
    expect(writes.take(socket, 10)).not.toBe(first);
    encrypt();
    expect(writes.take(socket, 10)).toBe(first);
    expect(writes.take(socket, 10)).not.toBe(first);
  });

  it('is made for one response where that is longer', () => {
    const { socket, encrypt } = openTlsSocket();
    const writes = createPooledWrites(BUFFER_BYTES);
    const long = writes.take(socket, BUFFER_BYTES + 1);
    expect(long.length).toBe(BUFFER_BYTES + 1);
    writes.write(socket, long, long.length);
    encrypt();
    expect(writes.take(socket, 10).length).toBe(BUFFER_BYTES);
    expect(writes.take(socket, BUFFER_BYTES + 1)).not.toBe(long);
  });

  it('waits for its next response with few others', () => {
    const { socket, encrypt } = openTlsSocket();
    const writes = createPooledWrites(BUFFER_BYTES);
    const many = Array.from({ length: POOLED_MAX + 5 }, () => writes.take(socket, 10));
    for (const buffer of many) writes.write(socket, buffer, 10);
    encrypt();
    const later = new Set(many.map(() => writes.take(socket, 10)));
    expect(later.intersection(new Set(many)).size).toBe(POOLED_MAX);
  });
});

it('a buffer without TLS has the length of its response, and is never used again', async () => {
  const socket = new PassThrough();
  const writes = createPooledWrites(BUFFER_BYTES);
  const first = writes.take(socket, 10);
  expect(first.length).toBe(10);
  first.fill(7);
  const second = writes.take(socket, BUFFER_BYTES);
  writes.write(socket, second.fill(8), 4);
  expect(writes.write(socket, first, 10)).toBe(true);
  socket.end();
  const sent = Buffer.concat(await socket.toArray());
  const others = [writes.take(socket, BUFFER_BYTES), writes.take(openTlsSocket().socket, 10)];
  expect(others.filter((other) => other === first || other === second)).toEqual([]);
  expect(sent).toEqual(Buffer.from([...Array(4).fill(8), ...Array(10).fill(7)]));
});
