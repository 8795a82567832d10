// Scrolls a list by the arithmetic of window.ts: follows the element's scroll bar,
// redraws when other lines come into view, and moves the bar where code asks for it.
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks';
import {
  type Extent,
  isAtFalseEnd,
  isJump,
  linesInView,
  offsetOf,
  type Position,
  positionAfterScroll,
  positionAt,
  positionShowing,
  type Span,
  START,
} from './window.ts';

/** Lines that are drawn beyond the view on each side. */
const OVERSCAN = 8;
/** How long after a jump of the bar it counts as being dragged, milliseconds. */
const FLYING_MS = 800;
/** Height that is assumed before the element is measured, pixels. */
const VIEW_FIRST_PX = 640;

export type Scroller = {
  readonly ref: { current: HTMLDivElement | null };
  readonly extent: Extent;
  readonly position: Position;
  readonly span: Span;
  /** Whether the scroll bar is being dragged. */
  readonly isFlying: boolean;
  /** The line at the top of the view. */
  topLine(): number;
  /** Puts a line at the top. */
  moveTo(line: number): void;
  /** Moves as little as shows the line whole. */
  show(line: number): void;
  moveBy(px: number): void;
  onScroll(): void;
};

type Timer = ReturnType<typeof setTimeout>;
type Timers = { rest?: Timer; fly?: Timer };

type ScrollerInput = {
  readonly lineCount: number;
  readonly linePx: number;
  /** Height of what stays above the lines. */
  readonly headPx: number;
  /** Called when the list has come to rest. */
  readonly onRest: () => void;
};

/** How long nothing moves before the list is at rest, milliseconds. */
const REST_MS = 250;

export function useScroller({ lineCount, linePx, headPx, onRest }: ScrollerInput): Scroller {
  const ref = useRef<HTMLDivElement>(null);
  const [viewPx, setViewPx] = useState(VIEW_FIRST_PX);
  const [isFlying, setFlying] = useState(false);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const position = useRef(START);
  const isMoved = useRef(false);
  const timers = useRef<Timers>({});
  const rest = useRef(onRest);
  rest.current = onRest;
  const extent: Extent = { lineCount, linePx, viewPx };

  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setViewPx(Math.max(1, element.clientHeight - headPx));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [headPx]);

  useLayoutEffect(() => {
    // The element has its new height only now: before, the bar could not go there.
    const element = ref.current;
    if (!isMoved.current || element === null) return;
    isMoved.current = false;
    element.scrollTop = position.current.top;
  });

  useEffect(
    () => () => {
      clearTimeout(timers.current.rest);
      clearTimeout(timers.current.fly);
    },
    [],
  );

  function settleLater(): void {
    clearTimeout(timers.current.rest);
    timers.current.rest = setTimeout(() => rest.current(), REST_MS);
  }

  function apply(next: Position): void {
    if (next !== position.current) isMoved.current = true;
    position.current = next;
    settleLater();
    redraw(undefined);
  }

  function onScroll(): void {
    const top = ref.current?.scrollTop ?? 0;
    const before = position.current;
    if (Math.abs(top - before.top) < 1) return;
    if (isJump(extent, before, top)) {
      setFlying(true);
      clearTimeout(timers.current.fly);
      timers.current.fly = setTimeout(() => setFlying(false), FLYING_MS);
    }
    const next = positionAfterScroll(extent, before, top);
    if (isAtFalseEnd(extent, next)) {
      apply(positionAt(extent, offsetOf(extent, next)));
      return;
    }
    const { first, end } = linesInView(extent, before, 0);
    const span = linesInView(extent, next, 0);
    position.current = next;
    settleLater();
    if (span.first !== first || span.end !== end || next.shift !== before.shift) redraw(undefined);
  }

  return {
    ref,
    extent,
    position: position.current,
    span: linesInView(extent, position.current, OVERSCAN),
    isFlying,
    topLine: () => Math.round(offsetOf(extent, position.current) / linePx),
    moveTo: (line) => apply(positionAt(extent, line * linePx)),
    show: (line) => apply(positionShowing(extent, position.current, line)),
    moveBy: (px) => apply(positionAt(extent, offsetOf(extent, position.current) + px)),
    onScroll,
  };
}
