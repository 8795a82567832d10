// Headers that a reader requests besides the object itself: a file name to save by
// (`?download`), digests, and in a call of S3 its checksum. Any bucket's reader may
// request them; each is a few headers more on a 200 or 206.
import type { Pointer } from '../../../domain/nouns.ts';
import { checksumHeaders, readChecksumMode } from '../../s3/headers/checksum-headers.ts';
import { downloadDisposition } from '../../semantics/content-disposition.ts';
import { type DigestSource, digestHeaders } from '../../semantics/digest-fields.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import type { ReadRequest } from '../object-read.ts';
import type { ReadFeature, SentPart } from './read-feature.ts';

export function requestedHeadersFeature(): ReadFeature {
  return {
    isIn: () => true,
    addHeaders: ({ readRequest, pointer }, sent) => requestedHeaders(readRequest, pointer, sent),
  };
}

/** Cheap: most queries have nothing to do with us. */
const DOWNLOAD = /(?:^|&)download(?:[=&]|$)/;

/**
 * The headers that a request asks for; null for none. InvalidArgument for a name
 * that no disk takes, InvalidRequest for a checksum mode that is none. Cost: 0.1 µs
 * where nothing is requested.
 */
function requestedHeaders(
  { request, options }: ReadRequest,
  pointer: Pointer,
  { representation, isWhole }: SentPart,
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
