// Selects by a rectangle that is drawn from a free place of the list with the mouse.
// Near the edge of the list it scrolls on.
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isMac } from '../../../app/commands.ts';
import type { SelectedRow } from '../selection.ts';
import type { SelectionModel } from '../selection-model.ts';
import type { Scroller } from './use-scroller.ts';
import { offsetOf } from './window.ts';

type LassoInput = {
  readonly scroller: Scroller;
  readonly selection: SelectionModel;
  readonly perLine: number;
  readonly count: number;
};

type Box = Readonly<Record<'top' | 'left' | 'width' | 'height', string>>;
type Point = { readonly x: number; readonly y: number };

/** Distance that the pointer moves before a click becomes a lasso, pixels. */
const BEGINS_AFTER_PX = 5;
/** Distance from the edge at which the list scrolls on, and its step, pixels. */
const EDGE_PX = 24;
const STEP_PX = 16;

export default function Lasso(input: LassoInput) {
  const [box, setBox] = useState<Box | null>(null);
  const latest = useRef(input);
  latest.current = input;

  function begin(event: PointerEvent): void {
    const { selection } = latest.current;
    const list = event.currentTarget as HTMLElement;
    const isFree = event.button === 0 && event.pointerType === 'mouse' && !event.shiftKey;
    if (!isFree || isTaken(event, list)) return;
    const from = pointIn(list, event, latest.current.scroller);
    const isAdding = isMac ? event.metaKey : event.ctrlKey;
    const others = isAdding ? selection.picked.value : new Map<string, SelectedRow>();
    let isDrawing = false;

    function move(moved: PointerEvent): void {
      const { scroller } = latest.current;
      const to = pointIn(list, moved, scroller);
      const distance = Math.hypot(to.x - from.x, to.y - from.y);
      if (!isDrawing && distance < BEGINS_AFTER_PX) return;
      isDrawing = true;
      moved.preventDefault();
      scrollAtEdge(list, moved, scroller);
      setBox(boxOf(from, to, scroller));
      selectInBox({ ...latest.current, from, to, width: list.clientWidth, others });
    }

    function end(): void {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      setBox(null);
      // The click that follows would select the row below the pointer alone.
      if (isDrawing) addEventListener('click', swallow, { capture: true, once: true });
      setTimeout(() => removeEventListener('click', swallow, { capture: true }));
    }
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  }

  useLayoutEffect(() => {
    const list = input.scroller.ref.current;
    list?.addEventListener('pointerdown', begin);
    return () => list?.removeEventListener('pointerdown', begin);
  }, []);
  return box === null ? null : <div class="lasso" style={box} />;
}

const swallow = (event: Event): void => {
  event.stopPropagation();
  event.preventDefault();
};

/** Whether what is pressed has another use: links drag rows, the bar scrolls. */
function isTaken(event: PointerEvent, list: HTMLElement): boolean {
  const isOnBar = event.clientX > list.getBoundingClientRect().left + list.clientWidth;
  const isOnPart =
    event.target instanceof Element &&
    event.target.closest('a, button, input, .pick, .row-head') !== null;
  return isOnBar || isOnPart;
}

/** The place of the pointer in the whole list. */
function pointIn(list: HTMLElement, event: PointerEvent, { extent, position }: Scroller): Point {
  const { left, bottom } = list.getBoundingClientRect();
  const y = event.clientY - (bottom - extent.viewPx);
  return { x: event.clientX - left, y: offsetOf(extent, position) + y };
}

function boxOf(from: Point, to: Point, { position }: Scroller): Box {
  return {
    top: `${Math.max(0, Math.min(from.y, to.y) - position.shift)}px`,
    left: `${Math.min(from.x, to.x)}px`,
    width: `${Math.abs(from.x - to.x)}px`,
    height: `${Math.abs(from.y - to.y)}px`,
  };
}

function scrollAtEdge(list: HTMLElement, event: PointerEvent, scroller: Scroller): void {
  const { bottom } = list.getBoundingClientRect();
  const top = bottom - scroller.extent.viewPx;
  if (event.clientY > bottom - EDGE_PX) scroller.moveBy(STEP_PX);
  else if (event.clientY < top + EDGE_PX) scroller.moveBy(-STEP_PX);
}

type BoxInput = LassoInput & {
  readonly from: Point;
  readonly to: Point;
  readonly width: number;
  readonly others: ReadonlyMap<string, SelectedRow>;
};

function selectInBox(input: BoxInput): void {
  const { from, to, width, perLine, count, scroller, selection, others } = input;
  const { linePx } = scroller.extent;
  const firstLine = Math.max(0, Math.floor(Math.min(from.y, to.y) / linePx));
  const endLine = Math.ceil(Math.max(from.y, to.y) / linePx);
  if (perLine === 1) {
    selection.span(firstLine, Math.min(count, endLine), others);
    return;
  }
  const tilePx = width / perLine;
  const firstTile = Math.max(0, Math.floor(Math.min(from.x, to.x) / tilePx));
  const endTile = Math.min(perLine, Math.ceil(Math.max(from.x, to.x) / tilePx));
  let rows = others;
  for (let line = firstLine; line < endLine; line++) {
    const first = line * perLine;
    selection.span(first + firstTile, Math.min(count, first + endTile), rows);
    rows = selection.picked.value;
  }
}
