// The client: every route of the JSON API by name, and the bytes of objects both
// ways. It knows no platform but fetch, streams and WebCrypto.
import { type AccessKeyPair, createCredential, type Fetch } from './credential.ts';
import { type Download, type DownloadOptions, startDownload } from './download/download.ts';
import { createGroups, type Groups } from './groups.ts';
import { createApiBackend } from './objects/api-backend.ts';
import type { UploadRef } from './objects/backend.ts';
import { createS3Backend } from './objects/s3-backend.ts';
import { createSendObject } from './objects/send-object.ts';
import { createEach, type Each } from './pages.ts';
import { createRequest } from './request.ts';
import { RETRY_DEFAULTS, type RetryPolicy } from './retry.ts';
import type { Request } from './routes.ts';
import type { UploadSource } from './upload/piece.ts';
import { startUpload, type UploadOptions, type UploadTask } from './upload/upload.ts';

export type ClientOptions = {
  /**
   * Where the server is: `https://storage.example.org`. In its own pages:
   * `location.origin`.
   */
  readonly endpoint: string;
  /**
   * A bearer token, `qst_…`. Without it and an access key the browser's session is
   * used.
   */
  readonly token?: string | undefined;
  readonly accessKey?: AccessKeyPair | undefined;
  /** What signatures by an access key name; `auto` by default. */
  readonly region?: string | undefined;
  readonly fetch?: Fetch | undefined;
  /** How often, and how long, failed requests are repeated. */
  readonly retries?: Partial<RetryPolicy> | undefined;
};

export type Client = Groups & {
  /**
   * Any route of the API: `request('GET /buckets/{bucket}', { path: { bucket } })`.
   */
  readonly request: Request;
  /** All items of a list, over all its pages. */
  readonly each: Each;
  /**
   * Sends an object; resolves when it is there. The task pauses, goes on and
   * cancels.
   */
  upload(bucket: string, key: string, source: UploadSource, options?: UploadOptions): UploadTask;
  /**
   * Goes on with an upload of this or another device: parts that are there are not
   * sent again.
   */
  resumeUpload(upload: UploadRef, source: UploadSource, options?: UploadOptions): UploadTask;
  /** Resolves with what the object is; its bytes come when they are read. */
  download(bucket: string, key: string, options?: DownloadOptions): Promise<Download>;
};

export function createClient(options: ClientOptions): Client {
  const endpoint = new URL(options.endpoint).origin;
  const apiUrl = `${endpoint}/-/api/v1`;
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const policy = { ...RETRY_DEFAULTS, ...options.retries };
  const { token, accessKey, region = 'auto' } = options;
  const credential = createCredential(fetch, apiUrl, { token, accessKey });
  const request = createRequest({ fetch, apiUrl, credential, policy });
  const each = createEach(request);
  const backend =
    accessKey === undefined || token !== undefined
      ? createApiBackend(request)
      : createS3Backend({ fetch, endpoint, region, accessKey, policy });
  const send = createSendObject(backend, fetch, options.fetch !== undefined);
  const transport = { backend, send, policy };
  return {
    ...createGroups(request, each),
    request,
    each,
    upload: (bucket, key, source, given = {}) =>
      startUpload(transport, { bucket, key }, source, given),
    resumeUpload: ({ bucket, key, uploadId }, source, given = {}) =>
      startUpload(transport, { bucket, key }, source, given, uploadId),
    download: (bucket, key, given = {}) => startDownload(transport, { bucket, key }, given),
  };
}
