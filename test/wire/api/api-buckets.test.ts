// Buckets through the JSON API: made, changed with If-Match, seen by S3 in the same moment,
// deleted. And the API's pages.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { apiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { send, anonymous, target } = client;
const freshName = () => `wire-api-${crypto.randomUUID().slice(0, 13)}`;

describeCore('buckets by JSON', () => {
  const shared = useBucket(client);

  it('are made, listed and deleted as S3 sees them', async () => {
    const api = await tokenClient(client);
    const name = freshName();
    const made = await api.call('POST', '/buckets', { name });
    expect([made.status, made.json]).toMatchObject([
      201,
      { name, publicAccess: 'none', versioning: 'off', cors: [] },
    ]);
    expect((await send({ method: 'HEAD', bucket: name })).status).toBe(200);
    expect((await api.call('POST', '/buckets', { name })).json.code).toBe(
      'BucketAlreadyOwnedByYou',
    );
    expect((await api.call('POST', '/buckets', { name: 'NO' })).json.code).toBe('InvalidInput');
    expect((await api.call('POST', '/buckets', { name: 'Not_Valid' })).json.code).toBe(
      'InvalidBucketName',
    );
    const listed = (await api.call('GET', `/buckets?prefix=${name}`)).json.items;
    expect(listed).toMatchObject([{ name }]);
    await send({ method: 'PUT', bucket: name, key: 'in-the-way', body: 'x' });
    expect((await api.call('DELETE', `/buckets/${name}`)).json.code).toBe('BucketNotEmpty');
    await send({ method: 'DELETE', bucket: name, key: 'in-the-way' });
    expect((await api.call('DELETE', `/buckets/${name}`)).status).toBe(204);
    expect((await api.call('GET', `/buckets/${name}`)).json.code).toBe('NoSuchBucket');
  });

  it('change with the ETag of what was seen, all settings at once', async () => {
    const api = await tokenClient(client);
    const seen = await api.call('GET', `/buckets/${shared}`);
    const path = `/buckets/${shared}`;
    const change = {
      versioning: 'enabled',
      tags: { team: 'Ärzte', cost: '42' },
      cors: [
        { allowedMethods: ['GET'], allowedOrigins: ['https://*.example.org'], maxAgeSeconds: 60 },
      ],
      lifecycle: [
        {
          id: 'old',
          filter: { prefix: 'tmp/' },
          expiration: { days: 7 },
          abortUploadsAfterDays: 1,
        },
      ],
      encryption: { kind: 'server' },
      compression: { afterDays: 30 },
      ownership: 'BucketOwnerEnforced',
      requestPayer: 'requester',
      hosting: { cleanUrls: false },
      publicAccess: 'read',
    };
    expect((await api.call('PATCH', path, change)).json.code).toBe('PreconditionRequired');
    const stale = await api.call('PATCH', path, change, { 'if-match': '"older"' });
    expect([stale.status, stale.json.code]).toEqual([412, 'PreconditionFailed']);
    const changed = await api.call('PATCH', path, change, { 'if-match': seen.headers.etag ?? '' });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      {
        ...change,
        lifecycle: [
          { id: 'old', filter: { prefix: 'tmp/', tags: {} }, expiration: { days: 7, date: null } },
        ],
        policy: { Statement: [{ Sid: 'PublicRead' }] },
      },
    ]);
    expect(
      (await api.call('PATCH', path, change, { 'if-match': seen.headers.etag ?? '' })).status,
    ).toBe(412);
    expect(
      (await send({ method: 'GET', bucket: shared, query: { lifecycle: '' } })).text,
    ).toContain('<Days>7</Days>');
    expect((await send({ method: 'GET', bucket: shared, query: { cors: '' } })).text).toContain(
      'https://*.example.org',
    );
    expect((await send({ method: 'GET', bucket: shared, query: { tagging: '' } })).text).toContain(
      'Ärzte',
    );
    await send({ method: 'PUT', bucket: shared, key: 'open', body: 'open' });
    expect((await anonymous({ method: 'GET', bucket: shared, key: 'open' })).status).toBe(200);
    const off = {
      cors: [],
      lifecycle: [],
      encryption: null,
      hosting: null,
      tags: {},
      publicAccess: 'none',
      ownership: null,
    };
    const cleared = await api.call('PATCH', path, off, { 'if-match': changed.headers.etag ?? '' });
    expect([cleared.status, cleared.json]).toMatchObject([
      200,
      { ...off, policy: null, versioning: 'enabled' },
    ]);
    expect((await send({ method: 'GET', bucket: shared, query: { cors: '' } })).status).toBe(404);
  });

  it('log, lock, notify webhooks and serve a website, as S3 shows too', async () => {
    const api = await tokenClient(client);
    const [name, logs] = [freshName(), freshName()];
    for (const each of [name, logs])
      expect((await api.call('POST', '/buckets', { name: each })).status).toBe(201);
    const webhook = await api.call('POST', '/webhooks', {
      url: 'https://hooks.example.org/x',
      isEnabled: false,
    });
    const change = (bucket: string, body: object) =>
      api.call('PATCH', `/buckets/${bucket}`, body, { 'if-match': '*' });
    expect((await change(name, { logging: { targetBucket: logs } })).json.code).toBe(
      'AccessDenied',
    );
    const mayLog = {
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: `arn:aws:s3:::${logs}/*`,
    };
    await change(logs, { policy: { Version: '2012-10-17', Statement: [mayLog] } });
    const services = {
      logging: { targetBucket: logs, targetPrefix: 'of/', partitionedBy: 'EventTime' },
      website: {
        indexSuffix: 'index.html',
        routingRules: [{ keyPrefix: 'old/', redirect: { statusCode: 301 } }],
      },
      notifications: [
        { id: 'new', webhookId: webhook.json.id, events: ['s3:ObjectCreated:*'], suffix: '.jpg' },
      ],
      objectLock: { defaultRetention: { mode: 'GOVERNANCE', days: 1 } },
    };
    expect((await change(name, services)).json.code).toBe('InvalidBucketState');
    const set = await change(name, { ...services, versioning: 'enabled' });
    expect([set.status, set.json]).toMatchObject([200, services]);
    const shown = async (query: string) =>
      (await send({ method: 'GET', bucket: name, query: { [query]: '' } })).text;
    expect(await shown('logging')).toContain(`<TargetBucket>${logs}</TargetBucket>`);
    expect(await shown('website')).toContain('<KeyPrefixEquals>old/</KeyPrefixEquals>');
    expect(await shown('notification')).toContain(
      `<Queue>arn:quayside:webhook:::${webhook.json.id}</Queue>`,
    );
    expect(await shown('object-lock')).toContain('<Mode>GOVERNANCE</Mode><Days>1</Days>');
    for (const refused of [
      { objectLock: null },
      { objectLock: { defaultRetention: { mode: 'GOVERNANCE', days: 1, years: 1 } } },
      { website: { indexSuffix: 'a/b' } },
      { website: { indexSuffix: null } },
      { notifications: [{ webhookId: 'wh_0000000000000000', events: ['s3:ObjectCreated:*'] }] },
      { notifications: [{ webhookId: webhook.json.id, events: ['s3:Nothing'] }] },
    ]) {
      const { status } = await change(name, refused);
      expect([refused, status]).toEqual([refused, 400]);
    }
    // A bucket of somebody else is none, whatever there is.
    expect((await change(name, { logging: { targetBucket: freshName() } })).json.code).toBe(
      'NoSuchBucket',
    );
    const off = { logging: null, website: null, notifications: [] };
    expect((await change(name, off)).json).toMatchObject({
      ...off,
      objectLock: services.objectLock,
    });
    for (const each of [name, logs])
      expect((await api.call('DELETE', `/buckets/${each}`)).status).toBe(204);
    await api.call('DELETE', `/webhooks/${webhook.json.id}`);
  });

  it('say what their lifecycle would do; the server says what it can', async () => {
    const api = await tokenClient(client);
    const path = `/buckets/${shared}`;
    const rules = [{ id: 'soon', filter: { prefix: 'foreseen/' }, expiration: { days: 3 } }];
    await api.call('PATCH', path, { lifecycle: rules }, { 'if-match': '*' });
    await send({ method: 'PUT', bucket: shared, key: 'foreseen/a', body: 'abc' });
    const at = new Date(Date.now() + 10 * 86_400_000).toISOString();
    const preview = (await api.call('GET', `${path}/lifecycle-preview?at=${at}`)).json;
    expect(preview).toMatchObject({
      at,
      items: [{ key: 'foreseen/a', ruleId: 'soon', size: '3', uploadId: null }],
    });
    expect((await api.call('GET', `${path}/lifecycle-preview`)).json.items).toEqual([]);
    await api.call('PATCH', path, { lifecycle: [] }, { 'if-match': '*' });
    const { json } = await api.call('GET', '/server');
    expect(json).toMatchObject({
      features: { encryption: true },
      limits: { parts: 10_000, keyBytes: 1024 },
    });
    expect((await fetch(`${json.s3Endpoint}/-/health`)).status).toBe(200);
    const id = `wire/${freshName()}`;
    expect((await api.call('PUT', '/encryption-keys', { id })).json).toMatchObject({
      id,
      isEnabled: true,
      accountIds: [],
    });
    const changedKey = await api.call('PUT', '/encryption-keys', {
      id,
      isEnabled: false,
      accountIds: ['somebody'],
    });
    expect(changedKey.json).toMatchObject({ isEnabled: false, accountIds: ['somebody'] });
    const accountIds = async (changed: object) =>
      (await api.call('PUT', '/encryption-keys', { id, isEnabled: false, ...changed })).json
        .accountIds;
    expect([await accountIds({}), await accountIds({ accountIds: null })]).toEqual([
      ['somebody'],
      null,
    ]);
    const keys = (await api.call('GET', '/encryption-keys?limit=1000')).json.items;
    expect(keys.find((key: { id: string }) => key.id === id)).toMatchObject({ isEnabled: false });
  });

  it('of two changes of one state, one wins', async () => {
    const api = await tokenClient(client);
    const path = `/buckets/${shared}`;
    const etag = (await api.call('GET', path)).headers.etag ?? '';
    const replies = await Promise.all(
      ['a', 'b', 'c', 'd'].map((value) =>
        api.call('PATCH', path, { tags: { value } }, { 'if-match': etag }),
      ),
    );
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
  });

  it('refuse settings that mean nothing', async () => {
    const api = await tokenClient(client);
    const change = (body: object) =>
      api.call('PATCH', `/buckets/${shared}`, body, { 'if-match': '*' });
    for (const body of [
      { colour: 'red' },
      { versioning: 'off' },
      { cors: [{ allowedMethods: ['FETCH'], allowedOrigins: ['*'] }] },
      { cors: [{ allowedMethods: ['GET'], allowedOrigins: ['*.*'] }] },
      { lifecycle: [{ id: 'nothing' }] },
      { lifecycle: [{ expiration: { days: 1, date: '2030-01-01T00:00:00Z' } }] },
      {
        lifecycle: [
          { expiration: { days: 1 }, id: 'a' },
          { expiration: { days: 1 }, id: 'a' },
        ],
      },
      { policy: { Statement: 'nonsense' } },
      { policy: null, publicAccess: 'read' },
      { hosting: { nonsense: true } },
      { tags: { 'aws:x': 'y' } },
      { encryption: { kind: 'magic' } },
    ]) {
      const { status, json } = await change(body);
      expect([body, status, typeof json.code]).toEqual([body, 400, 'string']);
    }
    const blocked = {
      publicAccessBlock: {
        blockPublicAcls: true,
        ignorePublicAcls: true,
        blockPublicPolicy: true,
        restrictPublicBuckets: true,
      },
    };
    expect((await change({ ...blocked, publicAccess: 'read' })).json.code).toBe('AccessDenied');
  });

  it.skipIf(target.other === null)('of others are as if they were not', async () => {
    const stranger = await tokenClient(client, target.other ?? target);
    for (const [method, body] of [['GET'], ['PATCH', { tags: {} }], ['DELETE']] as const) {
      for (const name of [shared, freshName()]) {
        const { json } = await stranger.call(method, `/buckets/${name}`, body, { 'if-match': '*' });
        expect([method, json.code]).toEqual([method, 'NoSuchBucket']);
      }
    }
    const name = freshName();
    expect((await stranger.call('POST', '/buckets', { name })).status).toBe(201);
    const root = await tokenClient(client);
    expect((await root.call('GET', `/buckets/${name}`)).json.accountId).toBe(
      target.other?.accountId,
    );
    expect((await stranger.call('DELETE', `/buckets/${name}`)).status).toBe(204);
  });
});

describeCore('the pages of the API', () => {
  it('come from the service itself and load nothing from elsewhere', async () => {
    const page = await anonymous({ method: 'GET', path: '/-/docs' });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain(
      "default-src 'none'; style-src 'sha256-",
    );
    expect(page.text).not.toMatch(/<script|<link/);
    const again = await anonymous({
      method: 'GET',
      path: '/-/docs',
      headers: { 'if-none-match': page.headers.etag ?? '' },
    });
    expect(again.status).toBe(304);
    expect((await anonymous({ method: 'GET', path: '/-/docs/other.js' })).status).toBe(404);
    expect((await anonymous({ method: 'POST', path: '/-/docs' })).headers.allow).toBe('GET, HEAD');
    expect((await apiClient(client).call('GET', '/../../docs')).status).toBeLessThan(500);
  });
});
