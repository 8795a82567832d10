// A server without a root secret, as one with seeded keys alone, must not fall back to a secret
// that everybody knows.
import { expect, it } from 'vitest';
import { createApiSecrets } from '../../../src/api/routing/api-secrets.ts';
import { toPage } from '../../../src/api/routing/paging.ts';
import { startMemoryApi } from '../memory-api.ts';

it('the API refuses a cursor that a stranger can sign', async () => {
  const { core, send } = await startMemoryApi(null);
  const ask = async (secret: string) => {
    const page = { limit: 1, list: 'encryption-keys', secrets: createApiSecrets(secret) };
    const { nextCursor } = toPage(['a', 'b'], page, String, String);
    const path = `/encryption-keys?cursor=${nextCursor}`;
    return (await send({ method: 'GET', path, headers: {}, body: null })).status;
  };
  expect(await ask('')).toBe(400);
  expect(await ask(core.settings.masterKeys[0]?.key.toHex() ?? '')).toBe(200);
});
