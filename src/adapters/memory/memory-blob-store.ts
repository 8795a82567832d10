// Blobs in a Map: the reference for the contract, and the store of tests and
// examples. Never for real data.

import { StorageError } from '../../domain/errors.ts';
import type { BlobId } from '../../domain/nouns.ts';
import type { BlobIdentity, BlobStore } from '../../ports/blob-store.ts';
import { damagedBlob } from '../shared/damage.ts';
import { joinRuns } from '../shared/join-runs.ts';

/** Bytes of one chunk of an opened stream; small, so that tests see several. */
const CHUNK_BYTES = 64 * 1024;

export type MemoryBlobStore = BlobStore & {
  /** What is stored now, for tests that look for leftovers. */
  readonly blobs: ReadonlyMap<
    BlobId,
    { readonly bytes: Uint8Array; readonly identity: BlobIdentity }
  >;
};

export function createMemoryBlobStore(): MemoryBlobStore {
  const blobs = new Map<BlobId, { bytes: Uint8Array; identity: BlobIdentity }>();

  /** Bytes of a range, a view of the stored ones. ObjectDamaged. */
  function rangeOf(
    id: BlobId,
    { offsetBytes, lengthBytes }: { offsetBytes: number; lengthBytes: number },
  ): Uint8Array {
    const bytes = blobs.get(id)?.bytes;
    const end = offsetBytes + lengthBytes;
    if (bytes === undefined || end > bytes.length) {
      throw damagedBlob(id, bytes === undefined ? 'missing' : 'damaged');
    }
    return bytes.subarray(offsetBytes, end);
  }

  const store: MemoryBlobStore = {
    blobs,
    async write(id, source, identity) {
      const chunks: Uint8Array[] = [];
      let sizeBytes = 0;
      await source.pump((chunk) => {
        chunks.push(chunk.slice());
        sizeBytes += chunk.length;
      });
      if (source.lengthBytes !== null && source.lengthBytes !== sizeBytes)
        throw new StorageError('IncompleteBody');
      const bytes = new Uint8Array(sizeBytes);
      let offset = 0;
      for (const chunk of chunks) {
        bytes.set(chunk, offset);
        offset += chunk.length;
      }
      blobs.set(id, { bytes, identity });
      return { sizeBytes };
    },
    async put(id, bytes, identity) {
      blobs.set(id, { bytes: bytes.slice(), identity });
    },
    read: async (id, range) => rangeOf(id, range).slice(),
    atHand: (id, range) => () => {
      const buffer = rangeOf(id, range).slice();
      // Tests see zeros when a borrower goes on reading.
      const release = () => void buffer.fill(0);
      return { buffer, at: 0, lengthBytes: buffer.length, tookMs: 0, release, sender: null };
    },
    async open(id, range) {
      const bytes = rangeOf(id, range);
      let at = 0;
      return new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            const next = Math.min(at + CHUNK_BYTES, bytes.length);
            controller.enqueue(bytes.slice(at, next));
            at = next;
            if (at === bytes.length) controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    },
    openRuns: (runs) => joinRuns(runs, store.open),
    async delete(ids) {
      for (const id of ids) blobs.delete(id);
    },
    async list({ prefix, after, limit }) {
      const ids = [...blobs.keys()].filter((id) => id.startsWith(prefix) && id > after).sort();
      return { blobIds: ids.slice(0, limit), isTruncated: ids.length > limit };
    },
  };
  return store;
}
