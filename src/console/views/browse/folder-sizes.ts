// Sizes of the folders in a list: requested for those in view, some at a time,
// after their rows are shown; they only fill their places.
import { signal } from '@preact/signals';
import { client } from '../../api/client.ts';
import { whenVisible } from '../../app/visible.ts';
import type { FolderSize } from './selection-model.ts';

/** Prefixes of one request: the API's most. */
const PREFIXES_MAX = 100;
/** How long the list stands still before sizes are requested, milliseconds. */
const WAIT_MS = 60;
/** How soon a bucket that is being counted is read again, milliseconds. */
const RECOUNT_MS = 1500;

export type FolderSizes = {
  /** Changes when sizes have arrived. */
  readonly version: { readonly value: number };
  of(prefix: string): FolderSize | null;
  /** Asks for those of the prefixes that are not known. */
  need(prefixes: readonly string[]): void;
  /** Asks again when they are next looked at; what is known stays shown. */
  refresh(): void;
  close(): void;
};

export function createFolderSizes(bucket: string): FolderSizes {
  const version = signal(0);
  const known = new Map<string, FolderSize>();
  let fresh = new Set<string>();
  let wanted: readonly string[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = new AbortController();

  async function ask(): Promise<void> {
    if (stop.signal.aborted) return;
    const prefixes = wanted.filter((prefix) => !fresh.has(prefix)).slice(0, PREFIXES_MAX);
    if (prefixes.length === 0) return;
    for (const prefix of prefixes) fresh.add(prefix);
    try {
      const { items } = await client.request('GET /buckets/{bucket}/sizes', {
        path: { bucket },
        query: { prefix: prefixes },
        signal: stop.signal,
      });
      if (stop.signal.aborted) return;
      if (items === null) {
        for (const prefix of prefixes) fresh.delete(prefix);
        timer = setTimeout(() => void whenVisible().then(ask), RECOUNT_MS);
        return;
      }
      for (const { prefix, objects, bytes } of items) {
        known.set(prefix, { objects, bytes: Number(bytes) });
      }
      version.value++;
      void ask();
    } catch {
      // The list says that the server is away; sizes are asked again with the next scroll.
      for (const prefix of prefixes) fresh.delete(prefix);
    }
  }

  return {
    version,
    of: (prefix) => known.get(prefix) ?? null,
    need(prefixes) {
      wanted = prefixes;
      if (prefixes.every((prefix) => fresh.has(prefix))) return;
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), WAIT_MS);
    },
    refresh() {
      fresh = new Set();
    },
    close() {
      clearTimeout(timer);
      stop.abort();
    },
  };
}
