// Accounts, members, access keys and the audit log through the JSON API, and what a key with a
// scope can do by S3.
import { expect, it, vi } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { apiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { inOneMonth } from '../kit/one-month.ts';

const { target, send } = client;
const nobody = apiClient(client);
const fresh = (text: string) => `${text}-${crypto.randomUUID().slice(0, 8)}`;
const PASSWORD = 'correct horse battery';

type Key = { id: string; secretAccessKey: string };
const signerOf = ({ id, secretAccessKey }: Key) => ({ accessKey: id, secretKey: secretAccessKey });

async function makeKey(scope: object | null, rest: object = {}): Promise<Key> {
  const owner = await tokenClient(client);
  const made = await owner.call('POST', '/access-keys', { name: 'wire', scope, ...rest });
  expect(made.status).toBe(201);
  return made.json;
}

describeCore('accounts', () => {
  it('are made by the operator alone, with keys and members of their own', async () => {
    const root = await tokenClient(client);
    const { month, done } = await inOneMonth(async () => {
      const made = await root.call('POST', '/accounts', { displayName: 'Ärzte e.V.' });
      const of = `?accountId=${made.json.id}`;
      const key: Key = (await root.call('POST', `/access-keys${of}`, { name: 'first' })).json;
      return { made, of, key, listed: await send({ method: 'GET', signer: signerOf(key) }) };
    });
    const { made, of, key, listed } = done;
    expect([made.status, made.json.displayName, made.json.isEnabled]).toEqual([
      201,
      'Ärzte e.V.',
      true,
    ]);
    expect(made.json.id).toMatch(/^[0-9a-f]{64}$/);
    expect([listed.status, listed.text]).toEqual([200, expect.stringContaining(made.json.id)]);
    const owner = await tokenClient(client, signerOf(key));
    expect((await owner.call('GET', '/me')).json.account).toEqual({
      id: made.json.id,
      displayName: 'Ärzte e.V.',
    });
    expect((await owner.call('POST', '/accounts', { displayName: 'x' })).json.code).toBe(
      'AccessDenied',
    );
    expect((await owner.call('GET', '/accounts')).json.code).toBe('AccessDenied');
    const missing = await owner.call('GET', '/accounts/not-there');
    const others = await owner.call('GET', `/accounts/${target.other?.accountId ?? 'b'}`);
    expect([missing.json.code, others.json.code]).toEqual(['NoSuchAccount', 'NoSuchAccount']);
    const hook = await owner.call('POST', '/webhooks', {
      url: 'https://hooks.example.org/',
      isEnabled: false,
    });
    expect((await owner.call('POST', `/webhooks/${hook.json.id}/test`)).status).toBe(202);
    const shown = await root.call('GET', `/accounts/${made.json.id}`);
    const etag = shown.headers.etag ?? '';
    expect(
      (await root.call('PATCH', `/accounts/${made.json.id}`, { isEnabled: false })).status,
    ).toBe(428);
    const stale = await root.call(
      'PATCH',
      `/accounts/${made.json.id}`,
      { isEnabled: false },
      { 'if-match': '"0"' },
    );
    expect(stale.status).toBe(412);
    const off = await root.call(
      'PATCH',
      `/accounts/${made.json.id}`,
      { isEnabled: false },
      { 'if-match': etag },
    );
    expect([off.status, off.json.isEnabled, off.headers.etag === etag]).toEqual([
      200,
      false,
      false,
    ]);
    expect((await owner.call('GET', '/me')).status).toBe(401);
    expect(
      (
        await nobody.call('POST', '/sessions', {
          accessKeyId: key.id,
          secretAccessKey: key.secretAccessKey,
        })
      ).json.code,
    ).toBe('AccessKeyDisabled');
    expect((await send({ method: 'GET', signer: signerOf(key) })).text).toContain(
      '<Code>InvalidAccessKeyId</Code>',
    );
    // The list that its key asked for is on the last bill, which is made in the moment of the
    // deletion.
    const bill = async () =>
      (await root.call('GET', `/invoices/${month}?accountId=${made.json.id}`)).json;
    await expect
      .poll(async () => (await bill()).usage['class-a/STANDARD'], { timeout: 30_000 })
      .toBe('1');
    expect((await root.call('DELETE', `/accounts/${made.json.id}`)).status).toBe(204);
    expect(await bill()).toMatchObject({
      status: 'closed',
      usage: { 'class-a/STANDARD': '1' },
      isRecomputable: true,
    });
    expect((await root.call('GET', `/accounts/${made.json.id}`)).json.code).toBe('NoSuchAccount');
    expect((await root.call('POST', `/access-keys${of}`, { name: 'late' })).json.code).toBe(
      'NoSuchAccount',
    );
  });

  it('have members who sign in with a password and may do what their role says', async () => {
    const root = await tokenClient(client);
    const login = fresh('Ada@example.org');
    const member = { login, displayName: 'Ada', role: 'reader', password: PASSWORD };
    const made = await root.call('POST', '/members', member);
    expect([made.status, made.json]).toMatchObject([
      201,
      { login: login.toLowerCase(), role: 'reader', hasPassword: true },
    ]);
    expect(JSON.stringify(made.json)).not.toContain(PASSWORD);
    expect((await root.call('POST', '/members', member)).json.code).toBe('LoginTaken');
    const enter = (password: string) => nobody.call('POST', '/sessions', { login, password });
    expect((await enter('wrong password')).json.code).toBe('InvalidCredentials');
    const session = await enter(PASSWORD);
    expect(session.status).toBe(201);
    const ada = apiClient(client, { cookie: session.headers['set-cookie']?.split(';')[0] ?? '' });
    expect((await ada.call('GET', '/me')).json).toMatchObject({
      role: 'reader',
      memberId: made.json.id,
    });
    expect((await ada.call('GET', '/buckets')).status).toBe(200);
    for (const path of ['/members', '/access-keys', '/audit']) {
      expect([path, (await ada.call('GET', path)).json.code]).toEqual([path, 'AccessDenied']);
    }
    const promoted = await root.call(
      'PATCH',
      `/members/${made.json.id}`,
      { role: 'admin' },
      { 'if-match': made.headers.etag ?? '' },
    );
    expect(promoted.status).toBe(200);
    expect((await ada.call('GET', '/access-keys')).status).toBe(200);
    const there = apiClient(client, {
      cookie: (await enter(PASSWORD)).headers['set-cookie']?.split(';')[0] ?? '',
    });
    const change = { currentPassword: 'wrong password', newPassword: `${PASSWORD}!` };
    expect((await ada.call('PUT', '/me/password', change)).json.code).toBe('InvalidCredentials');
    const changed = await ada.call('PUT', '/me/password', { ...change, currentPassword: PASSWORD });
    expect([changed.status, changed.json]).toEqual([200, { sessions: 1, tokens: 0 }]);
    expect([
      (await ada.call('GET', '/me')).status,
      (await there.call('GET', '/me')).status,
    ]).toEqual([200, 401]);
    // Who saw her before the new password changes nothing any more.
    const stale = { 'if-match': promoted.headers.etag ?? '' };
    expect(
      (await root.call('PATCH', `/members/${made.json.id}`, { role: 'owner' }, stale)).status,
    ).toBe(412);
    expect((await enter(PASSWORD)).status).toBe(401);
    expect((await root.call('DELETE', `/members/${made.json.id}`)).status).toBe(204);
    expect((await ada.call('GET', '/me')).status).toBe(401);
    expect((await enter(`${PASSWORD}!`)).json.code).toBe('InvalidCredentials');
  });

  it('log every change, without secrets, and find it again', async () => {
    const root = await tokenClient(client);
    const name = fresh('audited');
    const from = new Date(Date.now() - 60_000).toISOString();
    const made = (await root.call('POST', '/access-keys', { name }, { 'user-agent': 'x' })).json;
    await root.call('POST', '/members', {
      login: name,
      displayName: 'x',
      role: 'reader',
      password: PASSWORD,
    });
    await root.call('POST', '/access-keys', { name, scope: { actions: ['s3:Nothing'] } });
    // Others change things at the same time.
    const of = async (action: string) =>
      (await root.call('GET', `/audit?limit=200&from=${from}&action=${action}`)).json.items as {
        detail: string;
      }[];
    const entries = [...(await of('createMember')), ...(await of('createAccessKey'))];
    const own = entries.filter(({ detail }) => detail.includes(name)) as (object & {
      action?: string;
    })[];
    expect(own.map(({ action }) => action)).toEqual(['createMember', 'createAccessKey']);
    expect(own[1]).toMatchObject({
      status: 201,
      accessKeyId: target.accessKey,
      target: '/-/api/v1/access-keys',
    });
    const text = JSON.stringify(entries);
    for (const secret of [PASSWORD, made.secretAccessKey, target.secretKey])
      expect(text).not.toContain(secret);
    const filtered = (await root.call('GET', '/audit?action=createMember&limit=200')).json
      .items as {
      action: string;
    }[];
    expect(new Set(filtered.map(({ action }) => action))).toEqual(new Set(['createMember']));
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await root.call('GET', `/audit?from=${later}`)).json.items).toEqual([]);
  });

  it('log what S3 requests change of buckets, for the owner too, and no object', async () => {
    const root = await tokenClient(client);
    const signer = await newAccount(root, 'audited');
    const of = `accountId=${signer.accountId}`;
    const name = fresh('audited-s3');
    await send({ method: 'PUT', bucket: name, headers: { 'x-amz-acl': 'private' }, signer });
    await send({ method: 'PUT', bucket: name, key: 'object', body: 'x', signer });
    const rules = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>';
    const put = await send({
      method: 'PUT',
      bucket: name,
      query: { versioning: '' },
      body: rules,
      signer,
    });
    await send({
      method: 'PUT',
      bucket: name,
      query: { policy: '' },
      body: '{"Statement": "nonsense"}',
      signer,
    });
    await send({ method: 'DELETE', bucket: name, query: { cors: '' }, signer });
    const own = async () => {
      const { items } = (await root.call('GET', `/audit?${of}`)).json;
      return (items as { target: string; action: string; status: number | null }[])
        .filter(({ target: at }) => at.startsWith(`/${name}`))
        .toReversed();
    };
    // How a change ended is kept behind its answer.
    await vi.waitFor(
      async () => expect((await own()).map(({ status }) => status)).toEqual([200, 200, 204]),
      5000,
    );
    expect(await own()).toMatchObject([
      { action: 'CreateBucket', target: `/${name}`, detail: 'x-amz-acl: private' },
      {
        action: 'PutBucketVersioning',
        target: `/${name}?versioning`,
        detail: rules,
        accessKeyId: signer.accessKey,
      },
      { action: 'DeleteBucketCors', credential: `access-key ${signer.accessKey}` },
    ]);
    expect(put.status).toBe(200);
    expect(
      (await root.call('GET', `/audit?${of}&action=PutBucketVersioning`)).json.items,
    ).toHaveLength(1);
  });
});

describeCore('access keys', () => {
  const bucket = useBucket(client);

  it('rotate with both alive, expire, are disabled and deleted', async () => {
    const root = await tokenClient(client);
    const old = await makeKey(null);
    const use = (key: Key) => send({ method: 'GET', signer: signerOf(key) });
    expect((await use(old)).status).toBe(200);
    const rotated = await root.call('POST', `/access-keys/${old.id}/rotate`, {
      overlapSeconds: 600,
    });
    const fresh: Key = rotated.json;
    expect([(await use(old)).status, (await use(fresh)).status]).toEqual([200, 200]);
    const shown = await root.call('GET', `/access-keys/${old.id}`);
    expect(Date.parse(shown.json.expiresAt)).toBeGreaterThan(Date.now());
    expect(shown.json.secretAccessKey).toBe(undefined);
    const soon = await root.call('POST', `/access-keys/${fresh.id}/rotate`, { overlapSeconds: 0 });
    const gone = await use(fresh);
    expect([gone.status, gone.text]).toEqual([
      403,
      expect.stringContaining('<Code>InvalidAccessKeyId</Code>'),
    ]);
    const last: Key = soon.json;
    const etag = soon.headers.etag ?? '';
    const off = await root.call(
      'PATCH',
      `/access-keys/${last.id}`,
      { isEnabled: false },
      { 'if-match': etag },
    );
    expect([off.status, off.json.isEnabled]).toEqual([200, false]);
    expect((await use(last)).text).toContain('<Code>InvalidAccessKeyId</Code>');
    for (const { id } of [old, fresh, last])
      expect((await root.call('DELETE', `/access-keys/${id}`)).status).toBe(204);
    expect((await root.call('GET', `/access-keys/${old.id}`)).json.code).toBe('NoSuchAccessKey');
    expect((await use(old)).text).toContain('<Code>InvalidAccessKeyId</Code>');
  });

  it('do no more than their scope, whatever the way', async () => {
    await send({ method: 'PUT', bucket, key: 'in/a', body: 'a' });
    await send({ method: 'PUT', bucket, key: 'out/b', body: 'b' });
    const key = await makeKey({
      buckets: [bucket],
      prefixes: ['in/'],
      actions: ['s3:Get*', 's3:List*', 's3:PutObject'],
    });
    const signer = signerOf(key);
    const ask = async (call: Parameters<typeof send>[0]) =>
      (await send({ ...call, signer })).status;
    expect(await ask({ method: 'GET', bucket, key: 'in/a' })).toBe(200);
    expect(await ask({ method: 'PUT', bucket, key: 'in/new', body: 'x' })).toBe(200);
    expect(await ask({ method: 'GET', bucket, query: { 'list-type': '2', prefix: 'in/' } })).toBe(
      200,
    );
    const refused: Parameters<typeof send>[0][] = [
      { method: 'GET', bucket, key: 'out/b' },
      { method: 'HEAD', bucket, key: 'out/b' },
      { method: 'GET', bucket, key: 'out/not-there' },
      { method: 'PUT', bucket, key: 'out/new', body: 'x' },
      { method: 'DELETE', bucket, key: 'in/a' },
      { method: 'GET', bucket },
      { method: 'GET', bucket, query: { 'list-type': '2', prefix: 'out/' } },
      { method: 'GET', bucket, query: { versions: '' } },
      { method: 'GET', bucket, query: { acl: '' } },
      { method: 'GET', bucket, query: { policy: '' } },
      { method: 'DELETE', bucket },
      { method: 'PUT', bucket: `${bucket}-2` },
      { method: 'GET' },
      { method: 'GET', query: { 'x-quayside-kms-keys': '' } },
      {
        method: 'PUT',
        bucket,
        key: 'in/copy',
        headers: { 'x-amz-copy-source': `/${bucket}/out/b` },
      },
      { method: 'POST', bucket, key: 'out/big', query: { uploads: '' } },
      {
        method: 'PUT',
        bucket,
        key: 'in/a',
        query: { acl: '' },
        headers: { 'x-amz-acl': 'public-read' },
      },
    ];
    for (const call of refused) expect([call, await ask(call)]).toEqual([call, 403]);
    const batch =
      '<Delete><Object><Key>in/a</Key></Object><Object><Key>out/b</Key></Object></Delete>';
    expect(
      (await send({ method: 'POST', bucket, query: { delete: '' }, body: batch, signer })).text,
    ).not.toContain('<Deleted>');
    const presigned = async (name: string) => {
      const [path = '', sentQuery = ''] = client
        .presigned({ method: 'GET', bucket, key: name, signer })
        .split('?');
      return (await client.anonymous({ method: 'GET', path, sentQuery })).status;
    };
    expect([await presigned('in/a'), await presigned('out/b')]).toEqual([200, 403]);
    expect(
      (
        await nobody.call('POST', '/sessions', {
          accessKeyId: key.id,
          secretAccessKey: key.secretAccessKey,
        })
      ).json.code,
    ).toBe('AccessDenied');
  });

  it('give whoever signs in with them no more than their maker has', async () => {
    const root = await tokenClient(client);
    const scopes = ['keys:write', 'objects:read'];
    const narrow = await root.call('POST', '/tokens', { name: 'n', scopes });
    const maker = apiClient(client, { authorization: `Bearer ${narrow.json.token}` });
    const enter = ({ id, secretAccessKey }: Key) =>
      nobody.call('POST', '/sessions', { accessKeyId: id, secretAccessKey });
    const made = await maker.call('POST', '/access-keys', { name: 'of a narrow token' });
    expect([made.status, made.json.role, (await enter(made.json)).json.code]).toEqual([
      201,
      null,
      'AccessDenied',
    ]);
    // By S3 too: it reads, and can neither write nor say who else may.
    await send({ method: 'PUT', bucket, key: 'made', body: 'x' });
    const bySigner = async (method: string, rest: object = {}) =>
      (await send({ method, bucket, ...rest, signer: signerOf(made.json) })).status;
    expect([await bySigner('GET', { key: 'made' }), await bySigner('GET')]).toEqual([200, 200]);
    expect(await bySigner('PUT', { key: 'made', body: 'y' })).toBe(403);
    expect(await bySigner('DELETE', { key: 'made' })).toBe(403);
    expect(
      await bySigner('PUT', { query: { acl: '' }, headers: { 'x-amz-acl': 'public-read' } }),
    ).toBe(403);
    const rotated = await maker.call('POST', `/access-keys/${(await makeKey(null)).id}/rotate`, {});
    expect([rotated.status, rotated.json.code]).toEqual([403, 'AccessDenied']);
    const scoped = await root.call('POST', '/access-keys', {
      name: 's',
      scope: { buckets: [bucket] },
    });
    const path = `/access-keys/${scoped.json.id}`;
    const widened = await root.call(
      'PATCH',
      path,
      { scope: null },
      { 'if-match': scoped.headers.etag ?? '' },
    );
    expect([widened.json.scope, (await enter(scoped.json)).json.code]).toEqual([
      null,
      'AccessDenied',
    ]);
    expect((await enter(await makeKey(null))).status).toBe(201);
  });

  it('keep to their addresses, and refuse scopes that mean nothing', async () => {
    const elsewhere = await makeKey({ sourceIps: ['192.0.2.0/24'] });
    expect((await send({ method: 'GET', bucket, signer: signerOf(elsewhere) })).status).toBe(403);
    const root = await tokenClient(client);
    for (const scope of [
      { actions: ['s3:Fly'] },
      { sourceIps: ['1.2.3.4/99'] },
      { buckets: [] },
      { colour: ['red'] },
    ]) {
      const refused = await root.call('POST', '/access-keys', { name: 'x', scope });
      expect([scope, refused.status, refused.json.code]).toEqual([scope, 400, 'InvalidInput']);
    }
    const past = await root.call('POST', '/access-keys', {
      name: 'x',
      expiresAt: '2020-01-01T00:00:00Z',
    });
    expect(past.json.code).toBe('InvalidInput');
  });

  it.skipIf(target.other === null)('of other accounts are as if they were not', async () => {
    const key = await makeKey(null);
    const stranger = await tokenClient(client, target.other ?? target);
    for (const [method, path, body] of [
      ['GET', `/access-keys/${key.id}`, undefined],
      ['DELETE', `/access-keys/${key.id}`, undefined],
      ['POST', `/access-keys/${key.id}/rotate`, {}],
      ['GET', `/access-keys/${key.id.slice(0, -1)}X`, undefined],
    ] as const) {
      expect([path, (await stranger.call(method, path, body)).json.code]).toEqual([
        path,
        'NoSuchAccessKey',
      ]);
    }
    expect((await stranger.call('GET', '/access-keys?accountId=elsewhere')).json.code).toBe(
      'NoSuchAccount',
    );
  });
});
