// Where bytes lie: blobs under random ids, written once, read in ranges, deleted by the sweeper
// alone.

import type {
  BlobId,
  BucketName,
  ObjectHeaders,
  ObjectKey,
  Packing,
  Segment,
} from '../domain/nouns.ts';
import type { ObjectEncryption } from '../domain/object-facts.ts';
import type { ByteSource } from './byte-source.ts';

/** What a blob knows of its object, so that an index can be rebuilt from blobs alone. */
export type BlobIdentity = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly headers: ObjectHeaders;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** Set on a part of a multipart upload. */
  readonly part: { readonly uploadId: string; readonly partNumber: number } | null;
  /**
   * What opens the bytes, when they are sealed; its wrapped key is the only copy besides the
   * index's.
   */
  readonly encryption: ObjectEncryption | null;
  /** How the bytes are packed, where they are. */
  readonly packing?: Pick<Packing, 'frameBytes' | 'plainBytes'>;
  /**
   * The class that was asked for, where it is not STANDARD: a home with a cheaper place for what is
   * seldom read uses it.
   */
  readonly storageClass?: string;
};

export type BlobListPage = { readonly blobIds: readonly BlobId[]; readonly isTruncated: boolean };

/**
 * Bytes in a buffer that serves again: `lengthBytes` of it from `at` on. What stands in front of
 * them is the borrower's to write. `release` is to be called once, when nobody reads them any more.
 * `tookMs`: what it took to have them.
 */
export type BorrowedBuffer = {
  readonly buffer: Uint8Array;
  readonly at: number;
  readonly lengthBytes: number;
  readonly tookMs: number;
  readonly release: () => void;
  /**
   * Set where nothing was read, and the buffer is empty: what sends the bytes from where they are.
   */
  readonly sender: RangeSender | null;
};

/** Sends a range from where it is. For homes that have the sockets of the system. */
export type RangeSender = {
  /**
   * What is written at its beginning goes out in front of the range. Shared: to be written right
   * before `send`.
   */
  readonly head: Uint8Array;
  /**
   * Gives so much of the head and the range to a socket, by its descriptor, that has nothing
   * waiting: how many bytes it took at once, 0 also where it fails. To be called once.
   */
  send(socketFd: number, headBytes: number): number;
  /**
   * Reads what of the range is behind its first bytes, right after `send`. Null: it can't be read.
   */
  readBehind(skipBytes: number): Uint8Array | null;
};

/**
 * Reads what is at hand, at once. Null: it is not, after all. `maySend`: who asks can send from
 * where the bytes are, which is for the lender to choose.
 */
export type LendBytes = (maySend: boolean) => BorrowedBuffer | null;

/**
 * A range of a blob, of its plain bytes where it is packed. Stores of homes are asked for plain
 * blobs only (adapters/shared/decompressing-blob-store.ts).
 */
export type BlobRange = Omit<Segment, 'blobId'>;

/** Keeps blobs: runs of bytes written once under a fresh id and never changed. */
export type BlobStore = {
  /**
   * Streams a body into a new blob; resolves with its size once the bytes are durable. On any
   * failure, including one of the source, nothing is left that `open` would find. Cost on R2: one
   * class A call, more for large bodies.
   */
  write(id: BlobId, source: ByteSource, identity: BlobIdentity): Promise<{ sizeBytes: number }>;
  /**
   * Opens a range; the stream delivers exactly `lengthBytes` bytes (> 0) or errors. Cancelling it
   * frees everything. A home that sends chunks itself gives a ChunkStream. Throws `ObjectDamaged`
   * when the blob is missing or short. Cost on R2: one class B call.
   */
  open(id: BlobId, range: BlobRange): Promise<ReadableStream<Uint8Array>>;
  /** As `open`, all in memory, in a buffer of its own. For slices and other small ranges. */
  read(id: BlobId, range: BlobRange): Promise<Uint8Array>;
  /**
   * How to read the range at once and without waiting, where a cache that the home's system keeps
   * most likely has it; else null. Only small ranges. Reads nothing yet: what is asked for first
   * and read later, many at a time, costs less than in turns (measured: ADR 28). Homes without such
   * a cache lack it.
   */
  atHand?(id: BlobId, range: BlobRange): LendBytes | null;
  /**
   * Opens runs of blobs (one at least) one after the other as one stream, for a body that is sent
   * on as it is: the runtime may move the bytes itself. The first is open when this resolves; else
   * as `open`, with its cost for each run.
   */
  openRuns(runs: readonly Segment[]): Promise<ReadableStream<Uint8Array>>;
  /** Deletes blobs; one that is not there is no error. */
  delete(ids: readonly BlobId[]): Promise<void>;
  /**
   * Ids under `prefix` greater than `after`, in byte order, at most `limit`. For the sweeper only.
   */
  list(options: { prefix: string; after: string; limit: number }): Promise<BlobListPage>;
};
