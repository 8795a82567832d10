// The trash of a bucket as a console shows it. By key it has any size; by time of
// deletion or by size the number of keys is bounded.
import type { ObjectKey } from '../../domain/nouns.ts';
import type { HiddenKey } from '../../ports/index-calls/key-job-calls.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { cutPage, type PageEnd, type PageInput, SORT_MAX_KEYS } from './sorted-page.ts';

export type TrashSort = 'name' | 'deleted' | 'size';

export type TrashPage = PageEnd & { readonly hidden: readonly HiddenKey[] };

export type TrashInput = PageInput & { readonly sort: TrashSort };

/**
 * Lists the trash. Cost: one index read; at most ten when it is sorted otherwise
 * than by key, ascending.
 */
export async function listTrash(bucket: BucketHandle, input: TrashInput): Promise<TrashPage> {
  const { prefix, sort, isDescending, limit, cursor } = input;
  if (sort === 'name' && !isDescending) {
    const listed = await bucket.call('listHidden', { prefix, after: cursor, limit: limit + 1 });
    const hidden = listed.slice(0, limit);
    const next = listed.length > limit ? (hidden.at(-1)?.key ?? null) : null;
    return { hidden, next, isComplete: true };
  }

  const { all, isComplete } = await readAll(bucket, prefix);
  const sorted = sort === 'name' ? all.toReversed() : all.toSorted(orderOf(sort, isDescending));
  const { page, next } = cutPage(sorted, input);
  return { hidden: page, next, isComplete };
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
