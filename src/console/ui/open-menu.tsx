// One menu at a time: `openMenu(event, label, items)` below what was pressed, or at
// the pointer.
import { signal } from '@preact/signals';
import { Menu, type MenuItem, type MenuProps } from './menu.tsx';

const opened = signal<Omit<MenuProps, 'onClose'> | null>(null);

/** Opens a menu where the event came from: under a button, at a right click. */
export function openMenu(event: Event, label: string, items: readonly MenuItem[]): void {
  event.preventDefault();
  event.stopPropagation();
  opened.value = { label, items, at: placeOf(event) };
}

function placeOf(event: Event): { x: number; y: number } {
  if (event instanceof MouseEvent && event.type === 'contextmenu' && event.clientX > 0) {
    return { x: event.clientX, y: event.clientY };
  }
  const target = event.currentTarget ?? event.target;
  const { left, bottom } = (target as Element).getBoundingClientRect();
  return { x: left, y: bottom + 4 };
}

/** Where the menu is drawn: once, at the end of the app. */
export function MenuHost() {
  if (opened.value === null) return null;
  return (
    <Menu
      {...opened.value}
      onClose={() => {
        opened.value = null;
      }}
    />
  );
}
