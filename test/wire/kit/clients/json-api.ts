// A client of the JSON API for the wire tests: signs in with an access key once, then sends JSON
// with a bearer token.
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { WireClient } from './client.ts';

export type ApiReply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  // Tests look into answers whose shape is what they examine.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test asserts
  readonly json: any;
};

export type ApiClient = {
  /** `path` is below /-/api/v1. A body that is no text is sent as JSON. */
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<ApiReply>;
};

/**
 * An address that nobody else comes from, in the headers that our own servers believe here.
 * Failures to sign in are counted by address, and all files of a run share one: without this each
 * would slow the others. Source: 198.18.0.0/15 is for tests (RFC 2544).
 */
function fromElsewhere({ target }: WireClient): Readonly<Record<string, string>> {
  if (!target.isTemporary) return {};
  const [a, b] = randomBytes(2);
  const address = `198.18.${a}.${b}`;
  return { 'x-forwarded-for': address, 'cf-connecting-ip': address };
}

/** Sends to the API with these headers, from an address of its own. */
export function apiClient(
  client: WireClient,
  given: Readonly<Record<string, string>> = {},
): ApiClient {
  const own = { ...fromElsewhere(client), ...given };
  return {
    async call(method, path, body, headers = {}) {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const sent =
        body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
      const [pathname = '', query] = `/-/api/v1${path}`.split('?');
      const reply = await client.anonymous({
        method,
        path: pathname,
        headers: { ...own, ...type, ...headers },
        ...(query === undefined ? {} : { sentQuery: query }),
        ...sent,
      });
      const isJson = /json/.test(reply.headers['content-type'] ?? '') && reply.text !== '';
      return {
        status: reply.status,
        headers: reply.headers,
        json: isJson ? JSON.parse(reply.text) : null,
      };
    },
  };
}

/** Longest wait for another attempt. */
const SLOWED_MAX_SECONDS = 4;

export type NewAccount = {
  readonly accountId: string;
  readonly accessKey: string;
  readonly secretKey: string;
};

/** Makes an account, and an access key that has all rights of it. */
export async function newAccount(operator: ApiClient, displayName: string): Promise<NewAccount> {
  const account = await operator.call('POST', '/accounts', { displayName });
  const key = await operator.call('POST', `/access-keys?accountId=${account.json.id}`, {
    name: displayName,
  });
  expect([account.status, key.status], JSON.stringify([account.json, key.json.code])).toEqual([
    201, 201,
  ]);
  return {
    accountId: account.json.id,
    accessKey: key.json.id,
    secretKey: key.json.secretAccessKey,
  };
}

/** From now on the account pays by that card. */
export async function setRateCard(
  operator: ApiClient,
  accountId: string,
  rateCardId: string,
): Promise<void> {
  const { headers } = await operator.call('GET', `/billing?accountId=${accountId}`);
  const match = { 'if-match': headers.etag ?? '' };
  const set = await operator.call(
    'PUT',
    `/billing/rate-card?accountId=${accountId}`,
    { rateCardId },
    match,
  );
  expect(set.status, JSON.stringify(set.json)).toBe(200);
}

/**
 * Signs in with an access key; the value of the Cookie header. Waits where wrong guesses of other
 * tests slow it.
 */
export async function signIn(
  client: WireClient,
  accessKeyId: string,
  secretAccessKey: string,
): Promise<string> {
  const attempt = () =>
    apiClient(client).call('POST', '/sessions', { accessKeyId, secretAccessKey });
  let reply = await attempt();
  for (let again = 0; reply.status === 429 && again < 3; again++) {
    const waitSeconds = Math.min(SLOWED_MAX_SECONDS, Number(reply.headers['retry-after'] ?? 1));
    await new Promise((resolve) => setTimeout(resolve, 1000 * waitSeconds));
    reply = await attempt();
  }
  const { status, headers, json } = reply;
  if (status !== 201) throw new Error(`Signing in failed: ${status} ${JSON.stringify(json)}`);
  return (headers['set-cookie'] ?? '').split(';')[0] ?? '';
}

/** A client with a token that has all rights of the access key: by default the operator's. */
export async function tokenClient(
  client: WireClient,
  key: { readonly accessKey: string; readonly secretKey: string } = client.target,
): Promise<ApiClient> {
  const cookie = await signIn(client, key.accessKey, key.secretKey);
  const { json } = await apiClient(client, { cookie }).call('POST', '/tokens', {
    name: 'wire suite',
  });
  return apiClient(client, { authorization: `Bearer ${json.token}` });
}
