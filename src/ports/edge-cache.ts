import type { BlobId } from './domain.ts';

/** The tiers that can hold a body above the bucket. */
export type BodyTier = 'memory' | 'edge';

/** A body found in a tier: whole and in memory, or as a stream. */
export type CachedBody = { readonly tier: BodyTier; readonly body: Uint8Array | ReadableStream<Uint8Array> };

/** Keeps whole blobs near the reader, keyed by blob id alone: an entry can't be stale, so nothing is ever purged. */
export type EdgeCache = {
  /** The largest blob worth offering, in bytes. */
  readonly maxBodyBytes: number;
  /** Never throws; a failing tier is a miss. */
  match(id: BlobId): CachedBody | null | Promise<CachedBody | null>;
  /** Keeps a whole body. Never throws. */
  put(id: BlobId, body: Uint8Array): Promise<void>;
};
