// The trash of a bucket as a console shows it: by name at any size, or by time of deletion or size,
// of so many names.
import type { ObjectKey } from '../../domain/nouns.ts';
import type { HiddenKey } from '../../ports/index-calls/key-job-calls.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import { SORT_MAX_KEYS } from './list-folder.ts';

export type TrashSort = 'name' | 'deleted' | 'size';

export type TrashPage = {
  readonly hidden: readonly HiddenKey[];
  /** For the next page; null: this was the last. */
  readonly next: string | null;
  /** Whether all names took part in the order. */
  readonly isComplete: boolean;
};

export type TrashInput = {
  readonly prefix: string;
  readonly sort: TrashSort;
  readonly isDescending: boolean;
  readonly limit: number;
  /** The `next` of the page before; '' begins. */
  readonly place: string;
};

/** Cost: one index read; ten at most when it is sorted otherwise than by name, ascending. */
export async function listTrash(bucket: BucketHandle, input: TrashInput): Promise<TrashPage> {
  const { prefix, sort, isDescending, limit, place } = input;
  if (sort === 'name' && !isDescending) {
    const found = await bucket.call('listHidden', { prefix, after: place, limit: limit + 1 });
    const hidden = found.slice(0, limit);
    return {
      hidden,
      next: found.length > limit ? (hidden.at(-1)?.key ?? null) : null,
      isComplete: true,
    };
  }
  const { all, isComplete } = await readAll(bucket, prefix);
  const sorted = sort === 'name' ? all.toReversed() : all.toSorted(orderOf(sort, isDescending));
  const from = Number(place);
  const end = from + limit;
  return {
    hidden: sorted.slice(from, end),
    next: end < sorted.length ? `${end}` : null,
    isComplete,
  };
}

function orderOf(sort: 'deleted' | 'size', isDescending: boolean) {
  const of = ({ hiddenAtMs, newest }: HiddenKey) =>
    sort === 'deleted' ? hiddenAtMs : (newest?.sizeBytes ?? 0);
  return (a: HiddenKey, b: HiddenKey) => (isDescending ? of(b) - of(a) : of(a) - of(b));
}

async function readAll(bucket: BucketHandle, prefix: string) {
  const all: HiddenKey[] = [];
  let after: ObjectKey | '' = '';
  while (all.length < SORT_MAX_KEYS) {
    const page: readonly HiddenKey[] = await bucket.call('listHidden', {
      prefix,
      after,
      limit: LIST_MAX_KEYS,
    });
    all.push(...page);
    if (page.length < LIST_MAX_KEYS) return { all, isComplete: true };
    after = page.at(-1)?.key ?? '';
  }
  return { all, isComplete: false };
}
