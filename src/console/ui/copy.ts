// Puts a text on the clipboard, with a toast that says so, or that it could not be.
import { t } from '../i18n/i18n.ts';
import { showToast } from './toast.tsx';

/**
 * Copies a text; whether it did. Pages over plain http have no clipboard of their own: they
 * select. Browsers refuse both when no click or key was just pressed.
 */
export async function copyText(text: string, said = t().shell.copied): Promise<boolean> {
  const isCopied = (await copyByClipboard(text)) || copyBySelection(text);
  showToast({ text: isCopied ? said : t().shell.notCopied });
  return isCopied;
}

async function copyByClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'visually-hidden';
  const host = document.querySelector('dialog:modal') ?? document.body;
  host.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  return isCopied;
}
