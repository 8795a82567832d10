// The arithmetic of a list that is too long for a page. Browsers limit the height of
// an element, so the scroll bar of a long list is scaled: a jump of the bar goes to
// the same part of the list, while small steps move by as many pixels as they say.
// Plain numbers in and out; grid.tsx owns the elements.

/**
 * Tallest element that is made, pixels. Chromium cuts at 33,554,428, Firefox at
 * 17,895,697; half of that leaves room for zoomed pages.
 */
export const HEIGHT_MAX_PX = 8_000_000;

export type Extent = {
  readonly lineCount: number;
  readonly linePx: number;
  /** Height of what is seen of the list. */
  readonly viewPx: number;
};

/** Where the list stands: pixels of the list above the view are `top + shift`. */
export type Position = {
  /** scrollTop of the element. */
  readonly top: number;
  /** Pixels of the list that the element leaves out above. */
  readonly shift: number;
};

export const START: Position = { top: 0, shift: 0 };

const contentPx = ({ lineCount, linePx }: Extent): number => lineCount * linePx;

/** The height of the element that is scrolled. */
export const heightPx = (extent: Extent): number => Math.min(contentPx(extent), HEIGHT_MAX_PX);

/** The largest distance from the top of the list. */
const offsetMax = (extent: Extent): number => Math.max(0, contentPx(extent) - extent.viewPx);
const topMax = (extent: Extent): number => Math.max(0, heightPx(extent) - extent.viewPx);

/** Pixels of the list above the view. */
export const offsetOf = (extent: Extent, { top, shift }: Position): number =>
  Math.min(offsetMax(extent), Math.max(0, top + shift));

/**
 * Height at both ends of the element in which the bar is not scaled, in views: so steps
 * alone reach the first and the last line.
 */
const TRUE_END_VIEWS = 10;

const trueEndPx = (extent: Extent): number =>
  Math.min(TRUE_END_VIEWS * extent.viewPx, topMax(extent) / 4);

/** The position with so many pixels of the list above the view. */
export function positionAt(extent: Extent, offsetPx: number): Position {
  const most = offsetMax(extent);
  const end = trueEndPx(extent);
  const offset = Math.min(most, Math.max(0, offsetPx));
  let top = offset;
  if (most - offset <= end) top = topMax(extent) - (most - offset);
  else if (offset > end) top = Math.round(end + (offset - end) * scaleOf(extent));
  return { top, shift: offset - top };
}

/** Pixels of the bar for one of the list, between the two ends. */
const scaleOf = (extent: Extent): number => {
  const ends = 2 * trueEndPx(extent);
  return (topMax(extent) - ends) / (offsetMax(extent) - ends);
};

/** Pixels of the list above the view where the bar was dragged to. */
function offsetAt(extent: Extent, top: number): number {
  const end = trueEndPx(extent);
  const below = topMax(extent) - top;
  if (top <= end) return top;
  if (below <= end) return offsetMax(extent) - below;
  return end + (top - end) / scaleOf(extent);
}

/** Steps up to so many views are steps of a wheel or a finger, not jumps of the bar. */
const STEP_VIEWS = 2;

/**
 * The position after the element was scrolled to `top`. A jump of a scaled bar goes
 * to that part of the list; a step keeps the shift.
 */
export function positionAfterScroll(extent: Extent, before: Position, top: number): Position {
  const isScaled = contentPx(extent) > HEIGHT_MAX_PX;
  if (!isScaled) return { top, shift: 0 };
  if (isJump(extent, before, top)) {
    return { top, shift: offsetAt(extent, top) - top };
  }
  const offset = offsetOf(extent, { top, shift: before.shift });
  return { top, shift: offset - top };
}

/** Whether the scroll bar was dragged, rather than a wheel turned. */
export const isJump = ({ viewPx }: Extent, before: Position, top: number): boolean =>
  Math.abs(top - before.top) > STEP_VIEWS * viewPx;

/**
 * Whether steps have led the element so near to an end that it would stop before the
 * list does: then it is put where positionAt says.
 */
export function isAtFalseEnd(extent: Extent, position: Position): boolean {
  const right = positionAt(extent, offsetOf(extent, position));
  if (right.top === position.top) return false;
  const room = STEP_VIEWS * extent.viewPx;
  return position.top < room || position.top > topMax(extent) - room;
}

export type Span = { readonly first: number; readonly end: number };

/** The lines that are seen, and `overscan` more on both sides. */
export function linesInView(extent: Extent, position: Position, overscan: number): Span {
  const { lineCount, linePx, viewPx } = extent;
  const offset = offsetOf(extent, position);
  const first = Math.max(0, Math.floor(offset / linePx) - overscan);
  const end = Math.min(lineCount, Math.ceil((offset + viewPx) / linePx) + overscan);
  return { first, end: Math.max(first, end) };
}

/** Where the element shows a line, pixels from its top. */
export const lineTop = ({ linePx }: Extent, { shift }: Position, line: number): number =>
  line * linePx - shift;

/** The position that shows the line whole, moved as little as need be. */
export function positionShowing(extent: Extent, position: Position, line: number): Position {
  const offset = offsetOf(extent, position);
  const lineStart = line * extent.linePx;
  const lineEnd = lineStart + extent.linePx;
  if (lineStart < offset) return moveBy(extent, position, lineStart - offset);
  if (lineEnd > offset + extent.viewPx) {
    return moveBy(extent, position, lineEnd - extent.viewPx - offset);
  }
  return position;
}

/** Moves by pixels of the list: as a step where it is short, else as a jump. */
function moveBy(extent: Extent, { top, shift }: Position, px: number): Position {
  const stepped = { top: top + px, shift };
  const isInside = stepped.top >= 0 && stepped.top <= topMax(extent);
  const isStep = Math.abs(px) <= STEP_VIEWS * extent.viewPx;
  if (isStep && isInside) return stepped;
  return positionAt(extent, offsetOf(extent, { top, shift }) + px);
}
