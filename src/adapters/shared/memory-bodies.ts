// The memory tier of bodies: slices of blobs, least recently used ones leave first. On Node it is the only body tier
// above the disk; on Cloudflare it stands in front of the edge tier. Plain bytes only, never a stream.
import { LRUCache } from 'lru-cache';
import type { Segment } from '../../ports/domain.ts';

/** What one entry costs besides its bytes: key, list links, typed array. Estimate, bytes. */
const ENTRY_OVERHEAD_BYTES = 512;

export type MemoryBodies = {
  readonly maxSliceBytes: number;
  peek(slice: Segment): Uint8Array | null;
  keep(slice: Segment, bytes: Uint8Array): void;
};

/** The name of a slice; equal names hold equal bytes. */
export function sliceName({ blobId, offsetBytes, lengthBytes }: Segment): string {
  return `${blobId}:${offsetBytes}+${lengthBytes}`;
}

/** Keeps slices of at most `maxSliceBytes` each and `maxBytes` together. A cost of 0.1 µs a hit, no I/O. */
export function createMemoryBodies(options: { maxBytes: number; maxSliceBytes: number }): MemoryBodies {
  const maxSliceBytes = Math.max(0, Math.min(options.maxSliceBytes, options.maxBytes - ENTRY_OVERHEAD_BYTES));
  if (maxSliceBytes === 0) return { maxSliceBytes, peek: () => null, keep: () => undefined };
  const slices = new LRUCache<string, Uint8Array>({
    maxSize: options.maxBytes,
    sizeCalculation: (bytes) => bytes.length + ENTRY_OVERHEAD_BYTES,
  });
  return {
    maxSliceBytes,
    peek: (slice) => slices.get(sliceName(slice)) ?? null,
    keep(slice, bytes) {
      if (bytes.length > maxSliceBytes || bytes.length !== slice.lengthBytes) return;
      slices.set(sliceName(slice), exact(bytes));
    },
  };
}

/** A window on a larger buffer (a socket read, Node's pool) would keep all of that buffer alive. */
function exact(bytes: Uint8Array): Uint8Array {
  return bytes.buffer.byteLength === bytes.length ? bytes : new Uint8Array(bytes);
}
