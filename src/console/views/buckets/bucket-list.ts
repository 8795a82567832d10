// The buckets of the account with what each stores: a first page at once; of more
// buckets the names come next, then page after page what they store.
import { useSignal } from '@preact/signals';
import type { Answer, Item } from 'quayside/client';
import { client } from '../../api/client.ts';
import { readAhead, useQuery } from '../../api/query.ts';

export type Bucket = Answer<'GET /buckets/{bucket}'>;
export type ListedBucket = Item<'GET /buckets'>;

/** Buckets with totals that the server puts into one page. */
const PAGE = 100;
/** Buckets that are shown at most: what one page of names has. */
export const SHOWN_MAX = 1000;

export type BucketList = {
  /** By name; null: nothing is read yet. Totals may be missing of those counted later. */
  readonly items: readonly ListedBucket[] | null;
  /** Whether there are more than are shown. */
  readonly hasMore: boolean;
  readonly error: unknown;
  readonly reload: () => void;
};

const FIRST_KEY = 'buckets first';
const readFirst = (signal: AbortSignal) =>
  client.request('GET /buckets', { query: { include: 'totals', limit: PAGE }, signal });

/** Begins to read the first page, before the list is shown. */
export const beginBuckets = (): void => readAhead(FIRST_KEY, readFirst);

export function useBuckets(): BucketList {
  const later = useSignal<readonly ListedBucket[]>([]);
  const first = useQuery(FIRST_KEY, readFirst);
  const firstPage = first.data.value;
  const hasRest = firstPage !== null && firstPage.nextCursor !== null;
  const rest = useQuery(hasRest ? 'buckets rest' : null, async (signal) => {
    const names = await client.request('GET /buckets', { query: { limit: SHOWN_MAX }, signal });
    const items = new Map(names.items.map((item) => [item.name, item]));
    later.value = names.items;
    let cursor = firstPage?.nextCursor ?? null;
    for (let read = PAGE; cursor !== null && read < SHOWN_MAX; read += PAGE) {
      const query = { include: 'totals', limit: PAGE, cursor } as const;
      const page: typeof names = await client.request('GET /buckets', { query, signal });
      for (const item of page.items) items.set(item.name, item);
      later.value = [...items.values()];
      cursor = page.nextCursor;
    }
    return { items: [...items.values()], hasMore: names.nextCursor !== null };
  });

  const counted = new Map(firstPage?.items.map((item) => [item.name, item]));
  const all = hasRest ? (rest.data.value?.items ?? later.value) : [];
  const items = all.length === 0 ? firstPage?.items : all.map((it) => counted.get(it.name) ?? it);
  return {
    items: items ?? null,
    hasMore: rest.data.value?.hasMore ?? false,
    error: first.error.value ?? rest.error.value,
    reload: first.reload,
  };
}

/** The row of one bucket in the list: what it stores, and what that costs. */
export const useListed = (bucket: string) =>
  useQuery(`bucket ${bucket} listed`, async (signal) => {
    const { items } = await client.request('GET /buckets', {
      query: { include: 'totals', prefix: bucket, limit: 1 },
      signal,
    });
    return items.find(({ name }) => name === bucket) ?? null;
  });

/** What the API says of readers, as the mark of a row. */
export const READERS = { read: 'everyone', some: 'part', none: null } as const;

/** A bucket that was deleted meanwhile has null for totals. */
export const isThere = ({ totals }: ListedBucket): boolean => totals !== null;

/** Bytes that are stored of a bucket, versions and unfinished uploads included. */
export const storedBytes = ({ totals }: ListedBucket): number =>
  totals == null
    ? -1
    : Number(totals.current.bytes) + Number(totals.noncurrent.bytes) + Number(totals.uploads.bytes);
