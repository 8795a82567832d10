// Who may call what, for every route of the API's own document: by token with exactly the scope
// that the document names, and without it; by role; and of other accounts' things, which must look
// as if they were not there. A new route is in it by itself; a new parameter in a path fails here
// until it is said whose thing it names.

import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { SCOPES, type Scope, scopesOfRole } from '../../src/core/accounts/permissions.ts';
import { newCookieText, newTokenText, secretDigest } from '../../src/core/accounts/secrets.ts';
import { creditInvoice } from '../../src/core/billing/invoices/credit-note.ts';
import type { Holder, Role } from '../../src/domain/accounts.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import { closeBill } from './closed-bill.ts';
import { type NamedTexts, type OperationInput, rightInputsOf } from './document-requests.ts';
import { type Credential, type MemoryReply, startMemoryApi } from './memory-api.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is JSON of any shape
type Json = any;

const SEED = 5;
/** Requests for each route: some of them must be right enough to come to where rights are asked. */
const SAMPLES = 6;

const api = await startMemoryApi();
const operations: OperationInput[] = Object.entries(api.document.paths as Json).flatMap(
  ([path, item]) =>
    Object.entries(item as Json).map(([method, operation]) => ({ path, method, operation })),
);
const { clock, directory } = api.core.ports;

/** Operations that only the operator may call, whatever scopes there are. */
const OPERATORS = new Set([
  ...[
    'listEncryptionKeys',
    'putEncryptionKey',
    'createAccount',
    'listAccounts',
    'deleteAccount',
    'putRateCard',
    'setRateCard',
    'addCredit',
    'createCreditNote',
    'voidInvoice',
    'getIssuer',
    'putIssuer',
    'setAccountTax',
    'setStripeCustomer',
    'getClock',
    'confirmClock',
    'putAccountQuota',
  ],
]);
/** They ask for another scope besides, by what is in the request. */
const ALSO = new Map<string, Scope>([
  ['presignUrls', 'objects:write'],
  // A key does something only by what its maker may do.
  ['createAccessKey', 'objects:read'],
]);
/** They hash passwords, or end what the test lives by. */
const LEFT_OUT = new Set([
  'signIn',
  'createMember',
  'updateMember',
  'changePassword',
  'signOutEverywhere',
]);

type Thing = { readonly id: string; readonly missing: string };
/** What stands in a path: of another account, and of nobody. */
const things = new Map<string, Thing>();
let accountA = '' as AccountId;
let accountB = '' as AccountId;
let memberOfA = '';

async function asRoot(method: string, path: string, body?: object): Promise<MemoryReply> {
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const reply = await api.send({
    method,
    path,
    headers,
    body: body === undefined ? null : JSON.stringify(body),
  });
  expect([method, path, reply.status < 300, reply.json]).toMatchObject([
    method,
    path,
    true,
    reply.json,
  ]);
  return reply;
}

async function sessionOf(
  holder: Omit<Holder, 'accessKeyId' | 'credentialDigest'>,
): Promise<Credential> {
  const text = newCookieText();
  const nowMs = clock.nowMs();
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + 10 ** 9, provenAtMs: nowMs };
  const none = { accessKeyId: null, credentialDigest: null };
  const session = {
    ...holder,
    ...times,
    ...none,
    id: api.core.ports.ids.recordId(),
    label: 'test',
  };
  await directory.call('addSession', { digest: secretDigest('session', text) ?? '', session });
  return { cookie: `__Host-quayside=${text}` };
}

async function tokenOf(
  accountId: AccountId,
  scopes: readonly Scope[],
  memberId: string | null = null,
): Promise<Credential> {
  const text = newTokenText();
  const token = {
    ...({
      accountId,
      role: 'owner',
      memberId,
      accessKeyId: null,
      credentialDigest: null,
      scopes,
      name: 'test',
      expiresAtMs: null,
    } as const),
    ...{ id: api.core.ports.ids.recordId(), createdAtMs: clock.nowMs() },
  };
  await directory.call('addToken', { digest: secretDigest('token', text) ?? '', token });
  return { authorization: `Bearer ${text}` };
}

/** Everything that an account can have, made for it. */
async function furnish(account: string, bucket: string): Promise<Map<string, string>> {
  const of = `?accountId=${account}`;
  const owner = await tokenOf(account as AccountId, SCOPES);
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await api.send({ method, path, headers, body: JSON.stringify(body) }, owner);
    expect([path, reply.status < 300, reply.json]).toMatchObject([path, true, reply.json]);
    return reply.json;
  };
  await asRoot('POST', `/buckets${of}`, { name: bucket });
  const memberId = api.core.ports.ids.recordId();
  const member = {
    id: memberId,
    accountId: account as AccountId,
    login: `of-${bucket}`,
    displayName: 'x',
  };
  const rest = {
    role: 'owner',
    isEnabled: true,
    hasPassword: false,
    createdAtMs: clock.nowMs(),
    revision: 1,
  } as const;
  await directory.call('addMember', { member: { ...member, ...rest }, passwordHash: null });
  const passkey = {
    id: `passkey-of-${bucket}`,
    name: 'x',
    publicKey: '',
    counter: 0,
    transports: [],
  };
  const owned = {
    accountId: account as AccountId,
    memberId,
    createdAtMs: clock.nowMs(),
    lastUsedMs: null,
  };
  await directory.call('addPasskey', { passkey: { ...passkey, ...owned } });
  await sessionOf({ accountId: account as AccountId, role: 'owner', memberId });
  const [session] = await directory.call('listSessions', {
    ...{
      accountId: account as AccountId,
      holder: null,
      before: '',
      limit: 1,
      nowMs: clock.nowMs(),
    },
  });
  const upload = await send('POST', `/buckets/${bucket}/uploads`, { key: 'upload' });
  await send('PUT', '/caps/mine', { unit: 'bytes', limit: '1000000' });
  return new Map([
    ...Object.entries({
      accountId: account,
      bucket,
      memberId,
      passkeyId: passkey.id,
      sessionId: session?.id ?? '',
    }),
    ['tokenId', (await send('POST', '/tokens', { name: 'x' })).id],
    ['accessKeyId', (await send('POST', '/access-keys', { name: 'x' })).id],
    [
      'webhookId',
      (await send('POST', '/webhooks', { url: 'https://hooks.example.org/', isEnabled: false })).id,
    ],
    [
      'jobId',
      (await send('POST', `/buckets/${bucket}/jobs`, { kind: 'delete', prefix: 'no-such/' })).id,
    ],
    ['uploadId', upload.id],
  ]);
}

/** Names of the server's, not of an account. */
const PUBLIC_PARAMETERS = new Set(['period', 'file', 'noteFile', 'cardId', 'capId']);

/** Another of the same form, that nobody has. */
const toMissing = (id: string) =>
  id.replace(/[0-9a-z](?=[^0-9a-z]*$)/i, (last) => (last === '0' ? '1' : '0'));

beforeAll(async () => {
  accountA = (await asRoot('POST', '/accounts', { displayName: 'a' })).json.id;
  accountB = (await asRoot('POST', '/accounts', { displayName: 'b' })).json.id;
  memberOfA = (await furnish(accountA, 'rights-of-a')).get('memberId') ?? '';
  for (const [name, id] of await furnish(accountB, 'rights-of-b'))
    things.set(name, { id, missing: toMissing(id) });
  const month = await closeBill(api.core, accountB);
  const ofB = { id: accountB, displayName: 'b' };
  const { number } = await creditInvoice(api.core, ofB, month, { reason: 'x', part: null });
  things.set('number', { id: number, missing: toMissing(number) });
});

const parametersOf = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
const fill = (path: string, toText: (name: string) => string) =>
  path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(toText(name)));

function samplesOf(given: OperationInput, named: NamedTexts, count = SAMPLES) {
  return fc.sample(rightInputsOf(api.document, given, named), { numRuns: count, seed: SEED });
}

async function send(
  given: OperationInput,
  path: string,
  sample: { query: string; body: string | null },
  by: Credential,
) {
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const asked = [path, sample.query]
    .filter((part) => part !== '')
    .join(path.includes('?') ? '&' : '?');
  return api.send(
    { method: given.method.toUpperCase(), path: asked, headers, body: sample.body },
    by,
  );
}

const accessOf = ({ operation }: OperationInput) =>
  operation['x-quayside-access'] as Scope | 'signed-in' | 'everybody';
const isScoped = (given: OperationInput) => (SCOPES as readonly string[]).includes(accessOf(given));
const nameOf = ({ operation }: OperationInput) => operation.operationId as string;
const scoped = operations.filter(isScoped).map((given) => [nameOf(given), given] as const);

it.each(scoped)('%s needs the scope that it names, and no other', async (name, given) => {
  const scope = accessOf(given) as Scope;
  const also = ALSO.get(name);
  const [exact, others] = await Promise.all([
    tokenOf(accountA, also === undefined ? [scope] : [scope, also], memberOfA),
    tokenOf(
      accountA,
      SCOPES.filter((each) => each !== scope),
    ),
  ]);
  const own: NamedTexts = {
    toBucket: ['rights-of-a'],
    targetBucket: ['rights-of-a'],
    key: ['note.txt'],
  };
  const path = fill(given.path, (parameter) =>
    parameter === 'bucket' ? 'rights-of-a' : (things.get(parameter)?.missing ?? 'x1'),
  );
  for (const sample of samplesOf(given, own)) {
    expect([(await send(given, path, sample, others)).json?.code]).toEqual(['AccessDenied']);
    if (LEFT_OUT.has(name)) continue;
    // What deletes comes to a thing that is not there: nothing that other tests need goes.
    const at = name === 'deleteBucket' ? '/buckets/rights-nowhere' : path;
    const { json, status } = await send(given, at, sample, exact);

    if (OPERATORS.has(name)) expect([sample, status >= 400]).toEqual([sample, true]);
    else {
      // A request may ask to hand on a scope that its token has not: that is another refusal.
      const [, missing] = /^You do not have the scope (\S+)\.$/.exec(json?.detail ?? '') ?? [];
      const isHandedOn =
        missing !== undefined &&
        missing !== scope &&
        sample.body?.includes(`"${missing}"`) === true;
      const isRefused = json?.code === 'AccessDenied' && !isHandedOn;
      expect([sample, isRefused, json?.detail]).toEqual([sample, false, json?.detail]);
    }
  }
});

/** What the roles that may do little may change; a new route must be thought of here. */
const OWN = ['signOutEverywhere', 'signOut', 'createToken', 'deleteToken'];
const BILLS = [
  'simulateInvoice',
  'putRateCard',
  'setRateCard',
  'addCredit',
  'createCreditNote',
  'voidInvoice',
  'putIssuer',
  'putBuyer',
  'setAccountTax',
  'setStripeCustomer',
  'confirmClock',
  'putCap',
  'deleteCap',
];
const CHANGES_OF: Partial<Record<Role, readonly string[]>> = {
  reader: OWN,
  billing: [...OWN, ...BILLS],
};
const QUESTIONS = new Set(['presignUrls']);

it.each(Object.entries(CHANGES_OF))(
  'a %s changes nothing but what is its own',
  (role, expected) => {
    const scopes = scopesOfRole(role as Role);
    const changes = operations.filter(
      (given) => given.method !== 'get' && isScoped(given) && scopes.has(accessOf(given) as Scope),
    );
    const named = changes.map(nameOf).filter((name) => !QUESTIONS.has(name));
    expect(named.toSorted()).toEqual([...expected].toSorted());
  },
);

it('no role reads objects that only looks at bills, and members see neither bills nor keys', async () => {
  const allowed = async (role: Role) => {
    const of = { accountId: accountA, id: memberOfA };
    const member = await directory.call('getMember', of);
    const { revision = 0, displayName = '' } = member ?? {};
    const unchanged = { displayName, isEnabled: true, passwordHash: null, endTokens: false };
    await directory.call('updateMember', { ...of, ...unchanged, revision, role });
    const by = await sessionOf({ accountId: accountA, role, memberId: memberOfA });
    const names: string[] = [];
    for (const given of operations.filter((each) => each.method === 'get' && isScoped(each))) {
      const path = fill(given.path, () => 'x1');
      const { status } = await send(given, path, { query: '', body: null }, by);
      expect(status).not.toBe(401);
      if (status !== 403) names.push(accessOf(given));
    }
    return new Set(names);
  };
  const billing = await allowed('billing');
  expect([billing.has('objects:read'), billing.has('billing:read')]).toEqual([false, true]);
  for (const few of [await allowed('member'), await allowed('reader')]) {
    expect(few.has('objects:read')).toBe(true);
    for (const scope of [
      'billing:read',
      'keys:read',
      'members:read',
      'audit:read',
      'webhooks:read',
    ]) {
      expect([scope, few.has(scope)]).toEqual([scope, false]);
    }
  }
});

/** The answer without what differs in every answer. */
function comparable({ status, json }: MemoryReply, names: readonly string[]): string {
  let text = JSON.stringify([status, { ...json, requestId: '' }]);
  for (const name of names) text = text.replaceAll(name, '…');
  return text;
}

const withParameters = operations
  .filter(({ path }) => parametersOf(path).some((name) => !PUBLIC_PARAMETERS.has(name)))
  .map((given) => [nameOf(given), given] as const);

it.each(withParameters)('%s tells nothing of what others have', async (_, given) => {
  const by = await tokenOf(accountA, SCOPES);
  const parameters = parametersOf(given.path);
  for (const name of parameters)
    expect([name, things.has(name) || PUBLIC_PARAMETERS.has(name)]).toEqual([name, true]);
  for (const sample of samplesOf(given, { key: ['upload', 'note.txt'] })) {
    const replies: string[] = [];
    for (const kind of ['id', 'missing'] as const) {
      const path = fill(given.path, (name) => things.get(name)?.[kind] ?? 'x1');
      const reply = await send(given, path, sample, by);
      expect([path, reply.status >= 400]).toEqual([path, true]);
      const names = [...things.values()].flatMap(({ id, missing }) => [id, missing]);
      replies.push(comparable(reply, names));
    }
    expect(replies[0]).toBe(replies[1]);
  }
});

const withAccount = operations
  .filter(({ operation }) =>
    (operation.parameters ?? []).some((p: Json) => p.name === 'accountId' && p.in === 'query'),
  )
  .map((given) => [nameOf(given), given] as const);

it.each(withAccount)('%s tells nothing of other accounts', async (_, given) => {
  const by = await tokenOf(accountA, SCOPES);
  const path = fill(given.path, (name) => things.get(name)?.id ?? '2026-10');
  for (const sample of samplesOf(given, { period: ['2026-10'] }, 3)) {
    const [there, nowhere] = await Promise.all(
      [accountB, toMissing(accountB)].map((id) =>
        send(given, `${path}?accountId=${id}`, sample, by),
      ),
    );
    expect(there?.status).toBeGreaterThanOrEqual(400);
    const names = [accountB, toMissing(accountB)];
    expect(comparable(there as MemoryReply, names)).toBe(comparable(nowhere as MemoryReply, names));
  }
});
