// Differences of two texts by lines: Myers' greedy algorithm ("An O(ND) Difference
// Algorithm", 1986), bounded, so that two texts with nothing in common cost little.
// On it stand the merge of three texts and what the views of differences show.

export type DiffPart = {
  readonly kind: 'same' | 'removed' | 'added';
  readonly lines: readonly string[];
};

export type Diff = {
  readonly parts: readonly DiffPart[];
  /** Whether the bound was met: the rest is one removal and one addition. */
  readonly isCut: boolean;
};

/** Lines that may differ before the rest is taken as one change. */
const DIFFERENCES_MAX = 2000;

export const linesOf = (text: string): string[] => text.split('\n');

/** What must be removed and added to make one text the other, by lines. */
export function diffLines(before: readonly string[], after: readonly string[]): Diff {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  const middle = diffMiddle(left, right);
  const parts = [
    ...(start === 0 ? [] : [{ kind: 'same' as const, lines: before.slice(0, start) }]),
    ...(middle ?? wholeChange(left, right)),
    ...(end === 0 ? [] : [{ kind: 'same' as const, lines: before.slice(before.length - end) }]),
  ];
  return { parts, isCut: middle === null };
}

function commonStart(left: readonly string[], right: readonly string[]): number {
  const most = Math.min(left.length, right.length);
  let count = 0;
  while (count < most && left[count] === right[count]) count++;
  return count;
}

function commonEnd(left: readonly string[], right: readonly string[], start: number): number {
  const most = Math.min(left.length, right.length) - start;
  let count = 0;
  while (count < most && left[left.length - 1 - count] === right[right.length - 1 - count]) count++;
  return count;
}

function wholeChange(left: readonly string[], right: readonly string[]): DiffPart[] {
  const removed: DiffPart[] = left.length === 0 ? [] : [{ kind: 'removed', lines: left }];
  const added: DiffPart[] = right.length === 0 ? [] : [{ kind: 'added', lines: right }];
  return [...removed, ...added];
}

/** Differences of texts that begin and end unlike; null: there are too many. */
function diffMiddle(left: readonly string[], right: readonly string[]): DiffPart[] | null {
  if (left.length === 0 || right.length === 0) return wholeChange(left, right);
  const most = Math.min(left.length + right.length, DIFFERENCES_MAX);
  // How far down the left text each diagonal reaches, before each number of edits.
  const trace: Int32Array[] = [];
  const reach = new Int32Array(2 * most + 3);
  const at = (diagonal: number) => diagonal + most + 1;
  for (let edits = 0; edits <= most; edits++) {
    trace.push(reach.slice(at(-edits) - 1, at(edits) + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const isDown =
        diagonal === -edits ||
        (diagonal !== edits && read(reach, at(diagonal - 1)) < read(reach, at(diagonal + 1)));
      let x = isDown ? read(reach, at(diagonal + 1)) : read(reach, at(diagonal - 1)) + 1;
      let y = x - diagonal;
      while (x < left.length && y < right.length && left[x] === right[y]) {
        x++;
        y++;
      }
      reach[at(diagonal)] = x;
      if (x >= left.length && y >= right.length) return walkBack(trace, left, right);
    }
  }
  return null;
}

const read = (numbers: Int32Array, index: number): number => numbers[index] ?? 0;

/** The way through the edits, from its end to its start. */
function walkBack(
  trace: readonly Int32Array[],
  left: readonly string[],
  right: readonly string[],
): DiffPart[] {
  const steps: { kind: DiffPart['kind']; line: string }[] = [];
  let x = left.length;
  let y = right.length;
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const reach = trace[edits] ?? new Int32Array();
    // The slice began one before the lowest diagonal.
    const of = (diagonal: number) => read(reach, diagonal + edits + 1);
    const diagonal = x - y;
    const isDown =
      diagonal === -edits || (diagonal !== edits && of(diagonal - 1) < of(diagonal + 1));
    const previous = isDown ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : of(previous);
    const fromY = edits === 0 ? 0 : fromX - previous;
    while (x > fromX && y > fromY && left[x - 1] === right[y - 1]) {
      x--;
      y--;
      steps.push({ kind: 'same', line: left[x] ?? '' });
    }
    if (edits === 0) break;
    if (isDown) {
      y--;
      steps.push({ kind: 'added', line: right[y] ?? '' });
    } else {
      x--;
      steps.push({ kind: 'removed', line: left[x] ?? '' });
    }
  }
  return join(steps.reverse());
}

/** Neighbours of one kind as one part; of a change the removed lines come first. */
function join(steps: readonly { kind: DiffPart['kind']; line: string }[]): DiffPart[] {
  const parts: DiffPart[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let same: string[] = [];
  const flush = () => {
    if (same.length > 0) parts.push({ kind: 'same', lines: same });
    parts.push(...wholeChange(removed, added));
    [same, removed, added] = [[], [], []];
  };
  for (const { kind, line } of steps) {
    if (kind === 'same' && removed.length + added.length > 0) flush();
    if (kind === 'same') same.push(line);
    else {
      if (same.length > 0) flush();
      (kind === 'removed' ? removed : added).push(line);
    }
  }
  flush();
  return parts;
}

/** A change of the base: its lines from `at`, `length` of them, become `lines`. */
type Change = { readonly at: number; readonly length: number; readonly lines: readonly string[] };

function changesOf({ parts }: Diff): Change[] {
  const changes: Change[] = [];
  let at = 0;
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) continue;
    if (part.kind === 'same') {
      at += part.lines.length;
    } else if (part.kind === 'added') {
      changes.push({ at, length: 0, lines: part.lines });
    } else {
      const next = parts[index + 1];
      const lines = next?.kind === 'added' ? next.lines : [];
      if (next?.kind === 'added') index++;
      changes.push({ at, length: part.lines.length, lines });
      at += part.lines.length;
    }
  }
  return changes;
}

export type Merge = { readonly text: string; readonly conflicts: number };
export type MergeNames = { readonly yours: string; readonly theirs: string };

/**
 * Both changes of a base. Where they touch, and are not alike, both stand between
 * the marks that Git uses.
 */
export function mergeTexts(base: string, yours: string, theirs: string, names: MergeNames): Merge {
  const lines = linesOf(base);
  const left = changesOf(diffLines(lines, linesOf(yours)));
  const right = changesOf(diffLines(lines, linesOf(theirs)));
  const merged: string[] = [];
  let conflicts = 0;
  let at = 0;
  while (left.length > 0 || right.length > 0) {
    const from = Math.min(
      left[0]?.at ?? Number.POSITIVE_INFINITY,
      right[0]?.at ?? Number.POSITIVE_INFINITY,
    );
    merged.push(...lines.slice(at, from));
    const { ours, other, end } = takeTouching(left, right, from);
    const mine = applied(lines, ours, from, end);
    const its = applied(lines, other, from, end);
    if (other.length === 0 || mine.join('\n') === its.join('\n')) merged.push(...mine);
    else if (ours.length === 0) merged.push(...its);
    else {
      conflicts++;
      merged.push(`<<<<<<< ${names.yours}`, ...mine, '=======', ...its, `>>>>>>> ${names.theirs}`);
    }
    at = end;
  }
  merged.push(...lines.slice(at));
  return { text: merged.join('\n'), conflicts };
}

/** Takes the changes from a line on that touch each other, of both sides. */
function takeTouching(left: Change[], right: Change[], from: number) {
  const ours: Change[] = [];
  const other: Change[] = [];
  let end = from;
  for (;;) {
    const isLeft = left[0] !== undefined && touches(left[0], from, end);
    const isRight = right[0] !== undefined && touches(right[0], from, end);
    if (!isLeft && !isRight) return { ours, other, end };
    const change = (isLeft ? left : right).shift() as Change;
    (isLeft ? ours : other).push(change);
    end = Math.max(end, change.at + change.length);
  }
}

const touches = ({ at }: Change, from: number, end: number): boolean =>
  at === from || at < end || (at === end && end > from);

/** Lines of the base from one to another, with changes made. */
function applied(
  lines: readonly string[],
  changes: readonly Change[],
  from: number,
  end: number,
): string[] {
  const made: string[] = [];
  let at = from;
  for (const change of changes) {
    made.push(...lines.slice(at, change.at), ...change.lines);
    at = change.at + change.length;
  }
  made.push(...lines.slice(at, end));
  return made;
}
