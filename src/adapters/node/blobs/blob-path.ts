// Where a blob lies: {root}/{bucketId}/{id 0..4}/{id 4..6}/{id}. The first
// characters of an id are its time, so one inner folder holds half a minute of one
// bucket: few enough files for a listing to sort, and old folders empty out.
import { join } from 'node:path';
import { StorageError } from '../../../domain/errors.ts';
import type { BlobId } from '../../../domain/nouns.ts';

/**
 * First level: 9.3 hours of ids. Second level: 33 seconds. Source: 5 bits a
 * character, ids.ts.
 */
const OUTER_LENGTH = 4;
const INNER_LENGTH = 2;
/** Nothing that could leave the root: no dot at the start, no further slash. */
const BLOB_ID = /^[a-z0-9][a-z0-9.~-]{0,126}\/[a-z0-9]{7,64}$/;

export type BlobPath = { readonly folder: string; readonly file: string };

/** Folder and file of a blob. InternalError for what is no blob id. */
export function blobPath(root: string, id: BlobId): BlobPath {
  if (!BLOB_ID.test(id)) throw new StorageError('InternalError', { detail: 'That is no blob id.' });
  const slashAt = id.indexOf('/');
  const name = id.slice(slashAt + 1);
  const outer = name.slice(0, OUTER_LENGTH);
  const inner = name.slice(OUTER_LENGTH, OUTER_LENGTH + INNER_LENGTH);
  // Every part is clean, and `join` would cost more than all the rest of an open of
  // a file that is open already.
  const folder = `${root}/${id.slice(0, slashAt)}/${outer}/${inner}`;
  return { folder, file: `${folder}/${name}` };
}

/** The path of a blob while it is being written, in a flat folder. */
export function temporaryPath(folder: string, id: BlobId): string {
  return join(folder, id.replace('/', '+'));
}
