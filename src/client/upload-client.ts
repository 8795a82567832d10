// The part of the client that calls the JSON API and sends objects: a page that takes
// uploads loads no download and nothing that signs.
import type { ApiClient } from './api-client.ts';
import type { UploadRef } from './objects/backend.ts';
import type { UploadSource } from './objects/piece.ts';
import { connectPresigned, type PresignedOptions } from './presigned.ts';
import { startUpload, type UploadOptions, type UploadTask } from './upload/upload.ts';
import type { Transport } from './upload/upload-context.ts';

export type Uploads = {
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
};

export const uploadsBy = (transport: Transport): Uploads => ({
  upload: (bucket, key, source, options) =>
    startUpload(transport, { bucket, key }, source, options),
  resumeUpload: ({ bucket, key, uploadId }, source, options) =>
    startUpload(transport, { bucket, key }, source, options, uploadId),
});

/** A client with routes and uploads, by a token or the browser's session. */
export function createUploadClient(options: PresignedOptions): ApiClient & Uploads {
  const { api, transport } = connectPresigned(options);
  return { ...api, ...uploadsBy(transport) };
}
