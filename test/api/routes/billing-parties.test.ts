import { expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

it('a bill may be due on the day that it is made, and at latest after a year', async () => {
  const api = await startMemoryApi();
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const put = (dueDays: number) => {
    const issuer = { name: 'Quay Ltd', address: '1 Quay Street', country: 'IE', dueDays };
    const body = JSON.stringify(issuer);
    return api.send({ method: 'PUT', path: '/billing/issuer', headers, body });
  };
  const replies: unknown[] = [];
  for (const dueDays of [0, 365, -1, 366]) {
    const { status, json } = await put(dueDays);
    replies.push([status, json.dueDays]);
  }
  expect(replies).toEqual([
    [200, 0],
    [200, 365],
    [400, undefined],
    [400, undefined],
  ]);
});
