// Writes bodies in aws-chunked framing, signed or not, with or without a trailer. Independent of
// src; it can also write wrong ones: a test changes the bytes afterwards or hands in other
// signatures. Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and
// sigv4-streaming-trailers.html
import { hmac, type Seed, sha256Hex } from './sign.ts';

export const SIGNED_CHUNKS = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
export const SIGNED_CHUNKS_TRAILER = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER';
export const UNSIGNED_CHUNKS_TRAILER = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';

export type Trailer = { readonly name: string; readonly value: string };

const EMPTY_HASH = sha256Hex('');

/** Cuts data into chunks of a size; the last may be smaller. */
export function cut(data: Uint8Array, sizeBytes: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let offset = 0; offset < data.length; offset += sizeBytes)
    chunks.push(data.subarray(offset, offset + sizeBytes));
  return chunks;
}

const joined = (pieces: readonly (string | Uint8Array)[]) =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/**
 * Chunks that each carry a signature over themselves and all before them, and the closing chunk of
 * no bytes.
 */
export function signedChunks(
  seed: Seed,
  chunks: readonly Uint8Array[],
  trailer: Trailer | null = null,
): Buffer {
  let previous = seed.signature;
  const pieces: (string | Uint8Array)[] = [];
  for (const chunk of [...chunks, new Uint8Array()]) {
    const toSign = [
      'AWS4-HMAC-SHA256-PAYLOAD',
      seed.amzDate,
      seed.scope,
      previous,
      EMPTY_HASH,
      sha256Hex(chunk),
    ];
    previous = hmac(seed.signingKey, toSign.join('\n')).toString('hex');
    pieces.push(`${chunk.length.toString(16)};chunk-signature=${previous}\r\n`);
    if (chunk.length > 0) pieces.push(chunk, '\r\n');
  }
  if (trailer !== null) {
    const line = `${trailer.name}:${trailer.value}\n`;
    const toSign = [
      'AWS4-HMAC-SHA256-TRAILER',
      seed.amzDate,
      seed.scope,
      previous,
      sha256Hex(line),
    ];
    const signature = hmac(seed.signingKey, toSign.join('\n')).toString('hex');
    pieces.push(`${trailer.name}:${trailer.value}\r\nx-amz-trailer-signature:${signature}\r\n`);
  }
  pieces.push('\r\n');
  return joined(pieces);
}

/** Plain chunks, then the trailer. */
export function unsignedChunks(chunks: readonly Uint8Array[], trailer: Trailer | null): Buffer {
  const pieces: (string | Uint8Array)[] = [];
  for (const chunk of chunks) pieces.push(`${chunk.length.toString(16)}\r\n`, chunk, '\r\n');
  pieces.push('0\r\n', trailer === null ? '' : `${trailer.name}:${trailer.value}\r\n`, '\r\n');
  return joined(pieces);
}
