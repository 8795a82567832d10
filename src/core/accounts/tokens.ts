// Bearer tokens of the JSON API: making one. Lists and withdrawal are calls of the directory that
// the routes make.
import type { Token } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import { type ApiCaller, limitedExpiry, mayDo, type Scope, scopesOf } from '../auth/permissions.ts';
import type { Core } from '../core.ts';
import { newTokenText, secretDigest } from './secrets.ts';

/** Tokens of one account. */
const TOKENS_MAX = 1000;

/**
 * Makes a token of the caller's own, with those of its rights that are asked for (null: all it
 * has), which ends no later than the token that makes it. The text is shown once and kept nowhere.
 * AccessDenied: a scope or a time that the caller lacks; InvalidInput: too many tokens.
 */
export async function createToken(
  core: Core,
  caller: ApiCaller,
  wanted: {
    readonly name: string;
    readonly scopes: readonly Scope[] | null;
    readonly expiresAtMs: number | null;
  },
): Promise<{ token: Token; text: string }> {
  const { directory, clock, ids } = core.ports;
  const lacking = (wanted.scopes ?? []).find((scope) => !mayDo(caller, scope));
  if (lacking !== undefined)
    throw new StorageError('AccessDenied', { detail: `You do not have the scope ${lacking}.` });
  const expiresAtMs = limitedExpiry(caller, wanted.expiresAtMs);
  const { accountId, role, memberId, accessKeyId, credentialDigest } = caller;
  const known = await directory.call('listTokens', {
    accountId,
    holder: null,
    before: '',
    limit: TOKENS_MAX,
  });
  if (known.length === TOKENS_MAX) {
    throw new StorageError('InvalidInput', {
      detail: `An account has at most ${TOKENS_MAX} tokens.`,
    });
  }
  const text = newTokenText();
  // A token of a token never gets what the first one lacks, whatever its holder's role is.
  const scopes = wanted.scopes ?? (caller.scopes === null ? null : scopesOf(caller));
  const token = {
    ...{ accountId, role, memberId, accessKeyId, credentialDigest },
    ...{ id: ids.recordId(), name: wanted.name, scopes, createdAtMs: clock.nowMs(), expiresAtMs },
  };
  await directory.call('addToken', { digest: secretDigest('token', text) ?? '', token });
  return { token, text };
}
