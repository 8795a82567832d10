// Requests that change the versions and uploads of one key, and what each makes of it: for tests
// that kill a server between a request and its response.
import { createHash } from 'node:crypto';
import { pickOf } from '../../index/shards/shard-world.ts';
import { aws } from './platform-client.ts';

/** A version of a key; `id`: null where no response said it. `body`: null for a delete marker. */
export type KnownVersion = {
  readonly id: string | null;
  readonly body: string | null;
  readonly isHeld: boolean;
};

/** An upload in progress, with the bodies of its parts by number. */
export type KnownUpload = {
  readonly id: string | null;
  readonly parts: ReadonlyMap<number, string>;
};

/** What is at a key: versions with the newest first, and uploads. */
export type KeyState = {
  readonly versions: readonly KnownVersion[];
  readonly uploads: readonly KnownUpload[];
};

/** A request about a key. */
export type KeyRequest =
  | { readonly do: 'put'; readonly body: string; readonly isHeld: boolean }
  | { readonly do: 'mark' }
  | { readonly do: 'remove'; readonly version: KnownVersion }
  | { readonly do: 'hold'; readonly version: KnownVersion; readonly isHeld: boolean }
  | { readonly do: 'begin' }
  | { readonly do: 'part'; readonly upload: KnownUpload; readonly number: number; body: string }
  | { readonly do: 'complete'; readonly upload: KnownUpload; readonly number: number }
  | { readonly do: 'abort'; readonly upload: KnownUpload };

/** Above it bodies are blobs of their own. */
const LARGE_BYTES = 20_000;
const NUMBERS = [1, 2, 33] as const;

/** A request that fits what is there; `growth`: how likely it adds to it, from 0 to 1. */
export function nextRequest(state: KeyState, random: () => number, growth: number): KeyRequest {
  const { versions, uploads } = state;
  const body = `${random()}`.padEnd(random() < 0.1 ? LARGE_BYTES : 60, '.');
  const [version, upload] = [pickOf(random, versions), pickOf(random, uploads)];
  const dice = random();
  if (random() > growth) {
    if (upload !== undefined && dice < 0.3) return { do: 'abort', upload };
    if (version === undefined) return { do: 'mark' };
    if (version.isHeld && dice < 0.8) return { do: 'hold', version, isHeld: false };
    return { do: 'remove', version };
  }
  if (dice < 0.4) return { do: 'put', body, isHeld: random() < 0.3 };
  if (dice < 0.5) return { do: 'mark' };
  if (dice < 0.6 && version !== undefined && version.body !== null)
    return { do: 'hold', version, isHeld: !version.isHeld };
  if (upload === undefined || dice < 0.65) return { do: 'begin' };
  const number = pickOf(random, [...upload.parts.keys()]);
  if (number !== undefined && dice < 0.8) return { do: 'complete', upload, number };
  return { do: 'part', upload, number: pickOf(random, NUMBERS), body };
}

/** What a response says of a request that was carried out. */
export type Acknowledged = { readonly id: string | null };

/** The state behind a request; without a response its new ids are not known. */
export function stateAfter(
  { versions, uploads }: KeyState,
  request: KeyRequest,
  { id }: Acknowledged = { id: null },
): KeyState {
  const without = (gone: KnownUpload) => uploads.filter((upload) => upload !== gone);
  switch (request.do) {
    case 'put': {
      const { body, isHeld } = request;
      return { versions: [{ id, body, isHeld }, ...versions], uploads };
    }
    case 'mark':
      return { versions: [{ id, body: null, isHeld: false }, ...versions], uploads };
    case 'remove': {
      const { version } = request;
      return { versions: versions.filter((one) => one !== version || one.isHeld), uploads };
    }
    case 'hold': {
      const { version, isHeld } = request;
      return {
        versions: versions.map((one) => (one === version ? { ...one, isHeld } : one)),
        uploads,
      };
    }
    case 'begin':
      return { versions, uploads: [...uploads, { id, parts: new Map() }] };
    case 'part': {
      const { upload, number, body } = request;
      const parts = new Map([...upload.parts, [number, body]]);
      return { versions, uploads: [...without(upload), { ...upload, parts }] };
    }
    case 'complete': {
      const { upload, number } = request;
      const body = upload.parts.get(number) ?? '';
      return { versions: [{ id, body, isHeld: false }, ...versions], uploads: without(upload) };
    }
    default:
      return { versions, uploads: without(request.upload) };
  }
}

/** The request as HTTP; query and headers are those of S3. */
function toHttp(request: KeyRequest): { query: string; method: string; init: RequestInit } {
  const hold = (isHeld: boolean) => (isHeld ? 'ON' : 'OFF');
  switch (request.do) {
    case 'put': {
      const headers = { 'x-amz-object-lock-legal-hold': hold(request.isHeld) };
      return { query: '', method: 'PUT', init: { body: request.body, headers } };
    }
    case 'mark':
      return { query: '', method: 'DELETE', init: {} };
    case 'remove':
      return { query: `?versionId=${request.version.id}`, method: 'DELETE', init: {} };
    case 'hold': {
      const body = `<LegalHold><Status>${hold(request.isHeld)}</Status></LegalHold>`;
      const query = `?legal-hold&versionId=${request.version.id}`;
      return { query, method: 'PUT', init: { body } };
    }
    case 'begin':
      return { query: '?uploads', method: 'POST', init: {} };
    case 'part': {
      const { number, body, upload } = request;
      return {
        query: `?partNumber=${number}&uploadId=${upload.id}`,
        method: 'PUT',
        init: { body },
      };
    }
    case 'complete': {
      const { number, upload } = request;
      const etag = createHash('md5')
        .update(upload.parts.get(number) ?? '')
        .digest('hex');
      const part = `<Part><PartNumber>${number}</PartNumber><ETag>"${etag}"</ETag></Part>`;
      const body = `<CompleteMultipartUpload>${part}</CompleteMultipartUpload>`;
      return { query: `?uploadId=${upload.id}`, method: 'POST', init: { body } };
    }
    default:
      return { query: `?uploadId=${request.upload.id}`, method: 'DELETE', init: {} };
  }
}

/** Sends a request; null: the server was gone before it had answered. */
export async function sendRequest(
  objectUrl: string,
  request: KeyRequest,
): Promise<Acknowledged | null> {
  const { query, method, init } = toHttp(request);
  const response = await aws.fetch(`${objectUrl}${query}`, { method, ...init }).catch(() => null);
  const text = await response?.text().catch(() => null);
  if (response == null || text == null) return null;
  const isRefused = request.do === 'remove' && request.version.isHeld;
  if (isRefused ? response.status !== 403 : !response.ok || text.includes('<Error>'))
    throw new Error(`${request.do}: ${response.status} ${text}`);
  const uploadId = /<UploadId>([^<]*)</.exec(text)?.[1];
  return { id: uploadId ?? response.headers.get('x-amz-version-id') };
}
