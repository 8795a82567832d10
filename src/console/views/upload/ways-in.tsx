// How files come in, for views that show a folder:
//
//   const ref = useRef<HTMLDivElement>(null);
//   useDropTarget(ref, bucket, prefix);             // drop and paste
//   useCommands(uploadCommands(bucket, prefix));    // the key U (upload-commands.ts)
//   <div ref={ref}> … <div data-prefix="raw/"> …    // a drop on it goes there
//   <Button onClick={() => openUpload(bucket, prefix)} />
//
// `UploadDropZone` of choose/drop-zone.tsx is the dashed area of dialogs. What a way leads to
// is loaded when it is first taken.
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { withPart } from '../../app/lazy.tsx';
import { t } from '../../i18n/i18n.ts';
import { listenForDrops, nameOfTarget, refuses } from './choose/drops.ts';

const bringIn = () => import('./bring-in.ts');
const pasteDialog = () => import('./choose/paste-dialog.tsx');

/**
 * Takes drops on the element and pastes, as long as the view is shown. A drop on
 * something inside with `data-prefix` goes to that folder. Under a drag the
 * element has `data-drop` with the words that say so, for its style.
 */
export function useDropTarget(
  ref: RefObject<HTMLElement | null>,
  bucket: string,
  prefix: string,
): void {
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
