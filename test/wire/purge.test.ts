// Purges and the promise of freshness, as an owner asks for them.
import { beforeAll, expect, it } from 'vitest';
import { publicPolicy } from '../access-samples.ts';
import { useBucket } from './bucket.ts';
import { openToEveryone } from './bucket-work.ts';
import { eventually } from './eventually.ts';
import { client, describeCore } from './suite.ts';
import { expectError } from './xml.ts';

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
    await send({ method: 'PUT', bucket, key: 'a', body: 'one', headers: { 'x-amz-meta-cache-tag': 'news, sport' } });
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
    expect([status, headers['content-type']], text).toEqual([200, 'application/json']);
    const receipt = JSON.parse(text);
    expect(receipt).toEqual({
      id: expect.stringMatching(/^\w+$/),
      floor: expect.any(Number),
      freshBy: expect.any(String),
    });
    const freshInMs = Date.parse(receipt.freshBy) - askedMs;
    expect(freshInMs).toBeGreaterThan(-2000);
    expect(freshInMs).toBeLessThan(target.stalenessSeconds * 1000 + 5000);
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
    ['half a wish', '{"everything":"yes"}'],
  ])('that names %s is refused', async (_what, body) => {
    expectError(await send({ method: 'POST', bucket, query: { purge: '' }, body }), 400, 'InvalidRequest');
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
  const until = (timeMs: number) => new Promise((resolve) => setTimeout(resolve, Math.max(0, timeMs - Date.now())));

  it('is told, and by then everybody sees it: a write, a deletion, a bucket made public and private', async () => {
    const policy = { bucket, query: { policy: '' }, headers };
    const open = await send({ ...policy, method: 'PUT', body: publicPolicy(bucket) });
    await until(freshBy(open));
    for (const body of ['one', 'two']) {
      const written = await send({ method: 'PUT', bucket, key: 'a', body, headers });
      expect(freshBy(written)).toBeGreaterThan(Date.now() - 5000);
      expect(freshBy(written)).toBeLessThanOrEqual(Date.now() + target.stalenessSeconds * 1000);
      await until(freshBy(written));
      expect((await read('a')).text).toBe(body);
    }
    const deleted = await send({ method: 'DELETE', bucket, key: 'a', headers });
    expect(deleted.status).toBe(204);
    await until(freshBy(deleted));
    expect((await read('a')).status).toBe(404);
    const closed = await send({ ...policy, method: 'DELETE' });
    await until(freshBy(closed));
    expect((await read('a')).status).toBe(403);
  });

  it('is told nothing when it did not ask, and a read never is', async () => {
    const plain = await send({ method: 'PUT', bucket, key: 'b', body: 'x' });
    expect(plain.headers['x-quayside-fresh-by']).toBeUndefined();
    const signed = await send({ method: 'GET', bucket, key: 'b', headers });
    expect(signed.headers['x-quayside-fresh-by']).toBeUndefined();
  });
});
