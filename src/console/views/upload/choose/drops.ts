// Listens for files that are dropped on an element, and reads them. It is all that a
// drop needs at once: what becomes of the files is loaded by the drop.
import { droppedFiles } from 'quayside/client';
import { may } from '../../../app/session.ts';
import { t } from '../../../i18n/i18n.ts';
import { showToast } from '../../../ui/toast.tsx';
import type { Chosen, Handle } from './read-files.ts';

/** Says that the role can't write; false: it can. */
export function refuses(): boolean {
  if (may('objects:write')) return false;
  showToast({ text: t().upload.readOnly });
  return true;
}

/** The last part of where a drop goes: `raw` of `photos/raw/`. */
export const nameOfTarget = (bucket: string, prefix: string): string =>
  prefix.split('/').at(-2) ?? bucket;

type HandleItem = DataTransferItem & { getAsFileSystemHandle?: () => Promise<Handle | null> };

const hasFiles = (data: DataTransfer | null): boolean => data?.types.includes('Files') ?? false;

/** Call it while the drop is handled: afterwards the browser has forgotten it. */
async function chosenByDrop(data: DataTransfer): Promise<Chosen> {
  const handles = [...data.items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => (item as HandleItem).getAsFileSystemHandle?.().catch(() => null));
  const files = await droppedFiles(data);
  const roots = (await Promise.all(handles)).filter((handle) => handle != null);
  return { files, roots };
}

type DropWords = { readonly words: string; readonly take: (chosen: Chosen) => void };

/** Listens for drags of files over an element. Returns its end. */
export function listenForDrops(
  element: HTMLElement,
  targetOf: (event: DragEvent) => DropWords,
): () => void {
  const leave = () => {
    delete element.dataset.drop;
  };
  const over = (event: DragEvent) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    const isAllowed = may('objects:write');
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = isAllowed ? 'copy' : 'none';
    element.dataset.drop = isAllowed ? targetOf(event).words : t().upload.readOnly;
  };
  const left = (event: DragEvent) => {
    if (!element.contains(event.relatedTarget as Node | null)) leave();
  };
  const drop = (event: DragEvent) => {
    leave();
    const { dataTransfer } = event;
    if (!hasFiles(dataTransfer) || dataTransfer === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (refuses()) return;
    const { take } = targetOf(event);
    // What was dropped must be read before this returns.
    void chosenByDrop(dataTransfer).then(
      (chosen) => {
        if (chosen.files.length > 0) take(chosen);
        else showToast({ text: t().upload.nothingDropped });
      },
      () => showToast({ text: t().upload.unreadable }),
    );
  };
  element.addEventListener('dragenter', over);
  element.addEventListener('dragover', over);
  element.addEventListener('dragleave', left);
  element.addEventListener('drop', drop);
  return () => {
    element.removeEventListener('dragenter', over);
    element.removeEventListener('dragover', over);
    element.removeEventListener('dragleave', left);
    element.removeEventListener('drop', drop);
  };
}
