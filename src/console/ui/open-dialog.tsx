// One dialog at a time, opened from anywhere: `openDialog((close) => <Share … />)`.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';

type Opened = (close: () => void) => JSX.Element;
const opened = signal<Opened | null>(null);

/** Shows a dialog in place of the one that is open. */
export function openDialog(dialog: Opened): void {
  opened.value = dialog;
}

export const closeDialog = (): void => {
  opened.value = null;
};

/** Where the dialog is drawn: once, at the end of the app. */
export function DialogHost() {
  return opened.value?.(closeDialog) ?? null;
}
