// The backend of tokens and sessions: the JSON API presigns each request and keeps
// the multipart uploads. Calls that come together are presigned in one request.

import type { ApiClient } from '../api-client.ts';
import type { PresignedUrl, UrlRequest } from '../api-types.ts';
import { unusableResponse } from '../errors.ts';
import { nullWhereMissing } from '../read-failure.ts';
import { asFailure } from '../retry.ts';
import type { Request } from '../routes.ts';
import type { Address, Backend, ObjectCall } from './backend.ts';

/** URLs presigned at once. Source: the API's bound. */
const BATCH_MAX = 1000;
/** How long calls wait for others to go with, milliseconds. */
const BATCH_WAIT_MS = 2;
/**
 * Shortest time between two batches, milliseconds: thousands of small
 * files take no request each.
 */
const BATCH_EVERY_MS = 100;
/** Life of a URL, seconds: a slow line needs a while for one part. */
const EXPIRES_SECONDS = 6 * 3600;

export function createApiBackend({ request, each }: ApiClient): Backend {
  const presign = createPresigner(request);
  return {
    address: presign,
    learnClock: () => false,
    async find({ bucket, key }, signal) {
      // A presigned HEAD may be answered from a cache.
      const route = 'GET /buckets/{bucket}/object';
      const found = await request(route, { path: { bucket }, query: { key }, signal }).catch(
        nullWhereMissing,
      );
      if (found === null) return null;
      const { size, checksum, contentType, metadata, etag } = found;
      const versionId = found.versionId === 'null' ? null : found.versionId;
      const completed = { etag, versionId };
      return { sizeBytes: Number(size), checksum, contentType, metadata, completed };
    },
    async begin({ bucket, key }, attributes, algorithm, signal) {
      const checksum = algorithm === null ? {} : { checksum: algorithm };
      const body = { ...attributes, ...checksum, key };
      const { id } = await request('POST /buckets/{bucket}/uploads', {
        path: { bucket },
        body,
        signal,
      });
      return id;
    },
    async parts({ bucket, key, uploadId }, signal) {
      const path = { bucket, uploadId };
      const parts = [];
      const list = each('GET /buckets/{bucket}/uploads/{uploadId}/parts', {
        path,
        query: { key },
        signal,
      });
      for await (const { size, ...part } of list) parts.push({ ...part, sizeBytes: Number(size) });
      return parts;
    },
    async complete({ bucket, key, uploadId }, parts, { ifNone, ifMatch }, signal) {
      const body = {
        key,
        parts: parts.map(({ partNumber, etag }) => ({ partNumber, etag })),
        onlyIfNew: ifNone,
        ...(ifMatch === null ? {} : { onlyIfEtag: ifMatch }),
      };
      const path = { bucket, uploadId };
      const route = 'POST /buckets/{bucket}/uploads/{uploadId}/complete';
      const { etag, versionId } = await request(route, { path, body, signal });
      return { etag, versionId };
    },
    async abort({ bucket, key, uploadId }) {
      const path = { bucket, uploadId };
      await request('DELETE /buckets/{bucket}/uploads/{uploadId}', { path, query: { key } });
    },
  };
}

type Waiting = {
  readonly call: ObjectCall;
  resolve(address: Address): void;
  reject(error: unknown): void;
};

/** Request coalescing: presigns calls of one bucket together, reads apart from writes. */
function createPresigner(request: Request): Backend['address'] {
  const queues = new Map<string, Waiting[]>();
  let sentAtMs = 0;

  function flush(name: string): void {
    const batch = queues.get(name);
    queues.delete(name);
    sentAtMs = Date.now();
    // A full batch has gone before its time was up.
    if (batch) void answer(batch);
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const { items } = await request('POST /buckets/{bucket}/presigned-urls', {
        path: { bucket: (batch as [Waiting])[0].call.bucket },
        body: {
          requests: batch.map(({ call }) => urlRequestOf(call)),
          expiresSeconds: EXPIRES_SECONDS,
        },
      });
      for (const [at, { call, resolve }] of batch.entries()) resolve(addressOf(call, items[at]));
    } catch (error) {
      // One that is wrong takes no other with it, and is found by halves. All else is
      // said of the whole batch: further requests would be refused as this one was.
      const half = batch.length >> 1;
      if (half && asFailure(error).status === 400) {
        void answer(batch.slice(0, half));
        void answer(batch.slice(half));
      } else for (const { reject } of batch) reject(error);
    }
  }

  return (call) =>
    new Promise((resolve, reject) => {
      const name = call.bucket + call.method;
      const queue = queues.get(name) ?? [];
      if (queue.length === 0) {
        queues.set(name, queue);
        const dueMs = sentAtMs + BATCH_EVERY_MS - Date.now();
        setTimeout(flush, Math.max(BATCH_WAIT_MS, dueMs), name);
      }
      queue.push({ call, resolve, reject });
      if (queue.length === BATCH_MAX) flush(name);
    });
}

/**
 * Ranges and conditions of reads are no part of a signature: one URL serves all of
 * them.
 */
function addressOf({ method, headers }: ObjectCall, presigned: PresignedUrl | undefined): Address {
  if (presigned === undefined) throw unusableResponse();
  const { url, headers: signed } = presigned;
  return { url, headers: method === 'GET' ? { ...headers } : { ...signed } };
}

function urlRequestOf(call: ObjectCall): UrlRequest {
  const { method, key, part, headers = {}, versionId, wantsChecksum: checksums = false } = call;
  if (method !== 'PUT') {
    return { operation: method === 'GET' ? 'get' : 'head', key, versionId, checksums };
  }
  if (part === undefined) return { operation: 'put', key, headers };
  return { operation: 'put-part', key, ...part, headers };
}
