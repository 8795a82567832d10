// Requests as real clients sign them. Nothing goes over a network: the SDK's request handler is a
// function here.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  CopyObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { AwsV4Signer } from 'aws4fetch';
import { describe, expect, it } from 'vitest';
import { createAuthenticator } from '../../../../src/http/s3/signature/authenticate.ts';
import { account } from '../kit/authenticate-kit.ts';
import { makeRequest, type RequestParts, split } from '../kit/make-request.ts';
import { ACCESS_KEY_ID, AMZ_DATE, NOW_MS, SECRET } from '../kit/sign-for-test.ts';

const findAccessKey = async (id: string) =>
  id === ACCESS_KEY_ID ? { id: ACCESS_KEY_ID as never, secret: SECRET, account } : null;
const ODD_KEYS = [
  'plain.txt',
  'a//b',
  '/leading',
  'trailing/',
  '..',
  '../x',
  'a/../b/./c',
  'literal%2Fescape',
  '100%',
  'a+b',
  'a b',
  ' ends with spaces ',
  'über/Straße',
  '日本語/😀',
  'e\u0301',
  '~tilde',
  "'()*!",
  '$&,:;=@?#[]',
  'back\\slash|"<>^`{}',
  'line\nfeed',
];
const escapeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );

describe('aws4fetch', () => {
  const { authenticate } = createAuthenticator({
    findAccessKey,
    nowMs: () => NOW_MS,
    region: 'auto',
    isSignatureV2On: true,
    ownHosts: [],
  });
  const sign = async (
    url: string,
    init: { method?: string; headers?: Record<string, string>; body?: string } = {},
  ) => {
    const signer = new AwsV4Signer({
      url,
      ...init,
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: SECRET,
      service: 's3',
      region: 'auto',
      datetime: AMZ_DATE,
    });
    return toParts(await signer.sign(), init.body);
  };
  const toParts = (
    signed: { method: string; url: URL; headers: Headers },
    body = '',
  ): RequestParts => ({
    method: signed.method,
    target: `${signed.url.pathname}${signed.url.search}`,
    headers: { ...Object.fromEntries(signed.headers), host: signed.url.host },
    body: [Buffer.from(body)],
  });

  it.each(ODD_KEYS.filter((key) => !/(?:^|\/)\.\.?(?:\/|$)/.test(key)))(
    'GET of key %j',
    async (key) => {
      const parts = await sign(
        `http://127.0.0.1:9000/bucket/${key.split('/').map(escapeRfc3986).join('/')}`,
      );
      const { principal } = await authenticate(makeRequest(parts));
      expect(principal.kind).toBe('account');
    },
  );

  it('PUT with a body and metadata', async () => {
    const init = {
      method: 'PUT',
      body: 'hello',
      headers: { 'x-amz-meta-a': '  two  spaces ', 'content-type': 'a/b' },
    };
    const { body } = await authenticate(
      makeRequest(await sign('http://127.0.0.1:9000/bucket/k', init)),
    );
    expect(await read(body.source)).toBe('hello');
  });

  it('query with spaces as + and with empty values', async () => {
    const parts = await sign(
      'http://127.0.0.1:9000/bucket?list-type=2&prefix=a+b%2Bc&delimiter=&acl',
    );
    expect((await authenticate(makeRequest(parts))).principal.kind).toBe('account');
  });

  it('presigned, with a space in the query', async () => {
    const signer = new AwsV4Signer({
      url:
        'http://127.0.0.1:9000/bucket/k?response-content-disposition=attachment; filename="a ' +
        'b.txt"&X-Amz-Expires=60',
      accessKeyId: ACCESS_KEY_ID,
      secretAccessKey: SECRET,
      service: 's3',
      region: 'us-east-1',
      datetime: AMZ_DATE,
      signQuery: true,
    });
    const parts = toParts(await signer.sign());
    expect(parts.target).toContain('a+b.txt');
    const { principal, isPresigned } = await authenticate(makeRequest(parts));
    expect([principal.kind, isPresigned]).toEqual(['account', true]);
  });
});

type SdkRequest = {
  method: string;
  hostname: string;
  port?: number;
  path: string;
  query: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
};

/** What the SDK would put on the wire: its own HTTP handler writes query and body the same way. */
async function onTheWire(request: SdkRequest): Promise<RequestParts> {
  const query = Object.entries(request.query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const))
    .map(([name, value]) =>
      value ? `${escapeRfc3986(name)}=${escapeRfc3986(value)}` : escapeRfc3986(name),
    );
  const body =
    request.body === undefined
      ? Buffer.alloc(0)
      : typeof request.body === 'string' || request.body instanceof Uint8Array
        ? Buffer.from(request.body)
        : await buffer(request.body as Readable);
  return {
    method: request.method,
    target: `${request.path}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    headers: request.headers,
    body: split(body, [1000, 7, 4096]),
  };
}

/** Runs one command; gives what was sent. */
async function send(
  endpoint: string,
  region: string,
  run: (client: S3Client) => Promise<unknown>,
): Promise<RequestParts> {
  let sent: Promise<RequestParts> | null = null;
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET },
    maxAttempts: 1,
    requestHandler: {
      handle: async (request: SdkRequest) => {
        sent = onTheWire(request);
        await sent;
        return {
          response: {
            statusCode: 200,
            headers: {},
            body: Readable.from([Buffer.from('<Answer/>')]),
          },
        };
      },
    } as never,
  });
  await run(client);
  client.destroy();
  if (sent === null) throw new Error('the SDK sent nothing');
  return await sent;
}

async function read(source: {
  pump(onChunk: (chunk: Uint8Array) => void): Promise<void>;
}): Promise<string> {
  const chunks: Uint8Array[] = [];
  await source.pump((chunk) => void chunks.push(chunk));
  return Buffer.concat(chunks).toString();
}

describe('@aws-sdk/client-s3', () => {
  const { authenticate } = createAuthenticator({
    findAccessKey,
    nowMs: () => Date.now(),
    region: 'auto',
    isSignatureV2On: true,
    ownHosts: [],
  });

  it.each(ODD_KEYS)('GET of key %j', async (key) => {
    const parts = await send('http://127.0.0.1:9000', 'us-east-1', (client) =>
      client.send(new GetObjectCommand({ Bucket: 'bucket', Key: key, Range: 'bytes=0-9' })),
    );
    expect((await authenticate(makeRequest(parts))).principal.kind).toBe('account');
  });

  it.each(['auto', 'us-east-1', 'eu-central-1', 'somewhere'])('region %s', async (region) => {
    const parts = await send('http://127.0.0.1:9000', region, (client) =>
      client.send(new HeadObjectCommand({ Bucket: 'bucket', Key: 'k' })),
    );
    expect((await authenticate(makeRequest(parts))).principal.kind).toBe('account');
  });

  it.each(['a b+c', 'ü/😀', "!'()*", 'a=b&c'])('list with prefix %j', async (prefix) => {
    const parts = await send('http://127.0.0.1:9000', 'auto', (client) =>
      client.send(
        new ListObjectsV2Command({
          Bucket: 'bucket',
          Prefix: prefix,
          Delimiter: '/',
          StartAfter: '',
        }),
      ),
    );
    expect((await authenticate(makeRequest(parts))).principal.kind).toBe('account');
  });

  it('copy with an encoded source', async () => {
    const parts = await send('http://127.0.0.1:9000', 'auto', (client) =>
      client.send(
        new CopyObjectCommand({ Bucket: 'bucket', Key: 'k', CopySource: 'bucket/%C3%BC%20x' }),
      ),
    );
    expect((await authenticate(makeRequest(parts))).principal.kind).toBe('account');
  });

  it.each([
    ['https://127.0.0.1:9000', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
    ['http://127.0.0.1:9000', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER'],
  ])('PUT of a stream to %s', async (endpoint, contentSha256) => {
    const text = 'streamed '.repeat(20_000);
    const parts = await send(endpoint, 'auto', (client) =>
      client.send(
        new PutObjectCommand({
          Bucket: 'bucket',
          Key: 'k',
          Body: Readable.from(split(Buffer.from(text), [20_000])),
          ContentLength: text.length,
        }),
      ),
    );
    expect(parts.headers?.['x-amz-content-sha256']).toBe(contentSha256);
    const { body } = await authenticate(makeRequest(parts));
    expect(body.source.lengthBytes).toBe(text.length);
    expect(body.trailerNames).toEqual(['x-amz-checksum-crc32']);
    expect(await read(body.source)).toBe(text);
    expect(body.trailer('x-amz-checksum-crc32')).toMatch(/^[A-Za-z0-9+/]{6}==$/);
  });

  it('PUT of bytes with metadata', async () => {
    const parts = await send('http://127.0.0.1:9000', 'auto', (client) =>
      client.send(
        new PutObjectCommand({
          Bucket: 'bucket',
          Key: 'k',
          Body: 'hello',
          Metadata: { a: 'x  y' },
          CacheControl: 'no-store',
        }),
      ),
    );
    const { body } = await authenticate(makeRequest(parts));
    expect(await read(body.source)).toBe('hello');
  });

  it('presigned GET with overrides, and PUT', async () => {
    const client = new S3Client({
      endpoint: 'http://127.0.0.1:9000',
      region: 'auto',
      forcePathStyle: true,
      credentials: { accessKeyId: ACCESS_KEY_ID, secretAccessKey: SECRET },
    });
    const get = new GetObjectCommand({
      Bucket: 'bucket',
      Key: "odd (key)'s+1",
      ResponseContentType: 'text/x; a="b c"',
    });
    const put = new PutObjectCommand({ Bucket: 'bucket', Key: 'k', ContentType: 'text/plain' });
    for (const [method, command] of [
      ['GET', get],
      ['PUT', put],
    ] as const) {
      const url = new URL(
        await getSignedUrl(client, command as GetObjectCommand, { expiresIn: 604800 }),
      );
      const request = makeRequest({
        method,
        target: `${url.pathname}${url.search}`,
        headers: { host: url.host },
      });
      const { principal, isPresigned } = await authenticate(request);
      expect([principal.kind, isPresigned]).toEqual(['account', true]);
    }
    client.destroy();
  });
});
