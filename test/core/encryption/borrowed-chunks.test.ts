// Encryption between a source that takes its memory back and a store that keeps nothing.
import { expect, it } from 'vitest';
import type { DataKey } from '../../../src/core/encryption/data-key.ts';
import { encryptSource } from '../../../src/core/encryption/encrypt-body.ts';
import { joinBytes } from '../../../src/crypto/join-bytes.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';
import { patternBytes, sourceOf } from '../../contract/bodies.ts';
import { expectBytes } from './encryption-kit.ts';

const BLOB = 'photos~01/0123456789' as BlobId;

it.each([
  [1, 200_000],
  [2, 200_000],
  [1, 65_536],
  [2, 131_073],
] as const)(
  'encryption gives the same bytes by %i layers of %i bytes, borrowed or owned',
  async (layers, size) => {
    const dataKey: DataKey = { bytes: patternBytes(32, 5), layers, showsMd5: true };
    const plain = patternBytes(size);
    const encrypt = async (chunkBytes: number, isBorrowed: boolean) => {
      const chunks: Uint8Array[] = [];
      await encryptSource(sourceOf(plain, { chunkBytes }), dataKey, BLOB).pump((chunk) => {
        chunks.push(isBorrowed ? new Uint8Array(chunk) : chunk);
      }, isBorrowed);
      return joinBytes(chunks);
    };

    const expected = await encrypt(size, false);
    for (const chunkBytes of [777, 65_536, 100_000])
      for (const isBorrowed of [true, false])
        expectBytes(await encrypt(chunkBytes, isBorrowed), expected);
    expect(expected.length).toBeGreaterThan(size);
  },
);
