// Calls of the API: what is sent, repeated, refused and paged. The server is real where it need not
// fail.
import { describe, expect, it } from 'vitest';
import { createClient, type Fetch, QuaysideError } from '../../src/client/index.ts';
import { useClientServer } from './client-server.ts';

const server = useClientServer();

type Sent = { readonly method: string; readonly url: string; readonly headers: Headers };

/** A server that gives these answers, one after the other, the last one again and again. */
function answering(...answers: (Response | Error)[]) {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, init) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)] ?? new Response();
    sent.push({ url, method: init?.method ?? 'GET', headers: new Headers(init?.headers) });
    if (answer instanceof Error) throw answer;
    return answer.clone();
  };
  const retries = { baseMs: 1, maxMs: 2 };
  const client = createClient({ endpoint: 'http://quayside.test', token: 't', fetch, retries });
  return { client, sent };
}

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify({ code, detail: 'What happened.', requestId: 'r1' }), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });
const CUT = new TypeError('fetch failed');

describe('a failed request', () => {
  it('is repeated where nothing can happen twice', async () => {
    const { client, sent } = answering(CUT, problem(503, 'SlowDown'), Response.json({ items: [] }));
    expect(await client.request('GET /caps')).toEqual({ items: [] });
    expect(sent).toHaveLength(3);
  });

  it('is a POST that is repeated under the same key', async () => {
    const { client, sent } = answering(CUT, Response.json({ name: 'a' }));
    await client.buckets.create({ body: { name: 'a' } });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(keys[0]).toMatch(/^[\d-]{20,}$/);
    expect(new Set(keys).size).toBe(1);
    const other = answering(Response.json({ name: 'a' }));
    await other.client.buckets.create({ body: { name: 'a' }, idempotencyKey: 'mine' });
    expect(other.sent[0]?.headers.get('idempotency-key')).toBe('mine');
  });

  it.each([CUT, problem(500, 'InternalError')])(
    'is a change that is not repeated',
    async (answer) => {
      const { client, sent } = answering(answer);
      const change = client.buckets.update('a', { body: {}, ifMatch: '*' });
      await expect(change).rejects.toMatchObject({ retryable: true });
      await expect(client.buckets.delete('a')).rejects.toBeInstanceOf(QuaysideError);
      expect(sent).toHaveLength(2);
    },
  );

  it('is a change that came too fast: that one may be sent again', async () => {
    const { client, sent } = answering(problem(429, 'TooManyRequests'), Response.json({}));
    await client.buckets.update('a', { body: {}, ifMatch: '*' });
    expect(sent).toHaveLength(2);
  });

  it('waits as long as Retry-After says', async () => {
    const { client } = answering(
      problem(429, 'TooManyRequests', { 'retry-after': '0.05' }),
      Response.json({}),
    );
    const startedAtMs = performance.now();
    await client.request('GET /me');
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(48);
  });

  it('may say by a date how long', async () => {
    const after = new Date(Date.now() + 3_600_000).toUTCString();
    const { client } = answering(problem(503, 'SlowDown', { 'retry-after': after }));
    const failure = await client.request('GET /me').catch((error: unknown) => error);
    const { retryAfterMs } = failure as QuaysideError;
    expect(Math.round((retryAfterMs ?? 0) / 10_000)).toBe(360);
  });

  it('gives up in time, and says all that is known', async () => {
    const { client, sent } = answering(problem(503, 'SlowDown', { 'retry-after': '3600' }));
    const failure = await client.request('GET /me').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(QuaysideError);
    expect(failure).toMatchObject({
      name: 'QuaysideError',
      message: 'What happened.',
      code: 'SlowDown',
      status: 503,
      requestId: 'r1',
      retryable: true,
      retryAfterMs: 3_600_000,
      hint: 'Try again later.',
    });
    expect(sent).toHaveLength(1);
    const cut = answering(CUT);
    await expect(cut.client.request('GET /me')).rejects.toMatchObject({
      code: 'NetworkFailure',
      status: null,
      cause: CUT,
    });
    expect(cut.sent).toHaveLength(6);
  });

  it.each([
    ['UsageCapReached', 429],
    ['StorageFull', 507],
    ['NoSuchBucket', 404],
  ])('%s does not pass by waiting', async (code, status) => {
    const { client, sent } = answering(problem(status, code));
    await expect(client.request('GET /me')).rejects.toMatchObject({ code, retryable: false });
    expect(sent).toHaveLength(1);
  });

  it('ends with the reason of the signal, also while it waits', async () => {
    const { client } = answering(problem(503, 'SlowDown', { 'retry-after': '100' }));
    const signal = AbortSignal.timeout(20);
    await expect(client.request('GET /me', { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(client.request('GET /me', { signal: gone })).rejects.toThrow('gone');
  });
});

describe('a client against a server', () => {
  it('names fields that are wrong', async () => {
    const many = server.byToken().buckets.create({ body: { name: 'a'.repeat(300) } });
    await expect(many).rejects.toMatchObject({
      code: 'InvalidInput',
      fields: [{ field: '/name', message: expect.any(String) }],
      hint: expect.stringContaining('fields'),
    });
  });

  it('follows every page of a list', async () => {
    const bucket = await server.newBucket();
    const keys = Array.from({ length: 7 }, (_, at) => `k${at}`);
    for (const key of keys) await server.byToken().upload(bucket, key, key);
    const client = server.byToken();
    const seen: string[] = [];
    const options = { path: { bucket }, query: { limit: 3 } };
    for await (const entry of client.each('GET /buckets/{bucket}/objects', options)) {
      if (entry.kind === 'object') seen.push(entry.key);
    }
    expect(seen).toEqual(keys);
  });

  it('says so where a list is cut', async () => {
    const { client } = answering(
      Response.json({ items: [{ key: 'a' }], nextCursor: null, isComplete: false }),
    );
    const seen: unknown[] = [];
    const read = async () => {
      for await (const item of client.objects.search('b', { query: { text: 'a' } }))
        seen.push(item);
    };
    await expect(read()).rejects.toMatchObject({ code: 'IncompleteList' });
    expect(seen).toEqual([{ key: 'a' }]);
  });

  it('changes a thing only as this client saw it', async () => {
    const bucket = await server.newBucket();
    const client = server.byToken();
    const seen = await client.buckets.get(bucket);
    await client.buckets.update(bucket, { body: { versioning: 'enabled' }, ifMatch: seen });
    const late = client.buckets.update(bucket, {
      body: { versioning: 'suspended' },
      ifMatch: seen,
    });
    await expect(late).rejects.toMatchObject({
      code: 'PreconditionFailed',
      hint: expect.stringContaining('read it again'),
    });
    await expect(client.buckets.update(bucket, { body: {} })).rejects.toMatchObject({
      code: 'PreconditionRequired',
    });
  });

  it('signs in again when a session has ended', async () => {
    const client = server.byKey();
    const before = await client.request('GET /me');
    await client.request('DELETE /sessions/{sessionId}', { path: { sessionId: 'current' } });
    const again = await Promise.all([client.request('GET /me'), client.request('GET /me')]);
    expect(again).toEqual([before, before]);
    const stranger = server.byKey({ accessKey: { id: 'nobody', secret: 'x'.repeat(20) } });
    await expect(stranger.request('GET /me')).rejects.toMatchObject({ code: 'InvalidCredentials' });
  });

  it('gives files and headers as they are', async () => {
    const bucket = await server.newBucket();
    // What leads to the bytes does so for whoever has a cookie.
    const client = server.byKey();
    await client.upload(bucket, 'a.txt', 'text');
    const route = 'GET /buckets/{bucket}/content';
    const response = await client.request(route, { path: { bucket }, query: { key: 'a.txt' } });
    expect(await response.text()).toBe('text');
    let freshBy: string | null = null;
    await client.objects.delete(bucket, {
      query: { key: 'a.txt' },
      headers: { 'x-quayside-fresh-by': '1' },
      onResponse: ({ headers }) => {
        freshBy = headers.get('x-quayside-fresh-by');
      },
    });
    expect(freshBy).toMatch(/^20/);
    const refused = client.download(bucket, 'a.txt');
    await expect(refused).rejects.toMatchObject({ code: 'NoSuchKey', status: 404 });
  });
});
