// Purges and the promise of freshness, as an owner asks for them.
import { beforeAll, expect, it } from 'vitest';
import { publicPolicy } from '../../access-samples.ts';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { eventually } from '../kit/eventually.ts';

const { send, anonymous, target } = client;

describeCore('a purge', () => {
  const bucket = useBucket(client);
  beforeAll(() => openToEveryone(client, bucket));
  const purge = (document: unknown) =>
    send({ method: 'POST', bucket, query: { purge: '' }, body: JSON.stringify(document) });
  const read = (key: string) => anonymous({ method: 'GET', bucket, key });

  it.each([
    { keys: ['a'] },
    { prefixes: ['img/', 'css/'] },
    { tags: ['news'] },
    { keys: ['a'], prefixes: ['b'], tags: ['c'] },
    { everything: true },
  ])('of %o is answered with a receipt', async (document) => {
    await send({
      method: 'PUT',
      bucket,
      key: 'a',
      body: 'one',
      headers: { 'x-amz-meta-cache-tag': 'news, sport' },
    });
    expect(
      (
        await eventually(
          () => read('a'),
          ({ text }) => text === 'one',
        )
      ).text,
    ).toBe('one');
    const askedMs = Date.now();
    const { status, headers, text } = await purge(document);
    const answeredMs = Date.now();
    expect([status, headers['content-type']], text).toEqual([200, 'application/json']);
    const receipt = JSON.parse(text);
    expect(receipt).toEqual({
      id: expect.stringMatching(/^\w+$/),
      floor: expect.any(Number),
      freshBy: expect.any(String),
    });
    // Clocks of two machines may differ.
    const freshBy = Date.parse(receipt.freshBy);
    expect(freshBy).toBeGreaterThan(askedMs - 2000);
    expect(freshBy).toBeLessThan(answeredMs + target.stalenessSeconds * 1000 + 5000);
    const next = JSON.parse((await purge(document)).text);
    expect(next.floor).toBeGreaterThan(receipt.floor);
    expect(next.id).not.toBe(receipt.id);
    expect((await read('a')).text).toBe('one');
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['nothing', '{}'],
    ['an unknown list', '{"hosts":["a"]}'],
    ['no list', '{"keys":"a"}'],
    ['an empty text', '{"keys":[""]}'],
    ['a text that is too long', JSON.stringify({ prefixes: ['x'.repeat(1025)] })],
    ['too much', JSON.stringify({ tags: Array.from({ length: 101 }, (_, at) => `t${at}`) })],
    ['half a request', '{"everything":"yes"}'],
  ])('that names %s is refused', async (_what, body) => {
    expectError(
      await send({ method: 'POST', bucket, query: { purge: '' }, body }),
      400,
      'InvalidRequest',
    );
  });

  it('can be asked for by who is signed in', async () => {
    const api = await tokenClient(client);
    const purges = `/buckets/${bucket}/cache-purges`;
    const { status, json } = await api.call('POST', purges, { keys: ['a'], tags: ['news'] });
    expect([status, json]).toEqual([
      200,
      { id: expect.any(String), floor: expect.any(Number), freshBy: expect.any(String) },
    ]);
    expect((await api.call('POST', purges, { everything: true })).json.floor).toBeGreaterThan(
      json.floor,
    );
    const tooMany = Array.from({ length: 60 }, (_, at) => `t${at}`);
    for (const wrong of [
      {},
      { keys: [''] },
      { hosts: ['a'] },
      { keys: tooMany, tags: tooMany },
      { everything: false },
    ]) {
      expect((await api.call('POST', purges, wrong)).json.code).toBe('InvalidInput');
    }
    expect(
      (await api.call('POST', '/buckets/no-such-bucket-here/cache-purges', { everything: true }))
        .status,
    ).toBe(404);
  });

  it('is the owner’s alone', async () => {
    const stranger = { method: 'POST', bucket, query: { purge: '' }, body: '{"everything":true}' };
    expectError(await anonymous(stranger), 403, 'AccessDenied');
  });
});

describeCore('a change that asks when it will be seen', () => {
  const bucket = useBucket(client);
  const headers = { 'x-quayside-fresh-by': '1' };
  const freshBy = (reply: { headers: Record<string, string | undefined> }) =>
    Date.parse(reply.headers['x-quayside-fresh-by'] ?? '');
  const read = (key: string) => anonymous({ method: 'GET', bucket, key });
  const until = (timeMs: number) =>
    new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - Date.now())));

  it(
    'is told, and by then everybody sees it: a ' +
      'write, a deletion, a bucket made public and private',
    async () => {
      // Else browsers would keep each state for a minute, which the time would have in it.
      const rules = { cacheControlRules: [{ match: '/**', cacheControl: 'no-cache' }] };
      const hosting = { bucket, query: { hosting: '' }, body: JSON.stringify(rules) };
      expect((await send({ ...hosting, method: 'PUT' })).status).toBe(200);
      const policy = { bucket, query: { policy: '' }, headers };
      const open = await send({ ...policy, method: 'PUT', body: publicPolicy(bucket) });
      await until(freshBy(open));
      for (const body of ['one', 'two']) {
        const sentMs = Date.now();
        const written = await send({ method: 'PUT', bucket, key: 'a', body, headers });
        expect(freshBy(written)).toBeGreaterThan(sentMs - 5000);
        expect(freshBy(written)).toBeLessThanOrEqual(Date.now() + target.stalenessSeconds * 1000);
        await until(freshBy(written));
        expect((await read('a')).text).toBe(body);
      }
      const deleted = await send({ method: 'DELETE', bucket, key: 'a', headers });
      expect(deleted.status).toBe(204);
      await until(freshBy(deleted));
      expect((await read('a')).status).toBe(404);
      const closed = await send({ ...policy, method: 'DELETE' });
      // A rule for all keys is no promise that there was no other before it.
      expect(freshBy(closed)).toBeGreaterThan(Date.now() + 50_000);
      await until(Date.now() + target.stalenessSeconds * 1000);
      expect((await read('a')).status).toBe(403);
    },
  );

  it('is told so by the JSON API too, unless it is not done yet', async () => {
    const api = await tokenClient(client);
    const at = `/buckets/${bucket}`;
    const { headers: before } = await api.call('GET', at);
    const settings = { publicAccess: 'read' };
    const sentMs = Date.now();
    const opened = await api.call('PATCH', at, settings, {
      ...headers,
      'if-match': String(before.etag),
    });
    expect([opened.status, Math.sign(freshBy(opened) - sentMs + 5000)]).toEqual([200, 1]);
    expect(freshBy(opened)).toBeLessThanOrEqual(Date.now() + target.stalenessSeconds * 1000);
    await send({ method: 'PUT', bucket, key: 'json', body: 'x' });
    const deleted = await api.call('DELETE', `${at}/object?key=json`, undefined, headers);
    expect([deleted.status, Number.isFinite(freshBy(deleted))]).toEqual([200, true]);
    const asked = [
      await api.call('GET', at, undefined, headers),
      await api.call('POST', `${at}/jobs`, { kind: 'delete', keys: ['json'], prefix: '' }, headers),
      await api.call('DELETE', `${at}/object?key=json`),
      await api.call('PATCH', at, settings, headers),
    ];
    expect(asked.map(({ status }) => status)).toEqual([200, 202, 200, 428]);
    expect(asked.map((reply) => reply.headers['x-quayside-fresh-by'])).toEqual(
      asked.map(() => undefined),
    );
  });

  it('is told nothing when it did not ask, and a read never is', async () => {
    const plain = await send({ method: 'PUT', bucket, key: 'b', body: 'x' });
    expect(plain.headers['x-quayside-fresh-by']).toBeUndefined();
    const signed = await send({ method: 'GET', bucket, key: 'b', headers });
    expect(signed.headers['x-quayside-fresh-by']).toBeUndefined();
  });
});
