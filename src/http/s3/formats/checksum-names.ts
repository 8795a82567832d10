// The checksums of S3 by their names, those that this service lacks too, and their
// element in documents. Headers have the same names in lower case:
// headers/checksum-headers.ts.
import type { Checksum } from '../../../domain/nouns.ts';
import { textElement } from './xml-write.ts';

/** The additional checksums of this service, in the order of S3's documents. */
export const CHECKSUM_ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;

/**
 * Checksums that S3 has and this service lacks. Source: the request model of
 * @aws-sdk/client-s3 3.1169.
 */
export const FOREIGN_CHECKSUMS = ['MD5', 'SHA512', 'XXHASH3', 'XXHASH64', 'XXHASH128'] as const;

/** `ChecksumCRC32` and so on, the element of S3's documents. */
export function checksumElement(checksum: Pick<Checksum, 'algorithm' | 'value'> | null): string {
  return checksum === null ? '' : textElement(`Checksum${checksum.algorithm}`, checksum.value);
}
