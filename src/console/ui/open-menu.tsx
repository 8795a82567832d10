// One menu at a time: `openMenu(event, label, items)` below what was pressed, or at
// the pointer.
import { signal } from '@preact/signals';
import { Menu, type MenuItem, type MenuProps } from './menu.tsx';

const opened = signal<Omit<MenuProps, 'onClose'> | null>(null);

/** Opens a menu at a right click, else under `target`: where the event came from, or what is told. */
export function openMenu(
  event: Event,
  label: string,
  items: readonly MenuItem[],
  target = event.currentTarget ?? event.target,
): void {
  event.preventDefault();
  event.stopPropagation();
  opened.value = { label, items, at: placeOf(event, target as Element) };
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
