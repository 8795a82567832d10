// The two formats of the rows of an upload's parts in the index, and blob ids that name
// their upload and part. Programs read both formats; new uploads get the one that is
// named here (ADR 56). Pure.
import type { BlobId, UploadId } from '../nouns.ts';

/**
 * Rows of parts: `separate`, a row for a part and one for its blob, and totals that
 * each part changes; `joined`, the part in the row of its blob, and totals that the
 * first parts of an upload change together.
 */
export type UploadRows = 'separate' | 'joined';

/**
 * The format that new uploads get; index-schema.ts refuses programs that could not
 * read it.
 */
export const UPLOAD_ROWS: UploadRows = 'joined';

/** Characters of an id of ids.ts: time, counter and random ones. */
const ID_LENGTH = 27;
const ID = /^[0-9a-z]{27}$/;
/** Characters of a part's blob id that are its own: time, counter and 30 random bits. */
export const OWN_LENGTH = 18;
/** Characters of a part's blob id that name its upload: the random ones of its id, 75 bits. */
const TAG_LENGTH = 15;
/** Characters of the part's number in base 32: enough for 32,767. */
const NUMBER_LENGTH = 3;
const NAME_LENGTH = OWN_LENGTH + TAG_LENGTH + NUMBER_LENGTH;

/** Splits a blob id into its bucket's prefix and its name. */
function split(blobId: string): readonly [owner: string, name: string] {
  const nameAt = blobId.lastIndexOf('/') + 1;
  return [blobId.slice(0, nameAt), blobId.slice(nameAt)];
}

const numberText = (partNumber: number): string =>
  partNumber.toString(32).padStart(NUMBER_LENGTH, '0');

/**
 * Makes a blob id that says which part of which upload it is. It sorts by time, as all
 * do, and has 105 random bits. Ids that are not of ids.ts stay as they are.
 */
export function partBlobId(fresh: BlobId, uploadId: UploadId, partNumber: number): BlobId {
  const [owner, name] = split(fresh);
  if (!ID.test(name) || !ID.test(uploadId)) return fresh;
  const tag = uploadId.slice(ID_LENGTH - TAG_LENGTH);
  return `${owner}${name.slice(0, OWN_LENGTH)}${tag}${numberText(partNumber)}` as BlobId;
}

/** The fields of a part's blob id, as text. */
export type PartOfBlobId = {
  /** The bucket's id, and a slash. */
  readonly owner: string;
  /** Time, counter and random characters of its own. */
  readonly own: string;
  /** The random characters of the upload's id. */
  readonly tag: string;
  /** The part's number in base 32. */
  readonly number: string;
};

/** Reads the fields of a part's blob id; null: the blob was made for no part. */
export function partOfBlobId(blobId: BlobId): PartOfBlobId | null {
  const [owner, name] = split(blobId);
  if (name.length !== NAME_LENGTH) return null;
  return {
    owner,
    own: name.slice(0, OWN_LENGTH),
    tag: name.slice(OWN_LENGTH, OWN_LENGTH + TAG_LENGTH),
    number: name.slice(OWN_LENGTH + TAG_LENGTH),
  };
}

/** Makes a part's blob id of its fields, as partBlobId made it. */
export function joinBlobId({ owner, own, tag, number }: PartOfBlobId): BlobId {
  return `${owner}${own}${tag}${number}` as BlobId;
}

/**
 * Turns a blob id into the id of its row, or back. Upload and number come first in that
 * of a part, so parts of an upload stand together, by number. Other ids stay equal.
 */
export function rowIdOf(blobId: BlobId): BlobId {
  const [owner, name] = split(blobId);
  if (name.length !== NAME_LENGTH) return blobId;
  // Both halves are equally long, so that the same exchange goes back.
  return `${owner}${name.slice(OWN_LENGTH)}${name.slice(0, OWN_LENGTH)}` as BlobId;
}

/** Bounds of row ids behind the id of their bucket: `from` is within, `to` is not. */
export type RowIdRange = { readonly from: string; readonly to: string };

/**
 * The row ids of an upload's parts with numbers from `first` to `last`. Null: the id
 * of the upload is none of ids.ts, so no row is found by it.
 */
export function partRowIds(uploadId: UploadId, first: number, last: number): RowIdRange | null {
  if (!ID.test(uploadId)) return null;
  const tag = `/${uploadId.slice(ID_LENGTH - TAG_LENGTH)}`;
  return { from: `${tag}${numberText(first)}`, to: `${tag}${numberText(last + 1)}` };
}
