// How files come in, for views that show a folder:
//
//   const ref = useRef<HTMLDivElement>(null);
//   useDropTarget(ref, bucket, prefix);             // drop, paste and the key U
//   <div ref={ref}> … <div data-prefix="raw/"> …    // a drop on it goes there
//   <Button onClick={() => openUpload(bucket, prefix)} />
//
// `UploadDropZone` is the dashed area of empty folders and dialogs.
import { Download, FilePlus, FolderDown, FolderUp, History, Upload } from 'lucide';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { type Command, useCommands } from '../../app/commands.ts';
import { lazy } from '../../app/lazy.tsx';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { showToast } from '../../ui/toast.tsx';
import type { Selection } from '../browse/selection.ts';
import { bringIn, reviewWith } from './bring-in.ts';
import { canSaveToFolder, download, downloadToFolder } from './downloads.ts';
import { openPaste } from './paste-dialog.tsx';
import { type Chosen, chosenByDrop, chosenByInput, chosenFolder, hasFiles } from './read-files.ts';
import { openUnfinished } from './unfinished.tsx';
import { UploadDialog } from './upload-dialog.tsx';

const NewText = lazy(async () => ({ default: (await import('./new-text.tsx')).NewText }));

reviewWith((plan, chosen) => {
  const { bucket, prefix } = plan.target;
  openDialog((close) => (
    <UploadDialog bucket={bucket} prefix={prefix} begun={{ plan, chosen }} onClose={close} />
  ));
});

/** Opens the dialog that files are chosen in. */
export function openUpload(bucket: string, prefix: string): void {
  if (refuses()) return;
  openDialog((close) => <UploadDialog bucket={bucket} prefix={prefix} onClose={close} />);
}

/** Says that the role can't write; false: it can. */
function refuses(): boolean {
  if (may('objects:write')) return false;
  showToast({ text: t().upload.readOnly });
  return true;
}

/** The last part of where a drop goes: `raw` of `photos/raw/`. */
export const nameOfTarget = (bucket: string, prefix: string): string =>
  prefix.split('/').at(-2) ?? bucket;

/** What can be brought into a folder and taken out of it. */
function folderCommands(bucket: string, prefix: string): Command[] {
  const texts = t().upload;
  const off = may('objects:write') ? undefined : texts.readOnly;
  const whole: Selection = { bucket, prefix, rows: [], isAll: true };
  return [
    {
      id: 'upload',
      label: texts.upload,
      keys: ['u'],
      icon: Upload,
      off,
      run: () => openUpload(bucket, prefix),
    },
    {
      id: 'upload.text',
      label: texts.newText,
      icon: FilePlus,
      off,
      run: () => openDialog((close) => <NewText bucket={bucket} prefix={prefix} onClose={close} />),
    },
    {
      id: 'upload.unfinished',
      label: texts.unfinished,
      icon: History,
      off,
      run: () => openUnfinished(bucket, prefix),
    },
    {
      id: 'download.zip',
      label: texts.downloadZip,
      icon: Download,
      run: () => void download(whole),
    },
    {
      id: 'download.folder',
      label: texts.saveToFolder,
      icon: FolderDown,
      off: canSaveToFolder ? undefined : texts.noFolderAccess,
      run: () => void downloadToFolder(whole),
    },
  ];
}

/**
 * Takes drops on the element, pastes and the key U, as long as the view is shown. A
 * drop on something inside with `data-prefix` goes to that folder. Under a drag the
 * element has `data-drop` with the words that say so, for its style.
 */
export function useDropTarget(
  ref: RefObject<HTMLElement | null>,
  bucket: string,
  prefix: string,
): void {
  useCommands(folderCommands(bucket, prefix));
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const prefixAt = (event: Event): string => {
      const row = (event.target as Element | null)?.closest?.('[data-prefix]');
      return row instanceof HTMLElement ? (row.dataset.prefix ?? prefix) : prefix;
    };
    const endDrag = listenForDrops(element, (event) => {
      const target = prefixAt(event);
      return {
        words: t().upload.uploadTo(nameOfTarget(bucket, target)),
        take: (chosen) => void bringIn({ bucket, prefix: target }, chosen),
      };
    });
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const isTyping = (event.target as Element | null)?.closest?.('input,textarea') !== null;
      const isOurs = document.querySelector('dialog:modal') === null && !isTyping;
      if (files.length === 0 || !isOurs || refuses()) return;
      event.preventDefault();
      openPaste({ bucket, prefix }, files);
    };
    addEventListener('paste', paste);
    return () => {
      endDrag();
      removeEventListener('paste', paste);
    };
  }, [bucket, prefix]);
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

type ZoneProps = {
  readonly onChosen: (chosen: Chosen) => void;
  readonly hint?: string;
  readonly children?: ComponentChildren;
};

/** A dashed area that takes drops, with buttons for whoever has no mouse. */
export function UploadDropZone({ onChosen, hint = t().upload.dropHint, children }: ZoneProps) {
  const zone = useRef<HTMLDivElement>(null);
  const filesInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const latest = useRef(onChosen);
  latest.current = onChosen;
  useEffect(() => {
    if (zone.current === null) return;
    const take = (chosen: Chosen) => latest.current(chosen);
    return listenForDrops(zone.current, () => ({ words: t().upload.upload, take }));
  }, []);

  const choose = async (input: HTMLInputElement | null, isFolder: boolean) => {
    const chosen = await chosenFolder(isFolder);
    if (chosen === 'unsupported') input?.click();
    else if (chosen !== null) onChosen(chosen);
  };
  const changed = (event: Event & { readonly currentTarget: HTMLInputElement }) => {
    const input = event.currentTarget;
    if (input.files !== null && input.files.length > 0) onChosen(chosenByInput(input.files));
    input.value = '';
  };
  const common = { type: 'file', multiple: true, hidden: true, onChange: changed } as const;
  return (
    <div class="drop-zone" ref={zone}>
      <span class="dim">{hint}</span>
      <div class="drop-ways">
        <Button
          kind="secondary"
          icon={Upload}
          label={t().upload.chooseFiles}
          autofocus
          onClick={() => void choose(filesInput.current, false)}
        />
        <Button
          kind="secondary"
          icon={FolderUp}
          label={t().upload.chooseFolder}
          onClick={() => void choose(folderInput.current, true)}
        />
      </div>
      <input {...common} ref={filesInput} aria-label={t().upload.chooseFiles} />
      <input
        {...common}
        ref={folderInput}
        aria-label={t().upload.chooseFolder}
        {...{ webkitdirectory: true }}
      />
      {children}
    </div>
  );
}
