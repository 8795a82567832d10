// What a console shows first: an account at a glance, by what the caller may see, and the hosts of
// a bucket.
import { expect, it } from 'vitest';
import { apiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const fresh = (text: string) => `${text}-${crypto.randomUUID().slice(0, 8)}`;

describeCore('an account at a glance', () => {
  it('shows buckets, storage, month and caps, each to whoever may see it', async () => {
    const root = await tokenClient(client);
    const signer = await newAccount(root, 'glance');
    const { accountId } = signer;
    const owner = await tokenClient(client, signer);
    const empty = await owner.call('GET', '/overview');
    const none = { objects: '0', bytes: '0' };
    expect([empty.status, empty.json]).toMatchObject([
      200,
      {
        accountId,
        buckets: { count: 0, isComplete: true },
        stored: { isComplete: true, current: none },
        caps: [],
      },
    ]);
    expect(empty.json.month).toMatchObject({
      period: expect.stringMatching(/^\d{4}-\d\d$/),
      soFarMicro: '0',
    });
    const names = [fresh('glance'), fresh('glance')];
    for (const bucket of names) {
      expect((await owner.call('POST', '/buckets', { name: bucket })).status).toBe(201);
      expect(
        (await client.send({ method: 'PUT', bucket, key: 'k', body: 'twelve bytes', signer }))
          .status,
      ).toBe(200);
    }
    expect((await owner.call('PUT', '/caps/glance', { unit: 'bytes', limit: '1000' })).status).toBe(
      200,
    );
    const full = (await owner.call('GET', '/overview')).json;
    expect(full).toMatchObject({
      buckets: { count: 2 },
      stored: { current: { objects: '2', bytes: '24' } },
    });
    expect(full.caps).toMatchObject([
      { id: 'glance', unit: 'bytes', limit: '1000', level: 'open' },
    ]);
    expect((await root.call('GET', `/overview?accountId=${accountId}`)).json.stored).toEqual(
      full.stored,
    );
    const { token } = (
      await owner.call('POST', '/tokens', { name: 'few', scopes: ['buckets:read'] })
    ).json;
    const few = (
      await apiClient(client, { authorization: `Bearer ${token}` }).call('GET', '/overview')
    ).json;
    expect(few).toEqual({ ...full, month: null, caps: null });
  });

  it('lists buckets with what they store, cost and open, in pages', async () => {
    const root = await tokenClient(client);
    const signer = await newAccount(root, 'totals');
    const owner = await tokenClient(client, signer);
    const names = [fresh('a-totals'), fresh('b-totals'), fresh('c-totals')];
    const [first = '', second = '', third = ''] = names;
    for (const bucket of names) await owner.call('POST', '/buckets', { name: bucket });
    const put = (body: string) =>
      client.send({ method: 'PUT', bucket: first, key: 'k', body, signer });
    const match = { 'if-match': '*' };
    await owner.call('PATCH', `/buckets/${first}`, { versioning: 'enabled' }, match);
    expect((await put('twelve bytes')).status).toBe(200);
    expect((await put('thirteen byte')).status).toBe(200);
    await owner.call('PATCH', `/buckets/${second}`, { publicAccess: 'read' }, match);
    const opened = { prefix: 'pub/', what: 'read' };
    await owner.call('PUT', `/buckets/${third}/public-access`, opened, match);

    const page = (await owner.call('GET', '/buckets?include=totals&limit=2')).json;
    expect(page.items).toMatchObject([
      {
        name: first,
        totals: {
          versioning: 'enabled',
          publicAccess: 'none',
          current: { objects: 1, bytes: '13' },
          noncurrent: { objects: 1, bytes: '12' },
          uploads: { objects: 0, bytes: '0' },
          perMonthMicro: expect.stringMatching(/^\d+$/),
          currency: expect.stringMatching(/^[A-Z]{3}$/),
        },
      },
      { name: second, totals: { versioning: 'off', publicAccess: 'read' } },
    ]);
    const rest = `/buckets?include=totals&limit=2&cursor=${page.nextCursor}`;
    const { items, nextCursor } = (await owner.call('GET', rest)).json;
    expect([items.length, items[0]?.totals.publicAccess, nextCursor]).toEqual([1, 'some', null]);
    const plain = (await owner.call('GET', '/buckets')).json.items;
    expect(plain.map((item: object) => 'totals' in item)).toEqual([false, false, false]);
    expect((await owner.call('GET', '/buckets?include=all')).status).toBe(400);
  });

  it('knows the hosts of a bucket, and that they come to it', async () => {
    const root = await tokenClient(client);
    const bucket = fresh('hosts');
    expect((await root.call('POST', '/buckets', { name: bucket })).status).toBe(201);
    const path = `/buckets/${bucket}`;
    expect((await root.call('GET', `${path}/domains`)).json.items).toEqual([]);
    const domains = [
      { host: `www.${bucket}.example`, prefix: '' },
      { host: `docs.${bucket}.example`, prefix: 'docs/' },
    ];
    const change = await root.call('PATCH', path, { hosting: { domains } }, { 'if-match': '*' });
    expect(change.status).toBe(200);
    const { items } = (await root.call('GET', `${path}/domains`)).json;
    expect(items).toEqual(domains.map((domain) => ({ ...domain, isBound: true, record: null })));
    expect((await root.call('DELETE', path)).status).toBe(204);
    expect((await root.call('GET', `${path}/domains`)).json.code).toBe('NoSuchBucket');
  });
});
