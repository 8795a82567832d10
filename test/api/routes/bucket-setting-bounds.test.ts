// What a setting of a bucket may say, and what excludes what, where only the schema knows it.
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

let change: (settings: object) => Promise<{ status: number; text: string }>;

beforeAll(async () => {
  const api = await startMemoryApi();
  change = async (settings) => {
    const { status, json } = await api.send({
      method: 'PATCH',
      path: '/buckets/fuzz-bucket-one',
      headers: { 'content-type': 'application/json', 'if-match': '*' },
      body: JSON.stringify(settings),
    });
    return { status, text: JSON.stringify(json) };
  };
});

// A PATCH leaves what it does not name.
beforeEach(() => change({ website: null }));

const website = (more: object) => ({ website: { indexSuffix: 'index.html', ...more } });
const redirect = (to: object) => website({ routingRules: [{ keyPrefix: 'old/', redirect: to }] });
const corsFor = (maxAgeSeconds: number) => ({
  cors: [{ allowedMethods: ['GET'], allowedOrigins: ['*'], maxAgeSeconds }],
});
const expiryAfter = (days: number) => ({ lifecycle: [{ expiration: { days } }] });
const lockFor = (time: object) => ({
  versioning: 'enabled',
  objectLock: { defaultRetention: { mode: 'GOVERNANCE', ...time } },
});
/** Greatest number of days, or of seconds, in a document of S3. */
const NUMBER_MAX = 2_147_483_647;

it.each([
  ['a redirect that replaces the prefix', redirect({ replaceKeyPrefixWith: 'new/' })],
  ['a redirect that replaces the key', redirect({ replaceKeyWith: 'new' })],
  ['a redirect to another host', redirect({ hostName: 'www.example.com' })],
  ['a website that is one redirect', { website: { redirectAllTo: { hostName: 'a.example' } } }],
  ['the longest time that a browser keeps a CORS response', corsFor(NUMBER_MAX)],
  ['an expiry on the next day', expiryAfter(1)],
  ['the latest expiry', expiryAfter(NUMBER_MAX)],
  ['a default retention of a day', lockFor({ days: 1 })],
  ['a default retention of a year', lockFor({ days: null, years: 1 })],
])('%s is taken', async (_, settings) => {
  expect(await change(settings)).toMatchObject({ status: 200 });
});

it.each([
  [
    'a redirect that replaces the prefix and the key',
    redirect({ replaceKeyPrefixWith: 'new/', replaceKeyWith: 'new' }),
    'one replacement at most',
  ],
  ['a redirect that changes nothing', redirect({}), 'must change something'],
  [
    'a website that is one redirect and has an index',
    website({ redirectAllTo: { hostName: 'a.example' } }),
    'not both',
  ],
  [
    'a website that is one redirect and has a page of errors',
    { website: { redirectAllTo: { hostName: 'a.example' }, errorKey: 'error.html' } },
    'stands alone',
  ],
  ['a longer time in a CORS rule', corsFor(NUMBER_MAX + 1), `${NUMBER_MAX}`],
  ['an expiry on the same day', expiryAfter(0), '>=1'],
  ['a default retention of no day', lockFor({ days: 0 }), '>=1'],
  ['a default retention of no year', lockFor({ years: 0 }), '>=1'],
  ['a later expiry', expiryAfter(NUMBER_MAX + 1), `${NUMBER_MAX}`],
])('%s is refused', async (_, settings, reason) => {
  expect(await change(settings)).toEqual({ status: 400, text: expect.stringContaining(reason) });
});
