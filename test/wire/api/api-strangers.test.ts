// What the JSON API takes in of those whom a route does not let in: heads, and no bodies.
import { expect, it } from 'vitest';
import { type ApiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { openSocket } from '../kit/clients/socket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { target } = client;
const BODY_BYTES = 1_000_000;

/** Sends a head that announces a body, and a little of that body, then waits for the answer. */
async function announce(path: string, headers: readonly string[] = []) {
  const socket = await openSocket(target.url);
  const lines = [
    `POST /-/api/v1${path} HTTP/1.1`,
    `Host: ${new URL(target.url).host}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY_BYTES}`,
    ...headers,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n{"name":"`);
  try {
    const { status, body } = await socket.read();
    return { status, code: (JSON.parse(body.toString()) as { code: string }).code };
  } finally {
    socket.close();
  }
}

describeCore('before its body has come', () => {
  it.each([
    ['nobody', []],
    ['a token that nobody has', ['Authorization: Bearer nobody']],
    ['a session that nobody has', ['Cookie: __Host-quayside=nobody']],
  ])('a request of %s is answered 401', async (_who, headers) => {
    expect(await announce('/buckets', headers)).toEqual({ status: 401, code: 'Unauthenticated' });
  });

  it('a request without the scope of its route is answered 403', async () => {
    const root = await tokenClient(client);
    const narrow = await root.call('POST', '/tokens', { name: 'narrow', scopes: ['usage:read'] });
    expect(narrow.status).toBe(201);
    const answer = await announce('/buckets', [`Authorization: Bearer ${narrow.json.token}`]);
    expect(answer).toEqual({ status: 403, code: 'AccessDenied' });
  });

  it('a sign-in with a body that is too long is refused', async () => {
    expect(await announce('/sessions')).toEqual({ status: 413, code: 'ContentTooLarge' });
  });
});

describeCore('the limit of requests', () => {
  it('the rate limit is of an account, however many tokens and sessions it has', async () => {
    const { accessKey, secretKey } = await newAccount(await tokenClient(client), 'two tokens');
    const left = async (caller: ApiClient) => {
      const { headers } = await caller.call('GET', '/me');
      return Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);
    };
    const [first, second] = [
      await tokenClient(client, { accessKey, secretKey }),
      await tokenClient(client, { accessKey, secretKey }),
    ];
    const before = await left(first);
    expect(await left(second)).toBe(before - 1);
  });
});
