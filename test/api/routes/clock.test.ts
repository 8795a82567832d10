// The operator looks whether the clock is believed, and confirms it.
import { expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

const DAY_MS = 86_400_000;

it('a clock in doubt is shown, and trusted once the operator confirms the time', async () => {
  const api = await startMemoryApi();
  const { clock, directory } = api.core.ports;
  const headers = { 'content-type': 'application/json' };
  const show = () => api.send({ method: 'GET', path: '/clock', headers, body: null });
  const confirm = (ms: number) => {
    const body = JSON.stringify({ now: new Date(ms).toISOString() });
    return api.send({ method: 'PUT', path: '/clock', headers, body });
  };
  expect((await show()).json).toMatchObject({
    isTrusted: true,
    jumpSeconds: 0,
    lastTrustedAt: null,
  });
  await directory.call('setSeenTime', { atMs: clock.nowMs() - 21 * DAY_MS, steady: null });
  expect((await show()).json).toMatchObject({ isTrusted: false });
  const wrong = await confirm(clock.nowMs() - DAY_MS);
  expect([wrong.status, wrong.json.code, (await show()).json.isTrusted]).toEqual([
    400,
    'InvalidInput',
    false,
  ]);
  const right = await confirm(clock.nowMs());
  expect([right.status, right.json.isTrusted, (await show()).json.isTrusted]).toEqual([
    200,
    true,
    true,
  ]);
});

it('a value that is no time is refused with an example of one', async () => {
  const api = await startMemoryApi();
  const headers = { 'content-type': 'application/json' };
  const { json } = await api.send({
    method: 'PUT',
    path: '/clock',
    headers,
    body: '{"now":"2026-11-21T07:35:00+01:00"}',
  });
  expect(json.errors).toEqual([
    { field: '/now', message: 'Must be a time in UTC, like 2026-11-21T07:35:00Z.' },
  ]);
});
