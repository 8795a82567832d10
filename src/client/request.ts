// Sends requests to the JSON API by the name of their route, and repeats those that
// may be.
import type { Credential, CredentialInit, Fetch } from './credential.ts';
import { failureOf } from './read-failure.ts';
import { type RetryPolicy, retrying } from './retry.ts';
import type { Answer, CommonOptions, Request, Route } from './routes.ts';

/**
 * Routes answered with the response itself: files, and what leads to one. A list of
 * them would weigh more than all else here; the types and a test hold the pattern.
 */
export const FILE_ROUTE = /(content|nail|file\})$/i;

/** POSTs that change nothing: they need no Idempotency-Key to be repeated. */
export const QUESTION = /(presigned-url|simulation)s$/;

/** Longest wait for a response of the API, milliseconds. */
const TIME_LIMIT_MS = 60_000;

export type Sender = {
  readonly fetch: Fetch;
  readonly apiUrl: string;
  readonly credential: Credential;
  readonly policy: RetryPolicy;
};

type Texts = Readonly<Record<string, unknown>>;
type SentOptions = CommonOptions & {
  readonly path?: Texts;
  readonly query?: Texts;
  readonly body?: unknown;
};

/** Makes the function that all calls of the API go through. */
export function createRequest(sender: Sender): Request {
  const { fetch, credential, policy } = sender;
  /** ETags of the responses that are still in somebody's hands. */
  const etags = new WeakMap<object, string>();

  async function send(method: string, url: string, route: Route, options: SentOptions) {
    const { signal } = options;
    const attempt = async (shown: CredentialInit) => {
      const limit = AbortSignal.timeout(TIME_LIMIT_MS);
      return fetch(url, {
        ...shown,
        method,
        headers: { ...headersOf(options, etags), ...shown.headers },
        signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      });
    };
    const shown = await credential.init();
    let response = await attempt(shown);
    if (response.status === 401 && credential.renew(shown)) {
      response = await attempt(await credential.init());
    }
    if (!response.ok) throw await failureOf(response);
    options.onResponse?.(response);
    if (FILE_ROUTE.test(route)) return response;
    const text = await response.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    const etag = response.headers.get('etag');
    if (etag !== null && typeof answer === 'object') etags.set(answer, etag);
    return answer;
  }

  return async <R extends Route>(route: R, given: SentOptions = {}): Promise<Answer<R>> => {
    const [method = '', template = ''] = route.split(' ');
    const path = fill(template, given.path ?? {});
    const url = `${sender.apiUrl}${path}${queryText(given.query ?? {})}`;
    const isQuestion = QUESTION.test(route);
    const needsKey = method === 'POST' && !isQuestion;
    const options = needsKey
      ? { ...given, idempotencyKey: given.idempotencyKey ?? randomText() }
      : given;
    const isRepeatable = /GET|POST/.test(method);
    return retrying(() => send(method, url, route, options), {
      policy,
      signal: given.signal,
      // A 429 comes before anything is done, so even a change may be sent again.
      mayRepeat: ({ retryable, status }) => retryable && (isRepeatable || status === 429),
    });
  };
}

/** 128 random bits. Pages over plain http have no randomUUID. */
const randomText = () => [...crypto.getRandomValues(new Uint32Array(4))].join('-');

function headersOf(
  { body, idempotencyKey, ifMatch, headers }: SentOptions,
  etags: WeakMap<object, string>,
): Record<string, string> {
  const tag = typeof ifMatch === 'object' ? etags.get(ifMatch) : ifMatch;
  return {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(tag === undefined ? {} : { 'if-match': tag }),
    ...headers,
  };
}

/** A route's path with its parameters. */
function fill(template: string, texts: Texts): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(`${texts[name]}`));
}

function queryText(query: Texts): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((one) => one !== undefined)
      .map((one) => `${name}=${encodeURIComponent(`${one}`)}`),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
