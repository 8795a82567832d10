// The five additional checksums of S3, written for this suite alone: slow and plain. Their own
// check values are asserted in checksums.test.ts. Source:
// https://reveng.sourceforge.io/crc-catalogue/all.htm (CRC-32/ISO-HDLC, CRC-32/ISCSI, CRC-64/NVME)
import { createHash } from 'node:crypto';

export const ALGORITHMS = ['CRC32', 'CRC32C', 'CRC64NVME', 'SHA1', 'SHA256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** Header that carries the value of an algorithm. */
export const checksumHeader = (algorithm: Algorithm) => `x-amz-checksum-${algorithm.toLowerCase()}`;

const CRC32_POLYNOMIAL = 0xedb88320;
const CRC32C_POLYNOMIAL = 0x82f63b78;
/** Both halves of the reflected 64-bit polynomial. */
const CRC64_HIGH = 0x9a6c9329;
const CRC64_LOW = 0xac4bc9b5;

function crc32Table(polynomial: number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte;
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ polynomial : value >>> 1;
    return value >>> 0;
  });
}

const CRC32_TABLE = crc32Table(CRC32_POLYNOMIAL);
const CRC32C_TABLE = crc32Table(CRC32C_POLYNOMIAL);

function crc32With(table: Uint32Array, data: Uint8Array): Buffer {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0);
  const out = Buffer.alloc(4);
  out.writeUInt32BE(~crc >>> 0);
  return out;
}

const CRC64_TABLE_HIGH = new Uint32Array(256);
const CRC64_TABLE_LOW = new Uint32Array(256);
for (let byte = 0; byte < 256; byte++) {
  let high = 0;
  let low = byte;
  for (let bit = 0; bit < 8; bit++) {
    const isOdd = low & 1;
    low = ((low >>> 1) | ((high & 1) << 31)) >>> 0;
    high >>>= 1;
    if (isOdd) {
      high = (high ^ CRC64_HIGH) >>> 0;
      low = (low ^ CRC64_LOW) >>> 0;
    }
  }
  CRC64_TABLE_HIGH[byte] = high;
  CRC64_TABLE_LOW[byte] = low;
}

function crc64Nvme(data: Uint8Array): Buffer {
  let high = 0xffffffff;
  let low = 0xffffffff;
  for (const byte of data) {
    const index = (low ^ byte) & 0xff;
    low = (((low >>> 8) | ((high & 0xff) << 24)) ^ (CRC64_TABLE_LOW[index] ?? 0)) >>> 0;
    high = ((high >>> 8) ^ (CRC64_TABLE_HIGH[index] ?? 0)) >>> 0;
  }
  const out = Buffer.alloc(8);
  out.writeUInt32BE(~high >>> 0, 0);
  out.writeUInt32BE(~low >>> 0, 4);
  return out;
}

/** The raw digest. */
export function digestOf(algorithm: Algorithm, data: Uint8Array): Buffer {
  if (algorithm === 'CRC32') return crc32With(CRC32_TABLE, data);
  if (algorithm === 'CRC32C') return crc32With(CRC32C_TABLE, data);
  if (algorithm === 'CRC64NVME') return crc64Nvme(data);
  return createHash(algorithm.toLowerCase()).update(data).digest();
}

/** The value as S3 sends it: base64. */
export const checksumOf = (algorithm: Algorithm, data: Uint8Array) =>
  digestOf(algorithm, data).toString('base64');

/**
 * The checksum of checksums of a multipart object: base64 of the digest over the parts' raw
 * digests, `-` and their count.
 */
export function compositeOf(algorithm: Algorithm, parts: readonly Uint8Array[]): string {
  const digests = Buffer.concat(parts.map((part) => digestOf(algorithm, part)));
  return `${checksumOf(algorithm, digests)}-${parts.length}`;
}

export const md5Hex = (data: Uint8Array) => createHash('md5').update(data).digest('hex');
export const md5Base64 = (data: Uint8Array) => createHash('md5').update(data).digest('base64');

/** ETag of a multipart object, without quotes. */
export function multipartEtag(parts: readonly Uint8Array[]): string {
  const digests = Buffer.concat(parts.map((part) => createHash('md5').update(part).digest()));
  return `${md5Hex(digests)}-${parts.length}`;
}
