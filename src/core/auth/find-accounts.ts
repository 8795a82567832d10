// Looks accounts up by id, for documents of S3 that show owners and grantees, and
// for ACLs that name one. Decisions need only ids, and never call it.
import type { AccessKey, Account, AccountId } from '../../domain/nouns.ts';
import { ANONYMOUS_ID } from '../../domain/pointer.ts';
import { ROOT_ACCOUNT } from '../../domain/root-account.ts';
import type { Core } from '../core.ts';

/** The owner that S3 shows of objects that strangers wrote. */
const ANONYMOUS_ACCOUNT: Account = { id: ANONYMOUS_ID, displayName: 'anonymous' };

/**
 * Finds the accounts with these ids; an id without an account is missing from the
 * result.
 */
export type FindAccounts = (ids: Iterable<AccountId>) => Promise<ReadonlyMap<AccountId, Account>>;

/**
 * Makes the look-up of accounts: the seed's and the root account are at hand, every
 * other costs one directory read.
 */
export function createAccountFinder(core: Core, seed: readonly AccessKey[]): FindAccounts {
  const atHand = new Map(
    [ROOT_ACCOUNT, ANONYMOUS_ACCOUNT, ...seed.map(({ account }) => account)].map((a) => [a.id, a]),
  );
  return async (ids) => {
    const uniqueIds = new Set(ids);
    const accounts = new Map<AccountId, Account>();
    for (const id of uniqueIds) {
      const account = atHand.get(id);
      if (account !== undefined) accounts.set(id, account);
    }

    const otherIds = [...uniqueIds].filter((id) => !accounts.has(id));
    if (otherIds.length > 0) {
      const stored = await core.ports.directory.call('getAccounts', { ids: otherIds });
      for (const account of stored) accounts.set(account.id, account);
    }
    return accounts;
  };
}
