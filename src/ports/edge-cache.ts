// Bodies near the reader, in slices, so that a hot read opens no blob.
import type { ByteRange } from '../domain/byte-range.ts';
import type { Segment } from '../domain/nouns.ts';

/** The tiers that can hold a body above the bucket. */
export type BodyTier = 'memory' | 'edge';

/**
 * Bytes of a slice, or (`isPart`) of the requested part, and where they came from.
 * Shared: never written to.
 */
export type SliceBytes = {
  readonly bytes: Uint8Array;
  readonly isPart: boolean;
  readonly tier: BodyTier | 'bucket';
};

/** A stream of the requested part of a run; it errors rather than end short. */
export type OpenedRun = {
  readonly body: ReadableStream<Uint8Array>;
  readonly tier: 'edge' | 'bucket';
};

/**
 * Caches slices of blobs near the reader. A slice is named by its blob and its
 * offset there, so an entry can't be stale and nothing is ever purged. Large bodies
 * are cut into slices: a range of one touches only its own.
 */
export type EdgeCache = {
  /** Blobs are cut at multiples of this many bytes; 0 turns the tiers off. */
  readonly sliceBytes: number;
  /** A read of more slices than this streams from the bucket, past the tiers. */
  readonly maxSlicesPerRead: number;
  /**
   * The slice, if memory has it: at once, no I/O. Then it counts as a request for
   * `readBytes` of it, or for all.
   */
  peek(slice: Segment, readBytes?: number): Uint8Array | null;
  /**
   * Takes a permit to read several slices one after the other, of which each reader
   * holds some in memory for as long as its client is slow. Null: too many do; the
   * read streams from the bucket. Call what it gives once the read has ended. Absent
   * where readers hold no slices.
   */
  beginSlices?(): (() => void) | null;
  /**
   * Opens a part of a run, which is longer than a slice and no longer than
   * `maxSlicesPerRead` of them, by one call, whatever its length. The reader holds a
   * piece of it in memory at most. Null: no tier has it so, or that tier fails; its
   * slices may be read. Absent where no tier keeps runs.
   */
  openRun?(run: Segment, part: ByteRange): Promise<OpenedRun | null>;
  /**
   * Whether a slice that memory lacks should be read whole for a read of
   * `readBytes` in all. Else that is read from the bucket, past the tiers. Counts
   * as a request for the slice.
   */
  admits(slice: Segment, readBytes: number): boolean;
  /**
   * The slice from the nearest tier that has it, else by `load`, which then may be
   * cached. Where the platform allows it, calls for a slice at the same time share
   * one `load` (request coalescing). A tier that has the whole slice may give no
   * more than the requested `part`. Rejects with what `load` rejects with; a tier
   * that fails is a miss.
   */
  read(slice: Segment, load: () => Promise<Uint8Array>, part: ByteRange): Promise<SliceBytes>;
};
