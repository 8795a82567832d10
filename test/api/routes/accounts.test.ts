// Accounts of the settings beside those that the operator made.
import { expect, it } from 'vitest';
import type { AccessKey, AccountId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { createMemoryCore } from '../../core/memory-core.ts';
import { apiOver, ROOT } from '../api-over.ts';

const keyOf = (id: string, displayName: string): AccessKey => ({
  id: `key-of-${id}` as AccessKey['id'],
  secret: 'a-secret-of-the-settings',
  account: { id: id as AccountId, displayName },
});

/** A server with two accounts of the settings, one of them with two keys. */
async function startSeeded() {
  const plain = createMemoryCore();
  const seed = [keyOf('zz-last', 'Zora'), keyOf('00-first', 'Ada'), keyOf('00-first', 'Ada')];
  const core = { ...plain, settings: { ...plain.settings, seed } };
  const api = apiOver(core, { root: ROOT, seed });
  const by = await api.signInRoot();
  return { api, by, seed };
}

it('GET /accounts lists those of the settings by id among the others, page by page', async () => {
  const { api, by } = await startSeeded();
  const { json: made } = await api.send('POST', '/accounts', { by, body: { displayName: 'Made' } });
  expect(made).toMatchObject({ isOfSettings: false, isEnabled: true });

  const { json } = await api.send('GET', '/accounts', { by });
  const ofSettings = { createdAt: null, isEnabled: true, isOfSettings: true };
  expect(json.items).toEqual(
    [
      { id: '00-first', displayName: 'Ada', ...ofSettings },
      made,
      { id: 'zz-last', displayName: 'Zora', ...ofSettings },
    ].sort((a, b) => (a.id < b.id ? -1 : 1)),
  );

  const paged: string[] = [];
  for (let cursor = ''; ; ) {
    const query = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { json: page } = await api.send('GET', `/accounts?limit=1${query}`, { by });
    paged.push(...page.items.map(({ id }: { id: string }) => id));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  expect(paged).toEqual(json.items.map(({ id }: { id: string }) => id));
});

it('an account of the settings is shown, and neither changed nor deleted', async () => {
  const { api, by } = await startSeeded();
  for (const id of ['00-first', ROOT_ACCOUNT.id]) {
    const path = `/accounts/${id}`;
    expect((await api.send('GET', path, { by })).json).toMatchObject({ isOfSettings: true });
    const body = { displayName: 'Other' };
    expect(await api.outcome('PATCH', path, { by, body })).toBe('InvalidRequest');
    expect(await api.outcome('DELETE', path, { by })).toBe('InvalidRequest');
  }
  expect(await api.outcome('DELETE', '/accounts/nobody', { by })).toBe('NoSuchAccount');
});
