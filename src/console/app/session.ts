// Who is signed in, and what they may do.
import { computed, signal } from '@preact/signals';
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../api/client.ts';
import { forgetQueries } from '../api/query.ts';
import { BASE } from './router.ts';
import { forgetTraces, takeOver, watchPerson } from './traces.ts';

export type Me = Answer<'GET /me'>;
export type Server = Answer<'GET /server'>;

type SessionState = 'unknown' | 'signed-out' | 'signed-in' | 'failed';

/** The account of the root key, whose members run the server. */
export const OPERATOR_ID = '1'.padStart(64, '0');

/** Who is signed in; `account` is the one they work in, which may be another's for the operator. */
export const me = signal<Me | null>(null);
/** Whether they run the server. */
export const isOperator = signal(false);
export const server = signal<Server | null>(null);
export const sessionState = signal<SessionState>('unknown');
/** Why the session could not be read; null: it could. */
export const sessionError = signal<unknown>(null);

/** Whether the one who is signed in has the right: `may('objects:write')`. */
export const may = (scope: Me['scopes'][number]): boolean =>
  me.value?.scopes.includes(scope) ?? false;

/** Whether they may override retentions in GOVERNANCE mode. */
export const mayOverrideLocks = (): boolean => /^(?:owner|admin)$/.test(me.value?.role ?? '');

/** Whether they see what was used; what it costs is another right. */
export const seesUsage = (): boolean => may('usage:read') || may('billing:read');

/** Reads who is signed in; that nobody is, is no error. */
export async function readSession(): Promise<void> {
  try {
    const [who, where] = await Promise.all([
      client.request('GET /me'),
      client.request('GET /server'),
    ]);
    if (await takeOver(who.memberId ?? who.accessKeyId ?? '')) {
      location.reload();
      // Nothing is shown any more: the page goes.
      return await new Promise<never>(() => {});
    }
    isOperator.value = who.account.id === OPERATOR_ID;
    // Only the operator can work in another account than their own.
    const account = isOperator.value
      ? (await import('../views/operator/account.ts')).enterAccount(who.account)
      : who.account;
    me.value = { ...who, account };
    server.value = where;
    sessionState.value = 'signed-in';
    sessionError.value = null;
  } catch (error) {
    const isNobody = error instanceof QuaysideError && error.status === 401;
    // Who is in goes on reading what is loaded while the line is away.
    if (!isNobody && me.value !== null) return;
    sessionState.value = isNobody ? 'signed-out' : 'failed';
    sessionError.value = isNobody ? null : error;
  }
}

/** Ends the session in this browser, which then keeps nothing of the person. */
export async function signOut(): Promise<void> {
  await client.request('DELETE /sessions/{sessionId}', { path: { sessionId: 'current' } });
  await forgetTraces();
  // The memory of the page goes with the page: uploads, lists, texts that are open.
  location.replace(`${BASE}/`);
  hide();
}

function hide(): void {
  me.value = null;
  forgetQueries();
  sessionState.value = 'signed-out';
}

watchPerson(() => {
  location.reload();
  hide();
});

/**
 * Whether the session goes over plain http in a private network, which is allowed
 * and warned of.
 */
export const isPrivateHttp = computed(() => me.value?.transport === 'private-http');
