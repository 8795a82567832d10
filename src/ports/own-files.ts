/** The files of the service's own pages that come out of packages, by the names they have under `/-/docs/`. */
export type OwnFileName = 'scalar.js';

/** Where they are read from. */
export type OwnFiles = {
  /** The whole file; `isGzipped`: as gzip. Null: this home has none of that name. */
  read(name: OwnFileName): Promise<{ readonly bytes: Uint8Array; readonly isGzipped: boolean } | null>;
};
