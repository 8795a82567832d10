// The built files of the web console. http/console serves them; a platform finds
// them where its build has put them.

/** Codings in which a file may stand beside its plain bytes. */
export type ConsoleCoding = 'br' | 'gzip';

/** What the build says of a file. */
export type ConsoleFile = {
  /** Content-Type, charset included. */
  readonly type: string;
  /** SHA-256 of the plain bytes, in hex. */
  readonly digest: string;
  readonly codings: readonly ConsoleCoding[];
};

/** Files by path below the folder, with slashes: `assets/main-4f2a.js`. */
export type ConsoleFileList = ReadonlyMap<string, ConsoleFile>;

export type ConsoleFiles = {
  /**
   * The list of files, and their bytes as they belong to it; null: no console was
   * built. Rejects with an Error for a list that cannot be read. Cost: memory once
   * it was found; without one, a look each time.
   */
  open(): Promise<OpenConsole | null>;
};

export type OpenConsole = {
  readonly list: ConsoleFileList;
  /**
   * The bytes of a file of the list, coded or plain (null). Rejects with an Error
   * for a file that is missing all the same.
   */
  read(path: string, coding: ConsoleCoding | null): Promise<Uint8Array>;
};
