// Reads what was chosen: files with their paths, empty folders, and, where the browser
// has them, handles by which they can be read again after a reload.
import type { QueueFile } from 'quayside/client';
import { isGivenUp } from '../../../api/describe-error.ts';

export type Handle = FileSystemFileHandle | FileSystemDirectoryHandle;

/** What somebody has brought in at once. */
export type Chosen = {
  readonly files: readonly QueueFile[];
  /** What paths begin with, by which they are found again; empty: there are none. */
  readonly roots: readonly Handle[];
};

/** Chromium's ways to files that outlive the page. */
type Pickers = {
  showOpenFilePicker?: (options: object) => Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?: (options: object) => Promise<FileSystemDirectoryHandle>;
};

export function chosenByInput(files: Iterable<File>): Chosen {
  const listed = [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));
  return { files: listed, roots: [] };
}

/**
 * Asks for files, or for a folder, by the picker that gives handles. Null: nothing
 * was chosen; `unsupported`: this browser has an input alone.
 */
export async function chosenFolder(isFolder: boolean): Promise<Chosen | null | 'unsupported'> {
  const { showOpenFilePicker, showDirectoryPicker } = globalThis as Pickers;
  if (showOpenFilePicker === undefined || showDirectoryPicker === undefined) return 'unsupported';
  try {
    const roots = isFolder
      ? [await showDirectoryPicker({ id: 'upload' })]
      : await showOpenFilePicker({ id: 'upload', multiple: true });
    return { files: await filesOf(roots), roots };
  } catch (error) {
    return isGivenUp(error) ? null : 'unsupported';
  }
}

/** All files below the handles, with the paths that a drop would give them. */
export async function filesOf(roots: readonly Handle[]): Promise<QueueFile[]> {
  const files: QueueFile[] = [];
  for (const root of roots) await walk(root, root.name, files);
  return files;
}

async function walk(handle: Handle, path: string, files: QueueFile[]): Promise<void> {
  if (handle.kind === 'file') {
    files.push({ file: await (handle as FileSystemFileHandle).getFile(), path });
    return;
  }
  let isEmpty = true;
  for await (const [name, below] of (handle as FileSystemDirectoryHandle).entries()) {
    isEmpty = false;
    await walk(below as Handle, `${path}/${name}`, files);
  }
  const type = 'application/x-directory';
  if (isEmpty) files.push({ file: new File([], '', { type, lastModified: 0 }), path: `${path}/` });
}

/** The file with that path below the handles; null: it is gone from the disk. */
export async function fileAt(roots: readonly Handle[], path: string): Promise<File | null> {
  const [first = '', ...rest] = path.split('/');
  const root = roots.find(({ name }) => name === first);
  if (root === undefined) return null;
  try {
    if (path.endsWith('/')) return new File([], '', { lastModified: 0 });
    if (root.kind === 'file') return await (root as FileSystemFileHandle).getFile();
    let folder = root as FileSystemDirectoryHandle;
    const name = rest.pop() ?? '';
    for (const segment of rest) folder = await folder.getDirectoryHandle(segment);
    return await (await folder.getFileHandle(name)).getFile();
  } catch (error) {
    if (error instanceof DOMException && error.name !== 'NotAllowedError') return null;
    throw error;
  }
}
