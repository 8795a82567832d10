// The client: every route of the JSON API by name, and the bytes of objects both
// ways. It knows no platform but fetch, streams and WebCrypto.
import { type ApiClient, type ClientOptions, connect } from './api-client.ts';
import { type Downloads, downloadBy } from './download-client.ts';
import { createApiBackend } from './objects/api-backend.ts';
import { createS3Backend } from './objects/s3-backend.ts';
import { createSendObject } from './objects/send-object.ts';
import { type Uploads, uploadsBy } from './upload-client.ts';

export type Client = ApiClient & Uploads & Downloads;

export function createClient(options: ClientOptions): Client {
  const { api, endpoint, fetch, policy } = connect(options);
  const { token, accessKey, region = 'auto' } = options;
  const backend =
    accessKey === undefined || token !== undefined
      ? createApiBackend(api)
      : createS3Backend({ fetch, endpoint, region, accessKey, policy });
  const send = createSendObject(backend, fetch, options.fetch !== undefined);
  const transport = { backend, send, policy };
  return { ...api, ...uploadsBy(transport), download: downloadBy(transport) };
}
