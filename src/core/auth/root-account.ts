import type { Account, AccountId } from '../../domain/nouns.ts';

/**
 * The account of the root access key. Its id has the form of S3's canonical user ids, 64 hex
 * digits.
 */
export const ROOT_ACCOUNT: Account = {
  id: '0000000000000000000000000000000000000000000000000000000000000001' as AccountId,
  displayName: 'root',
};
