import { expect, it } from 'vitest';
import { startMemoryApi } from '../memory-api.ts';

it.each([
  ['without a master key', [], false],
  ['with one', [{ id: 'a', bytes: new Uint8Array(32) }], true],
])('the server says whether it encrypts at rest: %s', async (_, masterKeys, encrypts) => {
  const api = await startMemoryApi();
  Object.assign(api.core.settings, { masterKeys });
  const headers = { 'content-type': 'application/json' };
  const { status, json } = await api.send({ method: 'GET', path: '/server', headers, body: null });
  expect([status, json.features.encryption]).toEqual([200, encrypts]);
});
