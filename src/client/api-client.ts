// The part of the client that calls the JSON API and moves no bytes. A page that
// only reads and changes things loads a third of the whole.
import { type AccessKeyPair, createCredential, type Fetch } from './credential.ts';
import { createGroups, type Groups } from './groups.ts';
import { createEach, type Each } from './pages.ts';
import { createRequest } from './request.ts';
import { RETRY_DEFAULTS, type RetryPolicy } from './retry.ts';
import type { Request } from './routes.ts';

export type ClientOptions = {
  /**
   * Where the server is: `https://storage.example.org`. In its own pages:
   * `location.origin`.
   */
  readonly endpoint: string;
  /**
   * A bearer token, `qst_…`. Without it and an access key the browser's session is
   * used.
   */
  readonly token?: string | undefined;
  readonly accessKey?: AccessKeyPair | undefined;
  /** What signatures by an access key name; `auto` by default. */
  readonly region?: string | undefined;
  readonly fetch?: Fetch | undefined;
  /** How often, and how long, failed requests are repeated. */
  readonly retries?: Partial<RetryPolicy> | undefined;
};

export type ApiClient = Groups & {
  /**
   * Any route of the API: `request('GET /buckets/{bucket}', { path: { bucket } })`.
   */
  readonly request: Request;
  /** All items of a list, over all its pages. */
  readonly each: Each;
};

/** The client with what requests about objects need too. */
export function connect(options: ClientOptions) {
  const endpoint = new URL(options.endpoint).origin;
  const apiUrl = `${endpoint}/-/api/v1`;
  const fetch: Fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const policy = { ...RETRY_DEFAULTS, ...options.retries };
  const credential = createCredential(fetch, apiUrl, options);
  const request = createRequest({ fetch, apiUrl, credential, policy });
  const each = createEach(request);
  const api: ApiClient = { ...createGroups(request, each), request, each };
  return { api, endpoint, fetch, policy };
}

export const createApiClient = (options: ClientOptions): ApiClient => connect(options).api;
