// Accounts as documents show them: id and display name.
import type { Account, AccountId } from '../../../domain/nouns.ts';
import { element, textElement } from './xml-write.ts';

/** Accounts that a document names, by id. One that is gone has no name any more. */
export type NamedAccounts = ReadonlyMap<AccountId, Account>;

/** ID and DisplayName. */
export function accountFields(id: AccountId, accounts: NamedAccounts): string {
  return textElement('ID', id) + textElement('DisplayName', accounts.get(id)?.displayName ?? null);
}

/** An element, `Owner` or `Initiator`, that names one account. */
export function accountElement(name: string, id: AccountId, accounts: NamedAccounts): string {
  return element(name, accountFields(id, accounts));
}
