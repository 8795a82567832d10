// The names of the account's buckets, for whoever offers them as a choice: one list
// that all of them share.
import { client } from './client.ts';
import { useQuery } from './query.ts';

/** Names that are offered; an account may have more. */
const NAMES_MAX = 1000;

/** Gives the names in byte order, none until they are there; reads nothing unless wanted. */
export function useBucketNames(isWanted = true): readonly string[] {
  const buckets = useQuery(isWanted ? 'buckets names' : null, (signal) =>
    client.request('GET /buckets', { query: { limit: NAMES_MAX }, signal }),
  );
  return buckets.data.value?.items.map(({ name }) => name) ?? [];
}
