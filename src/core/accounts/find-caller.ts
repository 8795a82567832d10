// Who sent a request of the JSON API, by what it shows: a token or a session. Called before anything else of it is looked at.
import { StorageError } from '../../ports/errors.ts';
import type { Core } from '../core.ts';
import type { ApiCaller } from './permissions.ts';
import { secretDigest } from './secrets.ts';

/** What a request shows to say who it is from. */
export type Credential = { readonly kind: 'token' | 'session'; readonly text: string };

/** Who holds it; null: nobody, or nobody any more. Cost: one directory read, none for a text that can be none. */
export async function findCaller(core: Core, { kind, text }: Credential): Promise<ApiCaller | null> {
  const digest = secretDigest(kind, text);
  if (digest === null) return null;
  const { directory, clock } = core.ports;
  const nowMs = clock.nowMs();
  if (kind === 'token') {
    const token = await directory.call('getToken', { digest, nowMs });
    return token === null ? null : { ...token, by: { kind, id: token.id } };
  }
  const session = await directory.call('getSession', { digest, nowMs });
  return session === null ? null : { ...session, scopes: null, by: { kind, id: session.id } };
}

/** Unauthenticated. */
export function requireCaller(caller: ApiCaller | null): ApiCaller {
  if (caller === null) throw new StorageError('Unauthenticated');
  return caller;
}
