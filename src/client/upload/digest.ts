// Checksums of pieces: SHA-256 by WebCrypto, CRC-64/NVME by ourselves.

import type { Algorithm } from '../objects/backend.ts';
import { CRC64_OF_NOTHING, crc64Text, createCrc64 } from '../objects/crc64nvme.ts';
import { bytesOfPiece, type Piece, sizeOf } from '../objects/piece.ts';

/** Bytes that are digested at once. */
const STEP_BYTES = 1024 * 1024;

/** What users may ask for. */
export type ChecksumChoice = 'sha256' | 'crc64nvme' | 'none';
export type Digest = (piece: Piece) => Promise<string>;
/**
 * Another way to digest, in a worker of the page: gets S3's name of the algorithm.
 */
export type CustomDigest = (algorithm: 'CRC64NVME' | 'SHA256', piece: Piece) => Promise<string>;

/**
 * The algorithm that is meant. Pages over plain http have no WebCrypto: there it is
 * CRC-64.
 */
export function algorithmOf(choice: ChecksumChoice): Algorithm | null {
  if (choice === 'none') return null;
  const hasWebCrypto = crypto.subtle !== undefined;
  if (choice === 'crc64nvme' || !hasWebCrypto) return 'CRC64NVME';
  return 'SHA256';
}

/** Makes the digest in base64, as x-amz-checksum headers have it. */
export function createDigest(algorithm: Algorithm, custom?: CustomDigest): Digest {
  if (custom !== undefined) return (piece) => custom(algorithm, piece);
  if (algorithm === 'SHA256') return sha256Text;
  const crc64 = createCrc64();
  return async (piece) => {
    let state = CRC64_OF_NOTHING;
    // A part of a large file is read in small steps: it need not fit into memory.
    for (let offset = 0; offset < sizeOf(piece); offset += STEP_BYTES) {
      state = crc64(await bytesOfPiece(piece.slice(offset, offset + STEP_BYTES)), state);
    }
    return crc64Text(state);
  };
}

/** The digest of a piece in base64, by whichever of the two. */
export const digestOf: CustomDigest = (algorithm, piece) => createDigest(algorithm)(piece);

export async function sha256Text(piece: Piece): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await bytesOfPiece(piece));
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
