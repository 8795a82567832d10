// Reads of the API for views: a query is shown from memory at once, asked again
// behind it, aborted when its view is left, and repeated when the line is back.
import { batch, type Signal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { isReachable } from './client.ts';

export type Query<Data> = {
  /** What was read last; null: nothing yet. Older data stays while newer is read. */
  readonly data: Signal<Data | null>;
  readonly error: Signal<unknown>;
  readonly isLoading: Signal<boolean>;
  /** Reads again. */
  reload(): void;
  /** Puts a value there before the server has said it: an optimistic change. */
  set(data: Data): void;
};

/** Results that are kept for going back to them at once. */
const KEPT_MAX = 100;
/** First wait before a query is repeated on a lost line, milliseconds; it doubles. */
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 30_000;

type Entry = { data: unknown; isFresh: boolean };
const entries = new Map<string, Entry>();
const shown = new Set<{ readonly key: string; readonly reload: () => void }>();

function keep(key: string, data: unknown): void {
  entries.delete(key);
  entries.set(key, { data, isFresh: true });
  const [oldest] = entries.keys();
  if (entries.size > KEPT_MAX && oldest !== undefined) entries.delete(oldest);
}

/** Reads again whatever begins with the key, where it is shown, and forgets the rest. */
export function invalidate(prefix: string): void {
  for (const [key, entry] of entries) if (key.startsWith(prefix)) entry.isFresh = false;
  for (const one of shown) if (one.key.startsWith(prefix)) one.reload();
}

/** Forgets everything: another person signs in. */
export const forgetQueries = (): void => entries.clear();

/**
 * Reads what `key` names by `load` as long as the component is shown. A null key
 * reads nothing. The key says all that the result depends on.
 */
export function useQuery<Data>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Data>,
): Query<Data> {
  const query = useMemo(() => createQuery<Data>(key, load), [key]);
  useEffect(() => query.start(), [query]);
  return query;
}

function createQuery<Data>(key: string | null, load: (signal: AbortSignal) => Promise<Data>) {
  const known = key === null ? undefined : entries.get(key);
  const data = signal<Data | null>((known?.data as Data | undefined) ?? null);
  const error = signal<unknown>(null);
  const isLoading = signal(key !== null);
  let controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let waitMs = RETRY_FIRST_MS;

  async function read(): Promise<void> {
    if (key === null) return;
    controller.abort();
    clearTimeout(timer);
    controller = new AbortController();
    const { signal: stop } = controller;
    isLoading.value = true;
    try {
      const loaded = await load(stop);
      if (stop.aborted) return;
      keep(key, loaded);
      waitMs = RETRY_FIRST_MS;
      batch(() => {
        data.value = loaded;
        error.value = null;
        isLoading.value = false;
      });
    } catch (cause) {
      if (stop.aborted) return;
      batch(() => {
        error.value = cause;
        isLoading.value = false;
      });
      if (isReachable.value === false) {
        timer = setTimeout(read, waitMs);
        waitMs = Math.min(RETRY_MAX_MS, waitMs * 2);
      }
    }
  }

  const reload = () => void read();
  return {
    data,
    error,
    isLoading,
    reload,
    set(value: Data) {
      if (key !== null) keep(key, value);
      data.value = value;
    },
    start() {
      if (key === null) return;
      const one = { key, reload };
      shown.add(one);
      addEventListener('online', reload);
      reload();
      return () => {
        shown.delete(one);
        removeEventListener('online', reload);
        clearTimeout(timer);
        controller.abort();
      };
    },
  };
}
