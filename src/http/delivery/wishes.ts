// What a reader may wish for besides the object itself: to be handed a file to save (`?download`),
// digests, and in a call of S3 its checksum. Each is a few headers more on a 200 or 206; without a
// wish nothing is made. Called by answer-object.ts alone.
import type { BucketId, Pointer } from '../../domain/nouns.ts';
import type { HttpRequest } from '../request.ts';
import { checksumHeaders, readChecksumMode } from '../s3/headers/checksum-headers.ts';
import { downloadDisposition } from '../semantics/content-disposition.ts';
import { type DigestSource, digestHeaders } from '../semantics/digest-fields.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { parseQuery } from '../semantics/raw-path.ts';
import type { Representation } from './representation.ts';

/** What an S3 call says of a read: s3/routes.ts has looked for it. */
export type RequestedOptions = {
  /**
   * The bucket whose owner has signed the call, and was let in by that: an image, of any size.
   * Null: nobody's signature.
   */
  readonly ownersBucket: BucketId | null;
  /** The account whose the bucket must be, else AccessDenied; null: whoever's. */
  readonly expectedOwner: string | null;
  /** The x-amz-checksum-mode. */
  readonly checksumMode: string | null;
};

/** Cheap: most queries have nothing to do with us. */
const DOWNLOAD = /(?:^|&)download(?:[=&]|$)/;

/**
 * Of what is answered: `representation` null is the object itself, `isWhole` all of it; `wish`
 * null: it is no call of S3.
 */
type Answered = {
  readonly representation: Representation | null;
  readonly isWhole: boolean;
  readonly wish: RequestedOptions | null;
};

/**
 * The headers that answer the wishes of a request; null for none. InvalidArgument for a name that
 * no disk takes, InvalidRequest for a checksum mode that is none. Cost: 0.1 µs where nothing is
 * wished for.
 */
export function requestedHeaders(
  request: HttpRequest,
  pointer: Pointer,
  { representation, isWhole, wish }: Answered,
): HeaderRecord | null {
  // Nothing is stored of what was made later, but it stands in memory.
  const source =
    representation === null
      ? pointer
      : { etag: '', checksum: null, encryption: null, inlineBytes: representation.bytes };
  const digests = digestHeaders(request, source, isWhole && request.method === 'GET');
  const sums =
    wish !== null && readChecksumMode(wish.checksumMode) ? checksumsOf(source, isWhole) : null;
  const { rawQuery } = request;
  const asked = DOWNLOAD.test(rawQuery) ? parseQuery(rawQuery).get('download') : null;
  if (asked === null) return sums === null ? digests : { ...digests, ...sums };
  const { contentDisposition } = pointer.headers;
  return {
    ...digests,
    ...sums,
    'content-disposition': downloadDisposition(asked, contentDisposition, pointer.key),
  };
}

/** A checksum of the whole says nothing of a part, and none is stored of what was made later. */
function checksumsOf({ checksum }: DigestSource, isWhole: boolean): HeaderRecord {
  return isWhole ? checksumHeaders(checksum, checksum?.type ?? null) : {};
}
