// The list of a folder: rows or tiles, of which only those in view are drawn, with the
// keyboard of a grid. The row that has the focus is drawn wherever it is, so that the
// focus is never lost. Rows are keyed by their position, not recycled: so they stand in
// their order for readers, and a jump draws some forty, which takes a few milliseconds.
// A row that did not change is the same node as before, which is not compared again.
import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { lazy } from '../../../app/lazy.tsx';
import { isControl, isMod, type RowActs, rowEvents } from './row-events.ts';
import { type Entry, keyOf } from './row-list.ts';
import { ScrollBubble } from './scroll-bubble.tsx';
import { type Scroller, useScroller } from './use-scroller.ts';
import { heightPx, lineTop } from './window.ts';

const Lasso = lazy(() => import('./lasso.tsx'), { isOfFolder: true });
Lasso.preload();

/** What others ask of a grid: the commands, the path, a jump. */
export type GridHandle = {
  /** Puts the keyboard on a row and shows it. */
  goTo(index: number): void;
  /** Puts a row at the top. */
  scrollTo(index: number): void;
  focus(): void;
  topIndex(): number;
  /** The element of the row that the keyboard stands on. */
  currentRow(): HTMLElement | null;
};

export type GridProps = RowActs & {
  readonly label: string;
  readonly linePx: number;
  readonly headPx: number;
  /** Tiles in a line; 1: rows. */
  readonly perLine: number;
  readonly tracks: string;
  readonly kind: 'list' | 'grid' | 'gallery';
  readonly head: ComponentChildren;
  /** Draws the cells of a row; rows are drawn anew when this function is another one. */
  readonly row: (entry: Entry | undefined) => VNode;
  /** What the bubble beside a dragged scroll bar says of the row on top. */
  readonly mark: (entry: Entry | undefined, index: number) => string;
  /** Changes when the same rows stand in another order. */
  readonly order: string;
  readonly onLook: () => void;
  readonly onRest: (topIndex: number) => void;
  readonly onSeen: (entries: readonly Entry[]) => void;
  readonly handle: { current: GridHandle | null };
};

export function Grid(props: GridProps) {
  const { list, selection, linePx, headPx, perLine } = props;
  void list.version.value;
  const count = list.count();
  const scroller = useScroller({
    lineCount: Math.ceil(count / perLine),
    linePx,
    headPx,
    onRest: () => props.onRest(scroller.topLine() * perLine),
  });
  const { span } = scroller;
  const first = span.first * perLine;
  const end = Math.min(count, span.end * perLine);
  const current = Math.min(selection.current.value, Math.max(0, count - 1));
  const mayFocus = useFocus(scroller, current);
  useSameRows(props, scroller);
  const rowOf = useDrawnRows(props.row, span.end - span.first);

  useEffect(() => {
    list.need(first, end);
    const seen: Entry[] = [];
    for (let index = first; index < end; index++) {
      const entry = list.row(index);
      if (entry !== undefined) seen.push(entry);
    }
    props.onSeen(seen);
  }, [list, first, end, list.version.value]);

  const goTo = (index: number, isRange = false) => {
    const target = Math.min(count - 1, Math.max(0, index));
    if (target < 0) return;
    if (!isRange) selection.moveTo(target);
    mayFocus.current = true;
    scroller.show(Math.floor(target / perLine));
  };
  props.handle.current = {
    goTo,
    scrollTo: (index) => scroller.moveTo(Math.floor(index / perLine)),
    focus: () => goTo(current),
    topIndex: () => scroller.topLine() * perLine,
    currentRow: () => rowElement(scroller, current),
  };

  const indices = Array.from({ length: Math.max(0, end - first) }, (_, at) => first + at);
  if (count > 0 && current < first) indices.unshift(current);
  if (count > 0 && current >= end) indices.push(current);
  return (
    <div
      ref={scroller.ref}
      class={`list browse-${props.kind}`}
      role="grid"
      aria-label={props.label}
      aria-multiselectable="true"
      aria-rowcount={list.isExact() ? count + 1 : -1}
      style={{ '--tracks': props.tracks, '--line': `${linePx}px` }}
      onScroll={scroller.onScroll}
      onKeyDown={(event) => moveByKey(event, { ...props, count, current, goTo, scroller })}
    >
      {props.head}
      <div
        class="spacer"
        role="rowgroup"
        style={{ height: `${heightPx(scroller.extent)}px` }}
        {...rowEvents(props)}
      >
        {indices.map((index) => {
          const entry = list.row(index);
          return rowOf({
            index,
            entry,
            isSelected: entry !== undefined && selection.has(keyOf(entry)),
            isCurrent: index === current,
            ...placeOf(scroller, index, perLine, index < first || index >= end),
          });
        })}
        <Lasso scroller={scroller} selection={selection} perLine={perLine} count={count} />
      </div>
      {scroller.isFlying && (
        <ScrollBubble
          scroller={scroller}
          text={props.mark(list.row(scroller.topLine() * perLine), scroller.topLine() * perLine)}
        />
      )}
    </div>
  );
}

/** Keeps the rows on top and under the keyboard in their places when the order changes. */
function useSameRows({ list, selection, order, perLine }: GridProps, scroller: Scroller): void {
  const seen = useRef<{ order: string; top: string | null; current: string | null }>(null);
  useLayoutEffect(() => {
    const before = seen.current;
    if (before !== null && before.order !== order) {
      const current = before.current === null ? -1 : list.indexOfKey(before.current);
      if (current !== -1) selection.moveTo(current);
      const top = before.top === null ? -1 : list.indexOfKey(before.top);
      if (top !== -1 && scroller.topLine() > 0) scroller.moveTo(Math.floor(top / perLine));
    }
    const keyAt = (index: number) => {
      const entry = list.row(index);
      return entry === undefined ? null : keyOf(entry);
    };
    const top = keyAt(scroller.topLine() * perLine);
    seen.current = { order, top, current: keyAt(selection.current.value) };
  });
}

/** All that a row is drawn from. */
type RowState = {
  readonly index: number;
  readonly entry: Entry | undefined;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  /** Where it stands; `left` and `width` of tiles. */
  readonly top: string;
  readonly left?: string;
  readonly width?: string;
  /** Kept for the focus, but not in view. */
  readonly isOutside: boolean;
};

type Drawn = RowState & { readonly cells: VNode; readonly node: VNode };
/** Rows that are kept, as a multiple of those in view. */
const KEPT_VIEWS = 4;
/** Fewest lines that `KEPT_VIEWS` counts with: tiles have several in one. */
const KEPT_LINES_MIN = 60;

/**
 * Keeps rows that did not change: the same node is not compared again, so a step of the wheel
 * costs the rows that come into view and no others.
 */
function useDrawnRows(cellsOf: GridProps['row'], linesInView: number) {
  const drawn = useRef({ cellsOf, rows: new Map<number, Drawn>() });
  if (drawn.current.cellsOf !== cellsOf) drawn.current = { cellsOf, rows: new Map() };
  return (state: RowState): VNode => {
    const { rows } = drawn.current;
    const known = rows.get(state.index);
    if (known !== undefined && isSame(known, state)) return known.node;
    const isSameEntry = known !== undefined && known.entry === state.entry;
    const cells = isSameEntry ? known.cells : cellsOf(state.entry);
    const made = { ...state, cells, node: drawRow(state, cells) };
    rows.delete(state.index);
    rows.set(state.index, made);
    const [oldest] = rows.keys();
    const most = KEPT_VIEWS * Math.max(linesInView, KEPT_LINES_MIN);
    if (rows.size > most && oldest !== undefined) rows.delete(oldest);
    return made.node;
  };
}

const isSame = (one: RowState, other: RowState): boolean =>
  one.entry === other.entry &&
  one.isSelected === other.isSelected &&
  one.isCurrent === other.isCurrent &&
  one.isOutside === other.isOutside &&
  one.top === other.top &&
  one.left === other.left &&
  one.width === other.width;

function drawRow(state: RowState, cells: VNode): VNode {
  const { index, isSelected, isCurrent, isOutside, top, left, width } = state;
  const classes = ['row', isSelected && 'is-selected', isCurrent && 'is-focused'];
  return (
    <div
      key={index}
      class={classes.filter(Boolean).join(' ')}
      role="row"
      data-index={index}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      style={{ top, left, width, ...(isOutside ? UNSEEN : {}) }}
    >
      {cells}
    </div>
  );
}

const UNSEEN = { opacity: '0', pointerEvents: 'none' };

/** Puts the focus on the current row when a key moved there. */
function useFocus(scroller: Scroller, current: number): { current: boolean } {
  const mayFocus = useRef(false);
  useLayoutEffect(() => {
    if (!mayFocus.current) return;
    mayFocus.current = false;
    rowElement(scroller, current)?.focus({ preventScroll: true });
  });
  return mayFocus;
}

const rowElement = ({ ref }: Scroller, index: number): HTMLElement | null =>
  ref.current?.querySelector(`[data-index="${index}"]`) ?? null;

/** Where a row stands; one that is out of view is kept at the edge, unseen. */
function placeOf(
  { extent, position, span }: Scroller,
  index: number,
  perLine: number,
  isOutside: boolean,
): Pick<RowState, 'top' | 'left' | 'width' | 'isOutside'> {
  const line = Math.floor(index / perLine);
  const shownLine = isOutside ? Math.min(Math.max(line, span.first), span.end - 1) : line;
  const top = `${Math.max(0, lineTop(extent, position, shownLine))}px`;
  if (perLine === 1) return { top, isOutside };
  const left = `${((index % perLine) * 100) / perLine}%`;
  return { top, left, width: `${100 / perLine}%`, isOutside };
}

type KeyInput = GridProps & {
  readonly count: number;
  readonly current: number;
  readonly goTo: (index: number, isRange?: boolean) => void;
  readonly scroller: Scroller;
};

function moveByKey(event: KeyboardEvent, input: KeyInput): void {
  const { current, count, selection, list, scroller } = input;
  if (event.target instanceof HTMLInputElement || event.altKey) return;
  if (isMod(event) && event.key.toLowerCase() === 'a') selection.all();
  else if (event.key === 'F10' && event.shiftKey) {
    const row = rowElement(scroller, current);
    if (row !== null) input.onMenu(event, row);
  } else if (event.key === 'Enter' && !isMod(event) && !isControl(event.target)) {
    const entry = list.row(current);
    if (entry !== undefined) input.onOpen(entry);
  } else if (event.key === ' ') input.onLook();
  else {
    const target = targetOf(event, input);
    if (target === null) return;
    const index = Math.min(count - 1, Math.max(0, target));
    if (event.shiftKey) {
      void selection.extendTo(index).then((isDone) => isDone || input.onTooLong());
    }
    input.goTo(index, event.shiftKey);
  }
  event.preventDefault();
}

/** The row that a key goes to; null: the key is none of these. */
function targetOf(event: KeyboardEvent, { current, perLine, scroller, count }: KeyInput) {
  // ⌘↑ goes to the folder above: a command.
  if (isMod(event) && event.key !== 'Home' && event.key !== 'End') return null;
  const { viewPx, linePx } = scroller.extent;
  const page = Math.max(1, Math.floor(viewPx / linePx) - 1) * perLine;
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: current + perLine,
    ArrowUp: current - perLine,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
    ...(perLine > 1 ? { ArrowRight: current + 1, ArrowLeft: current - 1 } : {}),
  };
  return steps[event.key] ?? null;
}
