// Which of the files that are chosen again are those of an interrupted upload.
import type { QueueFile } from 'quayside/client';
import type { KeptFile } from './keep.ts';

/**
 * Finds the file among the chosen that a kept one is: the one of its path, else the same
 * file chosen by itself, which comes without its folder.
 */
export function findChosen(files: readonly QueueFile[]) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return ({ path, sizeBytes, modifiedAtMs }: KeptFile): QueueFile | undefined => {
    const alone = byPath.get(path.slice(path.lastIndexOf('/') + 1));
    const isSame = alone?.file.size === sizeBytes && alone.file.lastModified === modifiedAtMs;
    return byPath.get(path) ?? (isSame ? alone : undefined);
  };
}
