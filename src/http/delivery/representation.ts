// One representation of an object that is not its stored bytes: a compressed one,
// an image in another size. It changes some headers of the object's own; everything
// else that is said of the object stays true. Called by the full path and the fast
// path.
import type { Pointer } from '../../domain/nouns.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { contentRange, type HttpRange, lengthOf } from '../semantics/range.ts';
import { addVary } from './header-profile.ts';

export type Representation = {
  /** Strong, without quotes: other bytes have another. */
  readonly etag: string;
  readonly bytes: Uint8Array;
  /** Headers in the place of the object's own, Content-Length among them. */
  readonly changes: Readonly<HeaderRecord>;
  /**
   * A request header that chose it, besides those that the object's own headers
   * name.
   */
  readonly vary: string | null;
};

/**
 * What a read gets when it does not simply get the object. `etag`, without quotes,
 * is what its conditions are compared with; `representation` null: the object's own
 * bytes, or none because the reader has that one already.
 */
export type Choice = {
  readonly etag: string;
  readonly representation: Representation | null;
  readonly origin: 'memory' | 'edge' | 'bucket';
  readonly vary: string | null;
};

/** What a representation is made of, as a name: equal names mean equal bytes. */
export function sourceName({
  segments,
  versionId,
}: Pick<Pointer, 'segments' | 'versionId'>): string {
  const [only, second] = segments;
  if (only === undefined || second !== undefined) return `v/${versionId}`;
  return `b/${only.blobId}/${only.offsetBytes}+${only.lengthBytes}`;
}

/**
 * Headers of the object with those of the representation in their place. One that
 * the owner took away stays away.
 */
export function withRepresentation(
  headers: Readonly<HeaderRecord>,
  { changes, vary }: Representation,
): HeaderRecord {
  const all = { ...headers, ...changes };
  if (vary !== null) addVary(all, [vary]);
  if (headers.etag === undefined) delete all.etag;
  return all;
}

/** Headers of a part of the representation. */
export function partWithRepresentation(
  headers: Readonly<HeaderRecord>,
  representation: Representation,
  range: HttpRange,
): HeaderRecord {
  const all = withRepresentation(headers, representation);
  all['content-length'] = `${lengthOf(range)}`;
  all['content-range'] = contentRange(range, representation.bytes.length);
  return all;
}

/** Headers of a 304 that names a representation by its tag alone. */
export function notModifiedWithRepresentation(
  headers: Readonly<HeaderRecord>,
  { etag, vary }: Pick<Choice, 'etag' | 'vary'>,
): HeaderRecord {
  const all = { ...headers };
  if (headers.etag !== undefined) all.etag = `"${etag}"`;
  if (vary !== null) addVary(all, [vary]);
  return all;
}
