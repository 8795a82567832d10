// Who may call which route of the JSON API. Every route of the document is sent by everybody:
// nobody, another account, each role, a session whose proof is old, tokens, an access key, the
// operator. The table in route-rights.ts says what is expected; a new route fails here until it has
// a line there.
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { PROOF_RECENT_MS } from '../../src/core/accounts/recent-proof.ts';
import { newTokenText, secretDigest } from '../../src/core/accounts/secrets.ts';
import { SCOPES, type Scope, scopesOfRole } from '../../src/core/auth/permissions.ts';
import type { Role } from '../../src/domain/accounts.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import { createMemoryCore } from '../core/memory-core.ts';
import { addSignedIn, apiOver } from './api-over.ts';
import { type NamedTexts, rightInputsOf } from './document-requests.ts';
import type { Credential, MemoryReply } from './memory-api.ts';
import {
  furnish,
  isLetIn,
  namesAnAccount,
  parametersOf,
  pathOf,
  ROUTE_RIGHTS,
  type Route,
  type RouteRights,
  requestTo,
  routesOf,
  takesAccount,
  toMissing,
} from './route-rights.ts';
import { addUnrequestedThings } from './unrequested-things.ts';

const SEED = 5;
/** Requests for each route: some must be right enough to come to where rights are checked. */
const SAMPLES = 6;
const BUCKET = 'rights-of-a';
const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'billing', 'reader'];
const NO_RIGHTS: RouteRights = { needs: 'not in the table', roles: '', marks: new Set() };

/** A caller, and whether the table lets it in. */
type Actor = {
  readonly name: string;
  readonly by?: Credential;
  readonly isStranger?: boolean;
  readonly isExpected: (rights: RouteRights, route: Route) => boolean;
};

const core = createMemoryCore();
const { clock, directory, ids } = core.ports;
const api = apiOver(core);
const document = await api.document();
const routes = routesOf(document);
const named = routes.map((route) => [route.name, route] as const);
const actors: Actor[] = [];
let sentCount = 0;
let accountId = '' as AccountId;
let strangerId = '' as AccountId;
let ownerId = '';
let things = new Map<string, string>();
/** Names of the same form that nobody has; `missing` are those of the account itself. */
let nowhere = new Map<string, string>();
let missing = new Map<string, string>();

const rightsOf = ({ name }: Route): RouteRights => ROUTE_RIGHTS.get(name) ?? NO_RIGHTS;
const isEverybodys = ({ needs }: RouteRights) => needs === 'everybody';
const isRolesOwn = (role: Role, rights: RouteRights) =>
  isEverybodys(rights) ||
  (rights.roles.includes(role.charAt(0).toUpperCase()) && !rights.marks.has('operator'));

/** A token with those scopes, whatever the role of its member. */
async function tokenOf(
  account: AccountId,
  scopes: readonly Scope[],
  memberId: string | null = null,
): Promise<Credential> {
  const text = newTokenText();
  const token = {
    id: ids.recordId(),
    accountId: account,
    role: 'owner',
    memberId,
    accessKeyId: null,
    credentialDigest: null,
    scopes,
    name: 'test',
    createdAtMs: clock.nowMs(),
    expiresAtMs: null,
  } as const;
  await directory.call('addToken', { digest: secretDigest('token', text) ?? '', token });
  return { authorization: `Bearer ${text}` };
}

beforeAll(async () => {
  // The stale session is the first to sign in; ten minutes later come all others.
  const root = await api.signInRoot();
  const account = async (displayName: string) =>
    (await api.send('POST', '/accounts', { by: root, body: { displayName } })).json.id as AccountId;
  accountId = await account('a');
  strangerId = await account('b');
  const stale = await addSignedIn(core, { accountId, login: 'stale', role: 'owner' });
  core.advanceSeconds(PROOF_RECENT_MS / 1000);

  const member = (login: string, role: Role, of = accountId) =>
    addSignedIn(core, { accountId: of, login, role });
  const owner = await member('owner', 'owner');
  things = await furnish(accountId, BUCKET, async (method, path, body) => {
    const { json, status } = await api.send(method, path, { by: owner, body, ifMatch: null });
    expect([path, status < 300, json]).toEqual([path, true, json]);
    return json;
  });
  const members = await directory.call('listMembers', { accountId, after: '', limit: 10 });
  ownerId = members.find(({ login }) => login === 'owner')?.id ?? '';
  for (const [name, id] of await addUnrequestedThings(core, accountId, ownerId))
    things.set(name, id);
  nowhere = new Map([...things].map(([name, id]) => [name, toMissing(id)]));
  missing = new Map([...nowhere, ['accountId', accountId]]);

  actors.push({ name: 'nobody', isExpected: isEverybodys });
  // A signature of S3 is no credential here, whatever key made it.
  const scope = `${things.get('accessKeyId')}/20261120/auto/s3/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope}`;
  actors.push({ name: 'an S3 key', by: { authorization }, isExpected: () => false });
  actors.push({
    name: 'another account',
    by: await member('stranger', 'owner', strangerId),
    isStranger: true,
    isExpected: (rights, route) => isRolesOwn('owner', rights) && !namesAnAccount(route),
  });
  for (const role of ROLES) {
    const by = role === 'owner' ? owner : await member(role, role);
    actors.push({ name: role, by, isExpected: (rights) => isRolesOwn(role, rights) });
  }
  actors.push({
    name: 'a session of old proof',
    by: stale,
    isExpected: (rights) => isRolesOwn('owner', rights) && !rights.marks.has('proof'),
  });
  for (const scope of SCOPES) {
    const isExpected = ({ needs, marks }: RouteRights) =>
      needs === 'everybody' ||
      needs === 'signed-in' ||
      (needs === scope && !marks.has('operator') && !marks.has('more'));
    actors.push({
      name: `a token for ${scope}`,
      by: await api.tokenOf(owner, [scope]),
      isExpected,
    });
  }
  actors.push({
    name: 'the operator',
    by: await addSignedIn(core, { login: 'operator', role: 'owner' }),
    isExpected: ({ marks }) => !marks.has('bytes'),
  });
});

describe('the table of rights', () => {
  it('has every route of the document, and no other', () => {
    expect(routes.map(({ name }) => name).toSorted()).toEqual([...ROUTE_RIGHTS.keys()].toSorted());
  });

  it.each(named)('%s has the access that its document says', (_, route) => {
    const { needs, marks } = rightsOf(route);
    const isProved = needs === 'session' && marks.has('proof');
    expect(route.operation['x-quayside-access']).toBe(isProved ? 'recent-proof' : needs);
  });

  it('shows no objects to who looks at bills, and neither bills nor keys to members', () => {
    const rows = [...ROUTE_RIGHTS.values()];
    const rolesOf = (scope: string) =>
      rows.filter(({ needs }) => needs === scope).map(({ roles }) => roles);
    expect(rolesOf('objects:read').join('')).not.toContain('B');
    expect(rolesOf('objects:read').every((roles) => /M.*R/.test(roles))).toBe(true);
    expect(rolesOf('billing:read').every((roles) => roles.includes('B'))).toBe(true);
    for (const scope of [
      'billing:read',
      'keys:read',
      'members:read',
      'audit:read',
      'webhooks:read',
    ]) {
      expect(rolesOf(scope).length).toBeGreaterThan(0);
      expect([scope, rolesOf(scope).join('')]).not.toEqual([scope, expect.stringMatching(/[MR]/)]);
    }
  });
});

it('an access key that is narrowed does not sign in', async () => {
  const by = actors.find(({ name }) => name === 'admin')?.by as Credential;
  const body = { name: 'narrow', scope: { buckets: [BUCKET] } };
  const key = (await api.send('POST', '/access-keys', { by, body })).json;
  const secret = { accessKeyId: key.id, secretAccessKey: key.secretAccessKey };
  expect(await api.outcome('POST', '/sessions', { body: secret })).toBe('AccessDenied');
});

it.each(named)('%s lets in whom it should', async (_, route) => {
  const rights = rightsOf(route);
  const letIn: Record<string, boolean> = {};
  const expected: Record<string, boolean> = {};
  for (const { name: actor, by, isStranger = false, isExpected } of actors) {
    // What a right request would delete is not there; but a stranger names what is.
    const isRemoving = route.method === 'DELETE' && !isStranger;
    const { method, path, body } = requestTo(route, isRemoving ? missing : things);
    // From a new address each: what is wrong is slowed by its source.
    const from = `198.18.${sentCount >> 8}.${sentCount++ & 255}`;
    const sending = {
      from,
      ...(by === undefined ? {} : { by }),
      ...(body === null ? {} : { body }),
    };
    const { json } = await api.send(method, path, sending);
    letIn[actor] = isLetIn(json?.code, isStranger);
    expected[actor] = isExpected(rights, route);
  }
  expect(letIn).toEqual(expected);
});

/** Operations that need another scope besides, by what is in the request. */
const ALSO = new Map<string, Scope | readonly Scope[]>([
  ['presignUrls', 'objects:write'],
  // A key does something only by what its maker may do.
  ['createAccessKey', 'objects:read'],
  // Under another name others may read it.
  ['startJob', 'objects:read'],
  // A link takes what its maker may write.
  ['createDropLink', 'objects:write'],
  ['changeDropLink', 'objects:write'],
  ['releaseDropFiles', ['objects:write', 'objects:read']],
  // By another logo or without its password, others may read more.
  ['changeShareLink', 'objects:read'],
  ['changeShareLinkLabel', 'objects:read'],
]);
/** Operations that hash passwords, want a whole role, or end what the test lives by. */
const LEFT_OUT = new Set([
  'signIn',
  'createInvitation',
  'createMember',
  'updateMember',
  'changePassword',
  'signOutEverywhere',
]);

type Sample = { readonly query: string; readonly body: string | null };

function samplesOf(route: Route, texts: NamedTexts, count = SAMPLES): readonly Sample[] {
  return fc.sample(rightInputsOf(document, route, texts), { numRuns: count, seed: SEED });
}

/** Sends a sample to a path that may have a query already. */
function sendSample(
  { method }: Route,
  path: string,
  { query, body }: Sample,
  by: Credential,
): Promise<MemoryReply> {
  const separator = path.includes('?') ? '&' : '?';
  const target = query === '' ? path : `${path}${separator}${query}`;
  return api.send(method, target, { by, ...(body === null ? {} : { body: JSON.parse(body) }) });
}

const isScoped = ({ operation }: Route) =>
  (SCOPES as readonly string[]).includes(operation['x-quayside-access']);
const scopeOf = ({ operation }: Route) => operation['x-quayside-access'] as Scope;

it.each(named.filter(([, route]) => isScoped(route)))(
  '%s needs the scope that it names, and no other',
  async (name, route) => {
    const scope = scopeOf(route);
    const also = ALSO.get(name) ?? [];
    const exact = await tokenOf(accountId, [scope, ...[also].flat()], ownerId);
    const others = await tokenOf(
      accountId,
      SCOPES.filter((each) => each !== scope),
    );
    const texts = { toBucket: [BUCKET], targetBucket: [BUCKET], key: ['note.txt'] };
    // A deletion comes to a thing that is not there: nothing that other tests need goes.
    const inBucket = new Map([...nowhere, ['bucket', BUCKET]]);
    const path = pathOf(route, name === 'deleteBucket' ? nowhere : inBucket);

    for (const sample of samplesOf(route, texts)) {
      expect([(await sendSample(route, path, sample, others)).json?.code]).toEqual([
        'AccessDenied',
      ]);
      if (LEFT_OUT.has(name)) continue;

      const { json, status } = await sendSample(route, path, sample, exact);
      if (rightsOf(route).marks.has('operator')) {
        expect([sample, status >= 400]).toEqual([sample, true]);
        continue;
      }
      // A request may hand on a scope that its token has not: that is another refusal.
      const [, lacking] = /^You do not have the scope (\S+)\.$/.exec(json?.detail ?? '') ?? [];
      const isHandedOn =
        lacking !== undefined &&
        lacking !== scope &&
        sample.body?.includes(`"${lacking}"`) === true;
      const isRefused = json?.code === 'AccessDenied' && !isHandedOn;
      expect([sample, isRefused, json?.detail]).toEqual([sample, false, json?.detail]);
    }
  },
);

/** Changes that the roles with few rights may make; a new route must be thought of here. */
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
const READ_ONLY_POSTS = new Set([
  'presignUrls',
  'createZip',
  'checkAccess',
  'testAccess',
  'previewPublicAccess',
  'previewRename',
]);

it.each(Object.entries(CHANGES_OF))(
  'a %s changes nothing but what is its own',
  (role, expected) => {
    const scopes = scopesOfRole(role as Role);
    const changes = routes.filter(
      (route) => route.method !== 'GET' && isScoped(route) && scopes.has(scopeOf(route)),
    );
    const names = changes.map(({ name }) => name).filter((name) => !READ_ONLY_POSTS.has(name));
    expect(names.toSorted()).toEqual([...expected].toSorted());
  },
);

/** The response without what differs in every response. */
function comparable({ status, json }: MemoryReply, names: Iterable<string>): string {
  let text = JSON.stringify([status, { ...json, requestId: '' }]);
  for (const name of names) text = text.replaceAll(name, '…');
  return text;
}

/** Names in paths that are of the caller's own account, or of the server. */
const OWN_OR_PUBLIC = new Set(['period', 'file', 'noteFile', 'cardId', 'capId']);
const namesThing = (route: Route) => parametersOf(route).some((name) => !OWN_OR_PUBLIC.has(name));

it.each(named.filter(([, route]) => namesThing(route)))(
  '%s shows nothing of what others have',
  async (_, route) => {
    const by = await tokenOf(strangerId, SCOPES);
    for (const name of parametersOf(route))
      expect([name, things.has(name) || OWN_OR_PUBLIC.has(name)]).toEqual([name, true]);

    const names = [...things.values(), ...nowhere.values()];
    for (const sample of samplesOf(route, { key: ['upload', 'note.txt'] })) {
      const replies: string[] = [];
      for (const of of [things, nowhere]) {
        const path = pathOf(route, of);
        const reply = await sendSample(route, path, sample, by);
        expect([path, reply.status >= 400]).toEqual([path, true]);
        replies.push(comparable(reply, names));
      }
      expect(replies[0]).toBe(replies[1]);
    }
  },
);

it.each(named.filter(([, route]) => takesAccount(route.operation)))(
  '%s shows nothing of other accounts',
  async (_, route) => {
    const by = await tokenOf(strangerId, SCOPES);
    const path = pathOf(route, things);
    const accountIds = [accountId, toMissing(accountId)];
    for (const sample of samplesOf(route, { period: ['2026-10'] }, 3)) {
      const [there, nowhere] = await Promise.all(
        accountIds.map((id) => sendSample(route, `${path}?accountId=${id}`, sample, by)),
      );
      expect(there?.status).toBeGreaterThanOrEqual(400);
      expect(comparable(there as MemoryReply, accountIds)).toBe(
        comparable(nowhere as MemoryReply, accountIds),
      );
    }
  },
);
