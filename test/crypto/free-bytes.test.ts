import { expect, it } from 'vitest';
import { freeBytes } from '../../src/crypto/free-bytes.ts';

it('freeBytes frees bytes that have their memory for themselves, and no others', () => {
  const own = new Uint8Array(1000);
  freeBytes(own);
  expect([own.length, own.buffer.detached]).toEqual([0, true]);

  const memory = new ArrayBuffer(1000);
  freeBytes(new Uint8Array(memory, 0, 999));
  freeBytes(new Uint8Array(memory, 1));
  expect(memory.byteLength).toBe(1000);

  const shared = new Uint8Array(new SharedArrayBuffer(1000));
  freeBytes(shared);
  expect(shared.length).toBe(1000);
});
