// The part of the client that calls the JSON API and reads objects: a page that saves
// files loads no upload and nothing that signs.
import type { ApiClient } from './api-client.ts';
import { type Download, type DownloadOptions, startDownload } from './download/download.ts';
import { connectPresigned, type PresignedOptions } from './presigned.ts';
import type { Transport } from './upload/upload-context.ts';

export type Downloads = {
  /** Resolves with what the object is; its bytes come when they are read. */
  download(bucket: string, key: string, options?: DownloadOptions): Promise<Download>;
};

export const downloadBy =
  (transport: Transport): Downloads['download'] =>
  (bucket, key, options) =>
    startDownload(transport, { bucket, key }, options);

/** A client with routes and downloads, by a token or the browser's session. */
export function createDownloadClient(options: PresignedOptions): ApiClient & Downloads {
  const { api, transport } = connectPresigned(options);
  return { ...api, download: downloadBy(transport) };
}
