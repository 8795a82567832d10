// The server of the page. It holds the token, and lets browsers ask for uploads into one bucket and
// below one prefix; the bytes go past it, from the browser to the storage.
//
//   QUAYSIDE_ENDPOINT=… QUAYSIDE_TOKEN=qst_… node server.ts     then open http://localhost:8080
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { type CorsRule, createClient } from 'quayside/client';
import { rolldown } from 'rolldown';

const BUCKET = 'uploads';
const PREFIX = 'in/';
const API = '/-/api/v1';
/** What browsers may ask for: URLs, and uploads in parts. Put your own sign-in before it. */
const ALLOWED =
  /^\/buckets\/uploads\/(?:presigned-urls|uploads(?:\/[\w-]+(?:\/parts|\/complete)?)?)$/;
const WRITING: readonly unknown[] = ['put', 'put-part', 'head'];
/** Longest body of a question, bytes. */
const BODY_MAX_BYTES = 1024 * 1024;

type Question = {
  readonly key?: unknown;
  readonly requests?: readonly Question[];
  operation?: unknown;
};

/** Whether all keys of a question are below the prefix, and none of it reads what others sent. */
function isAllowed(path: string, key: string | null, body: string): boolean {
  if (!ALLOWED.test(path)) return false;
  const { requests = [], key: own = key }: Question = body === '' ? {} : JSON.parse(body);
  const keys = requests.length === 0 ? [own] : requests.map((one) => one.key);
  const operations = requests.every(({ operation }) => WRITING.includes(operation));
  return operations && keys.every((one) => typeof one === 'string' && one.startsWith(PREFIX));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > BODY_MAX_BYTES) throw new Error('The body is too long.');
  }
  return body;
}

export type PageServer = { readonly url: string; end(): void };

export async function servePage(
  endpoint: string,
  token: string,
  port: number,
): Promise<PageServer> {
  const page = await readFile(new URL('index.html', import.meta.url));
  const bundle = await rolldown({ input: fileURLToPath(new URL('page.ts', import.meta.url)) });
  const { output } = await bundle.generate({ minify: true });

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://page.invalid');
    const path = pathname.slice(API.length);
    const body = await readBody(request);
    if (!isAllowed(path, searchParams.get('key'), body)) {
      response.writeHead(403).end();
      return;
    }
    const key = request.headers['idempotency-key'];
    const answer = await fetch(`${endpoint}${API}${path}${search}`, {
      method: request.method ?? 'GET',
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === '' ? {} : { 'content-type': 'application/json' }),
        ...(typeof key === 'string' ? { 'idempotency-key': key } : {}),
      },
      ...(body === '' ? {} : { body }),
    });
    const type = answer.headers.get('content-type') ?? 'application/json';
    response.writeHead(answer.status, { 'content-type': type }).end(await answer.text());
  }

  const server = createServer((request, response) => {
    if (request.url?.startsWith(API)) {
      forward(request, response).catch(() => response.writeHead(502).end());
    } else if (request.url === '/page.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(output[0].code);
    } else {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page);
    }
  });
  server.listen(port);
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  await openBucketTo(endpoint, token, url);
  return { url, end: () => void server.close() };
}

/** Makes the bucket, and lets pages of that origin send to it. */
async function openBucketTo(endpoint: string, token: string, origin: string): Promise<void> {
  const client = createClient({ endpoint, token });
  await client.buckets.create({ body: { name: BUCKET } }).catch(() => {});
  const rule = {
    allowedOrigins: [origin],
    allowedMethods: ['PUT', 'HEAD'],
    allowedHeaders: ['*'],
    exposeHeaders: ['ETag', 'x-amz-version-id', 'x-amz-checksum-sha256'],
  } satisfies CorsRule;
  await client.buckets.update(BUCKET, { body: { cors: [rule] }, ifMatch: '*' });
}

if (import.meta.main) {
  const { QUAYSIDE_ENDPOINT = '', QUAYSIDE_TOKEN = '', PORT = '8080' } = process.env;
  const { url } = await servePage(QUAYSIDE_ENDPOINT, QUAYSIDE_TOKEN, Number(PORT));
  process.stdout.write(`Open ${url}\n`);
}
