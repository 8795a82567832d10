// The console's client of the API: the SDK without the bytes of objects, which are
// views/upload/send/upload-client.ts, in this browser's session. Every request is noted,
// so that a view can show itself as calls of the API.
import { signal } from '@preact/signals';
import { createApiClient, QuaysideError, type Route } from 'quayside/client';
import { hideSecrets } from './hide-secrets.ts';

export type Call = {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly path: string;
  readonly body: string | null;
  readonly atMs: number;
};

/** Calls that are shown at most. */
const CALLS_MAX = 20;
/** The newest calls, the latest first. */
export const calls = signal<readonly Call[]>([]);

/** Whether the server answered last time; null: nothing was asked yet. */
export const isReachable = signal<boolean | null>(null);
/** Called when a request found that nobody is signed in. */
export const signedOut = signal(0);

/** Adds the account that the operator works in; everybody else's own is meant. */
export let inAccount = (url: string): string => url;
export function nameAccounts(name: typeof inAccount): void {
  inAccount = name;
}

export const client = createApiClient({ endpoint: location.origin, fetch: notingFetch });
export { QuaysideError, type Route };

async function notingFetch(asked: string, init?: RequestInit): Promise<Response> {
  const url = inAccount(asked);
  const { pathname, search } = new URL(url, location.origin);
  const isApi = pathname.startsWith('/-/api/');
  if (isApi) {
    const body = typeof init?.body === 'string' ? hideSecrets(init.body) : null;
    const call = { method: init?.method ?? 'GET', path: pathname + search, body, atMs: Date.now() };
    const others = calls.value.filter(
      (one) => one.path !== call.path || one.method !== call.method,
    );
    calls.value = [call, ...others].slice(0, CALLS_MAX);
  }
  try {
    const response = await fetch(url, { credentials: 'same-origin', ...init });
    isReachable.value = true;
    if (isApi && response.status === 401 && !pathname.endsWith('/sessions')) signedOut.value++;
    return response;
  } catch (error) {
    if (init?.signal?.aborted !== true) isReachable.value = false;
    throw error;
  }
}
