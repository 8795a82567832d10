// A sender's side of drop links, written after tus 1.0 itself: nothing of src/ is used here.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { exchange, type Reply } from './clients/http.ts';
import type { ApiClient } from './clients/json-api.ts';
import { client } from './clients/suite.ts';
import { requestOf } from './clients/transport.ts';

/** A link as its owner made it. */
export type Drop = {
  readonly bucket: string;
  readonly id: string;
  /** `/-/d/{id}` */
  readonly path: string;
  /** Its own route of the JSON API. */
  readonly route: string;
};

export async function makeDrop(
  api: ApiClient,
  bucket: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Drop> {
  const made = await api.call('POST', `/buckets/${bucket}/drop-links`, {
    prefix: 'in/',
    template: '{name}',
    ...settings,
  });
  expect(made.status, JSON.stringify(made.json)).toBe(201);
  const { id, url } = made.json as { id: string; url: string };
  const path = new URL(url).pathname;
  return { bucket, id, path, route: `/buckets/${bucket}/drop-links/${id}` };
}

type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly announcedBytes?: number | null;
};

/** Sends one request to an address of this server. */
export const visit = (method: string, target: string, sent: Sent = {}): Promise<Reply> =>
  exchange(client.target.url, {
    method,
    target,
    ...sent,
    headers: { host: client.host, ...sent.headers },
  });

const base64 = (text: string) => Buffer.from(text).toString('base64');
export const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Becomes a sender and gives the code. */
export async function becomeSender(
  drop: Drop,
  fields: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const reply = await visit('POST', `${drop.path}/senders`, {
    body: Buffer.from(JSON.stringify(fields)),
  });
  expect(reply.status, reply.text).toBe(201);
  return (JSON.parse(reply.text) as { code: string }).code;
}

/** The headers of every request of a sender. */
export const asSender = (code: string): Record<string, string> => ({
  'tus-resumable': '1.0.0',
  'x-quayside-drop-code': code,
});

export type NewFile = {
  readonly name: string;
  readonly length: number | string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

/** Announces a file. */
export function create(drop: Drop, code: string, file: NewFile): Promise<Reply> {
  const metadata = [`filename ${base64(file.name)}`];
  if (file.type !== undefined) metadata.push(`filetype ${base64(file.type)}`);
  return visit('POST', `${drop.path}/files`, {
    headers: {
      ...asSender(code),
      'upload-length': `${file.length}`,
      'upload-metadata': metadata.join(','),
      ...(file.body === undefined ? {} : { 'content-type': 'application/offset+octet-stream' }),
      ...file.headers,
    },
    ...(file.body === undefined ? {} : { body: file.body }),
  });
}

/** Announces a file that must be taken; gives its address. */
export async function created(drop: Drop, code: string, file: NewFile): Promise<string> {
  const reply = await create(drop, code, file);
  expect(reply.status, reply.text).toBe(201);
  return reply.headers.location ?? '';
}

/** Sends bytes of a file from an offset. */
export const patch = (
  location: string,
  code: string,
  offset: number | string,
  body: Uint8Array,
  more: Sent = {},
): Promise<Reply> =>
  visit('PATCH', location, {
    body,
    ...more,
    headers: {
      ...asSender(code),
      'content-type': 'application/offset+octet-stream',
      'upload-offset': `${offset}`,
      ...more.headers,
    },
  });

/** How far a file is, as its sender is told. */
export const head = (location: string, code: string): Promise<Reply> =>
  visit('HEAD', location, { headers: asSender(code) });

/** A file that is sent whole. */
export async function sendFile(
  drop: Drop,
  code: string,
  name: string,
  body: Uint8Array,
  type?: string,
): Promise<Reply> {
  const file = { name, length: body.length, ...(type === undefined ? {} : { type }) };
  return patch(await created(drop, code, file), code, 0, body);
}

export type ReceiptFile = {
  readonly name: string;
  readonly size: number;
  readonly received: number;
  readonly isComplete: boolean;
  readonly sha256: string | null;
  readonly href: string;
};

/** What a sender sees of what he sent. */
export async function receiptOf(drop: Drop, code: string): Promise<readonly ReceiptFile[]> {
  const reply = await visit('GET', `${drop.path}/receipt`, { headers: asSender(code) });
  expect(reply.status, reply.text).toBe(200);
  return (JSON.parse(reply.text) as { files: ReceiptFile[] }).files;
}

/** The keys of a bucket, unfinished uploads apart. */
export async function keysOf(bucket: string): Promise<readonly string[]> {
  const reply = await client.send({ method: 'GET', bucket, query: { 'list-type': '2' } });
  return [...reply.text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
}

/** Multipart uploads that are under way in a bucket. */
export async function uploadsOf(bucket: string): Promise<number> {
  const reply = await client.send({ method: 'GET', bucket, query: { uploads: '' } });
  return [...reply.text.matchAll(/<Upload>/g)].length;
}

/** A PATCH whose bytes come when the test says so. */
export type OpenPatch = {
  write(bytes: Uint8Array): Promise<void>;
  /** The status of the response; null where the connection broke before one. */
  readonly status: Promise<number | null>;
  destroy(): void;
};

/** Begins to send a file, and leaves the body open. */
export function openPatch(
  location: string,
  code: string,
  length: number,
  localAddress?: string,
): OpenPatch {
  const { hostname, port } = new URL(client.target.url);
  const call = requestOf(client.target.url)({
    ...{ hostname, port, localAddress, method: 'PATCH', path: location, agent: false },
    headers: {
      ...asSender(code),
      host: client.host,
      'content-type': 'application/offset+octet-stream',
      'upload-offset': '0',
      'content-length': `${length}`,
    },
  });
  const status = new Promise<number | null>((resolve) => {
    call.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    });
    call.on('error', () => resolve(null));
    call.on('close', () => resolve(null));
  });
  return {
    write: (bytes) => new Promise((resolve) => call.write(bytes, () => resolve())),
    status,
    destroy: () => void call.destroy(),
  };
}
