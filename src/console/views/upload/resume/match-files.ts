// Matches files that are chosen again with those of an interrupted upload.
import type { QueueFile } from 'quayside/client';
import type { KeptFile } from './keep.ts';

/**
 * Makes the look-up of a file of the upload among the chosen ones: by its path, else as
 * the same file chosen by itself, which comes without its folder.
 */
export function findChosen(files: readonly QueueFile[]) {
  const byPath = new Map(files.map((file) => [file.path, file]));
  return ({ path, sizeBytes, modifiedAtMs }: KeptFile): QueueFile | undefined => {
    const alone = byPath.get(path.slice(path.lastIndexOf('/') + 1));
    const isSame = alone?.file.size === sizeBytes && alone.file.lastModified === modifiedAtMs;
    return byPath.get(path) ?? (isSame ? alone : undefined);
  };
}
