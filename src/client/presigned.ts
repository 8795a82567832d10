// What a client needs that moves bytes by presigned URLs alone: a token or the session of a
// browser, no access key, and so none of the code that signs requests.
import { type ApiClient, type ClientOptions, connect } from './api-client.ts';
import { createApiBackend } from './objects/api-backend.ts';
import { createSendObject } from './objects/send-object.ts';
import type { Transport } from './upload/upload-context.ts';

export type PresignedOptions = Omit<ClientOptions, 'accessKey' | 'region'>;

/** Connects to the JSON API, and to the S3 surface by URLs that it presigns. */
export function connectPresigned(options: PresignedOptions): {
  readonly api: ApiClient;
  readonly transport: Transport;
} {
  const { api, fetch, policy } = connect(options);
  const backend = createApiBackend(api);
  const send = createSendObject(backend, fetch, options.fetch !== undefined);
  return { api, transport: { backend, send, policy } };
}
