// The accounts that have bills: those of the settings, those of the directory, and
// owners of buckets. Walked over by the closing of months, or found one at a time.
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../domain/root-account.ts';
import type { Core } from '../../core.ts';

const configuredAccounts = (core: Core): readonly Account[] => [
  ROOT_ACCOUNT,
  ...core.settings.seed.map(({ account }) => account),
];

/**
 * Reads the accounts after an id, in the order of ids; fewer than `limit` at the
 * end. Cost: two directory calls.
 */
export async function readAccounts(
  core: Core,
  after: string,
  limit: number,
): Promise<readonly Account[]> {
  const { directory } = core.ports;
  const ids = await directory.call('listBilledAccounts', { after, limit });
  const lastId = ids.length < limit ? null : (ids.at(-1) ?? null);

  const accounts = new Map(configuredAccounts(core).map((account) => [account.id, account]));
  const configuredIds = [...accounts.keys()].filter(
    (id) => id > after && (lastId === null || id < lastId),
  );

  const storedIds = ids.filter((id) => !accounts.has(id));
  const stored = await directory.call('getAccounts', { ids: storedIds });
  for (const account of stored) accounts.set(account.id, account);

  const allIds = [...new Set<AccountId>([...ids, ...configuredIds])].sort();
  return allIds.slice(0, limit).map((id) => accounts.get(id) ?? { id, displayName: id });
}

/** An account of the settings; null: none has that id. */
export function findConfigured(core: Core, id: AccountId): Account | null {
  return configuredAccounts(core).find((account) => account.id === id) ?? null;
}
