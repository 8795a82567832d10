// Credentials that requests show, and the cookies of a browser that signed in.
//
// The usual cookie is `__Host-quayside`: Secure, HttpOnly, SameSite=Strict, for this
// host alone. Browsers keep it over TLS, and on localhost over plain HTTP too
// (Chrome and Firefox do, Safari does not). Over plain http in a private network
// they would drop it: there, and there alone, the cookie is `quayside-http`, which
// every machine on the way can read. It is taken nowhere else.
import { type Credential, findCaller } from '../../core/accounts/find-caller.ts';
import type { SessionKind } from '../../core/accounts/secrets.ts';
import type { FindAccessKey } from '../../core/accounts/sign-in.ts';
import type { ApiCaller } from '../../core/auth/permissions.ts';
import type { Core } from '../../core/core.ts';
import { StorageError } from '../../domain/errors.ts';
import { networkOf } from '../../domain/ip-range.ts';
import type { HttpRequest } from '../../http/request.ts';
import {
  PRIVATE_HTTP_COOKIE_NAME,
  readCookie,
  SECURE_COOKIE_NAME,
} from '../../http/session-cookie.ts';
import { createRateLimit } from './rate-limit.ts';
import { type Transport, transportOf } from './transport.ts';

const SECURE_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';
/** Objects of this origin are asked for without the cookie. */
const PRIVATE_HTTP_ATTRIBUTES = 'Path=/-/; HttpOnly; SameSite=Strict';

/**
 * Reads the credential of a request; null: it has none. A bearer token counts
 * before a cookie.
 */
export function readCredential(
  request: Pick<HttpRequest, 'header' | 'isSecure' | 'host' | 'remoteAddress'>,
): Credential | null {
  const authorization = request.header('authorization');
  if (authorization !== null) {
    const [, text = ''] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
    return { kind: 'token', text };
  }
  const cookies = request.header('cookie');
  const secureText = readCookie(cookies, SECURE_COOKIE_NAME);
  if (secureText !== null) return { kind: 'session', text: secureText };
  const plainText = readCookie(cookies, PRIVATE_HTTP_COOKIE_NAME);
  return plainText !== null && transportOf(request) === 'private-http'
    ? { kind: 'http-session', text: plainText }
    : null;
}

/** The kind of session that begins over this transport. InsecureTransport. */
export function sessionKindOf(transport: Transport): SessionKind {
  if (transport === 'public-http') throw new StorageError('InsecureTransport');
  return transport === 'private-http' ? 'http-session' : 'session';
}

/** The Set-Cookie that signs a browser in for so long. */
export function sessionCookie(kind: SessionKind, text: string, maxAgeSeconds: number): string {
  return kind === 'session'
    ? `${SECURE_COOKIE_NAME}=${text}; ${SECURE_ATTRIBUTES}; Max-Age=${maxAgeSeconds}`
    : `${PRIVATE_HTTP_COOKIE_NAME}=${text}; ${PRIVATE_HTTP_ATTRIBUTES}; Max-Age=${maxAgeSeconds}`;
}

/** The Set-Cookie that takes the cookie of this transport away. */
export function noSessionCookie(transport: Transport): string {
  return sessionCookie(transport === 'private-http' ? 'http-session' : 'session', '', 0);
}

/**
 * Refuses a change that a browser sends from another site, whatever the cookie's
 * attributes let through. CrossSiteRequest. A bearer token is no browser's own, so
 * it needs no such care. What sends neither header is no browser of this decade.
 * Source: OWASP's Cheat Sheet of Cross-Site Request Forgery Prevention,
 * https://cheatsheetseries.owasp.org
 */
export function requireSameSite(request: Pick<HttpRequest, 'method' | 'header' | 'host'>): void {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading || request.header('authorization') !== null) return;
  const site = request.header('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return;
  const origin = request.header('origin');
  const isOwnOrigin =
    origin !== null && /^https?:\/\//.test(origin) && origin.split('://')[1] === request.host;
  if (site === null && (origin === null || isOwnOrigin)) return;
  throw new StorageError('CrossSiteRequest');
}

/** Attempts with tokens and cookies that nobody has, of one source in a minute. */
const WRONG_CREDENTIALS_PER_MINUTE = 30;

/**
 * Finds who sent a request; null: nobody that we know. Unauthenticated,
 * TooManyRequests.
 */
export type Authenticate = (request: HttpRequest) => Promise<ApiCaller | null>;

/**
 * Makes the look-up of callers by their credentials, which slows who tries wrong
 * ones.
 */
export function createAuthenticator(core: Core, findAccessKey: FindAccessKey): Authenticate {
  const wrongCredentials = createRateLimit('credentials', WRONG_CREDENTIALS_PER_MINUTE);
  return async (request) => {
    const credential = readCredential(request);
    if (credential === null) return null;

    const caller = await findCaller(core, findAccessKey, credential);
    if (caller !== null) {
      request.notes.requester = caller.accountId;
      request.notes.accessKeyId = caller.accessKeyId;
      return caller;
    }

    wrongCredentials.count(networkOf(request.remoteAddress), core.ports.clock.nowMs());
    // A cookie that is worth nothing any more must not keep anybody from signing in
    // again.
    if (credential.kind !== 'token') return null;
    throw new StorageError('Unauthenticated', { detail: 'The bearer token is not valid.' });
  };
}
