// What a reader may wish for besides the object itself: to be handed a file to save (`?download`), and digests. Each is
// a few headers more on a 200 or 206; without a wish nothing is made. Called by answer-object.ts alone.
import type { Pointer } from '../../ports/domain.ts';
import type { HttpRequest } from '../request.ts';
import { downloadDisposition } from '../semantics/content-disposition.ts';
import { digestHeaders } from '../semantics/digest-fields.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { parseQuery } from '../semantics/raw-path.ts';
import type { Representation } from './representation.ts';

/** Cheap: most queries have nothing to do with us. */
const DOWNLOAD = /(?:^|&)download(?:[=&]|$)/;

/**
 * The headers that answer the wishes of a request; null for none. `isWhole`: the answer carries all of the representation,
 * which is the object itself when null.
 * InvalidArgument for a name that no disk takes. Cost: 0.1 µs where nothing is wished for.
 */
export function wishedHeaders(
  request: HttpRequest,
  pointer: Pointer,
  { representation, isWhole }: { readonly representation: Representation | null; readonly isWhole: boolean },
): HeaderRecord | null {
  // Nothing is stored of what was made later, but it stands in memory.
  const source =
    representation === null
      ? pointer
      : { etag: '', checksum: null, encryption: null, inlineBytes: representation.bytes };
  const digests = digestHeaders(request, source, isWhole && request.method === 'GET');
  const { rawQuery } = request;
  const asked = DOWNLOAD.test(rawQuery) ? parseQuery(rawQuery).get('download') : null;
  if (asked === null) return digests;
  const { contentDisposition } = pointer.headers;
  return { ...digests, 'content-disposition': downloadDisposition(asked, contentDisposition, pointer.key) };
}
