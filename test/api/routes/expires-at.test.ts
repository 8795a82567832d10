// What is made with an end must end in the future: not now, not before.
import { expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

const { core, send } = await startMemoryApi();
/** The clock goes on by that with each request, milliseconds. */
const REQUEST_MS = 1000;

it.each([
  ['/tokens', { name: 'x' }],
  ['/access-keys', { name: 'x' }],
  ['/billing/credits', { label: 'x', currency: 'USD', amountMicro: '1' }],
])('POST %s refuses an end that is not in the future', async (path, fields) => {
  const endingIn = async (ms: number) => {
    const expiresAt = new Date(core.ports.clock.nowMs() + REQUEST_MS + ms).toISOString();
    const headers = { 'content-type': 'application/json' };
    const { status, json } = await send({
      method: 'POST',
      path,
      headers,
      body: JSON.stringify({ ...fields, expiresAt }),
    });
    return [status, json.code];
  };
  expect(await endingIn(-1)).toEqual([400, 'InvalidInput']);
  expect(await endingIn(0)).toEqual([400, 'InvalidInput']);
  expect(await endingIn(1)).toEqual([201, undefined]);
});
