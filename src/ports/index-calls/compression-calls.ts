// Compression of cold blobs: the calls of a run over a bucket. Which bodies are
// worth it, and the compression itself, is core/compression's; how compressed bytes
// are read, adapters/shared/decompressing-blob-store.ts's.

import type { LifecycleCursor } from '../../domain/lifecycle.ts';
import type {
  BucketRef,
  ObjectHeaders,
  ObjectKey,
  Segment,
  VersionId,
} from '../../domain/nouns.ts';
import type { NewBlobReference } from '../metadata-index.ts';

/**
 * A cursor through objects, then older versions, like that of lifecycle runs. It
 * covers the whole bucket: `prefix` is ''.
 */
export type CompressionCursor = LifecycleCursor & {
  readonly phase: 'objects' | 'versions';
  readonly prefix: '';
};

/**
 * Which versions are scanned: by when they were written, and how large they are.
 */
export type CompressionBounds = {
  /**
   * Milliseconds; versions of this very time are left out, those of `writtenUpToMs`
   * are not.
   */
  readonly writtenAfterMs: number;
  readonly writtenUpToMs: number;
  /** Bytes, both included. */
  readonly minBytes: number;
  readonly maxBytes: number;
};

/**
 * A version that may be compressed: it lies plain in blobs of this bucket that
 * nobody else refers to.
 */
export type CompressionCandidate = {
  readonly key: ObjectKey;
  readonly versionId: VersionId;
  readonly sizeBytes: number;
  readonly lastModifiedMs: number;
  readonly headers: ObjectHeaders;
};

/**
 * How far a bucket's bodies were scanned. Each is scanned once, when it comes of
 * age.
 */
export type CompressionRun = {
  /** When the bucket's setting was put: another begins anew. */
  readonly setAtMs: number;
  readonly startedAtMs: number;
  /**
   * What was written up to then is dealt with: by runs that went through. 0:
   * nothing.
   */
  readonly doneUpToMs: number;
  /** What this run will have dealt with when it goes through. */
  readonly upToMs: number;
  /**
   * When the oldest was written that failed in this run; null: none did. The next
   * run scans it again, and what is younger.
   */
  readonly failedFromMs: number | null;
  /** How many runs in a row have scanned something again. */
  readonly retries: number;
  /** The cursor of the run; null: it went through. It is stored under this name. */
  readonly place: CompressionCursor | null;
};

/** The exchange of a version's body for the same bytes in another blob. */
export type CompressedBody = {
  readonly key: ObjectKey;
  readonly versionId: VersionId;
  /** Where its bytes must still be. */
  readonly from: readonly Segment[];
  readonly to: Segment;
  readonly newReference: NewBlobReference;
};

export type CompressionQueries = {
  /**
   * How far the last run over the bucket's bodies came; null before the first.
   * BucketChanged.
   */
  getCompressionRun(input: { bucket: BucketRef }): CompressionRun | null;
  /**
   * What may be compressed from the cursor `place` on, within its phase: some 2,000
   * rows are scanned, at most 250 returned. `next` null: the phase has no more.
   * BucketChanged. Cost: as of `scanLifecycle`, and a read for each blob of those
   * within the bounds.
   */
  scanForCompression(input: {
    bucket: BucketRef;
    cursor: CompressionCursor;
    bounds: CompressionBounds;
  }): {
    candidates: readonly CompressionCandidate[];
    next: CompressionCursor | null;
  };
};

export type CompressionCommands = {
  /**
   * Lets a version have its bytes in another blob. Nothing else of it changes, and
   * no event is recorded. Not exchanged: the version is gone or lies elsewhere by
   * now, or a blob of `from` is shared with others. Idempotent. NoSuchBlob,
   * BucketChanged.
   */
  exchangeBody(input: CompressedBody & { bucket: BucketRef; nowMs: number }): {
    isExchanged: boolean;
  };
  /** Remembers how far a run came. BucketChanged. */
  setCompressionRun(input: { bucket: BucketRef; run: CompressionRun }): void;
};
