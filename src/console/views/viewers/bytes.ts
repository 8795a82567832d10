// The bytes of objects for viewers: ranges of them, never the whole. They come from
// presigned URLs of this origin, which are kept while they last, so that the
// browser's cache knows a file by one address.
import { client, QuaysideError } from '../../api/client.ts';
import { t } from '../../i18n/i18n.ts';

/** What viewers read from: an object, or a member of an archive in memory. */
export type ByteSource = {
  readonly sizeBytes: number;
  /** Fewer bytes than asked for only at the end. */
  read(offsetBytes: number, lengthBytes: number, signal?: AbortSignal): Promise<Uint8Array>;
};

export type ObjectAddress = {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string | undefined;
};

/** Life of a URL, seconds: a paused film goes on within it. */
const URL_LIFE_SECONDS = 6 * 3600;
/** How long a URL is handed out again, milliseconds: half of its life is then left. */
const URL_REUSED_MS = (URL_LIFE_SECONDS / 2) * 1000;
const URLS_MAX = 500;

type Known = { readonly url: Promise<string>; readonly atMs: number };
const urls = new Map<string, Known>();

const nameOf = ({ bucket, key, versionId = '' }: ObjectAddress) =>
  `${bucket}\n${versionId}\n${key}`;

/** A URL of the bytes that needs no header, for `<img>`, `<video>` and ranges. */
export function bytesUrl(object: ObjectAddress): Promise<string> {
  const name = nameOf(object);
  const known = urls.get(name);
  if (known !== undefined && Date.now() - known.atMs < URL_REUSED_MS) return known.url;
  const url = presign(object);
  urls.delete(name);
  urls.set(name, { url, atMs: Date.now() });
  const [oldest] = urls.keys();
  if (urls.size > URLS_MAX && oldest !== undefined) urls.delete(oldest);
  url.catch(() => urls.delete(name));
  return url;
}

/** Forgets the URL of an object: the next read requests another. */
export const forgetUrl = (object: ObjectAddress): void => void urls.delete(nameOf(object));

async function presign({ bucket, key, versionId }: ObjectAddress): Promise<string> {
  const { items } = await client.request('POST /buckets/{bucket}/presigned-urls', {
    path: { bucket },
    body: { requests: [{ operation: 'get', key, versionId }], expiresSeconds: URL_LIFE_SECONDS },
  });
  const [item] = items;
  if (item === undefined) throw new QuaysideError('InternalError', 'No URL was made');
  return item.url;
}

/** A link to the bytes that asks for its URL when it is followed. */
export function contentHref(
  { bucket, key, versionId }: ObjectAddress,
  { isDownload = false, isPage = false, isPdf = false } = {},
): string {
  const query = new URLSearchParams({ key });
  if (versionId !== undefined) query.set('versionId', versionId);
  if (isDownload) query.set('download', '1');
  if (isPage || isPdf) query.set('disposition', 'inline');
  if (isPdf) query.set('contentType', 'application/pdf');
  if (isPage) query.set('preview', '1');
  return `/-/api/v1/buckets/${encodeURIComponent(bucket)}/content?${query}`;
}

/** Bytes of an object from an offset; fewer only at its end. */
export async function readRange(
  object: ObjectAddress & { readonly etag?: string | undefined },
  offsetBytes: number,
  lengthBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const range = `bytes=${offsetBytes}-${offsetBytes + lengthBytes - 1}`;
  const response = await fetchRange(object, range, signal);
  return takeBytes(response, response.status === 206 ? 0 : offsetBytes, lengthBytes);
}

/** How often a request is sent: a URL that has expired is replaced once. */
const TRIES = 2;

async function fetchRange(
  object: ObjectAddress & { readonly etag?: string | undefined },
  range: string,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const guard = object.etag === undefined ? {} : { 'if-match': `"${object.etag}"` };
  for (let tries = 1; ; tries++) {
    const url = await bytesUrl(object);
    const response = await send(url, { range, ...guard }, signal);
    if (response.ok) return response;
    if (response.status === 403 && tries < TRIES) {
      forgetUrl(object);
      continue;
    }
    throw await failureOf(response);
  }
}

async function send(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
): Promise<Response> {
  try {
    return await fetch(url, { headers, signal: signal ?? null });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new QuaysideError('NetworkFailure', String(cause), { retryable: true, cause });
  }
}

/** Longest text of an error that is looked at, characters. */
const ERROR_LENGTH_MAX = 4096;

/** What a response of S3 says in its XML, as an error of the client. */
export async function failureOf(response: Response): Promise<QuaysideError> {
  const facts = { status: response.status, requestId: response.headers.get('x-request-id') };
  if (response.status === 412) {
    return new QuaysideError('ObjectChanged', t().viewers.changedMeanwhile, facts);
  }
  const text = (await response.text().catch(() => '')).slice(0, ERROR_LENGTH_MAX);
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? `Status${response.status}`;
  const message = /<Message>([^<]{1,1000})<\/Message>/.exec(text)?.[1] ?? code;
  return new QuaysideError(code, message, facts);
}

/** Bytes of a response from an offset; the rest of it is not waited for. */
async function takeBytes(
  response: Response,
  skippedBytes: number,
  lengthBytes: number,
): Promise<Uint8Array> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  const endBytes = skippedBytes + lengthBytes;
  let at = 0;
  while (reader !== undefined && at < endBytes) {
    const { value, done } = await reader.read();
    if (done) break;
    const from = Math.max(0, skippedBytes - at);
    if (from < value.length) chunks.push(value.subarray(from, endBytes - at));
    at += value.length;
  }
  await reader?.cancel().catch(() => {});
  return concat(chunks);
}

/** One array of several. */
export function concat(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

export type StoredObject = ObjectAddress & {
  readonly etag: string;
  readonly sizeBytes: number;
  /** Browsers decode such bytes, so they can be read from the front alone. */
  readonly contentEncoding: string | null;
};

/** Bytes of an encoded object that are decoded at most. */
const DECODED_MAX_BYTES = 32 * 1024 * 1024;

/** An object to read ranges of, all of them of one version. */
export function objectSource(object: StoredObject): ByteSource {
  const { contentEncoding } = object;
  if (contentEncoding !== null && /\b(?:gzip|br|deflate|zstd)\b/.test(contentEncoding)) {
    return decodedSource(object);
  }
  return {
    sizeBytes: object.sizeBytes,
    read: (offset, length, signal) => {
      const lengthBytes = Math.min(length, object.sizeBytes - offset);
      if (lengthBytes <= 0) return Promise.resolve(new Uint8Array());
      return readRange(object, offset, lengthBytes, signal);
    },
  };
}

/** Reads what the browser decodes: from the front, and no more than is needed. */
function decodedSource(object: StoredObject): ByteSource {
  return {
    // The size that is stored is of the encoded bytes; the end shows where it is.
    sizeBytes: DECODED_MAX_BYTES,
    async read(offset, length, signal) {
      const url = await bytesUrl(object);
      const response = await send(url, {}, signal);
      if (!response.ok) throw await failureOf(response);
      return takeBytes(response, offset, Math.min(length, DECODED_MAX_BYTES - offset));
    },
  };
}

/** Bytes in memory: a member of an archive. */
export const memorySource = (bytes: Uint8Array): ByteSource => ({
  sizeBytes: bytes.length,
  read: (offset, length) => Promise.resolve(bytes.subarray(offset, offset + length)),
});
