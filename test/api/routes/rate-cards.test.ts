// Prices that begin in a month to come, through the API. The clock of its core stands in November
// 2026.
import { expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

const api = await startMemoryApi();
const call = (
  method: string,
  path: string,
  body: object | null = null,
  etag: string | null = null,
) =>
  api.send({
    method,
    path,
    body: body === null ? null : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...(etag === null ? {} : { 'if-match': etag }) },
  });
const etagAt = async (path: string) => (await call('GET', path)).headers.get('etag');

it('a rate card has versions by month, changed with the ETag of the valid one', async () => {
  const shipped = (await call('GET', '/rate-cards/cloudflare-r2')).json;
  const card = { ...shipped, id: 'versions', name: 'first' };
  expect((await call('PUT', '/rate-cards/versions', card)).json.validFrom).toBe('2026-11');
  const next = { ...card, name: 'next', validFrom: '2027-01' };
  expect(
    (await call('PUT', '/rate-cards/versions', next, await etagAt('/rate-cards/versions'))).status,
  ).toBe(200);
  const nameAt = async (period: string) =>
    (await call('GET', `/rate-cards/versions?period=${period}`)).json.name;
  const months = ['2026-10', '2026-12', '2027-01', '2028-01'];
  expect(await Promise.all(months.map(nameAt))).toEqual(['first', 'first', 'next', 'next']);
  const other = { ...next, name: 'other' };
  expect(
    (await call('PUT', '/rate-cards/versions', other, await etagAt('/rate-cards/versions'))).status,
  ).toBe(412);
  const seen = await etagAt('/rate-cards/versions?period=2027-01');
  expect((await call('PUT', '/rate-cards/versions', other, seen)).status).toBe(200);
  const listed = (await call('GET', '/rate-cards?limit=100')).json.items;
  expect(listed.filter(({ id }: { id: string }) => id === 'versions')).toMatchObject([
    { name: 'first' },
  ]);
  const late = { ...card, name: 'late', validFrom: '2026-10' };
  expect((await call('PUT', '/rate-cards/versions', late, '*')).json.code).toBe('InvalidInput');
});

it('an account is given a card from a month on', async () => {
  const choice = { rateCardId: 'bunny-storage', validFrom: '2027-01' };
  expect((await call('PUT', '/billing/rate-card', choice, await etagAt('/billing'))).json.id).toBe(
    'bunny-storage',
  );
  expect((await call('GET', '/billing')).json).toMatchObject({
    rateCardId: 'cloudflare-r2',
    isDefaultCard: true,
    rateCardChanges: [{ validFrom: '2027-01', rateCardId: 'bunny-storage' }],
  });
  const late = { ...choice, validFrom: '2026-10' };
  expect((await call('PUT', '/billing/rate-card', late, await etagAt('/billing'))).json.code).toBe(
    'InvalidInput',
  );
});
