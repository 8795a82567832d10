// The clients of the wire suite, all against one target: the official AWS SDK as it comes,
// aws4fetch as a second signer, and `send`, which signs and sends exactly what a test describes.
// Benches use them too.
import { randomBytes } from 'node:crypto';
import type { Agent } from 'node:http';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { AwsClient } from 'aws4fetch';
import { exchange, type Reply } from './http.ts';
import {
  encodeKey,
  encodeQuery,
  type Pairs,
  presignQuery,
  type Seed,
  type Signer,
  type SignOptions,
  sha256Hex,
  signHeaders,
} from './sign.ts';
import type { WireTarget } from './target.ts';

/** A request as a test describes it. Without `bucket` it goes to the service. */
export type Call = {
  readonly method: string;
  readonly bucket?: string;
  readonly key?: string;
  /** Encoded path where it shall differ from what bucket and key make. */
  readonly path?: string;
  /** Path to sign where that shall differ from the path sent. */
  readonly signedPath?: string;
  readonly query?: Pairs | Readonly<Record<string, string>>;
  /** Query string to send where it shall differ from the one signed. */
  readonly sentQuery?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers that are sent without being signed. */
  readonly unsignedHeaders?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  /** x-amz-content-sha256; by default the hash of the body. */
  readonly payloadHash?: string;
  /** Makes the body from the signature of the headers: chunked uploads. */
  readonly makeBody?: (seed: Seed) => Uint8Array;
  readonly announcedBytes?: number | null;
  readonly signer?: Partial<Signer>;
  readonly sign?: SignOptions;
  /** Host header; by default that of the target. */
  readonly host?: string;
  readonly agent?: Agent;
};

const pairsOf = (query: Call['query']): Pairs =>
  Array.isArray(query) ? query : Object.entries(query ?? {});
const bytesOf = (body: Call['body']) => (typeof body === 'string' ? Buffer.from(body) : body);

/** Encoded path of a call. */
export function pathOf(call: Pick<Call, 'bucket' | 'key' | 'path'>): string {
  if (call.path !== undefined) return call.path;
  if (call.bucket === undefined) return '/';
  return call.key === undefined ? `/${call.bucket}` : `/${call.bucket}/${encodeKey(call.key)}`;
}

const targetOf = (path: string, query: string) => (query === '' ? path : `${path}?${query}`);

export type WireClient = ReturnType<typeof createClient>;

/** All clients of one target. */
export function createClient(target: WireTarget) {
  const signer: Signer = {
    accessKey: target.accessKey,
    secretKey: target.secretKey,
    region: target.region,
  };
  const ownHost = new URL(target.url).host;
  const credentials = { accessKeyId: target.accessKey, secretAccessKey: target.secretKey };

  const sdk = (config: S3ClientConfig = {}) =>
    new S3Client({
      endpoint: target.url,
      region: target.region,
      credentials,
      forcePathStyle: true,
      // No second attempt may hide a failure; then no idle connection may be used that the server
      // is just closing.
      maxAttempts: 1,
      requestHandler: { httpAgent: { keepAlive: false }, httpsAgent: { keepAlive: false } },
      ...config,
    });

  /** What goes over the wire for a signed call. */
  const prepared = (call: Call) => {
    const path = pathOf(call);
    const query = pairsOf(call.query);
    const given = bytesOf(call.body);
    const headers = { host: call.host ?? ownHost, ...call.headers };
    const part = { method: call.method, path: call.signedPath ?? path, query, headers };
    const payloadHash = call.payloadHash ?? sha256Hex(given ?? '');
    const signed = signHeaders(part, payloadHash, { ...signer, ...call.signer }, call.sign);
    const body = call.makeBody === undefined ? given : call.makeBody(signed.seed);
    return {
      method: call.method,
      target: targetOf(path, call.sentQuery ?? encodeQuery(query)),
      headers: { ...signed.headers, ...call.unsignedHeaders },
      ...(body === undefined ? {} : { body }),
      ...(call.agent === undefined ? {} : { agent: call.agent }),
      ...(call.announcedBytes === undefined ? {} : { announcedBytes: call.announcedBytes }),
    };
  };

  return {
    target,
    /** The official SDK with its default settings. */
    s3: sdk(),
    sdk,
    /** Signs by itself; its fetch is the platform's. */
    aws: new AwsClient({ ...credentials, region: target.region, service: 's3', retries: 0 }),
    prepared,
    send: (call: Call): Promise<Reply> => exchange(target.url, prepared(call)),

    /** Sends a call without a signature. */
    anonymous: (call: Call): Promise<Reply> => {
      const body = bytesOf(call.body);
      return exchange(target.url, {
        method: call.method,
        target: targetOf(pathOf(call), call.sentQuery ?? encodeQuery(pairsOf(call.query))),
        headers: { host: call.host ?? ownHost, ...call.headers },
        ...(body === undefined ? {} : { body }),
      });
    },

    /** Request target of a presigned call; send it with `host` and the call's own headers. */
    presigned: (call: Call, expires = '300'): string => {
      const headers = { host: call.host ?? ownHost, ...call.headers };
      const part = { method: call.method, path: pathOf(call), query: pairsOf(call.query), headers };
      return targetOf(
        part.path,
        encodeQuery(presignQuery(part, expires, { ...signer, ...call.signer }, call.sign)),
      );
    },

    url: (bucket: string, key: string) => `${target.url}/${bucket}/${encodeKey(key)}`,
    host: ownHost,
  };
}

/**
 * A bucket name that nobody has; the same prefix everywhere, so that leftovers of a run are easy to
 * find.
 */
export const freshBucketName = () => `wire-${randomBytes(8).toString('hex')}`;

/** Bytes without a pattern, the same on every run. */
export function sampleBytes(sizeBytes: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(sizeBytes);
  let state = (seed * 2654435761) >>> 0 || 1;
  for (let offset = 0; offset < sizeBytes; offset++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[offset] = state;
  }
  return bytes;
}
