// What is in a gzip file, as a source of ranges: it can be read forwards alone, so a
// read behind the last one skips, and a read before it begins anew.
import { type ByteSource, concat } from '../bytes.ts';
import { gunzipPages, type Pages } from '../text/pages.ts';

const PAGE_BYTES = 256 * 1024;

/** Ranges of what a gzip file has in it; its length is not known before its end. */
export function gunzipSource(compressed: ByteSource): ByteSource {
  let pages: Pages | null = null;
  let at = 0;
  let rest: Uint8Array = new Uint8Array();

  async function read(offset: number, length: number, signal: AbortSignal): Promise<Uint8Array> {
    if (pages === null || offset < at) {
      pages = gunzipPages(compressed, PAGE_BYTES);
      [at, rest] = [0, new Uint8Array()];
    }
    const chunks: Uint8Array[] = [];
    let missing = length;
    for (;;) {
      const skipped = Math.min(rest.length, offset - at);
      rest = rest.subarray(skipped);
      at += skipped;
      if (at === offset || chunks.length > 0) {
        const taken = rest.subarray(0, missing);
        chunks.push(taken);
        rest = rest.subarray(taken.length);
        at += taken.length;
        missing -= taken.length;
        if (missing === 0) return concat(chunks);
      }
      signal.throwIfAborted();
      const page = await pages.next(signal);
      if (page === null) return concat(chunks);
      rest = page;
    }
  }
  // Reads share one stream, so each waits for the one before it.
  let last: Promise<unknown> = Promise.resolve();
  const never = new AbortController().signal;
  return {
    sizeBytes: Number.MAX_SAFE_INTEGER,
    read(offset, length, signal = never) {
      const next = last.then(() => read(offset, length, signal));
      last = next.catch(() => {});
      return next;
    },
  };
}
