// Limits as lines of a table: what is counted, how many are taken, and who takes them.
import { StorageError } from '../src/domain/errors.ts';

/** `accept` throws, or gives false, null or a text, where it takes no such number. */
export type LimitLine = readonly [what: string, limit: number, accept: (count: number) => unknown];

/** Whether each of these numbers is taken. A fault of the service is none of both. */
export function areTaken(
  accept: LimitLine[2],
  ...counts: readonly number[]
): Promise<readonly boolean[]> {
  return Promise.all(counts.map((count) => isTaken(accept, count)));
}

async function isTaken(accept: LimitLine[2], count: number): Promise<boolean> {
  try {
    const outcome = await accept(count);
    return outcome !== false && outcome !== null && typeof outcome !== 'string';
  } catch (error) {
    if (error instanceof StorageError && error.code !== 'InternalError') return false;
    throw error;
  }
}

/** A text of so many characters. */
export const text = (length: number): string => 'x'.repeat(length);

/** A list of so many items. */
export const list = <Item>(length: number, make: (at: number) => Item): Item[] =>
  Array.from({ length }, (_, at) => make(at));
