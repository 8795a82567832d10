// The JSON API over a core that a test made, with keys of the settings and addresses that a test
// chooses.
import { createApi } from '../../src/api/app.ts';
import { newCookieText, secretDigest } from '../../src/core/accounts/secrets.ts';
import { SESSION_MS } from '../../src/core/accounts/sign-in.ts';
import { createDecide } from '../../src/core/auth/decide.ts';
import { createAccessKeyFinder } from '../../src/core/auth/find-access-key.ts';
import { createAccountFinder } from '../../src/core/auth/find-accounts.ts';
import { hashPassword } from '../../src/crypto/password.ts';
import type { Role } from '../../src/domain/accounts.ts';
import type { AccessKey, AccountId } from '../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import type { MemoryCore } from '../core/memory-core.ts';
import { makeRequest } from '../http/s3/kit/make-request.ts';
import type { Credential, MemoryReply } from './memory-api.ts';

export type Secrets = {
  readonly root: { readonly id: string; readonly secret: string };
  readonly seed: AccessKey[];
};

export const ROOT = { id: 'test-root-key', secret: 'test-root-secret' };
export const PASSWORD = 'correct horse battery';

const HASH = await hashPassword(PASSWORD);

export type Sending = {
  readonly by?: Credential;
  readonly body?: object;
  readonly from?: string;
  readonly ifMatch?: string | null;
  /** Sent over plain http, and with these headers; by default over TLS. */
  readonly overHttp?: Readonly<Record<string, string>>;
};

/**
 * A server that was started with those keys. Several can stand on one core, as one after the other
 * would.
 */
export function apiOver(core: MemoryCore, { root, seed }: Secrets = { root: ROOT, seed: [] }) {
  const services = {
    core,
    findAccessKey: createAccessKeyFinder(core, root, seed),
    findAccounts: createAccountFinder(core, seed),
    decide: createDecide(),
    region: 'auto',
    baseDomain: null,
    websiteDomain: null,
  };
  const api = createApi({ ...services, rootSecretKey: root.secret, requestsPerMinute: 0 });
  let count = 0;

  async function send(method: string, path: string, sending: Sending = {}): Promise<MemoryReply> {
    const { by, body, from = '192.0.2.1', ifMatch = '*', overHttp } = sending;
    const bytes = body === undefined ? [] : [new TextEncoder().encode(JSON.stringify(body))];
    const match = ifMatch === null ? {} : { 'if-match': ifMatch };
    const json = { host: 'memory.test', 'content-type': 'application/json' };
    const headers = { ...json, ...match, ...by, ...overHttp };
    const target = `/-/api/v1${path}`;
    const knownProtocol = overHttp === undefined ? 'https' : null;
    const request = makeRequest({ method, target, headers, body: bytes, knownProtocol });
    const response = await api.handle({ ...request, remoteAddress: from }, `request${++count}`);
    const text = await response.text();
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      json: isJson ? JSON.parse(text) : null,
    };
  }

  /** Whoever signs in with that; fails the test unless it is let in. */
  async function signIn(secret: object, from?: string): Promise<Credential> {
    const reply = await send('POST', '/sessions', {
      body: secret,
      ...(from === undefined ? {} : { from }),
    });
    if (reply.status !== 201) throw new Error(`Not signed in: ${reply.json?.code}`);
    return { cookie: (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
  }

  const signInRoot = () => signIn({ accessKeyId: root.id, secretAccessKey: root.secret });

  /** A token with those scopes, of whoever `by` is. */
  async function tokenOf(
    by: Credential,
    scopes: readonly string[] | null,
    rest: object = {},
  ): Promise<Credential> {
    const { json } = await send('POST', '/tokens', { by, body: { name: 't', scopes, ...rest } });
    return { authorization: `Bearer ${json.token}` };
  }

  /** What became of it: the code of the problem, else the status. */
  async function outcome(
    method: string,
    path: string,
    sending?: Sending,
  ): Promise<string | number> {
    const { status, json } = await send(method, path, sending);
    return json?.code ?? status;
  }

  /** The API's own description. */
  async function document() {
    const request = makeRequest({
      method: 'GET',
      target: '/-/api/openapi.json',
      headers: {},
      body: [],
    });
    return JSON.parse(await (await api.handle(request, 'document')).text());
  }

  return { send, signIn, signInRoot, tokenOf, outcome, document };
}

/**
 * A member with PASSWORD, who has just signed in with it: without the hashing, which takes its
 * time.
 */
export async function addSignedIn(
  { ports: { directory, clock, ids } }: MemoryCore,
  member: { readonly login: string; readonly role: Role; readonly accountId?: AccountId },
): Promise<Credential> {
  const { accountId = ROOT_ACCOUNT.id, login, role } = member;
  const [memberId, nowMs] = [ids.recordId(), clock.nowMs()];
  const state = {
    displayName: login,
    isEnabled: true,
    hasPassword: true,
    createdAtMs: nowMs,
    revision: 1,
  };
  const record = { ...state, id: memberId, accountId, login, role };
  await directory.call('addMember', { member: record, passwordHash: HASH });
  const text = newCookieText();
  const holder = { accountId, role, memberId, accessKeyId: null, credentialDigest: null };
  const times = { createdAtMs: nowMs, expiresAtMs: nowMs + SESSION_MS, provenAtMs: nowMs };
  const session = {
    ...holder,
    ...times,
    id: ids.recordId(),
    label: 'test',
    source: '',
    lastUsedMs: 0,
  };
  await directory.call('addSession', { digest: secretDigest('session', text) ?? '', session });
  return { cookie: `__Host-quayside=${text}` };
}
