// Downloads into folders of this computer: those of this page, and what an earlier page
// left unfinished (left-unfinished.ts), which is kept with the folder's handle.
// folder-download.ts moves them.
import { signal } from '@preact/signals';
import type { Selection } from '../../browse/selection.ts';

export type LocalChoice = 'skip' | 'replace';
export type FailedFile = { readonly key: string; readonly why: string };

/** A download that moves, stands or waits to go on. */
export type FolderDownload = {
  readonly id: string;
  readonly selection: Selection;
  readonly folder: FileSystemDirectoryHandle;
  readonly choice: LocalChoice;
  readonly state: 'interrupted' | 'moving' | 'done';
  readonly files: number;
  readonly bytes: number;
  readonly doneFiles: number;
  readonly doneBytes: number;
  readonly skipped: number;
  readonly failed: readonly FailedFile[];
};

/** What is kept of a download until it is over. */
export type KeptDownload = Pick<FolderDownload, 'id' | 'selection' | 'folder' | 'choice'>;

/** The counts of a download that has not begun. */
export const NO_COUNTS = {
  files: 0,
  bytes: 0,
  doneFiles: 0,
  doneBytes: 0,
  skipped: 0,
  failed: [],
} as const;

export const folderDownloads = signal<readonly FolderDownload[]>([]);
