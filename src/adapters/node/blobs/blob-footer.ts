// The footer behind the body in a blob's file: an index can be rebuilt from the
// files alone, and the body still begins at byte 0. Format 1: {body}{identity as
// JSON, UTF-8}{trailer}. The trailer is the last 24 bytes, in little endian: u32
// length of the JSON · f64 length of the body · u32 CRC-32 of the JSON · 'QSBLOB' ·
// u16 format.
import { readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StorageError } from '../../../domain/errors.ts';
import type { BlobIdentity } from '../../../ports/blob-store.ts';

const MAGIC = Buffer.from('QSBLOB', 'ascii');
const FORMAT = 1;

/** Length of the fixed end of a blob file, bytes. */
export const TRAILER_BYTES = 24;
/** Bytes of the longest identity: key, metadata and headers are far below it. */
const IDENTITY_MAX_BYTES = 1024 * 1024;

export type BlobFooter = { readonly identity: BlobIdentity; readonly bodyBytes: number };

/** The bytes that follow a body of `bodyBytes`. */
export function encodeFooter({ identity, bodyBytes }: BlobFooter): Buffer {
  const json = Buffer.from(JSON.stringify(identity), 'utf8');
  const footer = Buffer.alloc(json.length + TRAILER_BYTES);
  json.copy(footer);
  const at = json.length;
  footer.writeUInt32LE(json.length, at);
  footer.writeDoubleLE(bodyBytes, at + 4);
  footer.writeUInt32LE(crc32(json), at + 12);
  MAGIC.copy(footer, at + 16);
  footer.writeUInt16LE(FORMAT, at + 22);
  return footer;
}

/**
 * Reads the footer of a file of `fileBytes`; `read` must resolve with exactly that
 * range. InternalError when the file is no blob, is cut short, or is of a newer
 * format.
 */
export async function decodeFooter(
  fileBytes: number,
  read: (offsetBytes: number, lengthBytes: number) => Promise<Buffer>,
): Promise<BlobFooter> {
  if (fileBytes < TRAILER_BYTES) throw broken('is too short');
  const trailer = await read(fileBytes - TRAILER_BYTES, TRAILER_BYTES);
  const { bodyBytes, jsonBytes } = readTrailer(trailer, fileBytes);
  return { identity: readIdentity(await read(bodyBytes, jsonBytes), trailer), bodyBytes };
}

/** Bytes of the end of a file that hold the whole footer of nearly every blob. */
const USUAL_FOOTER_BYTES = 512;

/**
 * Synchronous `decodeFooter` of an open file, for a walk over a million files:
 * mostly one read.
 */
export function readFooterNow(fd: number, fileBytes: number): BlobFooter {
  if (fileBytes < TRAILER_BYTES) throw broken('is too short');
  const endBytes = Math.min(fileBytes, USUAL_FOOTER_BYTES);
  const end = readNow(fd, fileBytes - endBytes, endBytes);
  const trailer = end.subarray(endBytes - TRAILER_BYTES);
  const { bodyBytes, jsonBytes } = readTrailer(trailer, fileBytes);
  const isInEnd = jsonBytes + TRAILER_BYTES <= endBytes;
  const json = isInEnd
    ? end.subarray(endBytes - TRAILER_BYTES - jsonBytes, endBytes - TRAILER_BYTES)
    : readNow(fd, bodyBytes, jsonBytes);
  return { identity: readIdentity(json, trailer), bodyBytes };
}

function readNow(fd: number, offsetBytes: number, lengthBytes: number): Buffer {
  const buffer = Buffer.allocUnsafe(lengthBytes);
  if (readSync(fd, buffer, 0, lengthBytes, offsetBytes) !== lengthBytes)
    throw broken('is too short');
  return buffer;
}

/** The lengths in a trailer, proved against the length of the file. */
function readTrailer(trailer: Buffer, fileBytes: number): { bodyBytes: number; jsonBytes: number } {
  if (!trailer.subarray(16, 22).equals(MAGIC)) throw broken('has no footer');
  if (trailer.readUInt16LE(22) !== FORMAT) throw broken('is of another format');
  const jsonBytes = trailer.readUInt32LE(0);
  const bodyBytes = trailer.readDoubleLE(4);
  if (jsonBytes > IDENTITY_MAX_BYTES || bodyBytes + jsonBytes + TRAILER_BYTES !== fileBytes) {
    throw broken('has a wrong length');
  }
  return { bodyBytes, jsonBytes };
}

function readIdentity(json: Buffer, trailer: Buffer): BlobIdentity {
  if (crc32(json) !== trailer.readUInt32LE(12)) throw broken('has a damaged footer');
  const identity = JSON.parse(json.toString('utf8')) as BlobIdentity;
  // Blobs of before there was encryption do not mention it.
  return { ...identity, encryption: identity.encryption ?? null };
}

function broken(what: string): StorageError {
  return new StorageError('InternalError', { detail: `A blob file ${what}.` });
}
