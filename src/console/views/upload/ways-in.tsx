// How files come in, for views that show a folder:
//
//   const ref = useRef<HTMLDivElement>(null);
//   useDropTarget(ref, bucket, prefix);             // drop, paste and the key U
//   <div ref={ref}> … <div data-prefix="raw/"> …    // a drop on it goes there
//   <Button onClick={() => openUpload(bucket, prefix)} />
//
// `UploadDropZone` of choose/drop-zone.tsx is the dashed area of dialogs. What a way leads to
// is loaded when it is first taken.
import { Download, FilePlus, FolderDown, History, Upload } from 'lucide';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { type Command, useCommands } from '../../app/commands.ts';
import { withPart } from '../../app/lazy.tsx';
import { may } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import type { Selection } from '../browse/selection.ts';
import { listenForDrops, nameOfTarget, refuses } from './choose/drops.ts';
import { canSaveToFolder, download, downloadToFolder } from './download/downloads.ts';
import { openUpload } from './open-upload.tsx';

const bringIn = () => import('./bring-in.ts');
const newText = () => import('./choose/new-text.tsx');
const unfinished = () => import('./resume/unfinished.tsx');
const pasteDialog = () => import('./choose/paste-dialog.tsx');

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
      run: () => withPart(newText, ({ openNewText }) => openNewText(bucket, prefix)),
    },
    {
      id: 'upload.unfinished',
      label: texts.unfinished,
      icon: History,
      off,
      run: () => withPart(unfinished, (part) => part.openUnfinished(bucket, prefix)),
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
        take: (chosen) =>
          withPart(bringIn, (part) => part.bringIn({ bucket, prefix: target }, chosen)),
      };
    });
    const paste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const isTyping = (event.target as Element | null)?.closest?.('input,textarea') !== null;
      const isOurs = document.querySelector('dialog:modal') === null && !isTyping;
      if (files.length === 0 || !isOurs || refuses()) return;
      event.preventDefault();
      withPart(pasteDialog, ({ openPaste }) => openPaste({ bucket, prefix }, files));
    };
    addEventListener('paste', paste);
    return () => {
      endDrag();
      removeEventListener('paste', paste);
    };
  }, [bucket, prefix]);
}
