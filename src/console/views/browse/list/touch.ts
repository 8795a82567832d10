// Rows under a finger: a long press selects; while something is selected a tap selects
// too, else it opens.
import type { SelectionModel } from '../selection-model.ts';

/** How long a press is until it selects, milliseconds: as of the systems. */
const LONG_PRESS_MS = 500;
/** Distance by which a finger scrolls rather than presses, pixels. */
const MOVED_PX = 10;

type Press = {
  readonly x: number;
  readonly y: number;
  readonly timer: ReturnType<typeof setTimeout>;
};
let press: Press | null = null;
/** The press has selected: the tap that ends it does nothing more. */
let hasSelected = false;

function endPress(): void {
  if (press !== null) clearTimeout(press.timer);
  press = null;
}

const isTouch = (event: Event): boolean =>
  event instanceof PointerEvent && event.pointerType === 'touch';

/** Handlers of all rows for fingers; `open` is what a tap does while nothing is selected. */
export function touchHandlers(
  selection: SelectionModel,
  indexAt: (event: Event) => number,
  open: (event: Event) => void,
) {
  return {
    onPointerDown: (event: PointerEvent) => {
      endPress();
      hasSelected = false;
      const index = indexAt(event);
      if (!isTouch(event) || index === -1) return;
      const timer = setTimeout(() => {
        hasSelected = true;
        selection.toggle(index);
        navigator.vibrate?.(10);
      }, LONG_PRESS_MS);
      press = { x: event.clientX, y: event.clientY, timer };
    },
    onPointerMove: (event: PointerEvent) => {
      if (press === null) return;
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) > MOVED_PX) endPress();
    },
    onPointerUp: endPress,
    onPointerCancel: endPress,
    onClickCapture: (event: MouseEvent) => {
      const index = indexAt(event);
      if (!isTouch(event) || index === -1) return;
      const isButton = event.target instanceof Element && event.target.closest('button') !== null;
      if (isButton && !hasSelected) return;
      event.preventDefault();
      event.stopPropagation();
      if (hasSelected) hasSelected = false;
      else if (selection.isAll.value || selection.count.value > 0) selection.toggle(index);
      else open(event);
    },
    /** True: the menu that a long press would open was taken. */
    takesMenu: (event: Event): boolean => {
      if (!isTouch(event)) return false;
      event.preventDefault();
      return true;
    },
  };
}
