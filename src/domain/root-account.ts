// The account of the operator. It stands in no store: the root access key of the
// settings belongs to it, and checks of the operator's rights compare with its id.
import type { Account, AccountId } from './nouns.ts';

/**
 * The root account. Its id has the form of S3's canonical user ids, 64 hex digits.
 */
export const ROOT_ACCOUNT: Account = {
  id: '0000000000000000000000000000000000000000000000000000000000000001' as AccountId,
  displayName: 'root',
};
