// Accounts by their ids: for documents of S3 that show owners and grantees, and ACLs that name one.
// Decisions need only ids.
import type { AccessKey, Account, AccountId } from '../../domain/nouns.ts';
import { ANONYMOUS_ID } from '../../domain/pointer.ts';
import type { Core } from '../core.ts';
import { ROOT_ACCOUNT } from './root-account.ts';

/** Whom S3 shows as the owner of what strangers wrote. */
const ANONYMOUS_ACCOUNT: Account = { id: ANONYMOUS_ID, displayName: 'anonymous' };

/** Those of the accounts that there are, by id. */
export type FindAccounts = (ids: Iterable<AccountId>) => Promise<ReadonlyMap<AccountId, Account>>;

/**
 * Makes the look-up of accounts: the seed's and the root account are at hand, every other costs one
 * directory read.
 */
export function createAccountFinder(core: Core, seed: readonly AccessKey[]): FindAccounts {
  const atHand = new Map(
    [ROOT_ACCOUNT, ANONYMOUS_ACCOUNT, ...seed.map(({ account }) => account)].map((a) => [a.id, a]),
  );
  return async (ids) => {
    const wanted = new Set(ids);
    const found = new Map<AccountId, Account>();
    for (const id of wanted) {
      const account = atHand.get(id);
      if (account !== undefined) found.set(id, account);
    }
    const others = [...wanted].filter((id) => !found.has(id));
    if (others.length > 0) {
      const accounts = await core.ports.directory.call('getAccounts', { ids: others });
      for (const account of accounts) found.set(account.id, account);
    }
    return found;
  };
}
