// The form in which rows are copied; the last choice is kept in this browser.
import { effect, signal } from '@preact/signals';
import type { CopyFormat } from './copy-line.ts';

export const COPY_FORMATS: readonly CopyFormat[] = [
  'url',
  's3',
  'curl',
  'markdown',
  'html',
  'path',
];

const STORED_AS = 'quayside-copy-as';

const isFormat = (text: string | null): text is CopyFormat =>
  COPY_FORMATS.some((format) => format === text);

function readStored(): CopyFormat {
  try {
    const text = localStorage.getItem(STORED_AS);
    return isFormat(text) ? text : 'url';
  } catch {
    return 'url';
  }
}

export const copyFormat = signal<CopyFormat>(readStored());
effect(() => {
  try {
    localStorage.setItem(STORED_AS, copyFormat.value);
  } catch {
    // Without storage the choice lasts as long as the page.
  }
});
