// Checksums of pieces: SHA-256 by WebCrypto, CRC-64/NVME by ourselves.

import type { Algorithm } from '../objects/backend.ts';
import { crc64Text, createCrc64 } from '../objects/crc64nvme.ts';
import type { Bytes } from './piece.ts';

/** What users may ask for. */
export type ChecksumChoice = 'sha256' | 'crc64nvme' | 'none';
export type Digest = (bytes: Bytes) => Promise<string>;

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
export function createDigest(algorithm: Algorithm): Digest {
  if (algorithm === 'SHA256') return sha256Text;
  const crc64 = createCrc64();
  return async (bytes) => crc64Text(crc64(bytes));
}

export async function sha256Text(bytes: Bytes): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}
