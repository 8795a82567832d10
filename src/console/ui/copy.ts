// Puts a text on the clipboard, with a toast that says so.
import { t } from '../i18n/i18n.ts';
import { showToast } from './toast.tsx';

/** Copies a text. Pages over plain http have no clipboard of their own: they select. */
export async function copyText(text: string, said = t().shell.copied): Promise<void> {
  if (navigator.clipboard !== undefined) {
    await navigator.clipboard.writeText(text);
  } else {
    copyBySelection(text);
  }
  showToast({ text: said });
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  const host = document.querySelector('dialog:modal') ?? document.body;
  host.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
