// Share links as their owner makes them and visitors open them: what every test file of share
// links begins with. Nothing of src/ is used here.
import { randomBytes } from 'node:crypto';
import { beforeAll } from 'vitest';
import { type ApiClient, type ApiReply, tokenClient } from './clients/json-api.ts';
import { client } from './clients/suite.ts';
import { eventually } from './eventually.ts';

/** Headers that say where a request comes from; own servers believe them here. */
export const from = (address: string) => ({
  'x-forwarded-for': address,
  'cf-connecting-ip': address,
});

/** An address that nobody else comes from. Source: 198.18.0.0/15 is for tests (RFC 2544). */
export function ownAddress(): string {
  const [a = 0, b = 0] = randomBytes(2);
  return `198.18.${a}.${b}`;
}

/** What a browser sends of itself when somebody follows a link. */
export const BROWSER = {
  accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'sec-fetch-dest': 'document',
  'user-agent': 'Mozilla/5.0',
};

/** The names of programs that only show what a link is. */
export const PREVIEWS = ['Slackbot-LinkExpanding 1.0', 'WhatsApp/2.23', 'TelegramBot'];

export type Opened = { readonly status: number; readonly headers: Headers; readonly bytes: Buffer };

/** Opens an address, and follows no redirect. */
export async function open(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  init: RequestInit = {},
): Promise<Opened> {
  const reply = await fetch(url, { redirect: 'manual', ...init, headers });
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, headers: reply.headers, bytes };
}

/** Opens it as a person does; the page is in `html`. */
export async function openPage(url: string, headers: Readonly<Record<string, string>> = {}) {
  const page = await open(url, { ...BROWSER, ...headers });
  return { ...page, html: page.bytes.toString() };
}

/** Opens an address until it has that status: a change may be seconds old elsewhere. */
export const untilStatus = (url: string, status: number, headers = {}): Promise<Opened> =>
  eventually(
    () => open(url, headers),
    (reply) => reply.status === status,
  );

/** Begins to read and goes away before the end. */
export async function breakOff(url: string, headers: Record<string, string>): Promise<void> {
  const aborting = new AbortController();
  const reply = await fetch(url, { headers, signal: aborting.signal });
  const reader = reply.body?.getReader();
  await reader?.read();
  aborting.abort();
  await reader?.cancel().catch(() => undefined);
}

/** Asks again while all places are taken: a break is noticed in a moment. */
export async function untilFree(ask: () => Promise<Opened>): Promise<Opened> {
  for (let tries = 0; ; tries++) {
    const reply = await ask();
    if (reply.status !== 429 || tries > 50) return reply;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

export type MadeShare = { readonly id: string; readonly url: string };

/** The owner's side of the share links of a bucket. */
export type ShareOwner = {
  api(): ApiClient;
  /** Makes a link that must be taken. */
  make(body: object): Promise<MadeShare>;
  ofObject(key: string, more?: object): Promise<MadeShare>;
  change(id: string, body: object): Promise<ApiReply>;
  revoke(id: string): Promise<ApiReply>;
  /** Adds a recipient. */
  label(id: string, name: string): Promise<MadeShare>;
  usage(id: string): Promise<{ readonly downloads: number; readonly bytes: string }>;
  /** The path of the link in the JSON API. */
  pathOf(id: string): string;
};

/** Signs in once before the tests of a file. */
export function useShares(bucket: string): ShareOwner {
  let api: ApiClient;
  beforeAll(async () => {
    api = await tokenClient(client);
  });

  const pathOf = (id: string) => `/buckets/${bucket}/share-links/${id}`;
  async function made(path: string, body: object): Promise<MadeShare> {
    const { status, json } = await api.call('POST', path, body);
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`);
    return json as MadeShare;
  }
  const make = (body: object) => made(`/buckets/${bucket}/share-links`, body);
  const change = (id: string, body: object) =>
    api.call('PATCH', pathOf(id), body, { 'if-match': '*' });
  return {
    api: () => api,
    make,
    ofObject: (key, more = {}) => make({ target: { kind: 'object', key }, ...more }),
    change,
    revoke: (id) => change(id, { isRevoked: true }),
    label: (id, name) => made(`${pathOf(id)}/labels`, { name }),
    usage: async (id) => (await api.call('GET', pathOf(id))).json.usage,
    pathOf,
  };
}
