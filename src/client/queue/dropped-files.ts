// What was dropped on a page: files, and folders with all that is in them.
import type { QueueFile } from './queue-item.ts';

/** What is used of a browser's file system entries. */
type Entry = {
  readonly isFile: boolean;
  readonly fullPath: string;
  file?(done: (file: File) => void, failed: (error: unknown) => void): void;
  createReader?(): {
    readEntries(done: (entries: Entry[]) => void, failed: (error: unknown) => void): void;
  };
};

/** A DataTransfer, or the part of it that counts here. */
export type Dropped = {
  readonly items: Iterable<{
    readonly kind: string;
    getAsFile(): File | null;
    webkitGetAsEntry?(): unknown;
  }>;
};

/**
 * All files of a drop; a folder without any is an empty file whose path ends in a
 * slash. Call it while the event is handled: afterwards the browser
 * has forgotten what was dropped.
 */
export async function droppedFiles({ items }: Dropped): Promise<QueueFile[]> {
  const dropped = [...items]
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({
      entry: (item.webkitGetAsEntry?.() ?? null) as Entry | null,
      file: item.getAsFile(),
    }));
  const files: QueueFile[] = [];
  for (const { entry, file } of dropped) {
    if (entry !== null) await walk(entry, files);
    else if (file !== null) files.push({ file, path: file.name });
  }
  return files;
}

async function walk(entry: Entry, files: QueueFile[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => entry.file?.(resolve, reject));
    files.push({ file, path: entry.fullPath.replace(/^\//, '') });
    return;
  }
  const reader = entry.createReader?.();
  let isEmpty = true;
  // A browser gives a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<Entry[]>((resolve, reject) =>
      reader === undefined ? resolve([]) : reader.readEntries(resolve, reject),
    );
    if (some.length === 0) break;
    isEmpty = false;
    for (const one of some) await walk(one, files);
  }
  if (isEmpty) files.push(emptyFolder(entry.fullPath.replace(/^\//, '')));
}

/** What stands for an empty folder in S3: an object without bytes, `folder/`. */
export const emptyFolder = (path: string): QueueFile => ({
  file: new File([], '', { type: 'application/x-directory', lastModified: 0 }),
  path: `${path}/`,
});
