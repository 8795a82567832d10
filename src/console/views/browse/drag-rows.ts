// Rows that are dragged onto a folder or a part of the path: they are moved there, or
// copied with Alt, after the dialog has said what that does. A folder that is hovered
// over opens.
import { type Signal, signal } from '@preact/signals';
import { withPart } from '../../app/lazy.tsx';
import { navigate, objectPath } from '../../app/router.ts';
import { t } from '../../i18n/i18n.ts';
import type { Selection } from './selection.ts';

const changes = () => import('../change/open-change.tsx');

/** How long a folder is hovered over before it opens, milliseconds. */
const OPENS_AFTER_MS = 600;

/** What is being dragged; null: nothing of ours. */
export const dragged: Signal<Selection | null> = signal(null);

/** Begins to drag rows; the picture is their count. */
export function dragRows(event: DragEvent, selection: Selection): void {
  const { dataTransfer } = event;
  if (dataTransfer === null) return;
  dragged.value = selection;
  const uris = selection.rows.map(({ key }) => `s3://${selection.bucket}/${key}`);
  dataTransfer.setData('text/plain', uris.join('\n'));
  dataTransfer.effectAllowed = 'copyMove';
  const picture = document.createElement('div');
  picture.className = 'drag-picture';
  picture.textContent = t().browse.selected(selection.rows.length, `${selection.rows.length}`);
  document.body.append(picture);
  dataTransfer.setDragImage(picture, -12, -12);
  setTimeout(() => picture.remove());
  const end = () => {
    dragged.value = null;
  };
  addEventListener('dragend', end, { once: true });
  // A row that is gone, since another folder opened, sends no end of its drag.
  addEventListener('pointerdown', end, { once: true });
}

/** Whether rows may be dropped there: not where they are, nor below themselves. */
export const mayDrop = ({ bucket, prefix, rows }: Selection, onto: string, to: string): boolean =>
  bucket !== onto || (prefix !== to && !rows.some(({ key }) => key === to || isBelow(to, key)));

const isBelow = (prefix: string, folder: string): boolean =>
  folder.endsWith('/') && prefix.startsWith(folder);

/** The wait for the folder below the pointer to open; rows are drawn anew meanwhile. */
let opening: ReturnType<typeof setTimeout> | undefined;

/** Attributes of an element that takes rows for a folder. */
export function dropOn(bucket: string, to: string) {
  const leave = (event: DragEvent) => {
    clearTimeout(opening);
    (event.currentTarget as HTMLElement).classList.remove('is-target');
  };
  return {
    onDragEnter: () => {
      if (dragged.value === null) return;
      clearTimeout(opening);
      opening = setTimeout(() => {
        if (dragged.value !== null) navigate(objectPath(bucket, to));
      }, OPENS_AFTER_MS);
    },
    onDragOver: (event: DragEvent) => {
      const selection = dragged.value;
      if (selection === null || !mayDrop(selection, bucket, to)) return;
      event.preventDefault();
      event.stopPropagation();
      (event.currentTarget as HTMLElement).classList.add('is-target');
      if (event.dataTransfer !== null) {
        event.dataTransfer.dropEffect = event.altKey ? 'copy' : 'move';
      }
    },
    onDragLeave: leave,
    onDrop: (event: DragEvent) => {
      leave(event);
      const selection = dragged.value;
      if (selection === null || !mayDrop(selection, bucket, to)) return;
      event.preventDefault();
      event.stopPropagation();
      dragged.value = null;
      const change = event.altKey ? 'copy' : 'move';
      withPart(changes, ({ openChange }) => openChange(change, selection, { to }));
    },
  };
}
