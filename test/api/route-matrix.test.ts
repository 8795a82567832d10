// Every route of the document, asked for by everybody: nobody, another account, each role, a
// session whose proof is old, a token for each scope alone, an access key, the operator. What is
// expected comes out of the table in route-rights.ts.
import { beforeAll, expect, it } from 'vitest';
import { SCOPES } from '../../src/core/accounts/permissions.ts';
import { PROOF_RECENT_MS } from '../../src/core/accounts/recent-proof.ts';
import type { Role } from '../../src/domain/accounts.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import { createMemoryCore } from '../core/memory-core.ts';
import { addSignedIn, apiOver } from './api-over.ts';
import type { Credential } from './memory-api.ts';
import {
  furnish,
  isLetIn,
  namesAnAccount,
  ROUTE_RIGHTS,
  type Route,
  type RouteRights,
  requestTo,
  routesOf,
  toMissing,
} from './route-rights.ts';

const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'billing', 'reader'];
const NO_RIGHTS: RouteRights = { needs: 'not in the table', roles: '', marks: new Set() };

/** Who asks, and whether it is let in, as the table has it. */
type Actor = {
  readonly name: string;
  readonly by?: Credential;
  readonly isStranger?: boolean;
  readonly isExpected: (rights: RouteRights, route: Route) => boolean;
};

const core = createMemoryCore();
const api = apiOver(core);
const document = await api.document();
const routes = routesOf(document);
const actors: Actor[] = [];
let asked = 0;
let things = new Map<string, string>();
let missing = new Map<string, string>();

const isEverybodys = ({ needs }: RouteRights) => needs === 'everybody';
const isRolesOwn = (role: Role, rights: RouteRights) =>
  isEverybodys(rights) ||
  (rights.roles.includes(role.charAt(0).toUpperCase()) && !rights.marks.has('operator'));

beforeAll(async () => {
  // The stale session is the first to sign in; ten minutes later come all others.
  const root = await api.signInRoot();
  const account = async (displayName: string) =>
    (await api.send('POST', '/accounts', { by: root, body: { displayName } })).json.id as AccountId;
  const [accountId, otherId] = [await account('a'), await account('b')];
  const stale = await addSignedIn(core, { accountId, login: 'stale', role: 'owner' });
  core.advanceSeconds(PROOF_RECENT_MS / 1000);

  const member = (login: string, role: Role, of = accountId) =>
    addSignedIn(core, { accountId: of, login, role });
  const owner = await member('owner', 'owner');
  things = await furnish(accountId, 'rights-of-a', async (method, path, body) => {
    const { json, status } = await api.send(method, path, { by: owner, body, ifMatch: null });
    expect([path, status < 300, json]).toEqual([path, true, json]);
    return json;
  });
  missing = new Map([...things].map(([name, id]) => [name, toMissing(id)]));
  missing.set('accountId', accountId);

  actors.push({ name: 'nobody', isExpected: isEverybodys });
  // A signature of S3 is no credential here, whatever key made it.
  const authorization = `AWS4-HMAC-SHA256 Credential=${things.get('accessKeyId')}/20261120/auto/s3/aws4_request`;
  actors.push({ name: 'an S3 key', by: { authorization }, isExpected: () => false });
  actors.push({
    name: 'another account',
    by: await member('stranger', 'owner', otherId),
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

it('has every route in its table, and no other', () => {
  expect(routes.map(({ name }) => name).toSorted()).toEqual([...ROUTE_RIGHTS.keys()].toSorted());
});

it('an access key that is narrowed does not sign in', async () => {
  const by = actors.find(({ name }) => name === 'admin')?.by as Credential;
  const body = { name: 'narrow', scope: { buckets: ['rights-of-a'] } };
  const key = (await api.send('POST', '/access-keys', { by, body })).json;
  const secret = { accessKeyId: key.id, secretAccessKey: key.secretAccessKey };
  expect(await api.outcome('POST', '/sessions', { body: secret })).toBe('AccessDenied');
});

it.each(routes.map((route) => [route.name, route] as const))(
  '%s lets in whom it should',
  async (name, route) => {
    const rights = ROUTE_RIGHTS.get(name) ?? NO_RIGHTS;
    const letIn: Record<string, boolean> = {};
    const expected: Record<string, boolean> = {};
    for (const { name: actor, by, isStranger = false, isExpected } of actors) {
      // What a right request would take away is not there; but a stranger asks for what is.
      const isRemoving = route.method === 'DELETE' && !isStranger;
      const { method, path, body } = requestTo(route, isRemoving ? missing : things);
      // From a new address each: what is wrong is slowed by its source.
      const from = `198.18.${asked >> 8}.${asked++ & 255}`;
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
  },
);
