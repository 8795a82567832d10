// The JSON API over a core in memory, signed in as the operator, for tests that need thousands of
// requests.
import { createApi } from '../../src/api/app.ts';
import { createDecide } from '../../src/core/auth/decide.ts';
import { createAccessKeyFinder } from '../../src/core/auth/find-access-key.ts';
import { createAccountFinder } from '../../src/core/auth/find-accounts.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../src/core/parse-names.ts';
import type { RequestNotes } from '../../src/http/observe/request-notes.ts';
import type { Ports } from '../../src/ports/index.ts';
import { createMemoryCore, putBytes } from '../core/memory-core.ts';
import { makeRequest } from '../http/s3/kit/make-request.ts';
import type { FuzzRequest } from './document-requests.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
type Json = any;

export type MemoryReply = {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Json;
  /** What was noted of the request on the way; a running server does not say. */
  readonly notes?: RequestNotes;
};

/** What a request shows to say who it is from. */
export type Credential = { readonly cookie: string } | { readonly authorization: string };

const ROOT = { id: 'memory-root-key', secret: 'memory-root-secret' };

/**
 * `faults` are what the API logged as faults of its own. `secret`: what its keys are derived from.
 * `wrap` may put something before the ports.
 */
export async function startMemoryApi(
  secret: string | null = ROOT.secret,
  wrap: (working: Ports) => Ports = (working) => working,
) {
  const core = createMemoryCore();
  const faults: unknown[] = [];
  const ports = {
    ...wrap(core.ports),
    log: {
      info: () => {},
      error: (event: string, fields?: object) => void faults.push({ event, fields }),
    },
  };
  const watched = { ...core, ports };
  const services = {
    core: watched,
    findAccessKey: createAccessKeyFinder(watched, ROOT, []),
    findAccounts: createAccountFinder(watched, []),
    decide: createDecide(),
    region: 'auto',
    baseDomain: null,
    websiteDomain: null,
  };
  const api = createApi({ ...services, rootSecretKey: secret, requestsPerMinute: 0 });
  const known = new Set<string>();
  const named = new Map<string, Set<string>>();
  let cookie = '';
  let count = 0;

  /** `own`: who else than the operator sends it, by a header. */
  async function send(
    { method, path, headers, body }: FuzzRequest,
    own?: Credential,
  ): Promise<MemoryReply> {
    const bytes = body === null ? [] : [new TextEncoder().encode(body)];
    const shown = own ?? { cookie };
    const request = makeRequest({
      method,
      target: `/-/api/v1${path}`,
      headers: { host: 'memory.test', ...headers, ...shown },
      body: bytes,
      knownProtocol: 'https',
    });
    // Nothing shall have to wait for attempts to sign in.
    core.advanceSeconds(1);
    const response = await api.handle(request, `request${++count}`);
    const text = await response.text();
    const json: Json = text === '' ? null : JSON.parse(text);
    if (own === undefined) remember(known, named, { path, json });
    return { status: response.status, headers: response.headers, json, notes: request.notes };
  }

  async function signInAgain(): Promise<void> {
    core.advanceSeconds(3600);
    const body = JSON.stringify({ accessKeyId: ROOT.id, secretAccessKey: ROOT.secret });
    const reply = await send({
      method: 'POST',
      path: '/sessions',
      headers: { 'content-type': 'application/json' },
      body,
    });
    cookie = (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  }

  await signInAgain();
  const document: Json = JSON.parse(
    await (
      await api.handle(
        makeRequest({ method: 'GET', target: '/-/api/openapi.json', headers: {}, body: [] }),
        'document',
      )
    ).text(),
  );
  for (const name of ['fuzz-bucket-one', 'fuzz-bucket-two']) {
    const body = JSON.stringify({ name });
    await send({
      method: 'POST',
      path: '/buckets',
      headers: { 'content-type': 'application/json' },
      body,
    });
  }
  const objects = ['note.txt', 'photos/1.jpg', 'photos/2.jpg'];
  for (const name of ['fuzz-bucket-one', 'fuzz-bucket-two']) {
    const bucket = await openBucket(core, parseBucketName(name), () => {});
    for (const name of objects) {
      await putBytes(core, bucket, name, new TextEncoder().encode(name));
    }
  }
  named.set('key', new Set(objects));
  const lists = () => Object.fromEntries([...named].map(([name, texts]) => [name, [...texts]]));
  return { core, document, faults, send, signInAgain, known: () => [...known], named: lists };
}

/** Texts of one name that are kept. */
const NAMED_MAX = 40;

/** Ids and names of answers, so that later requests mean something. */
function remember(
  known: Set<string>,
  named: Map<string, Set<string>>,
  { path, json }: { readonly path: string; readonly json: Json },
): void {
  const collection = (path.split('?')[0] ?? '').split('/').at(-1) ?? '';
  const note = (name: string, text: unknown) => {
    const texts = named.get(name) ?? new Set();
    if (typeof text === 'string' && text !== '' && texts.size < NAMED_MAX)
      named.set(name, texts.add(text));
  };
  for (const thing of [json, ...(Array.isArray(json?.items) ? json.items : [])]) {
    // What a list's items are called by in paths.
    note(collection, collection === 'buckets' ? thing?.name : thing?.id);
    for (const name of ['key', 'versionId', 'etag']) note(name, thing?.[name]);
    if (collection === 'uploads') note('uploadId', thing?.id);
    for (const name of ['id', 'name', 'nextCursor', 'login']) {
      if (typeof thing?.[name] === 'string' && thing[name] !== '' && known.size < 300)
        known.add(thing[name]);
    }
  }
}
