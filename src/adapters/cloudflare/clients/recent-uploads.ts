// Uploads that an isolate has begun or read, so that each part of one is a call of the
// index and not two. What an upload says never changes; whether it is still there the
// commit of a part decides. So one that ended elsewhere costs its sender the bytes of
// that part, and nobody else anything. Used by do-metadata-index.ts.
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../../domain/errors.ts';
import type { Upload } from '../../../ports/index-calls/upload-calls.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Clock } from '../../../ports/system.ts';

/** Seconds for which an upload is believed to be there. Our own limit. */
const FRESH_SECONDS = 60;
/** Bytes of all remembered uploads; most take a few hundred, one with metadata some KiB. */
const MAX_BYTES = 1024 * 1024;
const OVERHEAD_BYTES = 256;

type Address = Omit<Parameters<IndexApi['getUpload']>[0], 'bucket'> & {
  readonly bucket: { readonly id: string };
};
type Entry = { readonly upload: Upload; readonly untilMs: number };

export type RecentUploads = {
  /** The upload that a `getUpload` is about; null: it is not remembered. */
  find(name: keyof IndexApi, input: unknown): Upload | null;
  /**
   * Begins a call of the index. `done` takes its value and `failed` its error, which
   * say what uploads there are.
   */
  begin(
    name: keyof IndexApi,
    input: unknown,
  ): { readonly done: (value: unknown) => void; readonly failed: (error: unknown) => void };
};

/** Commands after which an upload that they name is gone, or may be. */
const ENDS: ReadonlySet<keyof IndexApi> = new Set(['completeUpload', 'abortUpload']);

export function createRecentUploads(clock: Clock): RecentUploads {
  const entries = new LRUCache<string, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ upload }) => OVERHEAD_BYTES + 2 * JSON.stringify(upload).length,
  });
  /**
   * How many uploads have ended. Race: a call reads an upload, another one ends it, and
   * the first would remember it. Guard: a reader that began before the last end
   * remembers nothing.
   */
  let ends = 0;

  // Clients send the upload's id as they like, with spaces too.
  const nameOf = ({ bucket, key, uploadId }: Address) => JSON.stringify([bucket.id, uploadId, key]);

  function end(input: unknown): void {
    ends += 1;
    entries.delete(nameOf(input as Address));
  }

  return {
    find(name, input) {
      if (name !== 'getUpload') return null;
      const entry = entries.get(nameOf(input as Address));
      return entry !== undefined && entry.untilMs > clock.nowMs() ? entry.upload : null;
    },

    begin(name, input) {
      if (ENDS.has(name)) return { done: () => end(input), failed: () => end(input) };
      const endsBefore = ends;
      const keep = (address: Address, upload: Upload) => {
        if (ends !== endsBefore) return;
        const untilMs = clock.nowMs() + FRESH_SECONDS * 1000;
        entries.set(nameOf(address), { upload, untilMs });
      };
      return {
        done(value) {
          if (name === 'getUpload') keep(input as Address, value as Upload);
          if (name !== 'createUpload') return;
          const { bucket, upload } = input as Parameters<IndexApi['createUpload']>[0];
          keep({ bucket, key: upload.key, uploadId: upload.uploadId }, upload);
        },
        failed(error) {
          if (hasCode(error, 'NoSuchUpload')) end(input);
        },
      };
    },
  };
}
