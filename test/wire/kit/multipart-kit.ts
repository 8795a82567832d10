// Short hands for multipart uploads: start, send parts, complete, each as one call that may go
// wrong on purpose.
import { expect } from 'vitest';
import type { Call } from './clients/client.ts';
import type { Reply } from './clients/http.ts';
import { client } from './clients/suite.ts';
import { xmlRoot } from './clients/xml.ts';

const { send } = client;

/** 5 MiB: the least a part that is not the last may have. */
export const PART_MIN_BYTES = 5 * 1024 * 1024;

export type PartName = {
  readonly partNumber: number | string;
  readonly etag: string;
  readonly extra?: string;
};

/** Starts an upload and returns its id. */
export async function startUpload(
  bucket: string,
  key: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const reply = await send({ method: 'POST', bucket, key, query: { uploads: '' }, headers });
  expect(reply.status, reply.text).toBe(200);
  const root = xmlRoot(reply.text, 'InitiateMultipartUploadResult');
  expect(root).toMatchObject({ Bucket: bucket, Key: key });
  return root.UploadId;
}

/** Sends a part, right or wrong. */
export function sendPart(
  bucket: string,
  key: string,
  uploadId: string,
  partNumber: number | string,
  more: Partial<Call> = {},
): Promise<Reply> {
  const query = { partNumber: String(partNumber), uploadId };
  return send({ method: 'PUT', bucket, key, query, payloadHash: 'UNSIGNED-PAYLOAD', ...more });
}

/** Sends a part that must be accepted; returns its name for the completion. */
export async function putPart(
  bucket: string,
  key: string,
  uploadId: string,
  partNumber: number,
  body: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<PartName> {
  const reply = await sendPart(bucket, key, uploadId, partNumber, { body, headers });
  expect(reply.status, reply.text).toBe(200);
  return { partNumber, etag: reply.headers.etag ?? '' };
}

/** The document that completes an upload. */
export function completion(parts: readonly PartName[]): string {
  const rows = parts.map(
    ({ partNumber, etag, extra = '' }) =>
      `<Part><PartNumber>${partNumber}</PartNumber><ETag>` +
      `${etag.replaceAll('"', '&quot;')}</ETag>${extra}</Part>`,
  );
  return (
    '<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
    `${rows.join('')}</CompleteMultipartUpload>`
  );
}

/** Completes an upload, right or wrong. */
export function complete(
  bucket: string,
  key: string,
  uploadId: string,
  parts: readonly PartName[] | string,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const body = typeof parts === 'string' ? parts : completion(parts);
  return send({ method: 'POST', bucket, key, query: { uploadId }, body, headers });
}

/** Completes an upload that must succeed; returns the elements of the answer. */
export async function completed(...args: Parameters<typeof complete>) {
  const reply = await complete(...args);
  expect(reply.status, reply.text).toBe(200);
  return xmlRoot(reply.text, 'CompleteMultipartUploadResult');
}
