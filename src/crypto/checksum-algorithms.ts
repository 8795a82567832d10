// The five additional checksums of S3, each as the same three steps, so that
// digest-set.ts treats them alike. Used only inside src/crypto.
import { createHash } from 'node:crypto';
import { crc32, createCrc32Combiner } from './crc32.ts';
import type { Crc32Combiner } from './crc32-polynomial.ts';
import { crc32c, createCrc32cCombiner } from './crc32c.ts';
import { CRC64_OF_NOTHING, type Crc64, crc64nvme, createCrc64nvmeCombiner } from './crc64nvme.ts';

/** A checksum being computed. After `finish` it is used up. */
export type RunningChecksum = {
  update(chunk: Uint8Array): void;
  /** The checksum in the byte order that S3 sends: most significant first. */
  finish(): Uint8Array;
};

/**
 * A checksum being put together from those of neighbouring parts, in their order.
 */
export type CombinedChecksum = {
  add(checksum: Uint8Array, partSizeBytes: number): void;
  finish(): Uint8Array;
};

type Algorithm = {
  readonly sizeBytes: number;
  start(): RunningChecksum;
  /**
   * Starts a checksum that is combined from those of parts; null where that is
   * impossible (the hashes).
   */
  readonly startCombining: (() => CombinedChecksum) | null;
};

/**
 * The algorithms by the names that S3 gives them. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
 */
export const CHECKSUM_ALGORITHMS = {
  CRC32: crcOf32Bits(crc32, createCrc32Combiner),
  CRC32C: crcOf32Bits(crc32c, createCrc32cCombiner),
  CRC64NVME: {
    sizeBytes: 8,
    start() {
      let crc = CRC64_OF_NOTHING;
      return {
        update(chunk) {
          crc = crc64nvme(chunk, crc);
        },
        finish: () => bytesOf64(crc),
      };
    },
    startCombining() {
      const combine = createCrc64nvmeCombiner();
      let crc = CRC64_OF_NOTHING;
      return {
        add(checksum, partSizeBytes) {
          crc = combine(crc, wordsOf64(checksum), partSizeBytes);
        },
        finish: () => bytesOf64(crc),
      };
    },
  },
  SHA1: hashOf('sha1', 20),
  SHA256: hashOf('sha256', 32),
} as const satisfies Record<string, Algorithm>;

function crcOf32Bits(
  crcOf: (data: Uint8Array, crcSoFar: number) => number,
  createCombiner: () => Crc32Combiner,
): Algorithm {
  return {
    sizeBytes: 4,
    start() {
      let crc = 0;
      return {
        update(chunk) {
          crc = crcOf(chunk, crc);
        },
        finish: () => bytesOf32(crc),
      };
    },
    startCombining() {
      const combine = createCombiner();
      let crc = 0;
      return {
        add(checksum, partSizeBytes) {
          crc = combine(crc, wordOf32(checksum), partSizeBytes);
        },
        finish: () => bytesOf32(crc),
      };
    },
  };
}

function hashOf(name: 'sha1' | 'sha256', sizeBytes: number): Algorithm {
  return {
    sizeBytes,
    start() {
      const hash = createHash(name);
      return {
        update(chunk) {
          hash.update(chunk);
        },
        finish: () => hash.digest(),
      };
    },
    startCombining: null,
  };
}

function bytesOf32(word: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, word);
  return bytes;
}

function wordOf32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0);
}

function bytesOf64(crc: Crc64): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, crc.high);
  view.setInt32(4, crc.low);
  return bytes;
}

function wordsOf64(bytes: Uint8Array): Crc64 {
  const view = new DataView(bytes.buffer, bytes.byteOffset, 8);
  return { high: view.getInt32(0), low: view.getInt32(4) };
}
