// Accounts as documents show them: id and display name. The ids of a page are
// looked up together.
import type { AccountId } from '../../../domain/nouns.ts';
import { accountElement, type NamedAccounts } from '../formats/account-elements.ts';
import type { BucketCall } from './call.ts';

/** The elements of a page's accounts; null stands for the owner of the bucket. */
export type PageAccounts = {
  /** `Owner`. Where ownership is enforced the bucket's owner owns everything. */
  owner(id: AccountId | null): string;
  /** `Initiator` of an upload. */
  initiator(id: AccountId | null): string;
};

/**
 * Looks up the accounts of a page; strangers without a signature are shown ids
 * alone. Cost: a read of the directory, unless everything is the caller's own.
 */
export async function findPageAccounts(
  call: Pick<BucketCall, 'bucket' | 'principal' | 'findAccounts'>,
  ids: Iterable<AccountId | null>,
): Promise<PageAccounts> {
  const { ownerId: bucketOwnerId, access } = call.bucket.record();
  const named = new Set([bucketOwnerId]);
  for (const id of ids) if (id !== null) named.add(id);
  const { principal } = call;
  const isAllOwn =
    principal.kind === 'account' && named.size === 1 && named.has(principal.account.id);
  const accounts: NamedAccounts =
    principal.kind === 'anonymous'
      ? new Map()
      : isAllOwn
        ? new Map([[principal.account.id, principal.account]])
        : await call.findAccounts(named);
  // A page has a thousand rows and rarely more than one owner.
  const owners = new Map<AccountId, string>();
  return {
    owner(id) {
      const ownerId =
        access.ownership === 'BucketOwnerEnforced' ? bucketOwnerId : (id ?? bucketOwnerId);
      const made = owners.get(ownerId) ?? accountElement('Owner', ownerId, accounts);
      owners.set(ownerId, made);
      return made;
    },
    initiator: (id) => accountElement('Initiator', id ?? bucketOwnerId, accounts),
  };
}
