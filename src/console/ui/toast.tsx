// Toasts: one at a time, bottom centre, ten seconds, with Undo. Never for errors
// that need reading.
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Command, useCommands } from '../app/commands.ts';
import { t } from '../i18n/i18n.ts';
import { Button } from './button.tsx';

export type Toast = {
  readonly text: string;
  /** Takes back what the text says. */
  readonly undo?: (() => void) | undefined;
};

/** How long a toast stays without the pointer or the focus on it, milliseconds. */
const SHOWN_MS = 10_000;
const shown = signal<Toast | null>(null);
/** What ⌘Z takes back, also when its toast is gone. */
const lastUndo = signal<(() => void) | null>(null);

export function showToast(toast: Toast): void {
  shown.value = toast;
  if (toast.undo !== undefined) lastUndo.value = toast.undo;
}

function undoLast(): void {
  const undo = lastUndo.value;
  lastUndo.value = null;
  shown.value = null;
  undo?.();
}

/** Where toasts are drawn: once, at the end of the app. */
export function ToastHost() {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const toast = shown.value;
  const wait = () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      shown.value = null;
    }, SHOWN_MS);
  };
  useEffect(() => {
    if (toast !== null) wait();
    // In the top layer, so that it stands above a dialog that is open.
    if (box.current?.matches(':popover-open') === true) box.current.hidePopover();
    box.current?.showPopover();
    return () => clearTimeout(timer.current);
  }, [toast]);

  const undoCommand: Command = {
    id: 'undo',
    label: t().shell.undo,
    keys: ['Mod+z'],
    off: lastUndo.value === null ? t().shell.nothingToUndo : undefined,
    run: undoLast,
  };
  useCommands([undoCommand]);

  return (
    <div role="status">
      {toast !== null && (
        <div
          key={toast.text}
          ref={box}
          class="toast"
          popover="manual"
          onMouseEnter={() => clearTimeout(timer.current)}
          onMouseLeave={wait}
          onFocusIn={() => clearTimeout(timer.current)}
          onFocusOut={wait}
        >
          <span class="text">{toast.text}</span>
          {toast.undo !== undefined && <Button label={t().shell.undo} onClick={undoLast} />}
        </div>
      )}
    </div>
  );
}
