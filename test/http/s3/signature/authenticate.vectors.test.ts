import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../../src/http/s3/signature/authenticate.ts';
import { account } from '../kit/authenticate-kit.ts';
import { makeRequest, split } from '../kit/make-request.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET } from '../kit/sign-for-test.ts';

type Signed = {
  target: string;
  headers: Record<string, string>;
  signedHeaders: string;
  signature: string;
};
type Chunked = Signed & { chunks: [number, string][]; trailers: string };
type Vectors = {
  requests: (Signed & { name: string; method: string; body: string })[];
  presigned: { host: string; target: string };
  chunked: Chunked;
  chunkedWithTrailer: Chunked;
};

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../../vectors/s3-sigv4.json', import.meta.url), 'utf8'),
);

const { authenticate } = createAuthenticator({
  findAccessKey: (id) => (id === ACCESS_KEY_ID ? { id, secret: SECRET, account } : null),
  nowMs: () => NOW_MS,
  region: 'us-east-1',
  isSignatureV2On: true,
  ownHosts: [],
});

const authorization = (vector: Signed): string =>
  `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/20130524/us-east-1/s3/aws4_request,` +
  `SignedHeaders=${vector.signedHeaders},Signature=${vector.signature}`;

describe("AWS's published examples", () => {
  it.each(vectors.requests)('$name', async (vector) => {
    const request = makeRequest({
      method: vector.method,
      target: vector.target,
      headers: { ...vector.headers, Authorization: authorization(vector) },
      body: [Buffer.from(vector.body)],
    });
    const { principal, body, isPresigned } = await authenticate(request);
    expect(principal).toEqual({ kind: 'account', account, accessKeyId: ACCESS_KEY_ID });
    expect(isPresigned).toBe(false);
    const received: Uint8Array[] = [];
    await body.source.pump((chunk) => void received.push(chunk));
    expect(Buffer.concat(received).toString()).toBe(vector.body);
  });

  it('presigned GET', async () => {
    const { host, target } = vectors.presigned;
    const { principal, isPresigned } = await authenticate(
      makeRequest({ target, headers: { host } }),
    );
    expect(principal).toEqual({ kind: 'account', account, accessKeyId: ACCESS_KEY_ID });
    expect(isPresigned).toBe(true);
  });

  it.each([
    ['chunked upload', vectors.chunked, null],
    ['chunked upload with a trailer', vectors.chunkedWithTrailer, 'sOO8/Q=='],
  ] as const)('hold: %s', async (_, vector, checksum) => {
    const frames = vector.chunks.flatMap(([length, signature]) => [
      Buffer.from(`${length.toString(16)};chunk-signature=${signature}\r\n`),
      Buffer.alloc(length, 'a'),
      Buffer.from(length > 0 ? '\r\n' : ''),
    ]);
    const wire = Buffer.concat([...frames, Buffer.from(`${vector.trailers}\r\n`)]);
    if (vector.headers['Content-Length'] !== undefined) {
      expect(`${wire.length}`).toBe(vector.headers['Content-Length']);
    }
    const request = makeRequest({
      method: 'PUT',
      target: vector.target,
      headers: { ...vector.headers, Authorization: authorization(vector) },
      body: split(wire, [4096]),
    });
    const { body } = await authenticate(request);
    expect(body.source.lengthBytes).toBe(66560);
    const received: Uint8Array[] = [];
    await body.source.pump((chunk) => void received.push(chunk));
    expect(Buffer.concat(received).equals(Buffer.alloc(66560, 'a'))).toBe(true);
    expect(body.trailer('x-amz-checksum-crc32c')).toBe(checksum);
  });
});
