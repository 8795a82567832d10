// Zstandard in one piece: what variants are made with, and the frames of packed blobs, each of
// which opens by itself. Both homes have it in node:zlib; on Node it runs in the thread pool, in a
// Worker it takes the isolate's own time. Where the frames of a blob lie is seek-table.ts's.
//
// workerd 1.20261117 breaks what does not fit into one piece of output: its zstdCompress gives
// "Unexpected end of file" from 40 KiB on, its stream when the end takes more than one `chunkSize`;
// its zstdDecompress opens the first of several frames only, and takes a `maxOutputLength` near the
// size for too little. So here the piece is always large enough, the bound is loose, and frames are
// opened one by one. Goes away when test/contract/index/compressed-blobs.contract.ts passes without
// it.
import { constants, createZstdCompress, zstdCompress, zstdDecompress } from 'node:zlib';

/**
 * How thorough packing is. CPU of TypeScript text in frames of 256 KiB, measured 2026-11 on Node:
 * level 3 leaves 28.9 % for 12 ms/MB, 6 leaves 26.5 % for 20, 9 leaves 25.8 % for 33, 12 leaves
 * 25.6 % for 156.
 */
export const PACK_LEVEL = 6;

/**
 * What a frame may come to when it opens, besides its due: enough for workerd, little enough for a
 * damaged one. Bytes.
 */
const OUTPUT_SLACK_BYTES = 1024 * 1024;

/**
 * Up to here workerd's zstdCompress works whatever the bytes are. Its stream keeps some 2 MB for
 * each frame until the collector comes, which the thousands of a body must not cost (measured
 * 2026-11): so frames of that home are no larger.
 */
export const WORKERS_FRAME_BYTES = 32 * 1024;

/**
 * The bytes as one frame. `checksum`: with the low half of their XXH64 at its end. Source: RFC 8878
 * section 3.1.1.
 */
export function zstdFrame(
  plain: Uint8Array,
  { level, checksum }: { readonly level: number; readonly checksum: boolean },
): Promise<Uint8Array> {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = constants;
  const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: checksum ? 1 : 0 };
  // What does not shrink takes 3 bytes for each block of 128 KiB, a head and a foot.
  const chunkSize = plain.length + (plain.length >> 7) + 1024;
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    const stream = createZstdCompress({ params, chunkSize, pledgedSrcSize: plain.length });
    stream.on('data', (piece) => pieces.push(piece));
    stream.on('error', reject);
    stream.on('end', () => resolve(joined(pieces)));
    stream.end(plain);
  });
}

/**
 * A frame of a packed blob: whoever opens it proves its bytes. Never fails but for want of memory.
 */
export function compressFrame(plain: Uint8Array, level: number): Promise<Uint8Array> {
  if (plain.length > WORKERS_FRAME_BYTES) return zstdFrame(plain, { level, checksum: true });
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = constants;
  const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 };
  return new Promise((resolve, reject) => {
    zstdCompress(plain, { params }, (error, packed) =>
      error === null ? resolve(packed) : reject(error),
    );
  });
}

/** The plain bytes of one frame, exactly `plainBytes` (> 0) of them, or null: it is damaged. */
export function decompressFrame(
  packed: Uint8Array,
  plainBytes: number,
): Promise<Uint8Array | null> {
  const options = {
    maxOutputLength: 4 * plainBytes + OUTPUT_SLACK_BYTES,
    chunkSize: Math.max(plainBytes, 64),
  };
  return new Promise((resolve) => {
    zstdDecompress(packed, options, (error, plain) => {
      resolve(error === null && plain.length === plainBytes ? plain : null);
    });
  });
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
