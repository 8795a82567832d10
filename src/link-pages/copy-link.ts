// Buttons that copy the link, which only a script can: it shows them.
import { announce, find, findAll } from './find.ts';

/** How long a button says that it is done, milliseconds. */
const DONE_MS = 2500;

/** Plain http has no clipboard; there the QR code and the address bar stay. */
export function copyLinks(): void {
  if (navigator.clipboard === undefined) return;
  for (const button of findAll<HTMLButtonElement>('[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
}

async function copy(button: HTMLButtonElement): Promise<void> {
  const { copy: text = '', done = '', failed = '' } = button.dataset;
  const label = find<HTMLElement>('span', button) ?? button;
  const before = button.dataset.label ?? label.textContent ?? '';
  button.dataset.label = before;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // The browser does not let us; the link stands below its QR code.
    label.textContent = failed;
    return announce(failed);
  }
  label.textContent = done;
  announce(done);
  setTimeout(() => {
    label.textContent = before;
  }, DONE_MS);
}
