// The console's files in memory, for tests of what serves them.
import type { ConsoleFile, ConsoleFiles } from '../../ports/console-files.ts';
import { codedName, openedOnce } from '../shared/console-list.ts';

/** A file, and its bytes by coding; `identity` are the plain ones. */
export type MemoryConsoleFile = ConsoleFile & {
  readonly bytes: Readonly<Partial<Record<'identity' | 'br' | 'gzip', Uint8Array>>>;
};

/** Makes the port over these files, by path; null: none was built. */
export function createMemoryConsoleFiles(
  files: ReadonlyMap<string, MemoryConsoleFile> | null,
): ConsoleFiles {
  return openedOnce(async () => {
    if (files === null) return null;
    return {
      list: files,
      async read(path, coding) {
        const bytes = files.get(path)?.bytes[coding ?? 'identity'];
        if (bytes === undefined) throw new Error(`The console has no ${codedName(path, coding)}.`);
        return bytes;
      },
    };
  });
}
