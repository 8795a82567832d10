// Who may do what, and by which line: strangers, roles, keys and other accounts, and requests that
// nobody has sent. What is answered is compared with what the server then does.
import { expect, it } from 'vitest';
import { type ApiClient, apiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const fresh = (text: string) => `${text}-${crypto.randomUUID().slice(0, 8)}`;

type Entry = { who: { kind: string } & Record<string, unknown>; rights: unknown[] };

async function makeBucket(api: ApiClient, change: object = {}): Promise<string> {
  const name = fresh('access');
  expect((await api.call('POST', '/buckets', { name })).status).toBe(201);
  const changed = await api.call('PATCH', `/buckets/${name}`, change, { 'if-match': '*' });
  expect([changed.status, changed.json.detail]).toEqual([200, undefined]);
  return name;
}

async function check(api: ApiClient, bucket: string, body: object): Promise<Entry[]> {
  const reply = await api.call('POST', `/buckets/${bucket}/access-checks`, body);
  expect([reply.status, reply.json.detail]).toEqual([200, undefined]);
  return reply.json.items;
}

const entryOf = (entries: Entry[], kind: string) => entries.find(({ who }) => who.kind === kind);

describeCore('the check of who may do what', () => {
  it('shows the text of a policy to who may read the policy, and to nobody else', async () => {
    const api = await tokenClient(client);
    const bucket = await makeBucket(api);
    const line = { Sid: 'Partner', Effect: 'Allow', Principal: '*', Action: 's3:GetObject' };
    const Statement = [{ ...line, Resource: `arn:aws:s3:::${bucket}/*` }];
    const path = `/buckets/${bucket}`;
    const policy = { Version: '2012-10-17', Statement };
    const written = await api.call('PATCH', path, { policy }, { 'if-match': '*' });
    expect(written.status).toBe(200);
    const few = { name: 'few', scopes: ['objects:read'] };
    const { token } = (await api.call('POST', '/tokens', few)).json;
    const byToken = apiClient(client, { authorization: `Bearer ${token}` });
    const reasonFor = async (caller: ApiClient) => {
      const strangers = entryOf(await check(caller, bucket, { prefix: '' }), 'strangers');
      return (strangers?.rights[0] as { because: unknown } | undefined)?.because;
    };
    expect(await reasonFor(api)).toMatchObject({ statement: 1, sid: 'Partner' });
    expect(await reasonFor(byToken)).toEqual({
      source: 'bucket-policy',
      effect: 'Allow',
      statement: 1,
      sid: null,
      text: null,
    });
    const test = { as: 'stranger', action: 'read', prefix: '' };
    const tested = await byToken.call('POST', `${path}/access-tests`, test);
    expect(tested.json.because).toMatchObject({ statement: 1, sid: null, text: null });
  });

  it('names the statement that opens a prefix, and what a narrower one closes', async () => {
    const api = await tokenClient(client);
    const bucket = await makeBucket(api);
    const allow = {
      Sid: 'Open',
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/public/*`,
    };
    const deny = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/*.sql`,
    };
    const policy = { Version: '2012-10-17', Statement: [allow, deny] };
    const path = `/buckets/${bucket}`;
    const set = await api.call('PATCH', path, { policy }, { 'if-match': '*' });
    expect(set.status).toBe(200);

    const whole = await check(api, bucket, { prefix: '', actions: ['read', 'list'] });
    expect(entryOf(whole, 'strangers')?.rights).toMatchObject([
      {
        action: 'read',
        allowed: 'part',
        because: {
          source: 'bucket-policy',
          statement: 1,
          sid: 'Open',
          text: JSON.stringify(allow),
        },
        example: expect.stringMatching(/^public\//),
      },
      { action: 'list', allowed: 'no', because: { source: 'nothing' } },
    ]);
    const below = await check(api, bucket, { prefix: 'public/' });
    expect(entryOf(below, 'strangers')?.rights).toMatchObject([
      {
        allowed: 'part',
        except: {
          because: { source: 'bucket-policy', statement: 2, effect: 'Deny' },
          example: expect.stringMatching(/^public\/.*\.sql$/),
        },
      },
    ]);
    const jpeg = await check(api, bucket, { key: 'public/a.jpg' });
    expect(entryOf(jpeg, 'strangers')?.rights).toMatchObject([{ allowed: 'yes', example: null }]);
    const dump = await check(api, bucket, { key: 'public/a.sql' });
    expect(entryOf(dump, 'strangers')?.rights).toMatchObject([
      { allowed: 'no', because: { statement: 2, effect: 'Deny' } },
    ]);
    const elsewhere = await check(api, bucket, { prefix: 'private/' });
    expect(entryOf(elsewhere, 'strangers')?.rights).toMatchObject([{ allowed: 'no' }]);
    for (const [key, status] of [
      ['public/a.jpg', 200],
      ['public/a.sql', 403],
      ['private/a.jpg', 403],
    ] as const) {
      expect((await client.send({ method: 'PUT', bucket, key, body: 'x' })).status).toBe(200);
      const read = await client.anonymous({ method: 'GET', bucket, key });
      expect([key, read.status]).toEqual([key, status]);
    }
  });

  it('tells roles with their members, keys with their scope, and other accounts', async () => {
    const root = await tokenClient(client);
    const signer = await newAccount(root, 'who');
    const other = await newAccount(root, 'other');
    const owner = await tokenClient(client, signer);
    const bucket = await makeBucket(owner);
    const login = fresh('reader');
    const member = { login, displayName: 'R', role: 'reader' };
    const of = `?accountId=${signer.accountId}`;
    expect((await root.call('POST', `/members${of}`, member)).status).toBe(201);
    const scope = { prefixes: ['photos/2024/'], actions: ['s3:GetObject'] };
    const key = await owner.call('POST', '/access-keys', { name: 'camera', scope });
    expect(key.status).toBe(201);
    const statement = {
      Effect: 'Allow',
      Principal: { AWS: other.accountId },
      Action: 's3:PutObject',
      Resource: `arn:aws:s3:::${bucket}/*`,
    };
    const policy = { Version: '2012-10-17', Statement: statement };
    const path = `/buckets/${bucket}`;
    expect((await owner.call('PATCH', path, { policy }, { 'if-match': '*' })).status).toBe(200);

    const all = { prefix: 'photos/', actions: ['read', 'write', 'list', 'delete'] };
    const entries = await check(owner, bucket, all);
    const rights = (find: (who: Entry['who']) => boolean) =>
      Object.fromEntries(
        (entries.find(({ who }) => find(who))?.rights ?? []).map((right) => {
          const { action, allowed, because } = right as Record<string, { source: string }>;
          return [action, [allowed, because?.source]];
        }),
      );
    expect(entries.find(({ who }) => who.role === 'reader')?.who.members).toBe(1);
    expect(rights(({ role }) => role === 'reader')).toEqual({
      read: ['yes', 'role'],
      write: ['no', 'role'],
      list: ['yes', 'role'],
      delete: ['no', 'role'],
    });
    expect(rights(({ accessKeyId }) => accessKeyId === key.json.id)).toEqual({
      read: ['part', 'owner'],
      write: ['no', 'key-scope'],
      list: ['no', 'key-scope'],
      delete: ['no', 'key-scope'],
    });
    expect(
      rights(({ accountId, kind }) => kind === 'account' && accountId === other.accountId),
    ).toEqual({
      read: ['no', 'nothing'],
      write: ['yes', 'bucket-policy'],
      list: ['no', 'nothing'],
      delete: ['no', 'nothing'],
    });
    expect(rights(({ kind }) => kind === 'owner').delete).toEqual(['yes', 'owner']);
    expect(rights(({ kind }) => kind === 'any-account').write).toEqual(['no', 'nothing']);
    const put = { method: 'PUT', bucket, key: 'photos/x', body: 'x', signer: other } as const;
    expect((await client.send(put)).status).toBe(200);
  });

  it('tells what hangs on the address or referrer, until they are named', async () => {
    const api = await tokenClient(client);
    const bucket = await makeBucket(api);
    const resource = `arn:aws:s3:::${bucket}/*`;
    const open = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: resource };
    const near = { ...open, Condition: { IpAddress: { 'aws:SourceIp': '203.0.113.0/24' } } };
    const hot = { ...open, Condition: { StringLike: { 'aws:Referer': 'https://a.example/*' } } };
    const path = `/buckets/${bucket}`;
    const policy = { Version: '2012-10-17', Statement: [near, hot] };
    expect((await api.call('PATCH', path, { policy }, { 'if-match': '*' })).status).toBe(200);
    const entries = await check(api, bucket, { prefix: '' });
    expect(entryOf(entries, 'strangers')?.rights).toMatchObject([
      { allowed: 'depends', dependsOn: ['aws:referer', 'aws:sourceip'] },
    ]);
    const test = async (facts: object) => {
      const body = { as: 'stranger', action: 'read', key: 'a', ...facts };
      const reply = await api.call('POST', `${path}/access-tests`, body);
      expect(reply.status).toBe(200);
      return [reply.json.allowed, reply.json.because.statement ?? null];
    };
    expect(await test({ address: '203.0.113.9', referer: null })).toEqual(['yes', 1]);
    expect(await test({ address: '198.51.100.1', referer: null })).toEqual(['no', null]);
    const referer = 'https://a.example/page';
    expect(await test({ address: '198.51.100.1', referer })).toEqual(['yes', 2]);
    expect(await test({ address: '198.51.100.1' })).toEqual(['depends', 2]);
    const bad = { as: 'stranger', action: 'read', key: 'a', prefix: 'a' };
    expect((await api.call('POST', `${path}/access-tests`, bad)).json.code).toBe('InvalidInput');
  });

  it('names blocks, lists that open an object, and keys that are off', async () => {
    const api = await tokenClient(client);
    const root = await tokenClient(client);
    const bucket = await makeBucket(api, { publicAccess: 'read' });
    const path = `/buckets/${bucket}`;
    const publicAccessBlock = {
      blockPublicAcls: false,
      ignorePublicAcls: false,
      blockPublicPolicy: false,
      restrictPublicBuckets: true,
    };
    const set = await api.call('PATCH', path, { publicAccessBlock }, { 'if-match': '*' });
    expect(set.status).toBe(200);
    expect(entryOf(await check(api, bucket, { prefix: '' }), 'strangers')?.rights).toMatchObject([
      {
        allowed: 'no',
        because: { source: 'block-public-access', setting: 'restrictPublicBuckets' },
      },
    ]);

    const listed = await makeBucket(api, { ownership: 'ObjectWriter' });
    const acl = { 'x-amz-acl': 'public-read' };
    const put = { method: 'PUT', bucket: listed, key: 'open', body: 'x', headers: acl } as const;
    expect((await client.send(put)).status).toBe(200);
    const ofKey = await check(api, listed, { key: 'open' });
    expect(entryOf(ofKey, 'strangers')?.rights).toMatchObject([
      {
        allowed: 'yes',
        because: { source: 'acl', list: 'object', grantee: 'AllUsers', permission: 'READ' },
      },
    ]);
    const ofAll = await check(api, listed, { prefix: '' });
    expect(entryOf(ofAll, 'strangers')?.rights).toMatchObject([
      { allowed: 'depends', dependsOn: ['object-acl'] },
    ]);

    const key = (await root.call('POST', '/access-keys', { name: 'off' })).json;
    const off = { isEnabled: false };
    const change = await root.call('PATCH', `/access-keys/${key.id}`, off, { 'if-match': '*' });
    expect(change.status).toBe(200);
    const test = { as: { accessKeyId: key.id }, action: 'read', key: 'a' };
    expect((await api.call('POST', `${path}/access-tests`, test)).json).toMatchObject({
      allowed: 'no',
      because: { source: 'key-state', state: 'disabled' },
    });
    const nobody = { ...test, as: { accessKeyId: 'QSNOBODY' } };
    expect((await api.call('POST', `${path}/access-tests`, nobody)).json.code).toBe(
      'NoSuchAccessKey',
    );
  });

  it('marks the rows of a folder that everyone reads, by policy, list and in part', async () => {
    const api = await tokenClient(client);
    const bucket = await makeBucket(api, { ownership: 'ObjectWriter' });
    const put = async (key: string, headers = {}) =>
      expect((await client.send({ method: 'PUT', bucket, key, body: 'x', headers })).status).toBe(
        200,
      );
    for (const key of ['all/a', 'some/a.jpg', 'some/a.sql', 'none/a', 'b.jpg', 'c.sql'])
      await put(key);
    await put('d.sql', { 'x-amz-acl': 'public-read' });
    const path = `/buckets/${bucket}`;
    const list = async (query: string) => {
      const reply = await api.call('GET', `${path}/objects?${query}`);
      expect(reply.status).toBe(200);
      return Object.fromEntries(
        reply.json.items.map((item: { key?: string; prefix?: string; readers?: unknown }) => [
          item.key ?? item.prefix,
          item.readers,
        ]),
      );
    };
    expect(await list('include=readers')).toMatchObject({
      'all/': null,
      'c.sql': null,
      'd.sql': 'everyone',
    });
    const open = (resource: string) => ({
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/${resource}`,
    });
    const near = { ...open('near/*'), Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } };
    const policy = { Version: '2012-10-17', Statement: [open('all/*'), open('*.jpg'), near] };
    expect((await api.call('PATCH', path, { policy }, { 'if-match': '*' })).status).toBe(200);
    await put('near/a');
    expect(await list('include=readers')).toEqual({
      'all/': 'everyone',
      'near/': 'part',
      'none/': 'part',
      'some/': 'part',
      'b.jpg': 'everyone',
      'c.sql': null,
      'd.sql': 'everyone',
    });
    expect(await list('include=readers&prefix=some/')).toEqual({
      'some/a.jpg': 'everyone',
      'some/a.sql': null,
    });
    expect((await list('prefix=some/'))['some/a.jpg']).toBe(undefined);
    for (const [key, status] of [
      ['d.sql', 200],
      ['b.jpg', 200],
      ['c.sql', 403],
    ] as const)
      expect([key, (await client.anonymous({ method: 'GET', bucket, key })).status]).toEqual([
        key,
        status,
      ]);
  });
});
