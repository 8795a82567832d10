// Options that a reader may request besides the object itself: a file name to save
// by (`?download`), digests, and in a call of S3 its checksum. Each is a few
// headers more on a 200 or
// 206. Called by features/requested-headers.ts alone.
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
   * The bucket whose owner has signed the call, and was let in by that: an image,
   * of any size. Null: nobody's signature.
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
 * What is sent, and what an S3 call says of it; `options` null: it is no call of
 * S3.
 */
type RequestedOf = {
  /** Null: the object itself. */
  readonly representation: Representation | null;
  readonly isWhole: boolean;
  readonly options: RequestedOptions | null;
};

/**
 * The headers that a request asks for; null for none. InvalidArgument for a name
 * that no disk takes, InvalidRequest for a checksum mode that is none. Cost: 0.1 µs
 * where nothing is requested.
 */
export function requestedHeaders(
  request: HttpRequest,
  pointer: Pointer,
  { representation, isWhole, options }: RequestedOf,
): HeaderRecord | null {
  // Nothing is stored of what was made later, but it stands in memory.
  const source =
    representation === null
      ? pointer
      : { etag: '', checksum: null, encryption: null, inlineBytes: representation.bytes };
  const digests = digestHeaders(request, source, isWhole && request.method === 'GET');
  const wantsChecksum = options !== null && readChecksumMode(options.checksumMode);
  const checksums = wantsChecksum ? checksumsOf(source, isWhole) : null;

  const { rawQuery } = request;
  const fileName = DOWNLOAD.test(rawQuery) ? parseQuery(rawQuery).get('download') : null;
  if (fileName === null) return checksums === null ? digests : { ...digests, ...checksums };

  const { contentDisposition } = pointer.headers;
  return {
    ...digests,
    ...checksums,
    'content-disposition': downloadDisposition(fileName, contentDisposition, pointer.key),
  };
}

/**
 * A checksum of the whole says nothing of a part, and none is stored of what was
 * made later.
 */
function checksumsOf({ checksum }: DigestSource, isWhole: boolean): HeaderRecord {
  return isWhole ? checksumHeaders(checksum, checksum?.type ?? null) : {};
}
