// The order in which people read names: folders first, 2 before 10, Chinese by
// pinyin. Lists that are sorted already are merged in slices of a few milliseconds, so
// that the page answers meanwhile.
import { compareNames } from '../../../i18n/format.ts';
import { type Entry, nameIn } from './row-list.ts';

export type NameOrder = (a: Entry, b: Entry) => number;

/** Compares entries of a folder; folders come first in both directions. */
export function nameOrder(prefix: string, isDescending: boolean): NameOrder {
  const direction = isDescending ? -1 : 1;
  return (a, b) => {
    if (a.kind !== b.kind) return a.kind === 'folder' ? -1 : 1;
    return direction * compareNames(nameIn(prefix, a), nameIn(prefix, b));
  };
}

/** Merges sorted lists pair by pair; other work comes between the pairs. */
export async function mergeSorted(
  lists: readonly (readonly Entry[])[],
  compare: NameOrder,
): Promise<readonly Entry[]> {
  let rest = lists;
  while (rest.length > 1) {
    const merged: (readonly Entry[])[] = [];
    for (let at = 0; at < rest.length; at += 2) {
      merged.push(mergeTwo(rest[at] ?? [], rest[at + 1] ?? [], compare));
      await yieldToPage();
    }
    rest = merged;
  }
  return rest[0] ?? [];
}

function mergeTwo(
  left: readonly Entry[],
  right: readonly Entry[],
  compare: NameOrder,
): readonly Entry[] {
  const merged: Entry[] = [];
  let at = 0;
  for (const entry of left) {
    for (let next = right[at]; next !== undefined && compare(next, entry) < 0; next = right[++at]) {
      merged.push(next);
    }
    merged.push(entry);
  }
  return [...merged, ...right.slice(at)];
}

const yieldToPage = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
