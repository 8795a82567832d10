// The seek table of Zstandard's seekable format, which says where the frames of a
// compressed blob lie. It is a skippable frame at the end of the blob: any zstd
// decompresses the whole blob, and range reads find their frames. Pure; without
// checksums, for each frame has its own. Source:
// zstd_seekable_compression_format.md 0.1.0 in
// https://github.com/facebook/zstd/tree/dev/contrib/seekable_format

const SKIPPABLE_MAGIC = 0x184d2a5e;
const SEEKABLE_MAGIC = 0x8f92eab1;
/** Magic number and size of a skippable frame, bytes. */
const HEAD_BYTES = 8;
/** One entry of the table, bytes: the compressed and the plain size of a frame. */
const ENTRY_BYTES = 8;
/** Number of frames, descriptor and magic number, bytes. */
const FOOT_BYTES = 9;

/**
 * The layout of a compressed blob: frames of `frameBytes` plain bytes, of which the
 * last may have fewer, then the seek table.
 */
export type FrameLayout = {
  readonly frameBytes: number;
  /** Size of the whole blob once decompressed; more than 0. */
  readonly plainBytes: number;
  /** Size of the whole blob as it is stored, its seek table included. */
  readonly storedBytes: number;
};

/**
 * Offsets at which the frames begin in the blob, and behind the last one where they
 * end.
 */
export type FrameStarts = Float64Array;

/** The number of frames of a blob. */
export function frameCount({
  frameBytes,
  plainBytes,
}: Pick<FrameLayout, 'frameBytes' | 'plainBytes'>): number {
  return Math.ceil(plainBytes / frameBytes);
}

/** The size of the seek table of so many frames, bytes. */
export function seekTableBytes(frames: number): number {
  return HEAD_BYTES + frames * ENTRY_BYTES + FOOT_BYTES;
}

/**
 * Encodes the seek table that goes behind the frames. `compressedBytes`: of each
 * frame.
 */
export function encodeSeekTable(
  compressedBytes: readonly number[],
  layout: Omit<FrameLayout, 'storedBytes'>,
): Uint8Array {
  const table = new Uint8Array(seekTableBytes(compressedBytes.length));
  const view = new DataView(table.buffer);
  view.setUint32(0, SKIPPABLE_MAGIC, true);
  view.setUint32(4, table.length - HEAD_BYTES, true);
  for (const [index, bytes] of compressedBytes.entries()) {
    view.setUint32(HEAD_BYTES + index * ENTRY_BYTES, bytes, true);
    view.setUint32(HEAD_BYTES + index * ENTRY_BYTES + 4, plainBytesOf(layout, index), true);
  }
  const foot = table.length - FOOT_BYTES;
  view.setUint32(foot, compressedBytes.length, true);
  view.setUint32(foot + 5, SEEKABLE_MAGIC, true);
  return table;
}

/**
 * Decodes the table of a blob of that layout; null when it is damaged, or another
 * blob's.
 */
export function decodeSeekTable(table: Uint8Array, layout: FrameLayout): FrameStarts | null {
  const frames = frameCount(layout);
  if (table.length !== seekTableBytes(frames)) return null;
  const view = new DataView(table.buffer, table.byteOffset, table.length);
  const foot = table.length - FOOT_BYTES;
  const isTable =
    view.getUint32(0, true) === SKIPPABLE_MAGIC &&
    view.getUint32(4, true) === table.length - HEAD_BYTES &&
    view.getUint32(foot, true) === frames &&
    view.getUint8(foot + 4) === 0 &&
    view.getUint32(foot + 5, true) === SEEKABLE_MAGIC;
  if (!isTable) return null;
  const starts = new Float64Array(frames + 1);
  for (let index = 0; index < frames; index++) {
    const at = HEAD_BYTES + index * ENTRY_BYTES;
    if (view.getUint32(at + 4, true) !== plainBytesOf(layout, index)) return null;
    starts[index + 1] = (starts[index] ?? 0) + view.getUint32(at, true);
  }
  return starts[frames] === layout.storedBytes - table.length ? starts : null;
}

/**
 * The offsets of a blob of one frame, which need no look at its table; null for
 * more frames.
 */
export function onlyFrame(layout: FrameLayout): FrameStarts | null {
  return frameCount(layout) === 1
    ? Float64Array.of(0, layout.storedBytes - seekTableBytes(1))
    : null;
}

function plainBytesOf(
  { frameBytes, plainBytes }: Pick<FrameLayout, 'frameBytes' | 'plainBytes'>,
  index: number,
) {
  return Math.min(frameBytes, plainBytes - index * frameBytes);
}
