// Runs of blobs as one stream, for stores whose runtime can't join streams itself.
import type { BlobStore } from '../../ports/blob-store.ts';
import type { Segment } from '../../ports/domain.ts';

/** BlobStore.openRuns over `open`: one run is open at a time. Cancelling frees the one that is. */
export async function joinRuns(runs: readonly Segment[], open: BlobStore['open']): Promise<ReadableStream<Uint8Array>> {
  const [first, ...rest] = runs;
  if (first === undefined) throw new RangeError('no run');
  const opened = await open(first.blobId, first);
  if (rest.length === 0) return opened;

  let reader = opened.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (;;) {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          const next = rest.shift();
          if (next === undefined) return controller.close();
          reader = (await open(next.blobId, next)).getReader();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
