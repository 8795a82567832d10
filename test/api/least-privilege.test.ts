// What an account can learn of others, and reach of theirs, through routes that are for itself.
import { expect, it } from 'vitest';
import { findRateCard } from '../../src/core/billing/prices/account-card.ts';
import { rateCardJson } from '../../src/core/billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../../src/core/billing/prices/rate-cards.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../src/core/parse-names.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import { createMemoryCore, putBytes } from '../core/memory-core.ts';
import { addSignedIn, apiOver, ROOT } from './api-over.ts';

/** A server with an operator and two accounts, whose owners are signed in. */
async function withAccounts() {
  const core = createMemoryCore();
  const api = apiOver(core);
  const root = await api.signInRoot();
  const account = async (displayName: string) => {
    const { id } = (await api.send('POST', '/accounts', { by: root, body: { displayName } })).json;
    const path = `/access-keys?accountId=${id}`;
    const key = (await api.send('POST', path, { by: root, body: { name: 'k' } })).json;
    const by = await api.signIn({ accessKeyId: key.id, secretAccessKey: key.secretAccessKey });
    return { id: id as string, by };
  };
  return { core, api, root, a: await account('a'), b: await account('b') };
}

it('an account cannot undo a move that the operator made into the bucket of another', async () => {
  const { core, api, root, a, b } = await withAccounts();
  const make = (of: typeof a, name: string) =>
    api.outcome('POST', '/buckets', { by: of.by, body: { name } });
  expect([await make(a, 'from-a'), await make(b, 'to-b'), await make(a, 'also-a')]).toEqual([
    201, 201, 201,
  ]);
  const source = await openBucket(core, parseBucketName('from-a'), () => {});
  await putBytes(core, source, 'x/one', new Uint8Array(3));
  const body = { kind: 'move', prefix: 'x/', to: 'y/', toBucket: 'to-b' };
  const job = (await api.send('POST', '/buckets/from-a/jobs', { by: root, body })).json;
  await core.settle();
  const undo = (by: typeof root) =>
    api.outcome('POST', `/buckets/from-a/jobs/${job.id}/undo`, { by });
  expect(await undo(a.by)).toBe('NoSuchBucket');
  await core.settle();
  const target = await openBucket(core, parseBucketName('to-b'), () => {});
  const page = { prefix: '', delimiter: '', after: '', maxKeys: 10 };
  expect((await target.call('listObjects', page)).objects.map(({ key }) => key)).toEqual(['y/one']);
  expect(await undo(root)).toBe(202);
  await core.settle();
  expect((await target.call('listObjects', page)).objects).toEqual([]);

  // Between buckets of one's own it is taken back as before.
  const own = { ...body, toBucket: 'also-a' };
  const { id } = (await api.send('POST', '/buckets/from-a/jobs', { by: a.by, body: own })).json;
  await core.settle();
  expect(await api.outcome('POST', `/buckets/from-a/jobs/${id}/undo`, { by: a.by })).toBe(202);
});

it('a token that only writes names nothing anew, and nobody sees the jobs of others', async () => {
  const { core, api, a, b } = await withAccounts();
  for (const [of, name] of [
    [a, 'from-a'],
    [b, 'to-b'],
  ] as const)
    await api.outcome('POST', '/buckets', { by: of.by, body: { name } });
  const tokenOf = async (scopes: readonly string[]) => {
    const { json } = await api.send('POST', '/tokens', { by: a.by, body: { name: 't', scopes } });
    return { authorization: `Bearer ${json.token}` };
  };
  const start = (by: typeof a.by, changes: object = {}) =>
    api.outcome('POST', '/buckets/from-a/jobs', {
      by,
      body: { kind: 'copy', prefix: 'x/', to: 'y/', ...changes },
    });
  const writer = await tokenOf(['objects:write']);
  expect(await start(writer)).toBe('AccessDenied');
  expect(await start(writer, { kind: 'move' })).toBe('AccessDenied');
  const rename = { kind: 'rename', to: undefined, pattern: { prefix: 'n' } };
  expect(await start(writer, rename)).toBe('AccessDenied');
  expect(await start(await tokenOf(['objects:write', 'objects:read']))).toBe(202);
  expect(await start(a.by, { toBucket: 'to-b' })).toBe('NoSuchBucket');
  await core.settle();
  const { json } = await api.send('GET', '/jobs', { by: b.by });
  expect(json.items).toEqual([]);
});

it('an account reads and prices by the shipped cards and its own, with billing:read', async () => {
  const { core, api, root, a, b } = await withAccounts();
  const shipped = RATE_CARDS.map(({ id }) => id);
  for (const id of ['for-a', 'for-b']) {
    const card = { ...rateCardJson(RATE_CARDS[0] as (typeof RATE_CARDS)[number]), id };
    expect(
      await api.outcome('PUT', `/rate-cards/${id}`, { by: root, body: card, ifMatch: null }),
    ).toBe(200);
  }
  expect(await findRateCard(core, 'for-a')).not.toBe(null);
  const give = (accountId: string, rateCardId: string) =>
    api.outcome('PUT', `/billing/rate-card?accountId=${accountId}`, {
      by: root,
      body: { rateCardId },
    });
  expect([await give(a.id, 'for-a'), await give(b.id, 'for-b')]).toEqual([200, 200]);

  const list = async (by: typeof root) =>
    (await api.send('GET', '/rate-cards', { by })).json.items.map(({ id }: { id: string }) => id);
  expect(await list(a.by)).toEqual([...shipped, 'for-a']);
  expect(await list(root)).toEqual([...shipped, 'for-a', 'for-b']);
  const narrow = await api.tokenOf(a.by, ['usage:read']);
  expect(await list(narrow)).toEqual(shipped);

  const read = (id: string, by = a.by) => api.outcome('GET', `/rate-cards/${id}`, { by });
  expect([await read('for-a'), await read('for-b'), await read('none')]).toEqual([
    200,
    'NoSuchRateCard',
    'NoSuchRateCard',
  ]);
  expect([await read(shipped[0] ?? '', narrow), await read('for-a', narrow)]).toEqual([
    200,
    'NoSuchRateCard',
  ]);
  expect([await read('for-a', root), await read('for-b', root)]).toEqual([200, 200]);

  const simulate = (by: typeof root, id: string) => {
    const body = { period: '2026-10', cardIds: [id] };
    return api.outcome('POST', `/simulations?accountId=${a.id}`, { by, body });
  };
  expect([await simulate(a.by, 'for-b'), await simulate(a.by, 'for-a')]).toEqual([
    'NoSuchRateCard',
    200,
  ]);
  expect(await simulate(root, 'for-b')).toBe(200);
  const cap = (by: typeof root, name: string, cardId: string, ifMatch: string | null = null) => {
    const body = { unit: 'money', limit: '1000', rateCardId: cardId };
    return api.outcome('PUT', `/caps/${name}?accountId=${a.id}`, { by, body, ifMatch });
  };
  expect([await cap(a.by, 'x', 'for-b'), await cap(a.by, 'x', 'for-a')]).toEqual([
    'InvalidArgument',
    200,
  ]);
  // What the operator set may stay, whatever is changed of it.
  expect([await cap(root, 'y', 'for-b'), await cap(a.by, 'y', 'for-b', '*')]).toEqual([200, 200]);
});

it('probing which logins are taken is slowed after some attempts', async () => {
  const { core, api, root, a, b } = await withAccounts();
  const make = (by: typeof root, login: string) => {
    const body = { login, displayName: 'x', role: 'reader' };
    return api.outcome('POST', '/members', { by, body });
  };
  expect(await make(b.by, 'taken')).toBe(201);
  const outcomes: (string | number)[] = [];
  for (let at = 0; at < 25; at++) outcomes.push(await make(a.by, 'taken'));
  expect(outcomes).toEqual([...Array(20).fill('LoginTaken'), ...Array(5).fill('TooManyRequests')]);
  expect(await make(a.by, 'free-name')).toBe('TooManyRequests');
  // Others are not slowed by it, nor is the operator, who can list all of them.
  expect(await make(b.by, 'free-name')).toBe(201);
  for (let at = 0; at < 22; at++) expect(await make(root, 'taken')).toBe('LoginTaken');
  core.advanceSeconds(61);
  expect(await make(a.by, 'own-name')).toBe(201);
  for (let at = 0; at < 30; at++) {
    core.advanceSeconds(60);
    expect(await make(a.by, `mine-${at}`)).toBe(at < 8 ? 201 : 'RecentProofRequired');
  }
});

it('failed sign-ins are reported to their account, else to the operator, unnamed', async () => {
  const { core, api, root, a } = await withAccounts();
  await addSignedIn(core, { login: 'ada', role: 'reader', accountId: a.id as AccountId });
  const guess = (login: string) =>
    api.outcome('POST', '/sessions', {
      body: { login, password: 'my-secret-guess' },
      from: '192.0.2.77',
    });
  expect([await guess('ada'), await guess('ada'), await guess('ooops-my-password')]).toEqual(
    Array(3).fill('InvalidCredentials'),
  );
  const failures = async (by: typeof root) =>
    (await api.send('GET', '/audit?action=signInFailed', { by })).json.items;
  const [own, ...none] = await failures(a.by);
  expect(none).toEqual([]);
  expect(own).toMatchObject({ credential: 'login ada', source: '192.0.2.77', status: 401 });
  expect(JSON.parse(own.detail).failures).toBe(2);
  const toOperator = await failures(root);
  expect(toOperator).toMatchObject([{ credential: '', memberId: null, source: '192.0.2.77' }]);
  expect(JSON.stringify([own, toOperator])).not.toMatch(/my-secret-guess|ooops/);
});

it('guessing from one address or many locks out nobody who signed in before', async () => {
  const { api, root, b } = await withAccounts();
  const { id, secretAccessKey } = (
    await api.send('POST', '/access-keys', { by: root, body: { name: 'k' } })
  ).json;
  const enter = (accessKeyId: string, secret: string, from: string) =>
    api.outcome('POST', '/sessions', { body: { accessKeyId, secretAccessKey: secret }, from });
  // The root key's id was chosen by the operator, and so may its secret have been; the other is one
  // of ours.
  for (let at = 0; at < 40; at++) {
    for (const key of [ROOT.id, id]) await enter(key, 'wrong', '198.18.0.1');
  }
  expect(await enter(ROOT.id, ROOT.secret, '198.18.0.1')).toBe('TooManyRequests');
  expect(await enter(ROOT.id, ROOT.secret, '198.18.0.2')).toBe(201);
  for (let source = 0; source < 12; source++) {
    for (let at = 0; at < 12; at++) await enter(ROOT.id, 'wrong', `198.18.1.${source}`);
    for (let at = 0; at < 12; at++) await enter(id, 'wrong', `198.18.1.${source}`);
  }
  expect(await enter(ROOT.id, ROOT.secret, '198.18.2.1')).toBe('TooManyRequests');
  expect(await enter(ROOT.id, ROOT.secret, '198.18.0.2')).toBe(201);
  expect(await enter(id, secretAccessKey, '198.18.2.1')).toBe(201);
  // What was tried stands in the log of the account: twenty sources of a day, and one entry for the
  // rest.
  const { items } = (await api.send('GET', '/audit?action=signInFailed', { by: root })).json;
  expect(items).toHaveLength(21);
  expect(items[0]).toMatchObject({ credential: 'many', source: 'many' });
  const { items: others } = (await api.send('GET', '/audit?action=signInFailed', { by: b.by }))
    .json;
  expect(others).toEqual([]);
});

it('a token without objects:read opens nothing more by links, and moves nothing', async () => {
  const { core, api, a } = await withAccounts();
  await api.outcome('POST', '/buckets', { by: a.by, body: { name: 'from-a' } });
  const bucket = await openBucket(core, parseBucketName('from-a'), () => {});
  await putBytes(core, bucket, 'shared', new Uint8Array(3));
  const tokenOf = async (scopes: readonly string[]) => {
    const { json } = await api.send('POST', '/tokens', { by: a.by, body: { name: 't', scopes } });
    return { authorization: `Bearer ${json.token}` };
  };
  const links = '/buckets/from-a/share-links';
  const target = { kind: 'object', key: 'shared' };
  const made = { by: a.by, body: { target, password: 'a password' } };
  const link = `${links}/${(await api.send('POST', links, made)).json.id}`;
  const { id } = (await api.send('POST', `${link}/labels`, { by: a.by, body: { name: 'x' } })).json;
  const change = (by: typeof a.by, body: object, path = link) =>
    api.outcome('PATCH', path, { by, body, ifMatch: '*' });

  const writer = await tokenOf(['links:write', 'objects:write']);
  const page = { logoKey: 'secret' };
  const open = [{ page }, { password: null }, { expiresAt: null }, { isRevoked: false }];
  for (const body of open) expect(await change(writer, body)).toBe('AccessDenied');
  expect(await change(writer, { isRevoked: true, note: 'mine' })).toBe(200);
  expect(await change(writer, { isRevoked: true }, `${link}/labels/${id}`)).toBe(200);
  expect(await change(writer, { isRevoked: false }, `${link}/labels/${id}`)).toBe('AccessDenied');
  const reader = await tokenOf(['links:write', 'objects:read']);
  expect(await change(reader, { page, isRevoked: false })).toBe(200);
  expect(await change(reader, { isRevoked: false }, `${link}/labels/${id}`)).toBe(200);

  const drops = '/buckets/from-a/drop-links';
  const body = { prefix: 'in/', quarantine: 'secret/' };
  const drop = (await api.send('POST', drops, { by: writer, body })).json;
  const release = (by: typeof a.by) => api.outcome('POST', `${drops}/${drop.id}/release`, { by });
  expect(await release(writer)).toBe('AccessDenied');
  expect(await release(await tokenOf(['links:write', 'objects:write', 'objects:read']))).toBe(202);
  await core.settle();
});

it('nobody ends the links of another by calling them links of a bucket of their own', async () => {
  const { core, api, a, b } = await withAccounts();
  for (const [of, name] of [
    [a, 'from-a'],
    [b, 'to-b'],
  ] as const)
    await api.outcome('POST', '/buckets', { by: of.by, body: { name } });
  const make = async (kind: string, body: object) =>
    (await api.send('POST', `/buckets/from-a/${kind}`, { by: a.by, body })).json.id;
  const target = { kind: 'folder', prefix: 'x/' };
  const ids = [await make('share-links', { target }), await make('drop-links', { prefix: 'in/' })];
  for (const id of ids) {
    for (const kind of ['share-links', 'drop-links'])
      await api.outcome('DELETE', `/buckets/to-b/${kind}/${id}`, { by: b.by });
    expect(await core.ports.directory.call('getLinkId', { id })).toMatchObject({ id });
  }
});
