// The client: every route of the JSON API by name, and the bytes of objects both
// ways. It knows no platform but fetch, streams and WebCrypto.
import { type ApiClient, type ClientOptions, connect } from './api-client.ts';
import { type Download, type DownloadOptions, startDownload } from './download/download.ts';
import { createApiBackend } from './objects/api-backend.ts';
import type { UploadRef } from './objects/backend.ts';
import type { UploadSource } from './objects/piece.ts';
import { createS3Backend } from './objects/s3-backend.ts';
import { createSendObject } from './objects/send-object.ts';
import { startUpload, type UploadOptions, type UploadTask } from './upload/upload.ts';

export type Client = ApiClient & {
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
  const { api, endpoint, fetch, policy } = connect(options);
  const { token, accessKey, region = 'auto' } = options;
  const backend =
    accessKey === undefined || token !== undefined
      ? createApiBackend(api)
      : createS3Backend({ fetch, endpoint, region, accessKey, policy });
  const send = createSendObject(backend, fetch, options.fetch !== undefined);
  const transport = { backend, send, policy };
  return {
    ...api,
    upload: (bucket, key, source, given = {}) =>
      startUpload(transport, { bucket, key }, source, given),
    resumeUpload: ({ bucket, key, uploadId }, source, given = {}) =>
      startUpload(transport, { bucket, key }, source, given, uploadId),
    download: (bucket, key, given = {}) => startDownload(transport, { bucket, key }, given),
  };
}
