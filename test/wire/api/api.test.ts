// The frame of the JSON API, as clients meet it: signing in and out, tokens, problems, repeated
// requests, pages, limits.
import { expect, it } from 'vitest';
import { apiClient, newAccount, signIn, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { target } = client;
const nobody = apiClient(client);
const fresh = () => `wire-${crypto.randomUUID()}`;

describeCore('the JSON API', () => {
  it('describes itself', async () => {
    const { status, text, headers } = await client.anonymous({
      method: 'GET',
      path: '/-/api/openapi.json',
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    const document = JSON.parse(text);
    expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: '/-/api/v1' }]]);
    expect(document.paths['/tokens'].post.operationId).toBe('createToken');
  });

  it('answers failures as problems with a code and the id of the request', async () => {
    const reply = await nobody.call('GET', '/me');
    expect(reply.status).toBe(401);
    expect(reply.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'www-authenticate': 'Bearer realm="quayside"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(reply.json).toMatchObject({
      status: 401,
      code: 'Unauthenticated',
      requestId: reply.headers['x-request-id'],
    });
    expect((await nobody.call('GET', '/nothing')).json.code).toBe('NoSuchResource');
    const wrong = await nobody.call('PATCH', '/tokens');
    expect([wrong.status, wrong.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, POST']);
    const options = await nobody.call('OPTIONS', '/tokens');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS, POST']);
    const head = await (await tokenClient(client)).call('HEAD', '/me');
    expect([head.status, head.json]).toEqual([200, null]);
  });

  it('signs a browser in with an access key, and out, here and everywhere', async () => {
    // An account of its own: signing out everywhere must not meet the sessions of other tests.
    const root = await tokenClient(client);
    const { accessKey: accessKeyId, secretKey: secretAccessKey } = await newAccount(
      root,
      'signs out',
    );
    const made = await nobody.call(
      'POST',
      '/sessions',
      { accessKeyId, secretAccessKey },
      { 'user-agent': 'curl/8.5.0' },
    );
    expect([made.status, made.json.label, made.json.isCurrent]).toEqual([201, 'curl 8.5', true]);
    expect(made.headers['set-cookie']).toMatch(
      /^__Host-quayside=[0-9a-z]{32}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    const here = apiClient(client, { cookie: made.headers['set-cookie']?.split(';')[0] ?? '' });
    const there = apiClient(client, { cookie: await signIn(client, accessKeyId, secretAccessKey) });
    expect((await here.call('GET', '/me')).json).toMatchObject({
      role: 'owner',
      by: 'session',
      accessKeyId,
    });
    expect((await here.call('GET', '/sessions')).json.items.length).toBeGreaterThanOrEqual(2);
    const out = await here.call('DELETE', '/sessions/current');
    expect([out.status, out.headers['set-cookie']]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ]);
    expect((await here.call('GET', '/me')).status).toBe(401);
    expect((await there.call('GET', '/me')).status).toBe(200);
    expect((await there.call('DELETE', '/sessions')).status).toBe(204);
    expect((await there.call('GET', '/me')).status).toBe(401);
  });

  it('reveals not whether name or secret was wrong, and slows guessing', async () => {
    const guess = (accessKeyId: string) =>
      nobody.call('POST', '/sessions', { accessKeyId, secretAccessKey: 'not-the-secret' });
    const [known, unknown] = [
      await guess(target.other?.accessKey ?? target.accessKey),
      await guess(fresh()),
    ];
    for (const reply of [known, unknown])
      expect([reply.status, reply.json.code]).toEqual([401, 'InvalidCredentials']);
    expect({ ...known.json, requestId: '' }).toEqual({ ...unknown.json, requestId: '' });
    const victim = fresh();
    const codes: string[] = [];
    for (let i = 0; i < 12; i++) codes.push((await guess(victim)).json.code);
    expect(codes.slice(0, 10)).toEqual(Array(10).fill('InvalidCredentials'));
    expect(codes.slice(10)).toContain('TooManyRequests');
    const slowed = await guess(victim);
    if (slowed.status === 429)
      expect(Number(slowed.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('refuses what a browser sends from another site', async () => {
    const cookie = await signIn(client, target.accessKey, target.secretKey);
    const browser = apiClient(client, { cookie });
    const make = (headers: Record<string, string>) =>
      browser.call('POST', '/tokens', { name: 'csrf' }, headers);
    const own = target.url.replace(/^https?:\/\//, '');
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: `http://${own}` },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect([headers, (await make(headers)).json.code]).toEqual([headers, 'CrossSiteRequest']);
    }
    for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: `http://${own}` }]) {
      expect((await make(headers)).status).toBe(201);
    }
  });

  it('makes tokens with some rights, for some time, shown once', async () => {
    const owner = await tokenClient(client);
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const made = await owner.call('POST', '/tokens', {
      name: 'Reader ö',
      scopes: ['buckets:read'],
      expiresAt,
    });
    expect([made.status, made.json]).toMatchObject([
      201,
      { name: 'Reader ö', scopes: ['buckets:read'], expiresAt },
    ]);
    const reader = apiClient(client, { authorization: `Bearer ${made.json.token}` });
    expect((await reader.call('GET', '/buckets')).status).toBe(200);
    expect((await reader.call('GET', '/me')).json).toMatchObject({
      by: 'token',
      scopes: ['buckets:read'],
    });
    for (const [method, path] of [
      ['GET', '/tokens'],
      ['POST', '/tokens'],
      ['GET', '/sessions'],
    ] as const) {
      const refused = await reader.call(
        method,
        path,
        method === 'POST' ? { name: 'more' } : undefined,
      );
      expect([path, refused.status, refused.json.code]).toEqual([path, 403, 'AccessDenied']);
    }
    const listed = await owner.call('GET', '/tokens');
    expect(JSON.stringify(listed.json)).not.toContain(made.json.token);
    expect((await owner.call('DELETE', `/tokens/${made.json.id}`)).status).toBe(204);
    expect((await reader.call('GET', '/buckets')).json.code).toBe('Unauthenticated');
    expect((await owner.call('DELETE', `/tokens/${made.json.id}`)).json.code).toBe('NoSuchToken');
  });

  it('does a repeated POST once', async () => {
    const owner = await tokenClient(client);
    const key = { 'idempotency-key': fresh() };
    const first = await owner.call('POST', '/tokens', { name: 'once' }, key);
    const again = await owner.call('POST', '/tokens', { name: 'once' }, key);
    expect([again.status, again.json]).toEqual([first.status, first.json]);
    expect([first.headers['idempotency-replayed'], again.headers['idempotency-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    const other = await owner.call('POST', '/tokens', { name: 'another' }, key);
    expect([other.status, other.json.code]).toEqual([422, 'IdempotencyKeyReused']);
    const elsewhere = await (await tokenClient(client)).call(
      'POST',
      '/tokens',
      { name: 'once' },
      key,
    );
    expect([elsewhere.status, elsewhere.json.id === first.json.id]).toEqual([201, false]);
    const wrong = { 'idempotency-key': fresh() };
    expect((await owner.call('POST', '/tokens', { name: '' }, wrong)).status).toBe(400);
    expect((await owner.call('POST', '/tokens', { name: 'right' }, wrong)).status).toBe(201);
    const race = { 'idempotency-key': fresh() };
    const raced = await Promise.all(
      [1, 2, 3, 4].map(() => owner.call('POST', '/tokens', { name: 'race' }, race)),
    );
    expect(
      new Set(raced.filter(({ status }) => status === 201).map(({ json }) => json.id)).size,
    ).toBe(1);
    expect(raced.filter(({ status }) => status !== 201).map(({ json }) => json.code)).toEqual(
      raced.filter(({ status }) => status !== 201).map(() => 'IdempotencyInProgress'),
    );
  });

  it('gives lists in pages whose cursors are its own', async () => {
    const owner = await tokenClient(client, target.other ?? target);
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c'])
      ids.unshift((await owner.call('POST', '/tokens', { name })).json.id);
    // Other tests make tokens of this account meanwhile: ours may start on a later page.
    const pages = [(await owner.call('GET', '/tokens?limit=2')).json];
    const [first] = pages;
    const listedIds = () => pages.flatMap(({ items }) => items.map(({ id }: { id: string }) => id));
    for (
      let cursor = first.nextCursor;
      cursor !== null && !listedIds().includes(ids.at(-1));
      cursor = pages.at(-1).nextCursor
    ) {
      pages.push((await owner.call('GET', `/tokens?limit=2&cursor=${cursor}`)).json);
    }
    expect([pages.length > 1, pages.every(({ items }) => items.length <= 2)]).toEqual([true, true]);
    expect(listedIds()).toEqual([...new Set(listedIds())]);
    expect(listedIds().filter((id) => ids.includes(id))).toEqual(ids);
    for (const query of [
      `cursor=${first.nextCursor}x`,
      'cursor=YQ.YQ',
      'limit=0',
      'limit=1001',
      'limit=ten',
      'unknown=1',
    ]) {
      expect([query, (await owner.call('GET', `/tokens?${query}`)).json.code]).toEqual([
        query,
        'InvalidInput',
      ]);
    }
    expect((await owner.call('GET', `/sessions?cursor=${first.nextCursor}`)).json.code).toBe(
      'InvalidInput',
    );
  });

  it('refuses bodies that it cannot use', async () => {
    const owner = await tokenClient(client);
    const post = (body: string, type = 'application/json') =>
      owner.call('POST', '/tokens', body, { 'content-type': type });
    expect((await post('{')).json.code).toBe('InvalidInput');
    expect((await post('[]')).json.code).toBe('InvalidInput');
    expect((await post('{"name":"x"}', 'text/plain')).json.code).toBe('UnsupportedMediaType');
    expect((await post(JSON.stringify({ name: 'x'.repeat(1_100_000) }))).json.code).toBe(
      'ContentTooLarge',
    );
    const unknown = await post('{"name":"x","nmae":"y"}');
    expect([unknown.status, unknown.json.errors[0].message]).toEqual([
      400,
      expect.stringContaining('nmae'),
    ]);
    expect((await owner.call('POST', '/tokens')).json.code).toBe('InvalidInput');
    for (const authorization of [
      'Bearer',
      'Bearer x',
      'Basic YTpi',
      `Bearer qst_${'0'.repeat(32)}`,
    ]) {
      expect((await apiClient(client, { authorization }).call('GET', '/me')).json.code).toBe(
        'Unauthenticated',
      );
    }
  });

  it('says how many requests are left', async () => {
    const owner = await tokenClient(
      client,
      await newAccount(await tokenClient(client), 'counts requests'),
    );
    const { headers } = await owner.call('GET', '/me');
    const [, quota] = /^"default";q=(\d+);w=60$/.exec(headers['ratelimit-policy'] ?? '') ?? [];
    const [, left] = /^"default";r=(\d+);t=\d+$/.exec(headers.ratelimit ?? '') ?? [];
    // The account has sent two: this one, and the one that made its token.
    expect(Number(left)).toBe(Number(quota) - 2);
  });
});
