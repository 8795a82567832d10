// The backend of access keys: every request is signed here, multipart uploads are
// kept by S3's own operations. Keys with a scope, which are for S3 alone, work too.
import type { AccessKeyPair, Fetch } from '../credential.ts';
import { unusableResponse } from '../errors.ts';
import { failureOf, nullWhereMissing } from '../read-failure.ts';
import { type RetryPolicy, retrying } from '../retry.ts';
import { elementsOf, textOf } from '../xml.ts';
import type { Backend, ObjectCall, StoredPart } from './backend.ts';
import { attributeHeaders, conditionHeaders, unquoted } from './object-headers.ts';
import { foundObject, partElement, partOf } from './s3-documents.ts';
import { createSigner, encode, encodeQuery } from './sigv4.ts';

export type S3BackendOptions = {
  readonly fetch: Fetch;
  /** Origin of the server. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: AccessKeyPair;
  readonly policy: RetryPolicy;
};

type Signed = {
  readonly method: string;
  readonly bucket: string;
  readonly key: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** `value`: text of the element that was to be there. */
type Operated = { readonly text: string; readonly value: string; readonly headers: Headers };

/**
 * A server refuses signatures that are off by a quarter of an hour, milliseconds.
 */
const CLOCK_TOLERANCE_MS = 60_000;

const WITH_CHECKSUM = { 'x-amz-checksum-mode': 'ENABLED' };

export function createS3Backend({
  fetch,
  endpoint,
  region,
  accessKey,
  policy,
}: S3BackendOptions): Backend {
  const sign = createSigner(accessKey, region);
  const { host } = new URL(endpoint);
  /** How far the server's clock is ahead of ours, milliseconds. */
  let aheadMs = 0;

  async function signed({ method, bucket, key, query, headers = {} }: Signed) {
    const path = `/${encode(bucket)}/${key.split('/').map(encode).join('/')}`;
    const request = { method, host, path, query, headers };
    const text = encodeQuery(query);
    return {
      url: `${endpoint}${path}${text === '' ? '' : `?${text}`}`,
      headers: await sign(request, Date.now() + aheadMs),
    };
  }

  function learnClock(date: string | null): boolean {
    const newAheadMs = Date.parse(date ?? '') - Date.now();
    const isNews = Math.abs(newAheadMs - aheadMs) > CLOCK_TOLERANCE_MS;
    if (isNews) aheadMs = newAheadMs;
    return isNews;
  }

  /**
   * One operation on an upload, repeated where it may be; resolves with the
   * document, which has that element. S3 sends failures of a completion with 200.
   */
  const operate = (
    call: Signed,
    signal?: AbortSignal,
    element?: string,
    body: string | null = null,
  ): Promise<Operated> =>
    retrying(
      async () => {
        const { url, headers } = await signed(call);
        const init = { method: call.method, headers, body, signal: signal ?? null };
        const response = await fetch(url, init);
        if (!response.ok) throw await failureOf(response, learnClock);
        const text = await response.text();
        const value = (element && textOf(text, element)) ?? '';
        if (element && !value) throw unusableResponse();
        return { text, value, headers: response.headers };
      },
      { policy, signal },
    );

  return {
    address({ method, bucket, key, headers, ...call }) {
      const sent = { ...headers, ...(call.wantsChecksum ? WITH_CHECKSUM : {}) };
      return signed({ method, bucket, key, query: queryOf(call), headers: sent });
    },
    learnClock,
    async find({ bucket, key }, signal) {
      const call = { method: 'HEAD', bucket, key, query: {}, headers: WITH_CHECKSUM };
      const found = await operate(call, signal).catch(nullWhereMissing);
      return found === null ? null : foundObject(found.headers);
    },
    async begin({ bucket, key }, attributes, algorithm, signal) {
      const checksum = algorithm === null ? {} : { 'x-amz-checksum-algorithm': algorithm };
      const headers = { ...attributeHeaders(attributes), ...checksum };
      const call = { method: 'POST', bucket, key, query: { uploads: '' }, headers };
      return (await operate(call, signal, 'UploadId')).value;
    },
    async parts({ bucket, key, uploadId }, signal) {
      const parts: StoredPart[] = [];
      for (let marker = '0'; ; ) {
        const query = { uploadId, 'part-number-marker': marker };
        const call = { method: 'GET', bucket, key, query };
        const { text, value } = await operate(call, signal, 'IsTruncated');
        parts.push(...elementsOf(text, 'Part').map(partOf));
        if (value !== 'true') return parts;
        const next = textOf(text, 'NextPartNumberMarker') ?? marker;
        if (next === marker) throw unusableResponse();
        marker = next;
      }
    },
    async complete({ bucket, key, uploadId }, parts, condition, signal) {
      const headers = { ...conditionHeaders(condition), 'content-type': 'application/xml' };
      const call = { method: 'POST', bucket, key, query: { uploadId }, headers };
      const listed = parts.map(partElement).join('');
      const body = `<CompleteMultipartUpload>${listed}</CompleteMultipartUpload>`;
      const { value, headers: facts } = await operate(call, signal, 'ETag', body);
      return { etag: unquoted(value), versionId: facts.get('x-amz-version-id') };
    },
    async abort({ bucket, key, uploadId }) {
      await operate({ method: 'DELETE', bucket, key, query: { uploadId } });
    },
  };
}

function queryOf({ versionId, part }: Pick<ObjectCall, 'versionId' | 'part'>) {
  if (part !== undefined) return { partNumber: `${part.partNumber}`, uploadId: part.uploadId };
  const query: Record<string, string> = versionId === undefined ? {} : { versionId };
  return query;
}
