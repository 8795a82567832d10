// The order of the versions of one key is the order of their ids. Ids come from the
// clock of whoever writes, and clocks of different machines disagree: the index,
// which sees the writes in order, moves an id that would sort too early.
import type { VersionId } from './nouns.ts';

/**
 * Characters at the start of an id that tell the time: see adapters/shared/ids.ts.
 */
const TIME_LENGTH = 9;
const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * `id` if it sorts after `newest`, else the same id with the earliest time that
 * makes it do so.
 */
export function orderedAfter(id: VersionId, newest: VersionId | null): VersionId {
  if (newest === null || id > newest) return id;
  return (increment(newest.slice(0, TIME_LENGTH)) + id.slice(TIME_LENGTH)) as VersionId;
}

/** Whether both ids come from one write: they share all but, perhaps, the time. */
export function isSameWrite(a: VersionId, b: VersionId): boolean {
  return a.slice(TIME_LENGTH) === b.slice(TIME_LENGTH);
}

/**
 * The next text of the same length in byte order, over digits and lower-case
 * letters.
 */
function increment(text: string): string {
  const at = text.search(/[^z]z*$/);
  if (at === -1) return `${text}0`;
  const digit = DIGITS.charAt(DIGITS.indexOf(text.charAt(at)) + 1);
  return text.slice(0, at) + digit + '0'.repeat(text.length - at - 1);
}
