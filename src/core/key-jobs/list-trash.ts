// The trash of a bucket as a console shows it: what was deleted, not what a job moved
// away, whose marker says so. By key it has any size; by time of deletion or by size the
// number of keys is bounded.
import type { ObjectKey } from '../../domain/nouns.ts';
import type { HiddenKey } from '../../ports/index-calls/key-job-calls.ts';
import { LIST_MAX_KEYS } from '../limits.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { cutPage, type PageEnd, type PageInput, SORT_MAX_KEYS } from './sorted-page.ts';

export type TrashSort = 'name' | 'deleted' | 'size';

export type TrashPage = PageEnd & { readonly hidden: readonly HiddenKey[] };

export type TrashInput = PageInput & { readonly sort: TrashSort };

/** Index reads of one page: a page between many moved keys may have fewer than asked. */
const READS_MAX = 10;

/**
 * Lists the trash. Cost: one index read; at most ten where keys were moved away, or
 * when it is sorted otherwise than by key, ascending.
 */
export async function listTrash(bucket: BucketHandle, input: TrashInput): Promise<TrashPage> {
  const { prefix, sort, isDescending } = input;
  if (sort === 'name' && !isDescending) {
    return await listByKey(bucket, input);
  }

  const { all, isComplete } = await readAll(bucket, prefix);
  const sorted = sort === 'name' ? all.toReversed() : all.toSorted(orderOf(sort, isDescending));
  const { page, next } = cutPage(sorted, input);
  return { hidden: page, next, isComplete };
}

/** Lists by key. `next` is where the walk ended, which may lie behind the last key. */
async function listByKey(
  bucket: BucketHandle,
  { prefix, limit: pageLimit, cursor }: Pick<TrashInput, 'prefix' | 'limit' | 'cursor'>,
): Promise<TrashPage> {
  const hidden: HiddenKey[] = [];
  let after = cursor;
  for (let reads = 0; reads < READS_MAX; reads++) {
    const limit = reads === 0 ? pageLimit + 1 : LIST_MAX_KEYS;
    const walked = await bucket.call('listHidden', { prefix, after, limit });
    for (const entry of walked) {
      const belongs = isDeleted(entry);
      if (belongs && hidden.length === pageLimit)
        return { hidden, next: after as ObjectKey, isComplete: true };
      if (belongs) hidden.push(entry);
      after = entry.key;
    }
    if (walked.length < limit) return { hidden, next: null, isComplete: true };
  }
  return { hidden, next: after as ObjectKey, isComplete: true };
}

/** Whether a hidden key was deleted: its object was not moved to another key. */
export const isDeleted = ({ isMoved }: HiddenKey) => isMoved !== true;

function orderOf(sort: 'deleted' | 'size', isDescending: boolean) {
  const of = ({ hiddenAtMs, newest }: HiddenKey) =>
    sort === 'deleted' ? hiddenAtMs : (newest?.sizeBytes ?? 0);
  return (a: HiddenKey, b: HiddenKey) => (isDescending ? of(b) - of(a) : of(a) - of(b));
}

async function readAll(bucket: BucketHandle, prefix: string) {
  const all: HiddenKey[] = [];
  let after: ObjectKey | '' = '';
  let walked = 0;
  while (walked < SORT_MAX_KEYS) {
    const page: readonly HiddenKey[] = await bucket.call('listHidden', {
      prefix,
      after,
      limit: LIST_MAX_KEYS,
    });
    walked += page.length;
    all.push(...page.filter(isDeleted));
    if (page.length < LIST_MAX_KEYS) return { all, isComplete: true };
    after = page.at(-1)?.key ?? '';
  }
  return { all, isComplete: false };
}
