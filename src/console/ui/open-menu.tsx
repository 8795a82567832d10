// One menu at a time: `openMenu(event, label, items)` below what was pressed, or at
// the pointer. How menus look and move is loaded when the frame stands.
import { signal } from '@preact/signals';
import { lazy, withPart } from '../app/lazy.tsx';
import type { MenuItem, MenuProps } from './menu.tsx';

/** The frame loads it before it is wanted. */
export const Menu = lazy(async () => ({ default: (await import('./menu.tsx')).Menu }), {
  isOfFolder: true,
  takesKeys: true,
});

type OpenedMenu = Omit<MenuProps, 'onClose'> & {
  /** Tells a menu from the one before, which may still be closing. */
  readonly number: number;
  readonly opener: EventTarget | null;
};

const opened = signal<OpenedMenu | null>(null);
let menus = 0;

/**
 * Opens a menu at a right click, else under `target`, which is where the event came
 * from unless it is given. A second click on the same button closes it.
 */
export function openMenu(
  event: Event,
  label: string,
  items: readonly MenuItem[],
  target = event.currentTarget ?? event.target,
): void {
  menuOf(event, label, target)(items);
}

/** Opens a menu whose items are of a part that is loaded when it is first wanted. */
export function openMenuOf<Part>(
  event: Event,
  label: string,
  load: () => Promise<Part>,
  itemsOf: (part: Part) => readonly MenuItem[],
): void {
  const open = menuOf(event, label, event.currentTarget ?? event.target);
  withPart(load, (part) => open(itemsOf(part)));
}

/** Takes the event, and reads from it where the menu goes that the returned function opens. */
function menuOf(event: Event, label: string, target: EventTarget | null) {
  event.preventDefault();
  event.stopPropagation();
  const isAgain = event.type === 'click' && opened.value?.opener === target;
  const number = ++menus;
  const at = placeOf(event, target as Element);
  // Linux and macOS ask for a menu while the button is down: its release would close the menu, as
  // each click beside one does.
  const isHeld = event instanceof MouseEvent && event.type === 'contextmenu' && event.buttons > 0;
  return (items: readonly MenuItem[]): void => {
    const menu = isAgain ? null : { label, items, at, number, opener: target };
    const open = () => {
      opened.value = menu;
    };
    if (isHeld) addEventListener('mouseup', open, { once: true, capture: true });
    else open();
  };
}

function placeOf(event: Event, target: Element): { x: number; y: number } {
  if (event instanceof MouseEvent && event.type === 'contextmenu' && event.clientX > 0) {
    return { x: event.clientX, y: event.clientY };
  }
  const { left, bottom } = target.getBoundingClientRect();
  return { x: left, y: bottom + 4 };
}

/** Where the menu is drawn: once, at the end of the app. */
export function MenuHost() {
  const menu = opened.value;
  if (menu === null) return null;
  const { number, label, items, at } = menu;
  const close = () => {
    if (opened.value === menu) opened.value = null;
  };
  return <Menu key={number} label={label} items={items} at={at} onClose={close} />;
}
