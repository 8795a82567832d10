// Clients of servers that run as processes of their own, and what every test file of such servers
// begins with.
import { AwsClient } from 'aws4fetch';
import { afterAll, afterEach, vi } from 'vitest';
import { killNodeProcesses, ROOT_KEY } from './node-process.ts';

/** No server outlives its test, not even one that timed out and goes on in the background. */
export function useNodeProcesses(): void {
  // A start takes half a second alone, several where everything else runs too.
  vi.setConfig({ testTimeout: 60_000 });
  afterEach(killNodeProcesses);
  afterAll(killNodeProcesses);
}

/** Signs with the root key that servers of tests have. */
export const aws = new AwsClient({ ...ROOT_KEY, service: 's3', region: 'auto', retries: 0 });

/** The answer; rejects with what it says when it is a failure. */
export async function expectOk(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return response;
}

/** A call of the JSON API: the path is below /-/api/v1, the body is sent as JSON. */
export type ApiCall = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

/**
 * Signs in with the root key. The session goes on in the server that comes after this one in its
 * folder.
 */
export async function signIn(
  url: string,
): Promise<{ readonly cookie: string; readonly call: ApiCall }> {
  const session = await expectOk(apiAt(url, '')('POST', '/sessions', ROOT_KEY));
  const cookie = (session.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return { cookie, call: apiAt(url, cookie) };
}

/** The JSON API of a server, for who has the cookie. */
export function apiAt(url: string, cookie: string): ApiCall {
  return (method, path, body, headers = {}) =>
    fetch(`${url}/-/api/v1${path}`, {
      method,
      headers: { cookie, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
}
