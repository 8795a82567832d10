// A blob store that opens what is compressed: who reads a range of a compressed
// blob means its plain bytes and gets those. So nobody above knows of it but by the
// `packing` that travels in segments; tiers keep plain slices, and a hot slice
// costs what any other does. A range opens the frames that hold it, each proved by
// its checksum, and holds no more than one group of them at once. Every home puts
// it before its own store; it never writes.
import { LRUCache } from 'lru-cache';
import {
  decodeSeekTable,
  type FrameStarts,
  frameCount,
  onlyFrame,
  seekTableBytes,
} from '../../crypto/seek-table.ts';
import { decompressFrame } from '../../crypto/zstd-frames.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BlobCompression, BlobId, Segment } from '../../domain/nouns.ts';
import type { BlobRange, BlobStore } from '../../ports/blob-store.ts';
import {
  awaitFirstChunk,
  type ByteChunks,
  ChunkStream,
  chunksOf,
  joinChunks,
} from '../../ports/chunk-stream.ts';

/**
 * Plain bytes that are opened at once, unless one frame has more. More at once
 * costs less for each, and more memory.
 */
const GROUP_BYTES = 1024 * 1024;
/**
 * Bytes of seek tables in memory: one takes 8 for each frame, 160 KiB for the largest
 * blob.
 */
const TABLES_MAX_BYTES = 2 * 1024 * 1024;
const TABLE_OVERHEAD_BYTES = 256;

/** A range of the plain bytes of a compressed blob. */
type CompressedRange = BlobRange & { readonly packing: BlobCompression };

/** Frames from `first` to before `behind`, and the range of their plain bytes to take. */
type FrameGroup = {
  readonly first: number;
  readonly behind: number;
  readonly skipBytes: number;
  readonly takeBytes: number;
};

/** A compressed blob with what its seek table says. */
type Frames = {
  readonly id: BlobId;
  readonly packing: BlobCompression;
  readonly starts: FrameStarts;
};

const isCompressed = (range: BlobRange): range is CompressedRange => range.packing !== undefined;

/**
 * Cost: as of `inner`; for a compressed blob of several frames one more read, the
 * first time, and a few ms of CPU for each MB.
 */
export function createDecompressingBlobStore(inner: BlobStore): BlobStore {
  const tables = new LRUCache<BlobId, FrameStarts>({
    maxSize: TABLES_MAX_BYTES,
    sizeCalculation: (starts) => starts.byteLength + TABLE_OVERHEAD_BYTES,
  });

  async function framesOf(id: BlobId, packing: BlobCompression): Promise<Frames> {
    const known = onlyFrame(packing) ?? tables.get(id);
    if (known !== undefined) return { id, packing, starts: known };
    const lengthBytes = seekTableBytes(frameCount(packing));
    const table = await inner.read(id, {
      offsetBytes: packing.storedBytes - lengthBytes,
      lengthBytes,
    });
    const starts = decodeSeekTable(table, packing);
    if (starts === null) throw damaged(id);
    tables.set(id, starts);
    return { id, packing, starts };
  }

  async function readCompressed(id: BlobId, range: CompressedRange): Promise<Uint8Array> {
    requireInside(id, range);
    return readGroup(await framesOf(id, range.packing), groupOf(range, range));
  }

  async function readGroup(frames: Frames, group: FrameGroup): Promise<Uint8Array> {
    return openGroup(frames, group, await inner.read(frames.id, compressedRange(frames, group)));
  }

  async function openCompressed(
    id: BlobId,
    range: CompressedRange,
  ): Promise<ReadableStream<Uint8Array>> {
    requireInside(id, range);
    const frames = await framesOf(id, range.packing);
    const whole = groupOf(range, range);
    if (whole.behind - whole.first <= framesOfGroup(range.packing)) {
      return new ChunkStream(joinChunks(await readGroup(frames, whole), []));
    }
    const compressed = chunksOf(await inner.open(id, compressedRange(frames, whole)));
    // What is damaged at its start is an error before any caller has a stream.
    return new ChunkStream(
      await awaitFirstChunk(openGroups(frames, compressed, groupsOf(range)), GROUP_BYTES),
    );
  }

  const open: BlobStore['open'] = (id, range) =>
    isCompressed(range) ? openCompressed(id, range) : inner.open(id, range);

  function openStretch(stretch: readonly Segment[]): Promise<ReadableStream<Uint8Array>> {
    const [only, another] = stretch;
    return only !== undefined && another === undefined
      ? open(only.blobId, only)
      : inner.openRuns(stretch);
  }

  const store: BlobStore = {
    write: inner.write,
    put: inner.put,
    open,
    read: (id, range) => (isCompressed(range) ? readCompressed(id, range) : inner.read(id, range)),
    async openRuns(runs) {
      if (!runs.some(isCompressed)) return inner.openRuns(runs);
      const [first = [], ...rest] = stretchesOf(runs);
      const opened = await openStretch(first);
      return new ChunkStream(
        joinChunks(
          opened,
          rest.map((stretch) => () => openStretch(stretch)),
        ),
      );
    },
    delete: inner.delete,
    list: inner.list,
  };
  const { atHand } = inner;
  if (atHand === undefined) return store;
  // Opening takes a while: what is compressed is never at hand.
  return { ...store, atHand: (id, range) => (isCompressed(range) ? null : atHand(id, range)) };
}

/** ObjectDamaged, as for a blob that is short. */
function requireInside(id: BlobId, { offsetBytes, lengthBytes, packing }: CompressedRange): void {
  if (lengthBytes <= 0 || offsetBytes + lengthBytes > packing.plainBytes) throw damaged(id);
}

/**
 * The frames that hold `part`, with the part of them that lies in `range`. Both inside the
 * blob.
 */
function groupOf(range: CompressedRange, part: Omit<BlobRange, 'packing'>): FrameGroup {
  const { frameBytes, plainBytes } = range.packing;
  const first = Math.floor(part.offsetBytes / frameBytes);
  const behind = Math.ceil((part.offsetBytes + part.lengthBytes) / frameBytes);
  const from = Math.max(range.offsetBytes, first * frameBytes);
  const to = Math.min(range.offsetBytes + range.lengthBytes, behind * frameBytes, plainBytes);
  return { first, behind, skipBytes: from - first * frameBytes, takeBytes: to - from };
}

const framesOfGroup = ({ frameBytes }: BlobCompression): number =>
  Math.max(1, Math.floor(GROUP_BYTES / frameBytes));

/**
 * The groups that hold a range, one after the other. Made one by one: a large blob
 * has thousands.
 */
function* groupsOf(range: CompressedRange): Generator<FrameGroup, undefined> {
  const { frameBytes } = range.packing;
  const step = framesOfGroup(range.packing) * frameBytes;
  const end = range.offsetBytes + range.lengthBytes;
  for (let at = Math.floor(range.offsetBytes / frameBytes) * frameBytes; at < end; at += step) {
    yield groupOf(range, { offsetBytes: at, lengthBytes: Math.min(step, end - at) });
  }
}

/** Where the group lies in the blob as it is stored. */
function compressedRange(
  { starts }: Frames,
  { first, behind }: FrameGroup,
): Omit<BlobRange, 'packing'> {
  const offsetBytes = starts[first] ?? 0;
  return { offsetBytes, lengthBytes: (starts[behind] ?? 0) - offsetBytes };
}

/**
 * Opens all frames of a group, side by side: Node has a thread for each of four.
 */
async function openGroup(
  { id, packing, starts }: Frames,
  group: FrameGroup,
  compressed: Uint8Array,
): Promise<Uint8Array> {
  const { frameBytes, plainBytes } = packing;
  const origin = starts[group.first] ?? 0;
  const opening: Promise<Uint8Array | null>[] = [];
  for (let index = group.first; index < group.behind; index++) {
    const frame = compressed.subarray(
      (starts[index] ?? 0) - origin,
      (starts[index + 1] ?? 0) - origin,
    );
    opening.push(decompressFrame(frame, Math.min(frameBytes, plainBytes - index * frameBytes)));
  }
  const opened = await Promise.all(opening);
  const [only] = opened;
  const { skipBytes, takeBytes } = group;
  if (opened.length === 1 && only !== null && only !== undefined)
    return only.subarray(skipBytes, skipBytes + takeBytes);
  const taken = new Uint8Array(takeBytes);
  let at = -skipBytes;
  for (const plain of opened) {
    if (plain === null) throw damaged(id);
    const piece = at < 0 ? plain.subarray(-at) : plain;
    taken.set(piece.subarray(0, takeBytes - Math.max(at, 0)), Math.max(at, 0));
    at += plain.length;
  }
  return taken;
}

/**
 * The plain bytes of groups, of which the compressed ones come in a row. One group
 * is held at once.
 */
function openGroups(
  frames: Frames,
  compressed: ByteChunks,
  groups: Iterator<FrameGroup, undefined>,
): ByteChunks {
  let rest: Uint8Array = new Uint8Array();
  let isClosed = false;

  function close(): void {
    isClosed = true;
    rest = new Uint8Array();
    compressed.close();
  }

  /**
   * The next compressed bytes, copied: what is read may be borrowed. Null once it
   * is closed.
   */
  async function take(lengthBytes: number): Promise<Uint8Array | null> {
    const taken = new Uint8Array(lengthBytes);
    for (let filled = 0; filled < lengthBytes; ) {
      if (rest.length === 0) {
        const chunk = await compressed.next(lengthBytes - filled);
        if (isClosed) return null;
        if (chunk === null) throw damaged(frames.id);
        rest = chunk.bytes;
      }
      const piece = rest.subarray(0, lengthBytes - filled);
      taken.set(piece, filled);
      filled += piece.length;
      rest = rest.subarray(piece.length);
    }
    return taken;
  }

  return {
    async next() {
      try {
        const group = isClosed ? null : (groups.next().value ?? null);
        const bytes =
          group === null ? null : await take(compressedRange(frames, group).lengthBytes);
        const plain =
          group === null || bytes === null ? null : await openGroup(frames, group, bytes);
        if (plain !== null && !isClosed) return { bytes: plain, isBorrowed: false };
        close();
        return null;
      } catch (error) {
        close();
        throw error;
      }
    },
    close,
  };
}

/**
 * Runs in their order: each compressed one by itself, plain ones in a row together.
 */
function stretchesOf(runs: readonly Segment[]): readonly (readonly Segment[])[] {
  const stretches: Segment[][] = [];
  let isPlain = false;
  for (const run of runs) {
    if (isPlain && !isCompressed(run)) stretches.at(-1)?.push(run);
    else stretches.push([run]);
    isPlain = !isCompressed(run);
  }
  return stretches;
}

function damaged(id: BlobId): StorageError {
  return new StorageError('ObjectDamaged', { detail: `The compressed blob ${id} is damaged.` });
}
