// Runs of blobs as one body, for stores whose runtime can't join streams itself.

import type { Segment } from '../../domain/nouns.ts';
import type { BlobStore } from '../../ports/blob-store.ts';
import { ChunkStream, joinChunks } from '../../ports/chunk-stream.ts';

/**
 * BlobStore.openRuns over `open`: one run is open at a time. Cancelling frees the
 * one that is.
 */
export async function joinRuns(
  runs: readonly Segment[],
  open: BlobStore['open'],
): Promise<ReadableStream<Uint8Array>> {
  const [first, ...rest] = runs;
  if (first === undefined) throw new RangeError('no run');
  const opened = await open(first.blobId, first);
  if (rest.length === 0) return opened;
  const further = rest.map((run) => () => open(run.blobId, run));
  return new ChunkStream(joinChunks(opened, further));
}
