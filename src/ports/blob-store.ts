// Where bytes lie: blobs under random ids, written once, read in ranges, deleted by
// the sweeper alone.

import type {
  BlobCompression,
  BlobId,
  BucketName,
  ObjectHeaders,
  ObjectKey,
  Segment,
} from '../domain/nouns.ts';
import type { ObjectEncryption } from '../domain/object-facts.ts';
import type { ByteSource } from './byte-source.ts';

/**
 * What a blob knows of its object, so that an index can be rebuilt from blobs
 * alone.
 */
export type BlobIdentity = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly headers: ObjectHeaders;
  readonly userMetadata: Readonly<Record<string, string>>;
  /** Set on a part of a multipart upload. */
  readonly part: { readonly uploadId: string; readonly partNumber: number } | null;
  /**
   * What decrypts the bytes, where they are encrypted; its wrapped key is the only
   * copy besides the index's.
   */
  readonly encryption: ObjectEncryption | null;
  /** How the bytes are compressed, where they are. It is stored under this name. */
  readonly packing?: Pick<BlobCompression, 'frameBytes' | 'plainBytes'>;
  /**
   * The class that was asked for, where it is not STANDARD: a platform with cheaper
   * storage for what is seldom read uses it.
   */
  readonly storageClass?: string;
  /**
   * Set on a pack of small bodies: where its directory begins, which says what each is
   * (core/packs/write-pack.ts). `key` is that of the first.
   */
  readonly directory?: { readonly offsetBytes: number };
};

export type BlobListPage = { readonly blobIds: readonly BlobId[]; readonly isTruncated: boolean };

/**
 * A borrowed buffer with bytes: `lengthBytes` of it from `at` on. The borrower may
 * write to what stands in front of them. `release` is to be called once, when
 * nobody reads them any more. `tookMs`: what the reading took.
 */
export type BorrowedBuffer = {
  readonly buffer: Uint8Array;
  readonly at: number;
  readonly lengthBytes: number;
  readonly tookMs: number;
  readonly release: () => void;
  /**
   * Set where nothing was read, and the buffer is empty: what sends the bytes from
   * where they are.
   */
  readonly sender: RangeSender | null;
};

/** Sends a range from where it is. For platforms with sockets of the system. */
export type RangeSender = {
  /**
   * What is written at its beginning goes out in front of the range. Shared: to be
   * written right before `send`.
   */
  readonly head: Uint8Array;
  /**
   * Gives so much of the head and the range to a socket, by its descriptor, that
   * has nothing waiting: how many bytes it took at once, 0 also where it fails. To
   * be called once.
   */
  send(socketFd: number, headBytes: number): number;
  /**
   * Reads what of the range is behind its first bytes, right after `send`. Null: it
   * can't be read. `release` is to be called once, when nobody reads them any more.
   */
  readBehind(
    skipBytes: number,
  ): { readonly bytes: Uint8Array; readonly release: () => void } | null;
};

/**
 * Reads what a cache has, at once, into a borrowed buffer. Null: the cache has it
 * no more. `maySend`: the caller can send from where the bytes are, which is for
 * the lender to choose.
 */
export type BorrowBytes = (maySend: boolean) => BorrowedBuffer | null;

/**
 * A range of a blob, of its plain bytes where it is compressed. The stores of
 * platforms get calls for plain blobs only
 * (adapters/shared/decompressing-blob-store.ts).
 */
export type BlobRange = Omit<Segment, 'blobId'>;

/** Stores blobs: runs of bytes written once under a fresh id and never changed. */
export type BlobStore = {
  /**
   * Streams a body into a new blob; resolves with its size once the bytes are
   * durable. On any failure, including one of the source, nothing is left that
   * `open` would find. Cost on R2: one class A call, more for large bodies.
   */
  write(id: BlobId, source: ByteSource, identity: BlobIdentity): Promise<{ sizeBytes: number }>;
  /**
   * Stores a few MiB under an id that was promised before, where equal bytes may be
   * already; resolves once they are durable. Unlike `write` a failure leaves what is
   * there, which others may read by now. Cost on R2: one class A call.
   */
  put(id: BlobId, bytes: Uint8Array, identity: BlobIdentity): Promise<void>;
  /**
   * Opens a range; the stream delivers exactly `lengthBytes` bytes (> 0) or errors.
   * Cancelling it frees everything. A platform that sends chunks itself gives a
   * ChunkStream. Throws `ObjectDamaged` when the blob is missing or short. Cost on
   * R2: one class B call.
   */
  open(id: BlobId, range: BlobRange): Promise<ReadableStream<Uint8Array>>;
  /**
   * Reads a range into memory, in a buffer of its own; else like `open`. For slices
   * and other small ranges.
   */
  read(id: BlobId, range: BlobRange): Promise<Uint8Array>;
  /**
   * How to read the range at once and without waiting, where a cache of the
   * operating system most likely has it; else null. At most 1 MiB. Reads
   * nothing yet: many calls first and then many reads cost less than one after the
   * other (measured: ADR 28). Platforms without such a cache lack it.
   */
  atHand?(id: BlobId, range: BlobRange): BorrowBytes | null;
  /**
   * Opens runs of blobs (one at least) one after the other as one stream, for a
   * body that is sent on as it is: the runtime may move the bytes itself. The first
   * is open when this resolves; else as `open`, with its cost for each run.
   */
  openRuns(runs: readonly Segment[]): Promise<ReadableStream<Uint8Array>>;
  /** Deletes blobs; one that is not there is no error. */
  delete(ids: readonly BlobId[]): Promise<void>;
  /**
   * Ids under `prefix` greater than `after`, in byte order, at most `limit`. For
   * the sweeper only.
   */
  list(options: { prefix: string; after: string; limit: number }): Promise<BlobListPage>;
};
