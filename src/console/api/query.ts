// Reads of the API for views: a query is shown from memory at once, asked again
// behind it, aborted when its last view is left, and repeated when the line is back.
// Two views of one key share its value and its request (query-store.ts).
import { signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { whenVisible } from '../app/visible.ts';
import { isReachable } from './client.ts';
import { type Load, type Query, QueryStore, type StartedQuery } from './query-store.ts';

export type { Query };

const store = new QueryStore({
  isOffline: () => isReachable.value === false,
  whenSeen: whenVisible,
});
addEventListener('online', () => store.reloadAll());

/** Reads again whatever begins with the key where it is shown; the rest when it is. */
export const invalidate = (prefix: string): void => store.invalidate(prefix);

/** Begins to read what a view shows first, while the page still loads. */
export const readAhead = (key: string, load: Load<unknown>): void => store.readAhead(key, load);

/** Whether a view waits for its first answer. */
export const isReadingFirst = (): boolean => store.isReadingFirst();

/** Forgets everything: another person signs in. */
export const forgetQueries = (): void => store.forget();

/**
 * Reads what `key` names by `load` as long as the component is shown. A null key
 * reads nothing. The key says all that the result depends on.
 */
export function useQuery<Data>(key: string | null, load: Load<Data>): Query<Data> {
  const query = useMemo(() => (key === null ? idle<Data>() : store.query(key, load)), [key]);
  useEffect(() => query.start(), [query]);
  return query;
}

/** A query of nothing. */
const idle = <Data>(): StartedQuery<Data> => {
  const data = signal<Data | null>(null);
  return {
    data,
    error: signal<unknown>(null),
    isLoading: signal(false),
    reload: () => {},
    set: (value) => {
      data.value = value;
    },
    start: () => () => {},
  };
};
