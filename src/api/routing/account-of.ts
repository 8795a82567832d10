// The account that a request is about: the caller's own, or for the operator the
// one it names. Routes call this before they touch anything of an account.
import { type ApiCaller, isRoot } from '../../core/auth/permissions.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Account, AccountId } from '../../domain/nouns.ts';
import { ANONYMOUS_ID } from '../../domain/pointer.ts';
import type { Directory } from '../../ports/directory.ts';
import type { OfAccount } from '../../ports/directory-calls/sign-in-calls.ts';
import type { SignedInCall } from './api-call.ts';
import { type PagedList, type PageQuery, readPage } from './paging.ts';

/**
 * The account that a request names, else the caller's. NoSuchAccount for one that
 * the caller has nothing to do with, whether it exists or not.
 */
export function accountOf(
  { caller, audit }: SignedInCall,
  accountId: string | undefined,
): AccountId {
  if (accountId === undefined || accountId === caller.accountId) return caller.accountId;
  if (!isRoot(caller)) throw new StorageError('NoSuchAccount');
  audit.accountId = accountId as AccountId;
  return accountId as AccountId;
}

/** A list of what an account has, which the directory reads by the ids of its rows. */
type AccountList<Row, Item> = Pick<PagedList<Row, Item>, 'show'> & {
  /** Names the list in its cursors. */
  readonly list: string;
  readonly read: (
    directory: Directory,
    page: { readonly accountId: AccountId; readonly after: string; readonly limit: number },
  ) => Promise<readonly Row[]>;
};

/** Reads one page of what the account of a request has. InvalidInput, NoSuchAccount. */
export function readAccountPage<Row extends { readonly id: string }, Item>(
  call: SignedInCall,
  query: PageQuery & { readonly accountId?: string | undefined },
  { list, read, show }: AccountList<Row, Item>,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const accountId = accountOf(call, query.accountId);
  const { directory } = call.core.ports;
  return readPage(call, query, {
    list: `${list} ${accountId}`,
    read: (after, limit) => read(directory, { accountId, after, limit }),
    positionOf: ({ id }) => id,
    show,
  });
}

/**
 * The account of a request that makes something in it: it must exist.
 * NoSuchAccount.
 */
export async function existingAccountOf(
  call: SignedInCall,
  accountId: string | undefined,
): Promise<AccountId> {
  const id = accountOf(call, accountId);
  if (id === ANONYMOUS_ID || !(await call.findAccounts([id])).has(id))
    throw new StorageError('NoSuchAccount');
  return id;
}

/** The account of a request about its money, with its name. NoSuchAccount. */
export async function billedAccountOf(
  call: SignedInCall,
  accountId: string | undefined,
): Promise<Account> {
  const id = accountOf(call, accountId);
  const account = (await call.findAccounts([id])).get(id);
  if (account === undefined) throw new StorageError('NoSuchAccount');
  return account;
}

/**
 * The account of a request about its invoices, which outlive it: the operator still
 * reads those of a deleted one. NoSuchAccount.
 */
export async function invoicedAccountOf(
  call: SignedInCall,
  accountId: string | undefined,
): Promise<Account> {
  const id = accountOf(call, accountId);
  const account = (await call.findAccounts([id])).get(id);
  if (account !== undefined) return account;

  const invoices = await call.core.ports.directory.call('listInvoices', {
    accountId: id,
    before: '',
    limit: 1,
  });
  if (invoices.length === 0) throw new StorageError('NoSuchAccount');
  return { id, displayName: id };
}

/**
 * The credentials that a caller lists and removes: an owner's or admin's are all of
 * the account, anybody else's their own.
 */
export function ownOnly({ accountId, role, memberId, accessKeyId }: ApiCaller): OfAccount {
  return {
    accountId,
    holder: role === 'owner' || role === 'admin' ? null : { memberId, accessKeyId },
  };
}
