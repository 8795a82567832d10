// Menus: a popover with commands. ↑ ↓ move, typing jumps, Esc closes; what can't be
// done stays with its reason; what loses something comes last, in red.
import type { IconNode } from 'lucide';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { keyLabel } from '../app/commands.ts';
import { Icon } from './icon.tsx';

export type MenuItem =
  | {
      readonly label: string;
      readonly icon?: IconNode;
      readonly keys?: string;
      readonly isDanger?: boolean;
      readonly isChecked?: boolean;
      readonly off?: string | undefined;
      readonly run: () => void;
    }
  | 'rule';

export type MenuProps = {
  readonly items: readonly MenuItem[];
  readonly label: string;
  /** Where it opens: below the button, or at the pointer. */
  readonly at: { readonly x: number; readonly y: number };
  readonly onClose: () => void;
};

/** Space that stays between a menu and the edge of the window, pixels. */
const EDGE_PX = 8;

export function Menu({ items, label, at, onClose }: MenuProps) {
  const ref = useRef<HTMLUListElement>(null);
  // Before the browser takes another key: it would go to what had the focus before.
  useLayoutEffect(() => {
    const menu = ref.current;
    const opener = document.activeElement;
    if (menu === null) return;
    menu.showPopover();
    const { width, height } = menu.getBoundingClientRect();
    const left = Math.min(at.x, innerWidth - width - EDGE_PX);
    const top = at.y + height > innerHeight - EDGE_PX ? Math.max(EDGE_PX, at.y - height) : at.y;
    menu.style.left = `${Math.max(EDGE_PX, left)}px`;
    menu.style.top = `${top}px`;
    menu.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
    return () => {
      const { activeElement: focused, body } = document;
      // A click elsewhere has taken the focus there.
      if (focused !== body && !menu.contains(focused)) return;
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);

  function move(event: KeyboardEvent): void {
    const rows = [...(ref.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
    const index = rows.indexOf(document.activeElement as HTMLElement);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: -1,
    };
    const next = steps[event.key];
    if (next !== undefined) {
      rows.at(next % rows.length)?.focus();
    } else if (event.key === 'Tab' || event.key === 'Escape') {
      onClose();
    } else if (event.key.length === 1 && event.key !== ' ') {
      const typed = event.key.toLowerCase();
      const after = [...rows.slice(index + 1), ...rows.slice(0, index + 1)];
      after.find((row) => row.textContent?.trim().toLowerCase().startsWith(typed))?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <ul
      ref={ref}
      class="menu"
      role="menu"
      aria-label={label}
      popover="auto"
      onKeyDown={move}
      onToggle={(event) => {
        if (event.newState === 'closed') onClose();
      }}
    >
      {items.map((item, index) =>
        item === 'rule' ? (
          <li key={index} class="menu-rule" role="separator" />
        ) : (
          <MenuRow key={item.label} item={item} onClose={onClose} />
        ),
      )}
    </ul>
  );
}

type MenuRowProps = { readonly item: Exclude<MenuItem, 'rule'>; readonly onClose: () => void };

function MenuRow({ item, onClose }: MenuRowProps) {
  const { label, icon, keys, off, isDanger = false, isChecked } = item;
  const run = () => {
    if (off !== undefined) return;
    onClose();
    item.run();
  };
  const checked = isChecked === undefined ? {} : { 'aria-checked': isChecked };
  return (
    <li
      role={isChecked === undefined ? 'menuitem' : 'menuitemcheckbox'}
      {...checked}
      tabIndex={-1}
      class={isDanger ? 'red' : undefined}
      title={off}
      aria-disabled={off === undefined ? undefined : 'true'}
      onClick={run}
      onKeyDown={(event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          event.stopPropagation();
          run();
        }
      }}
    >
      {icon !== undefined && <Icon of={icon} />}
      <span>{label}</span>
      {keys !== undefined && <span class="keys">{keyLabel(keys)}</span>}
    </li>
  );
}
