// Makes bearer tokens of the JSON API. Routes list and revoke them by calls of the
// directory.
import type { Token } from '../../domain/accounts.ts';
import { StorageError } from '../../domain/errors.ts';
import { type ApiCaller, limitedExpiry, mayDo, type Scope, scopesOf } from '../auth/permissions.ts';
import type { Core } from '../core.ts';
import { newTokenText, secretDigest } from './secrets.ts';

/** Most tokens of one account. Ours. */
const TOKENS_MAX = 1000;

/**
 * Makes a token of the caller's own, with the requested scopes (null: all it has).
 * It ends no later than the token that makes it; its text is shown once and stored
 * nowhere. AccessDenied: a scope or a time that the caller lacks; InvalidInput: too
 * many tokens.
 */
export async function createToken(
  core: Core,
  caller: ApiCaller,
  request: {
    readonly name: string;
    readonly scopes: readonly Scope[] | null;
    readonly expiresAtMs: number | null;
  },
): Promise<{ token: Token; text: string }> {
  const { directory, clock, ids } = core.ports;
  const lacking = (request.scopes ?? []).find((scope) => !mayDo(caller, scope));
  if (lacking !== undefined)
    throw new StorageError('AccessDenied', { detail: `You do not have the scope ${lacking}.` });
  const expiresAtMs = limitedExpiry(caller, request.expiresAtMs);

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
  // A token that a token makes never gets what the first one lacks, whatever its
  // holder's role is.
  const ownScopes = caller.scopes === null ? null : scopesOf(caller);
  const token = {
    accountId,
    role,
    memberId,
    accessKeyId,
    credentialDigest,
    id: ids.recordId(),
    name: request.name,
    scopes: request.scopes ?? ownScopes,
    createdAtMs: clock.nowMs(),
    expiresAtMs,
  };
  await directory.call('addToken', { digest: secretDigest('token', text) ?? '', token });
  return { token, text };
}
