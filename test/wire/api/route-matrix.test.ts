// Every route of the JSON API on a real server, sent by those who may least: nobody, another
// account, a narrow token. All others are in test/api/rights.test.ts, which has the same
// table and needs no server.
import { expect, it } from 'vitest';
import {
  furnish,
  isLetIn,
  namesAnAccount,
  ROUTE_RIGHTS,
  type Route,
  type RouteRights,
  requestTo,
  routesOf,
} from '../../api/route-rights.ts';
import {
  type ApiClient,
  apiClient,
  newAccount,
  signIn,
  tokenClient,
} from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const NARROW_SCOPE = 'usage:read';

type Actor = {
  readonly name: string;
  readonly api: ApiClient;
  readonly isStranger?: boolean;
  readonly isExpected: (rights: RouteRights, route: Route) => boolean;
};

const isEverybodys = ({ needs }: RouteRights) => needs === 'everybody';

async function actorsAndThings() {
  const root = await tokenClient(client);
  const [own, other] = [
    await newAccount(root, 'matrix'),
    await newAccount(root, 'matrix stranger'),
  ];
  const owner = await tokenClient(client, own);
  const bucket = `rights-${crypto.randomUUID().slice(0, 8)}`;
  const things = await furnish(own.accountId, bucket, async (method, path, body) => {
    const { status, json } = await owner.call(method, path, body);
    expect([path, status < 300, json]).toEqual([path, true, json]);
    return json;
  });
  const { json } = await owner.call('POST', '/tokens', { name: 'narrow', scopes: [NARROW_SCOPE] });
  const narrow = apiClient(client, { authorization: `Bearer ${json.token}` });
  const stranger = apiClient(client, {
    cookie: await signIn(client, other.accessKey, other.secretKey),
  });
  const actors: Actor[] = [
    { name: 'nobody', api: apiClient(client), isExpected: isEverybodys },
    {
      name: 'another account',
      api: stranger,
      isStranger: true,
      isExpected: ({ marks }, route) =>
        !marks.has('operator') && !marks.has('person') && !namesAnAccount(route),
    },
    {
      name: 'a narrow token',
      api: narrow,
      isExpected: ({ needs }) =>
        needs === 'everybody' || needs === 'signed-in' || needs === NARROW_SCOPE,
    },
  ];
  return { actors, things };
}

describeCore('the routes of the JSON API', () => {
  it.runIf(client.target.isTemporary)('let in nobody whom they should not', async () => {
    const { text } = await client.anonymous({ method: 'GET', path: '/-/api/openapi.json' });
    const routes = routesOf(JSON.parse(text));
    const { actors, things } = await actorsAndThings();
    const [letIn, expected]: [string[], string[]] = [[], []];
    const ask = async (route: Route, { name, api, isStranger = false, isExpected }: Actor) => {
      const { method, path, body } = requestTo(route, things);
      const rights = ROUTE_RIGHTS.get(route.name);
      const { json } = await api.call(method, path, body ?? undefined, { 'if-match': '*' });
      if (isLetIn(json?.code, isStranger)) letIn.push(`${route.name} by ${name}`);
      if (rights !== undefined && isExpected(rights, route))
        expected.push(`${route.name} by ${name}`);
    };
    // The last one ends the sessions of whoever asks.
    const last = routes.slice(-1);
    for (const some of [routes.slice(0, -1), last]) {
      await Promise.all(some.flatMap((route) => actors.map((actor) => ask(route, actor))));
    }
    expect(letIn.toSorted()).toEqual(expected.toSorted());
  });
});
