// Key wrapping and encrypted chunks, as both runtimes' node:crypto must do them: run in Node and
// inside workerd.
import { describe, expect, it } from 'vitest';
import {
  CHUNK_BYTES,
  type ChunkPosition,
  decryptChunk,
  startChunkEncryption,
  TAG_BYTES,
} from '../../src/crypto/encrypted-chunks.ts';
import { joinBytes } from '../../src/crypto/join-bytes.ts';
import { deriveKey, KEY_BYTES, randomKey, unwrapKey, wrapKey } from '../../src/crypto/key-wrap.ts';

const FIRST: ChunkPosition = { index: 0, isLast: false };

function seal(
  keys: readonly Uint8Array[],
  place: ChunkPosition,
  pieces: readonly Uint8Array[],
): Uint8Array {
  const sealer = startChunkEncryption(keys, place);
  const out = [...pieces.map((piece) => sealer.update(piece)), sealer.finish()];
  return joinBytes(
    out,
    out.reduce((sum, part) => sum + part.length, 0),
  );
}

const sample = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 255);

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
}

export function encryptionContract(runtime: string): void {
  describe(`wrapped keys on ${runtime}`, () => {
    it('come back with the same wrapping key and bound text only', () => {
      const [wrapping, key] = [randomKey(), randomKey()];
      const wrapped = wrapKey(wrapping, key, 'of one object');
      expect(unwrapKey(wrapping, wrapped, 'of one object')).toEqual(new Uint8Array(key));
      expect(unwrapKey(randomKey(), wrapped, 'of one object')).toBeNull();
      expect(unwrapKey(wrapping, wrapped, 'of another')).toBeNull();
    });

    it('show nothing of the key and differ each time', () => {
      const [wrapping, key] = [randomKey(), randomKey()];
      const wrapped = wrapKey(wrapping, key, '');
      expect(Uint8Array.fromBase64(wrapped)).toHaveLength(65);
      expect(Uint8Array.fromBase64(wrapped).toHex()).not.toContain(new Uint8Array(key).toHex());
      expect(wrapKey(wrapping, key, '')).not.toBe(wrapped);
    });

    it('are refused when any bit of them was flipped, or some are missing', () => {
      const wrapping = randomKey();
      const bytes = Uint8Array.fromBase64(wrapKey(wrapping, randomKey(), ''));
      for (let at = 0; at < bytes.length; at++) {
        expect(unwrapKey(wrapping, flipped(bytes, at).toBase64(), '')).toBeNull();
      }
      expect(unwrapKey(wrapping, bytes.subarray(0, 64).toBase64(), '')).toBeNull();
      expect(unwrapKey(wrapping, 'no base64!', '')).toBeNull();
    });
  });

  describe(`derived keys on ${runtime}`, () => {
    // Computed with Python's hmac module after RFC 5869: the format on disk hangs on it.
    it('are HKDF-SHA-256', () => {
      const key = Uint8Array.from({ length: KEY_BYTES }, (_, i) => i);
      expect(deriveKey(key, 'a use').toHex()).toBe(
        'c6b2f5bbea2f2b9e73c0cf8a085bcae022a824eb7ba5accfd2568d37ff2f5cc4',
      );
      expect(
        deriveKey(
          key,
          'a use',
          Uint8Array.from({ length: 16 }, (_, i) => i + 1),
        ).toHex(),
      ).toBe('e742fae349a11d8764214c81f4b3f358a2e9aa3478f4b9528ad5a2b8a8816c2c');
    });
  });

  describe(`encrypted chunks on ${runtime}`, () => {
    const keys = [randomKey(), randomKey()];

    it.each([1, 2])(
      'open to what was encrypted with %i keys, in whatever pieces it came',
      (layers) => {
        const used = keys.slice(0, layers);
        for (const length of [1, 15, 16, 17, 1000, CHUNK_BYTES]) {
          const plain = sample(length);
          const encrypted = seal(used, FIRST, [plain]);
          expect(encrypted).toHaveLength(length + TAG_BYTES * layers);
          expect(seal(used, FIRST, [plain.subarray(0, 7), plain.subarray(7)])).toEqual(encrypted);
          expect(new Uint8Array(decryptChunk(used, FIRST, encrypted) ?? [])).toEqual(plain);
        }
      },
    );

    it.each([1, 2])(
      'are refused with %i keys when a bit was flipped, a byte is missing, or the place is another',
      (layers) => {
        const used = keys.slice(0, layers);
        const encrypted = seal(used, FIRST, [sample(40)]);
        for (let at = 0; at < encrypted.length; at++)
          expect(decryptChunk(used, FIRST, flipped(encrypted, at))).toBeNull();
        for (let length = 0; length < encrypted.length; length++) {
          expect(decryptChunk(used, FIRST, encrypted.subarray(0, length))).toBeNull();
        }
        expect(decryptChunk(used, { index: 1, isLast: false }, encrypted)).toBeNull();
        expect(decryptChunk(used, { index: 0, isLast: true }, encrypted)).toBeNull();
        expect(decryptChunk([randomKey(), ...used.slice(1)], FIRST, encrypted)).toBeNull();
      },
    );

    it('have nothing of the plain bytes in them', () => {
      const plain = new TextEncoder().encode('a text that must not be seen');
      expect(new TextDecoder('latin1').decode(seal(keys, FIRST, [plain]))).not.toContain('must');
    });
  });
}
