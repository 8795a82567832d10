// Settings that several people change: each change says which state it was made of, and of two
// changes of one state one wins.
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { startMemoryApi } from './memory-api.ts';

const api = await startMemoryApi();
const call = (
  method: string,
  path: string,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
) =>
  api.send({
    method,
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === null ? null : JSON.stringify(body),
  });

async function etagAt(path: string): Promise<string> {
  const { status, headers } = await call('GET', path, null);
  expect(status).toBe(200);
  expect(headers.get('etag')).toMatch(/^"[!#-~]+"$/);
  return headers.get('etag') ?? '';
}

const shipped = (await call('GET', '/rate-cards/cloudflare-r2', null)).json;
const CAP = { unit: 'bytes', limit: '1000' };

/** What is changed by `method` at its path; `make` makes one and gives the path. */
const RESOURCES = [
  {
    name: 'a cap',
    method: 'PUT',
    make: async () => {
      expect((await call('PUT', '/caps/one', CAP)).status).toBe(200);
      return '/caps/one';
    },
    change: (n: number): object => ({ ...CAP, limit: `${2000 + n}` }),
  },
  {
    name: 'a rate card',
    method: 'PUT',
    make: async () => {
      expect((await call('PUT', '/rate-cards/own', { ...shipped, id: 'own' })).status).toBe(200);
      return '/rate-cards/own';
    },
    change: (n: number): object => ({ ...shipped, id: 'own', name: `Ours ${n}` }),
  },
  {
    name: 'a webhook',
    method: 'PATCH',
    make: async () => {
      const made = await call('POST', '/webhooks', { url: 'https://hooks.example.org/' });
      expect(made.headers.get('etag')).toBe(await etagAt(`/webhooks/${made.json.id}`));
      return `/webhooks/${made.json.id}`;
    },
    change: (n: number): object => ({ description: `changed ${n}` }),
  },
];

describe.each(RESOURCES)('$name', ({ method, make, change }) => {
  let path = '';
  beforeAll(async () => {
    path = await make();
  });
  const changeIf = (n: number, match: string) =>
    call(method, path, change(n), { 'if-match': match });

  it('is changed with the ETag of its state, and responds with the new one', async () => {
    const seen = await etagAt(path);
    const [blind, stale] = [await call(method, path, change(1)), await changeIf(1, '"other"')];
    expect([blind.status, blind.json.code]).toEqual([428, 'PreconditionRequired']);
    expect([stale.status, stale.json.code]).toEqual([412, 'PreconditionFailed']);
    expect(stale.json.detail).toContain('Read it again');
    expect(await etagAt(path)).toBe(seen);
    const changed = await changeIf(1, `"older", ${seen}`);
    expect(changed).toMatchObject({ status: 200, json: change(1) });
    expect(changed.headers.get('etag')).toBe(await etagAt(path));
    expect(changed.headers.get('etag')).not.toBe(seen);
    expect((await changeIf(2, seen)).status).toBe(412);
    expect((await changeIf(2, '*')).status).toBe(200);
  });

  it('is changed once by many changes of the same state', async () => {
    const seen = await etagAt(path);
    const replies = await Promise.all([11, 12, 13, 14].map((n) => changeIf(n, seen)));
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412, 412]);
    const winner = replies.find(({ status }) => status === 200);
    expect((await call('GET', path, null)).json).toMatchObject(winner?.json);
  });
});

it.each([
  ['a cap', '/caps/new', CAP],
  ['a rate card', '/rate-cards/new', { ...shipped, id: 'new' }],
])('%s is made without a state to name, and only then', async (_, path, body) => {
  const put = (headers: Readonly<Record<string, string>>) => call('PUT', path, body, headers);
  for (const match of ['*', '"any"']) expect((await put({ 'if-match': match })).status).toBe(412);
  expect((await put({ 'if-none-match': '"any"' })).status).toBe(400);
  const made = await put({ 'if-none-match': '*' });
  expect([made.status, made.headers.get('etag')]).toEqual([200, await etagAt(path)]);
  expect((await put({ 'if-none-match': '*', 'if-match': '*' })).status).toBe(412);
  expect((await put({})).status).toBe(428);
});

it('a new secret of a webhook leaves its ETag', async () => {
  const { id } = (await call('POST', '/webhooks', { url: 'https://hooks.example.org/' })).json;
  const seen = await etagAt(`/webhooks/${id}`);
  expect((await call('POST', `/webhooks/${id}/secret`, null)).status).toBe(200);
  expect(await etagAt(`/webhooks/${id}`)).toBe(seen);
});

it('the standing of a cap leaves its ETag, and a deleted cap is not found', async () => {
  const path = '/caps/standing';
  await call('PUT', path, CAP);
  const seen = await etagAt(path);
  const { ledger, clock } = api.core.ports;
  const nowMs = clock.nowMs();
  const row = {
    hourMs: nowMs - (nowMs % HOUR_MS),
    bucketId: null,
    accessKeyId: null,
    meter: 'egress/memory',
  } as const;
  const batches = [{ source: 'test', sequence: 1, rows: [{ ...row, quantity: 400n }] }];
  await ledger.call('record', { accountId: ROOT_ACCOUNT.id, batches, nowMs });
  expect((await call('GET', path, null)).json).toMatchObject({ spent: '400', percent: 40 });
  expect(await etagAt(path)).toBe(seen);
  expect((await call('DELETE', path, null)).status).toBe(204);
  expect((await call('GET', path, null)).json.code).toBe('NoSuchCap');
  expect((await call('PUT', path, CAP, { 'if-match': seen })).status).toBe(412);
});

it('the card of an account is changed with its ETag, by one of many', async () => {
  const seen = await etagAt('/billing');
  const give = (rateCardId: string | null) =>
    call('PUT', '/billing/rate-card', { rateCardId }, { 'if-match': seen });
  const cards = ['aws-s3-us-east-1', 'backblaze-b2', 'bunny-storage'];
  const replies = await Promise.all(cards.map(give));
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  const winner = replies.find(({ status }) => status === 200);
  expect((await call('GET', '/billing', null)).json.rateCardId).toBe(winner?.json.id);
  expect(winner?.headers.get('etag')).toBe(await etagAt('/billing'));
});

it('a new password makes a new state of a member', async () => {
  const { id } = (
    await call('POST', '/members', { login: 'ada', displayName: 'Ada', role: 'reader' })
  ).json;
  const path = `/members/${id}`;
  const seen = await etagAt(path);
  const change = (match: string) =>
    call('PATCH', path, { password: 'correct horse battery' }, { 'if-match': match });
  const changed = await change(seen);
  expect([changed.status, changed.json.hasPassword]).toEqual([200, true]);
  expect(changed.headers.get('etag')).toBe(await etagAt(path));
  expect(changed.headers.get('etag')).not.toBe(seen);
  expect((await change(seen)).status).toBe(412);
  await api.core.ports.directory.call('setPassword', {
    accountId: ROOT_ACCOUNT.id,
    id,
    passwordHash: 'another',
    exceptId: null,
    endTokens: true,
  });
  expect(await etagAt(path)).not.toBe(changed.headers.get('etag'));
});
