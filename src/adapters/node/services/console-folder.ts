// The console's files on Node: a folder that is read into memory, all of it, so that a
// build which replaces files meanwhile mixes no two versions. A new build is read when
// its list is.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConsoleFileList, ConsoleFiles, OpenConsole } from '../../../ports/console-files.ts';
import { codedName, LIST_NAME, parseConsoleList } from '../../shared/console-list.ts';

/** Most that a console may take of the memory, bytes: some five times what it does. */
const CONSOLE_MAX_BYTES = 8 * 1024 * 1024;

/**
 * Where the console stands: `build/console` beside the sources; in the npm package,
 * whose server is the folder `dist/server`, `dist/console`.
 */
const FOLDER = fileURLToPath(
  new URL(
    import.meta.url.endsWith('.ts') ? '../../../../build/console/' : '../console/',
    import.meta.url,
  ),
);

/** How often a new build is looked for, milliseconds: one call of the disk each time. */
const LOOK_EVERY_MS = 2000;

/** Makes the port. The folder may come later than the server, and anew. */
export function createConsoleFolder(
  folder: string = FOLDER,
  nowMs: () => number = Date.now,
): ConsoleFiles {
  let opened: OpenConsole | null = null;
  let builtAtMs: number | null = null;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  /** Reads a build that is new; one that is not whole yet leaves the one before. */
  async function openNewer(): Promise<void> {
    const isDue = nowMs() - lookedAtMs >= LOOK_EVERY_MS;
    if (opened !== null && !isDue) return;
    lookedAtMs = nowMs();
    const listedAtMs = await stat(join(folder, LIST_NAME)).then(
      ({ mtimeMs }) => mtimeMs,
      nullWhenAbsent,
    );
    if (listedAtMs === null || listedAtMs === builtAtMs) return;
    try {
      opened = (await openFolder(folder)) ?? opened;
      builtAtMs = listedAtMs;
    } catch (error) {
      if (opened === null) throw error;
    }
  }

  return {
    async open() {
      await openNewer();
      return opened;
    },
  };
}

async function openFolder(folder: string): Promise<OpenConsole | null> {
  const json = await readFile(join(folder, LIST_NAME), 'utf8').catch(nullWhenAbsent);
  if (json === null) return null;

  const list = parseConsoleList(json);
  const bytesByName = await readAll(folder, namesOf(list));
  return {
    list,
    async read(path, coding) {
      const bytes = bytesByName.get(codedName(path, coding));
      if (bytes === undefined) throw new Error(`The console has no file ${path} (${coding}).`);
      return bytes;
    },
  };
}

function namesOf(list: ConsoleFileList): string[] {
  const names: string[] = [];
  for (const [path, { codings }] of list)
    for (const coding of [null, ...codings]) names.push(codedName(path, coding));
  return names;
}

async function readAll(
  folder: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const bytesByName = new Map<string, Uint8Array>();
  let totalBytes = 0;
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    totalBytes += bytes.length;
    if (totalBytes > CONSOLE_MAX_BYTES)
      throw new Error(`The console in ${folder} has more than ${CONSOLE_MAX_BYTES} bytes.`);
    bytesByName.set(name, bytes);
  }
  return bytesByName;
}

function nullWhenAbsent(error: unknown): null {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}
