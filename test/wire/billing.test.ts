// Prices, credits and bills through the JSON API, as an operator and a customer use it.
import { expect, it } from 'vitest';
import { tokenClient } from './json-api.ts';
import { client, describeCore } from './suite.ts';

const { target } = client;
const fresh = () => crypto.randomUUID().slice(0, 8);

/** The operator, and a customer where the target has one. */
const operator = tokenClient(client);
const customer = target.other === null ? null : tokenClient(client, target.other);

describeCore('prices and credits', () => {
  it('shows the cards that ship, each with its source', async () => {
    const { call } = await operator;
    const first = await call('GET', '/rate-cards?limit=2');
    expect([first.status, first.json.items.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      ['cloudflare-r2', 'aws-s3-us-east-1'],
    ]);
    const rest = await call('GET', `/rate-cards?cursor=${first.json.nextCursor}`);
    expect(rest.json.items[0].id).toBe('backblaze-b2');
    for (const card of [...first.json.items, ...rest.json.items]) expect(card.source).toMatch(/^https:/);
    expect((await call('GET', '/rate-cards/backblaze-b2')).json).toEqual(rest.json.items[0]);
    expect((await call('GET', '/rate-cards/none')).json.code).toBe('NoSuchRateCard');
  });

  it('keeps cards of the operator', async () => {
    const { call } = await operator;
    const id = `wire-${fresh()}`;
    const { json: r2 } = await call('GET', '/rate-cards/cloudflare-r2');
    const card = { ...r2, id, name: 'Ours', minimum: '0.5' };
    expect(await call('PUT', `/rate-cards/${id}`, card)).toMatchObject({ status: 200, json: card });
    expect((await call('GET', `/rate-cards/${id}`)).json).toEqual(card);
    const wrong = { ...card, lines: [{ ...card.lines[0], tiers: [{ upTo: '1', price: '1' }] }] };
    const refused = await call('PUT', `/rate-cards/${id}`, wrong);
    expect([refused.status, refused.json.code]).toEqual([400, 'InvalidInput']);
    expect((await call('PUT', '/rate-cards/cloudflare-r2', r2)).status).toBe(400);
  });

  it('gives an account another card, by the state that was seen', async () => {
    const { call } = await operator;
    const before = await call('GET', '/billing');
    const { etag = '' } = before.headers;
    const set = (rateCardId: string | null, match: string) =>
      call('PUT', '/billing/rate-card', { rateCardId }, { 'if-match': match });
    expect((await call('PUT', '/billing/rate-card', { rateCardId: null })).status).toBe(428);
    expect((await set('aws-s3-us-east-1', '"card other"')).status).toBe(412);
    expect((await set('none', etag)).json.code).toBe('NoSuchRateCard');
    const changed = await set('aws-s3-us-east-1', etag);
    expect([changed.status, changed.json.id]).toEqual([200, 'aws-s3-us-east-1']);
    expect((await call('GET', '/billing')).json).toMatchObject({
      rateCardId: 'aws-s3-us-east-1',
      isDefaultCard: false,
    });
    expect((await set(null, changed.headers.etag ?? '')).json.id).toBe('cloudflare-r2');
    expect((await call('GET', '/billing')).json).toMatchObject({ isDefaultCard: true });
  });

  it.skipIf(customer === null)('gives a credit to a customer, who sees it and can’t give any', async () => {
    const { call } = await operator;
    const own = await (customer ?? operator);
    const { json: mine } = await own.call('GET', '/billing');
    const label = `welcome ${fresh()}`;
    const credit = { label, currency: 'USD', amountMicro: '25000000' };
    const path = `/billing/credits?accountId=${mine.accountId}`;
    const key = { 'idempotency-key': crypto.randomUUID() };
    const given = await call('POST', path, credit, key);
    expect([given.status, given.json.leftMicro, given.json.expiresAt]).toEqual([201, '25000000', null]);
    expect((await call('POST', path, credit, key)).json).toEqual(given.json);
    const { json } = await own.call('GET', '/billing');
    expect(json.credits.filter((each: { label: string }) => each.label === label)).toEqual([given.json]);
    for (const [method, forbidden, body] of [
      ['POST', '/billing/credits', credit],
      ['PUT', '/rate-cards/mine', (await own.call('GET', '/rate-cards/cloudflare-r2')).json],
    ] as const) {
      expect((await own.call(method, forbidden, body)).json.code).toBe('AccessDenied');
    }
    const past = { ...credit, expiresAt: '2020-01-01T00:00:00Z' };
    expect((await call('POST', path, past)).json.code).toBe('InvalidInput');
    expect((await own.call('GET', `/billing?accountId=${'0'.repeat(63)}1`)).json.code).toBe('NoSuchAccount');
  });
});
