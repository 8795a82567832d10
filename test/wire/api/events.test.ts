// Waiting for changes of a bucket: answers at once where something happened, else when it does.
import { expect, it } from 'vitest';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

/** Milliseconds: less than every platform waits, and more than a change takes to be seen. */
const SOON_MS = 3000;

async function newBucket(api: ApiClient): Promise<string> {
  const name = `wire-events-${crypto.randomUUID().slice(0, 13)}`;
  expect((await api.call('POST', '/buckets', { name })).status).toBe(201);
  return name;
}

async function put(api: ApiClient, bucket: string, key: string): Promise<void> {
  const requests = [{ operation: 'put', key }];
  const { json } = await api.call('POST', `/buckets/${bucket}/presigned-urls`, { requests });
  expect((await fetch(json.items[0].url, { method: 'PUT', body: key })).status).toBe(200);
}

describeCore('changes of a bucket', () => {
  it('are told at once, or as soon as they happen, with their folders', async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api);
    const wait = async (after: string, waitSeconds: number) => {
      const startedAt = performance.now();
      const query = `after=${after}&waitSeconds=${waitSeconds}`;
      const { status, json } = await api.call('GET', `/buckets/${bucket}/events?${query}`);
      expect(status).toBe(200);
      return { ...json, ms: performance.now() - startedAt };
    };
    const first = (await api.call('GET', `/buckets/${bucket}/events`)).json;
    expect(first).toMatchObject({ isChanged: true, topics: null, prefixes: null });
    const idle = await wait(first.revision, 0.5);
    expect(idle).toMatchObject({ revision: first.revision, isChanged: false, topics: [] });
    expect(idle.ms).toBeGreaterThan(450);

    const waiting = wait(first.revision, 25);
    await put(api, bucket, 'photos/2026/one.jpg');
    const told = await waiting;
    expect(told).toMatchObject({ isChanged: true, topics: ['objects'] });
    expect(told.prefixes).toEqual(['photos/2026/']);
    expect(told.ms).toBeLessThan(SOON_MS);

    await put(api, bucket, 'top.txt');
    const job = { kind: 'delete', prefix: 'photos/' };
    expect((await api.call('POST', `/buckets/${bucket}/jobs`, job)).status).toBe(202);
    const since = await wait(told.revision, 25);
    expect(since.topics).toEqual(expect.arrayContaining(['objects', 'jobs']));
    expect(since.prefixes).toContain('');
    expect((await wait('somebody-else', 25)).topics).toBeNull();

    const change = { tags: { seen: 'yes' } };
    const settings = await wait((await wait('x', 0)).revision, 0);
    const patching = wait(settings.revision, 25);
    await api.call('PATCH', `/buckets/${bucket}`, change, { 'if-match': '*' });
    expect((await patching).isChanged).toBe(true);
    for (const query of ['after=a%20b', 'waitSeconds=26', 'waitSeconds=-1', 'x=1']) {
      const refused = await api.call('GET', `/buckets/${bucket}/events?${query}`);
      expect([query, refused.status]).toEqual([query, 400]);
    }
    expect((await api.call('GET', '/buckets/no-such-bucket/events')).status).toBe(404);
  });

  it('are waited for by 64 at once, and those who leave make room', {
    timeout: 30_000,
  }, async () => {
    const api = await tokenClient(client);
    const bucket = await newBucket(api);
    const { revision } = (await api.call('GET', `/buckets/${bucket}/events`)).json;
    const token = (await api.call('POST', '/tokens', { name: 'waiter' })).json.token;
    const url = `${client.target.url}/-/api/v1/buckets/${bucket}/events?after=${revision}`;
    const leaving = new AbortController();
    const wait = (signal: AbortSignal) =>
      fetch(url, { headers: { authorization: `Bearer ${token}` }, signal }).then(
        ({ status }) => status,
        () => 'left',
      );
    const all = Array.from({ length: 65 }, () => wait(leaving.signal));
    // One too many: which one it is, nobody knows.
    expect(await Promise.race(all)).toBe(429);
    leaving.abort();
    expect((await Promise.all(all)).filter((outcome) => outcome === 'left')).toHaveLength(64);

    await expect
      .poll(
        async () => {
          const { status } = await api.call(
            'GET',
            `/buckets/${bucket}/events?after=${revision}&waitSeconds=0.01`,
          );
          return status;
        },
        { timeout: 10_000, interval: 200 },
      )
      .toBe(200);
  });
});
