// Writes a text over an object, if nobody else wrote it meanwhile: headers, metadata
// and tags stay what they were.
import type { ObjectDetail } from 'quayside/client';
import { client, QuaysideError } from '../../../api/client.ts';
import { invalidate } from '../../../api/query.ts';
import { failureOf } from '../bytes.ts';

/** In what state an object may be written over. */
export type WriteGuard = { readonly ifMatch: string } | { readonly ifNoneMatch: '*' };

/** Headers of a presigned PUT, in lower case, that keep what is stored with the object. */
function headersOf(detail: ObjectDetail): Record<string, string> {
  const plain = {
    'content-type': detail.contentType,
    'cache-control': detail.cacheControl,
    'content-disposition': detail.contentDisposition,
    'content-language': detail.contentLanguage,
    expires: detail.expires === null ? null : new Date(detail.expires).toUTCString(),
    'x-amz-storage-class':
      detail.storageClass === 'STANDARD' ? null : (detail.storageClass ?? null),
    'x-amz-tagging': tagsOf(detail.tags),
  };
  const metadata = Object.entries(detail.metadata).map(
    ([name, value]) => [`x-amz-meta-${name}`, value] as const,
  );
  const set = Object.entries(plain).filter((pair): pair is [string, string] => pair[1] !== null);
  return Object.fromEntries([...set, ...metadata]);
}

const tagsOf = (tags: Readonly<Record<string, string>>): string | null => {
  const text = new URLSearchParams(tags).toString();
  return text === '' ? null : text;
};

/**
 * Writes the text. A QuaysideError with status 412: somebody wrote it meanwhile.
 * Resolves with the new ETag.
 */
export async function saveText(
  bucket: string,
  key: string,
  text: string,
  detail: ObjectDetail,
  guard: WriteGuard,
): Promise<string> {
  const guards =
    'ifMatch' in guard
      ? { 'if-match': `"${guard.ifMatch}"` }
      : { 'if-none-match': guard.ifNoneMatch };
  const { items } = await client.request('POST /buckets/{bucket}/presigned-urls', {
    path: { bucket },
    body: { requests: [{ operation: 'put', key, headers: { ...headersOf(detail), ...guards } }] },
  });
  const [target] = items;
  if (target === undefined) throw new QuaysideError('InternalError', 'No URL was made');
  const response = await put(target.url, target.headers, text);
  if (!response.ok) throw await failureOf(response);
  invalidate(`object ${bucket} ${key} `);
  return (response.headers.get('etag') ?? '').replaceAll('"', '');
}

async function put(url: string, headers: Record<string, string>, text: string): Promise<Response> {
  try {
    // A Blob without a type: a string would bring a content type of its own.
    return await fetch(url, { method: 'PUT', headers, body: new Blob([text]) });
  } catch (cause) {
    throw new QuaysideError('NetworkFailure', String(cause), { retryable: true, cause });
  }
}
