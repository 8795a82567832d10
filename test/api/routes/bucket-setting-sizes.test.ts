// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
// Settings have the bounds of S3's documents, whichever way they come.
import { expect, it } from 'vitest';
import { cpuMsOf, QUICK_MS } from '../../cpu-time.ts';
import { startMemoryApi } from '../memory-api.ts';

const name = 'fuzz-bucket-one';
const headers = { 'content-type': 'application/json', 'if-match': '*' };

async function startChanges() {
  const api = await startMemoryApi();
  const send = (body: string) =>
    api.send({ method: 'PATCH', path: `/buckets/${name}`, headers, body });
  return { api, send, change: (settings: object) => send(JSON.stringify(settings)) };
}

const policyOf = (resource: string) => ({
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${name}/${resource}`,
    },
  ],
});
const rules = (count: number, length: number) =>
  Array.from({ length: count }, () => ({
    allowedMethods: ['GET'],
    allowedOrigins: Array.from({ length: 10 }, () => 'o'.repeat(length)),
  }));
const routes = (count: number, length: number) =>
  Array.from({ length: count }, () => ({
    keyPrefix: 'k'.repeat(length),
    redirect: { replaceKeyWith: 'r'.repeat(length), statusCode: 301 },
  }));

it.each([
  ['a policy', { policy: policyOf('x'.repeat(20_000)) }, { policy: policyOf('x'.repeat(20_480)) }],
  ['CORS rules', { cors: rules(10, 500) }, { cors: rules(100, 1000) }],
  [
    'a website',
    { website: { indexSuffix: 'i', routingRules: routes(50, 1000) } },
    {
      website: {
        indexSuffix: 'i',
        routingRules: routes(50, 1000).map((rule) => ({ ...rule, keyPrefix: 'é'.repeat(1024) })),
      },
    },
  ],
  [
    'hosting',
    { hosting: { domains: [] } },
    {
      hosting: {
        cacheControlRules: Array.from({ length: 50 }, () => ({
          match: 'm'.repeat(250),
          cacheControl: 'c'.repeat(256),
          x: 'x'.repeat(200),
        })),
      },
    },
  ],
])('%s that S3 would find too large is refused', async (_, fitting, tooLarge) => {
  const { change } = await startChanges();
  expect((await change(fitting)).status).toBe(200);
  const { status, json } = await change(tooLarge);
  expect([status, json.detail]).toEqual([
    400,
    expect.stringMatching(/at most \d+ bytes|maximum allowed document size/),
  ]);
});

it('a policy of variables that nothing closes is refused at once', async () => {
  const { change } = await startChanges();
  const policy = policyOf('${'.repeat(60_000));
  expect((await change({ policy })).status).toBe(400);
  expect(await cpuMsOf(() => change({ policy }))).toBeLessThan(QUICK_MS);
});

it.each(['policy', 'hosting'])(
  '%s that is nested very deep is no fault of ours',
  async (setting) => {
    const { api, send } = await startChanges();
    const deep = 50_000;
    const { status } = await send(`{"${setting}":{"a":${'['.repeat(deep)}${']'.repeat(deep)}}}`);
    expect([status, api.faults]).toEqual([400, []]);
  },
);
