// The account that the operator works in, kept with the tab: every request that can name
// an account names it. Loaded for the operator alone.
import { nameAccounts } from '../../api/client.ts';
import { BASE } from '../../app/router.ts';
import type { Me } from '../../app/session.ts';

export type Account = Me['account'];

/** Forgotten with all else of the person: app/traces.ts. */
const STORED_AS = 'quayside-account';

/** Routes that take `accountId`; a unit test compares them with the API's document. */
const ROUTES = [
  /^\/-\/api\/v1\/(?:overview|audit|buckets|jobs|links|usage|forecast|simulations|billing)$/,
  /^\/-\/api\/v1\/(?:members|access-keys|invoices|credit-notes|receipts|caps)(?:\/|$)/,
  /^\/-\/api\/v1\/invitations(?:\/(?!(?:accept|lookup|registration-options)$)|$)/,
  /^\/-\/api\/v1\/billing\/(?!issuer$)/,
];

/** The operator's own account, from which they came. */
let own: Account | null = null;

function storedAccount(): Account | null {
  try {
    return JSON.parse(sessionStorage.getItem(STORED_AS) ?? 'null');
  } catch {
    return null;
  }
}

/** The address of a request with the account that it is about. Pure. */
export function withAccount(address: string, accountId: string): string {
  const [path = '', query = ''] = address.split('?', 2);
  const start = path.indexOf('/-/api/');
  const route = path.slice(Math.max(0, start));
  if (!ROUTES.some((pattern) => pattern.test(route))) return address;
  const name = `accountId=${encodeURIComponent(accountId)}`;
  return `${path}?${query === '' ? name : `${query}&${name}`}`;
}

/** The account to work in, the operator's own or the one that they chose; requests name it. */
export function enterAccount(operators: Account): Account {
  own = operators;
  const other = storedAccount();
  if (other === null) return operators;
  nameAccounts((url) => withAccount(url, other.id));
  return other;
}

/** Whether the operator works in another account than their own. */
export const isAway = (account: Account): boolean => own !== null && account.id !== own.id;

/** Goes to the account, null: back to the operator's own. The page and its memory begin anew. */
export function goToAccount(account: Account | null): void {
  if (account === null || account.id === own?.id) sessionStorage.removeItem(STORED_AS);
  else {
    const { id, displayName } = account;
    sessionStorage.setItem(STORED_AS, JSON.stringify({ id, displayName }));
  }
  location.assign(`${BASE}/`);
}
