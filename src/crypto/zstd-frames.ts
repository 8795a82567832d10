// Zstandard frames: one for a compressed variant, many for a compressed blob, each
// of which can be decompressed by itself. Both platforms have them in node:zlib; on
// Node they run in the thread pool, in a Worker they take the isolate's own time.
// Where the frames of a blob lie is seek-table.ts's.
//
// workerd 1.20261117 breaks what does not fit into one piece of output. Its
// zstdCompress fails with "Unexpected end of file" from 40 KiB on, its stream when
// the end takes more than one `chunkSize`. Its zstdDecompress reads the first of
// several frames only, and takes a `maxOutputLength` near the size for too little.
// Therefore the piece here is always large enough, the bound is loose, and frames are
// decompressed one by one. Goes away when
// test/contract/index/compressed-blobs.contract.ts passes without it.
import { constants, createZstdCompress, zstdCompress, zstdDecompress } from 'node:zlib';
import { joinBytes } from './join-bytes.ts';

/**
 * Zstandard level of cold blobs. CPU of TypeScript text in frames of 256 KiB,
 * measured 2026-11 on Node: level 3 leaves 28.9 % for 12 ms/MB, 6 leaves 26.5 % for
 * 20, 9 leaves 25.8 % for 33, 12 leaves 25.6 % for 156.
 */
export const COMPRESSION_LEVEL = 6;

/**
 * Bytes that a frame may decompress to beyond its expected size: enough for
 * workerd, few enough for a damaged frame.
 */
const OUTPUT_SLACK_BYTES = 1024 * 1024;

/**
 * Largest frame in a Worker, plain bytes: workerd's zstdCompress works up to here
 * whatever the bytes are. Its stream, which has no such bound, keeps some 2 MB for
 * each frame until garbage collection; a body has thousands (measured 2026-11).
 */
export const WORKERS_FRAME_BYTES = 32 * 1024;

/**
 * Compresses bytes to one frame. `checksum`: with the low half of their XXH64 at
 * its end. Source: RFC 8878 section 3.1.1.
 */
export function zstdFrame(
  plain: Uint8Array,
  { level, checksum }: { readonly level: number; readonly checksum: boolean },
): Promise<Uint8Array> {
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = constants;
  const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: checksum ? 1 : 0 };
  // What does not shrink takes 3 bytes for each block of 128 KiB, a head and a
  // foot.
  const chunkSize = plain.length + (plain.length >> 7) + 1024;
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = [];
    const stream = createZstdCompress({ params, chunkSize, pledgedSrcSize: plain.length });
    stream.on('data', (piece) => pieces.push(piece));
    stream.on('error', reject);
    stream.on('end', () => resolve(joinBytes(pieces)));
    stream.end(plain);
  });
}

/**
 * Compresses bytes to a frame of a blob, whose checksum proves them to its reader.
 * Never fails but for want of memory.
 */
export function compressFrame(plain: Uint8Array, level: number): Promise<Uint8Array> {
  if (plain.length > WORKERS_FRAME_BYTES) return zstdFrame(plain, { level, checksum: true });
  const { ZSTD_c_compressionLevel, ZSTD_c_checksumFlag } = constants;
  const params = { [ZSTD_c_compressionLevel]: level, [ZSTD_c_checksumFlag]: 1 };
  return new Promise((resolve, reject) => {
    zstdCompress(plain, { params }, (error, compressed) =>
      error === null ? resolve(compressed) : reject(error),
    );
  });
}

/**
 * Decompresses one frame to exactly `plainBytes` (> 0) bytes; null when it is
 * damaged.
 */
export function decompressFrame(
  compressed: Uint8Array,
  plainBytes: number,
): Promise<Uint8Array | null> {
  const options = {
    maxOutputLength: 4 * plainBytes + OUTPUT_SLACK_BYTES,
    chunkSize: Math.max(plainBytes, 64),
  };
  return new Promise((resolve) => {
    zstdDecompress(compressed, options, (error, plain) => {
      resolve(error === null && plain.length === plainBytes ? plain : null);
    });
  });
}
