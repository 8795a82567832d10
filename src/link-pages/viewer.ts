// Shows pictures, films and sound of a folder one after the other, over the page.
// Without it each opens by itself. It loads what is shown, and nothing before.
import { find, findAll } from './find.ts';

const KINDS = ['image', 'video', 'audio'];

/** What stands in a row. */
type Shown = { readonly link: HTMLAnchorElement; readonly row: HTMLElement };

/** Takes the clicks on rows that it can show, if the page has a viewer. */
export function viewFiles(): void {
  const dialog = find<HTMLDialogElement>('#viewer');
  const stage = find<HTMLElement>('[data-viewer=stage]');
  if (dialog === null || stage === null) return;
  let current: Shown | null = null;

  const shownRows = (): readonly Shown[] =>
    findAll<HTMLAnchorElement>('a[data-preview]')
      .filter(({ dataset }) => KINDS.includes(dataset.preview ?? ''))
      .map((link) => ({ link, row: link.closest('li') ?? link }))
      .filter(({ row }) => !row.hidden);

  const show = (shown: Shown) => {
    current = shown;
    stage.replaceChildren(elementFor(shown.link));
    describe(dialog, shown, neighbours(shownRows(), shown));
  };
  const step = (by: -1 | 1) => {
    if (current === null) return;
    const next = neighbours(shownRows(), current)[by === -1 ? 0 : 1];
    if (next !== undefined) show(next);
  };

  addEventListener('click', (event) => {
    const { target, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (!(target instanceof Element) || ctrlKey || metaKey || shiftKey || altKey) return;
    const link = target.closest<HTMLAnchorElement>('a[data-preview]');
    const shown = shownRows().find((each) => each.link === link);
    if (shown === undefined) return;
    event.preventDefault();
    show(shown);
    dialog.showModal();
  });
  dialog.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-viewer]') : null;
    const action = button?.dataset.viewer;
    if (action === 'previous') step(-1);
    if (action === 'next') step(1);
    if (action === 'close') dialog.close();
  });
  dialog.addEventListener('keydown', ({ key, target }) => {
    // A player has these keys for itself.
    if (target instanceof HTMLMediaElement) return;
    if (key === 'ArrowLeft') step(-1);
    if (key === 'ArrowRight') step(1);
  });
  dialog.addEventListener('close', () => {
    stage.replaceChildren();
    current?.link.focus();
    current = null;
  });
}

function neighbours(rows: readonly Shown[], { link }: Shown) {
  const at = rows.findIndex((each) => each.link === link);
  return [rows[at - 1], rows[at + 1]] as const;
}

/** Name, download and the two ways on. */
function describe(
  dialog: HTMLDialogElement,
  { link, row }: Shown,
  [before, behind]: readonly [Shown | undefined, Shown | undefined],
): void {
  const name = find<HTMLElement>('#viewer-name .name', dialog);
  if (name !== null) name.textContent = link.textContent;
  const download = find<HTMLAnchorElement>('[data-viewer=download]', dialog);
  const href = find<HTMLAnchorElement>('.take', row)?.getAttribute('href');
  if (download !== null) {
    download.hidden = href == null;
    if (href != null) download.setAttribute('href', href);
  }
  const previous = find<HTMLButtonElement>('[data-viewer=previous]', dialog);
  const next = find<HTMLButtonElement>('[data-viewer=next]', dialog);
  // A button that is switched off would lose the focus that stands on it.
  previous?.setAttribute('aria-disabled', `${before === undefined}`);
  next?.setAttribute('aria-disabled', `${behind === undefined}`);
}

function elementFor(link: HTMLAnchorElement): HTMLElement {
  const { preview } = link.dataset;
  const label = link.textContent ?? '';
  if (preview === 'image') {
    const image = document.createElement('img');
    image.alt = label;
    image.src = link.href;
    return image;
  }
  const player = document.createElement(preview === 'video' ? 'video' : 'audio');
  player.controls = true;
  player.preload = 'metadata';
  player.setAttribute('aria-label', label);
  player.src = link.href;
  return player;
}
