// SHA-256 that stops and goes on, compared with node:crypto over all lengths around its blocks and
// every place to stop.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { createResumableSha256 } from '../../src/crypto/resumable-sha256.ts';

const BYTES = Uint8Array.from({ length: 300 }, (_, index) => (index * 89 + 7) % 256);
const expected = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

it('a resumable SHA-256 digests every length as node:crypto does', () => {
  for (let length = 0; length <= BYTES.length; length++) {
    const bytes = BYTES.subarray(0, length);
    const digest = createResumableSha256();
    digest.update(bytes);
    expect(digest.hex()).toBe(expected(bytes));
  }
});

it('a resumable SHA-256 goes on from its state wherever it stopped, in pieces of any size', () => {
  for (let cut = 0; cut <= 200; cut++) {
    const before = createResumableSha256();
    before.update(BYTES.subarray(0, cut));
    const after = createResumableSha256(before.state());
    for (let at = cut; at < BYTES.length; at += 7) after.update(BYTES.subarray(at, at + 7));
    expect(after.hex()).toBe(expected(BYTES));
  }
});

it('a resumable SHA-256 gives a digest and goes on', () => {
  const digest = createResumableSha256();
  digest.update(BYTES.subarray(0, 100));
  expect(digest.hex()).toBe(expected(BYTES.subarray(0, 100)));
  digest.update(BYTES.subarray(100));
  expect(digest.hex()).toBe(expected(BYTES));
});

it('a resumable SHA-256 takes nothing for a state that is none', () => {
  for (const text of ['', 'x'.repeat(208), '00'.repeat(103)])
    expect(() => createResumableSha256(text)).toThrow(RangeError);
});
