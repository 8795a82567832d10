// Reads the list of the console's files, files.json, that the build writes. Called
// by the adapters of both platforms.
import type {
  ConsoleCoding,
  ConsoleFile,
  ConsoleFileList,
  ConsoleFiles,
  OpenConsole,
} from '../../ports/console-files.ts';

/** The list's own name in the folder. */
export const LIST_NAME = 'files.json';

/** Name of the file that has this coding. */
export function codedName(path: string, coding: ConsoleCoding | null): string {
  if (coding === null) return path;
  return coding === 'br' ? `${path}.br` : `${path}.gz`;
}

/** The one version of the list that is known. */
const LIST_VERSION = 1;
const PATH = /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;
const TYPE = /^[a-z]+\/[a-z0-9.+-]+(?:; charset=utf-8)?$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** Reads the list from its JSON. Throws an Error that says what is wrong with it. */
export function parseConsoleList(json: string): ConsoleFileList {
  const content: unknown = JSON.parse(json);
  const { version, files } = isRecord(content) ? content : {};
  if (version !== LIST_VERSION || !isRecord(files))
    throw new Error(`${LIST_NAME} of the console is no list of version ${LIST_VERSION}.`);

  const list = new Map<string, ConsoleFile>();
  for (const [path, file] of Object.entries(files)) list.set(path, parseFile(path, file));
  if (!list.has('index.html')) throw new Error(`${LIST_NAME} of the console has no index.html.`);
  return list;
}

function parseFile(path: string, file: unknown): ConsoleFile {
  const { type, digest, br, gz } = isRecord(file) ? file : {};
  const isRight =
    PATH.test(path) &&
    typeof type === 'string' &&
    TYPE.test(type) &&
    typeof digest === 'string' &&
    DIGEST.test(digest);
  if (!isRight) throw new Error(`${LIST_NAME} of the console has a wrong entry: ${path}.`);

  const codings: ConsoleCoding[] = [];
  if (br === true) codings.push('br');
  if (gz === true) codings.push('gzip');
  return { type, digest, codings };
}

/**
 * Makes the port of a look-up that is repeated until it has found a console, which
 * then stays. Requests never wait for each other's look.
 */
export function openedOnce(look: () => Promise<OpenConsole | null>): ConsoleFiles {
  let opened: OpenConsole | null = null;
  return {
    async open() {
      opened ??= await look();
      return opened;
    },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
