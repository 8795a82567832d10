// Begins a session, and makes sure that the browser kept its cookie.
import { client, QuaysideError } from '../../api/client.ts';
import { forgetQueries, invalidate } from '../../api/query.ts';
import { me, readSession, sessionError, sessionState } from '../../app/session.ts';
import type { SignInBody } from './credentials.tsx';

/** Signs in. Rejects with the reason; CookieRefused: the browser dropped the cookie. */
export async function enter(body: SignInBody): Promise<void> {
  await client.request('POST /sessions', { body });
  await takeSession();
}

/** Reads the session that the server has just begun. Rejects with CookieRefused. */
export async function takeSession(): Promise<void> {
  const before = me.value;
  forgetQueries();
  await readSession();
  // Safari keeps a Secure cookie over https only; other browsers on localhost too.
  if (sessionState.value === 'signed-out') {
    throw new QuaysideError('CookieRefused', 'The browser did not keep the cookie');
  }
  if (sessionState.value === 'failed') throw sessionError.value;
  if (before !== null) invalidate('');
}
