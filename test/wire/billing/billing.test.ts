// Prices, credits and bills through the JSON API, as an operator and a customer use it.
import { expect, it } from 'vitest';
import { signIn, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { inOneMonth, thisMonth } from '../kit/one-month.ts';

const { target } = client;
const fresh = () => crypto.randomUUID().slice(0, 8);

/** How long usage may be on its way to the ledger, on a slow machine. */
const LEDGER_MS = 40_000;

/** The operator, and a customer where the target has one. */
const operator = tokenClient(client);
const customer = target.other === null ? null : tokenClient(client, target.other);

describeCore('prices and credits', () => {
  it('are shown with the cards that ship, each with its source', async () => {
    const { call } = await operator;
    const first = await call('GET', '/rate-cards?limit=2');
    expect([first.status, first.json.items.map(({ id }: { id: string }) => id)]).toEqual([
      200,
      ['cloudflare-r2', 'aws-s3-us-east-1'],
    ]);
    const rest = await call('GET', `/rate-cards?cursor=${first.json.nextCursor}`);
    expect(rest.json.items[0].id).toBe('backblaze-b2');
    for (const card of [...first.json.items, ...rest.json.items])
      expect(card.source).toMatch(/^https:/);
    expect((await call('GET', '/rate-cards/backblaze-b2')).json).toEqual(rest.json.items[0]);
    expect((await call('GET', '/rate-cards/none')).json.code).toBe('NoSuchRateCard');
  });

  it('include the cards of the operator', async () => {
    const { call } = await operator;
    const id = `wire-${fresh()}`;
    const { json: r2 } = await call('GET', '/rate-cards/cloudflare-r2');
    const card = { ...r2, id, name: 'Ours', minimum: '0.5' };
    const made = await call('PUT', `/rate-cards/${id}`, card);
    expect(made).toMatchObject({ status: 200, json: card });
    expect(await call('GET', `/rate-cards/${id}`)).toMatchObject({
      json: card,
      headers: { etag: made.headers.etag },
    });
    expect((await call('PUT', `/rate-cards/${id}`, card)).status).toBe(428);
    const replace = (name: string) =>
      call('PUT', `/rate-cards/${id}`, { ...card, name }, { 'if-match': made.headers.etag ?? '' });
    expect([(await replace('Ours, newer')).status, (await replace('Theirs')).status]).toEqual([
      200, 412,
    ]);
    const wrong = { ...card, lines: [{ ...card.lines[0], tiers: [{ upTo: '1', price: '1' }] }] };
    const refused = await call('PUT', `/rate-cards/${id}`, wrong);
    expect([refused.status, refused.json.code]).toEqual([400, 'InvalidInput']);
    expect((await call('PUT', '/rate-cards/cloudflare-r2', r2)).status).toBe(400);
  });

  it('change by another card for an account, by the state that was seen', async () => {
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

  it.skipIf(customer === null)(
    'reach a customer, who sees a credit and can’t give any',
    async () => {
      const { call } = await operator;
      const own = await (customer ?? operator);
      const { json: mine } = await own.call('GET', '/billing');
      const label = `welcome ${fresh()}`;
      const credit = { label, currency: 'USD', amountMicro: '25000000' };
      const path = `/billing/credits?accountId=${mine.accountId}`;
      const key = { 'idempotency-key': crypto.randomUUID() };
      const given = await call('POST', path, credit, key);
      expect([given.status, given.json.leftMicro, given.json.expiresAt]).toEqual([
        201,
        '25000000',
        null,
      ]);
      expect((await call('POST', path, credit, key)).json).toEqual(given.json);
      const { json } = await own.call('GET', '/billing');
      expect(json.credits.filter((each: { label: string }) => each.label === label)).toEqual([
        given.json,
      ]);
      for (const [method, forbidden, body] of [
        ['POST', '/billing/credits', credit],
        ['PUT', '/rate-cards/mine', (await own.call('GET', '/rate-cards/cloudflare-r2')).json],
      ] as const) {
        expect((await own.call(method, forbidden, body)).json.code).toBe('AccessDenied');
      }
      const past = { ...credit, expiresAt: '2020-01-01T00:00:00Z' };
      expect((await call('POST', path, past)).json.code).toBe('InvalidInput');
      expect((await own.call('GET', `/billing?accountId=${'0'.repeat(63)}1`)).json.code).toBe(
        'NoSuchAccount',
      );
    },
  );
});

describeCore('usage and invoices', () => {
  const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

  it('show what was used, by bucket and by meter, and the bill that it makes', {
    timeout: 2 * LEDGER_MS,
  }, async () => {
    const { call } = await operator;
    const { month, done: bucket } = await inOneMonth(async () => {
      const bucket = `wire-billing-${fresh()}`;
      await client.send({ method: 'PUT', bucket });
      for (const key of ['a', 'b', 'c', 'd', 'e']) {
        await client.send({ method: 'PUT', bucket, key, body: 'x'.repeat(1000) });
        await client.send({ method: 'GET', bucket, key });
      }
      return bucket;
    });
    const query = `/usage?from=${hourAgo()}&by=total&groupBy=bucket&bucket=${bucket}`;
    const used = async () => {
      const { json } = await call('GET', query);
      const items: { meter: string; bucket: string; quantity: string }[] = json.items;
      expect(items.filter((item) => item.bucket !== bucket)).toEqual([]);
      return new Map(items.map(({ meter, quantity }) => [meter, BigInt(quantity)]));
    };
    // The making of the bucket was before there was one to count for.
    const operations = async () => {
      const usage = await used();
      return [usage.get('class-a/STANDARD'), usage.get('class-b/STANDARD')];
    };
    await expect.poll(operations, { timeout: LEDGER_MS, interval: 300 }).toEqual([5n, 5n]);
    const only = await call('GET', `${query}&meter=egress`);
    const out = only.json.items.reduce(
      (sum: bigint, { quantity }: { quantity: string }) => sum + BigInt(quantity),
      0n,
    );
    expect(out).toBe(5000n);
    const byHour = await call(
      'GET',
      `/usage?from=${hourAgo()}&by=hour&bucket=${bucket}&meter=class-b`,
    );
    expect(byHour.json.items.at(-1)).toMatchObject({
      meter: 'class-b/STANDARD',
      time: expect.stringMatching(/:00:00\.000Z$/),
    });

    const { json: invoice } = await call('GET', `/invoices/${month}`);
    expect(invoice).toMatchObject({ status: 'open', period: month, isRecomputable: true });
    expect(BigInt(invoice.usage['class-a/STANDARD'])).toBeGreaterThanOrEqual(5n);
    const amounts: string[] = invoice.lines.map(
      ({ amountMicro }: { amountMicro: string }) => amountMicro,
    );
    const late: string[] = invoice.late.map(
      ({ amountMicro }: { amountMicro: string }) => amountMicro,
    );
    const credits: string[] = invoice.credits.map(
      ({ amountMicro }: { amountMicro: string }) => amountMicro,
    );
    const sum = (texts: readonly string[]) =>
      texts.reduce((total, each) => total + BigInt(each), 0n);
    expect(BigInt(invoice.totalMicro)).toBe(
      sum([...amounts, ...late]) + BigInt(invoice.minimumMicro) - sum(credits),
    );
  });

  it('come as files', async () => {
    const month = thisMonth();
    const headers = { cookie: await signIn(client, target.accessKey, target.secretKey) };
    const get = (file: string) =>
      client.anonymous({ method: 'GET', path: `/-/api/v1/invoices/${month}/${file}`, headers });
    const csv = await get('invoice.csv');
    expect([csv.headers['content-type'], csv.text.split('\r\n')[0]]).toEqual([
      'text/csv; charset=utf-8',
      expect.stringMatching(/^invoice,account,/),
    ]);
    const html = await get('invoice.html');
    expect(html.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect(html.text).toContain(`Open bill QS-${month}-`);
    const pdf = await get('invoice.pdf');
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([
      200,
      'application/pdf',
      '%PDF-',
    ]);
    expect((await get('focus.csv')).text).toMatch(/^BilledCost,BillingAccountId,/);
    const focus = JSON.parse((await get('focus.json')).text);
    for (const row of focus) expect(row.BillingPeriodStart).toBe(`${month}-01T00:00:00Z`);
    expect((await get('invoice.exe')).status).toBe(400);
  });

  it('prints names in other scripts than Latin as PDF, where the platform has fonts', async () => {
    const { call } = await operator;
    const headers = { cookie: await signIn(client, target.accessKey, target.secretKey) };
    const path = `/-/api/v1/invoices/${thisMonth()}/invoice.pdf`;
    const nameBuyer = (name: string) =>
      call(
        'PUT',
        '/billing/buyer',
        { name, address: 'Weg 1', country: 'DE', taxId: '' },
        { 'if-match': '*' },
      );

    expect((await nameBuyer('Γιώργος Żółć')).status).toBe(200);
    const pdf = await client.anonymous({ method: 'GET', path, headers });
    expect((await nameBuyer('Ann')).status).toBe(200);

    expect(pdf.status).toBe(target.platform === 'workers' ? 501 : 200);
  });

  it('forecasts the month, simulates others, and refuses what is none', async () => {
    const { call } = await operator;
    const { month, done: forecast } = await inOneMonth(() => call('GET', '/forecast'));
    expect(forecast.json.atEnd).toMatchObject({ status: 'open', period: month });
    expect(BigInt(forecast.json.atEnd.totalMicro)).toBeGreaterThanOrEqual(
      BigInt(forecast.json.soFar.totalMicro),
    );
    const cardIds = ['aws-s3-us-east-1', 'alibaba-oss-cn-hangzhou'];
    const whatIfs = [
      { kind: 'lifecycle', days: 30 },
      { kind: 'cache-lifetime', seconds: 3600 },
    ];
    const body = { period: month, cardIds, whatIfs, objectCount: '100' };
    const simulated = await call('POST', '/simulations', body);
    expect(
      simulated.json.others.map(({ cardId, currency }: Record<string, string>) => [
        cardId,
        currency,
      ]),
    ).toEqual([
      ['cloudflare-r2', 'USD'],
      ['aws-s3-us-east-1', 'USD'],
      ['alibaba-oss-cn-hangzhou', 'CNY'],
    ]);
    expect((await call('POST', '/simulations', { ...body, cardIds: ['none'] })).json.code).toBe(
      'NoSuchRateCard',
    );
    expect(
      (await call('POST', '/simulations', { ...body, whatIfs: [{ kind: 'lifecycle' }] })).status,
    ).toBe(400);
    expect((await call('GET', '/invoices/2999-12')).json.code).toBe('NoSuchInvoice');
    expect((await call('GET', '/invoices/2026-13')).status).toBe(400);
    expect((await call('GET', '/invoices')).json).toMatchObject({ items: expect.any(Array) });
    expect((await call('GET', `/usage?from=${hourAgo()}&by=week`)).status).toBe(400);
    expect((await call('GET', '/usage?from=2020-01-01T00:00:00Z')).json.code).toBe('InvalidInput');
  });

  it('note who an account is for Stripe', async () => {
    const { call } = await operator;
    const read = async () => (await call('GET', '/billing')).json.stripeCustomerId;
    expect(
      (await call('PUT', '/billing/stripe-customer', { customerId: 'cus_wire1' })).status,
    ).toBe(204);
    expect(await read()).toBe('cus_wire1');
    expect((await call('PUT', '/billing/stripe-customer', { customerId: 'acct_1' })).status).toBe(
      400,
    );
    expect((await call('PUT', '/billing/stripe-customer', { customerId: null })).status).toBe(204);
    expect(await read()).toBe(null);
  });
});
