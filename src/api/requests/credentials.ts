// What a request shows to say who it is from, and the cookie of a browser that signed in.
//
// The cookie is `__Host-quayside`: Secure, HttpOnly, SameSite=Strict, for this host alone. Browsers
// keep it over TLS, and on localhost over plain HTTP too (Chrome and Firefox do, Safari does not);
// elsewhere over plain HTTP they drop it, so that no session crosses a network unprotected.
import type { Credential } from '../../core/accounts/find-caller.ts';
import { StorageError } from '../../domain/errors.ts';
import type { HttpRequest } from '../../http/request.ts';

const COOKIE_NAME = '__Host-quayside';
const COOKIE_ATTRIBUTES = 'Path=/; Secure; HttpOnly; SameSite=Strict';

/** Null: it shows nothing. A bearer token counts before a cookie. */
export function readCredential(request: Pick<HttpRequest, 'header'>): Credential | null {
  const authorization = request.header('authorization');
  if (authorization !== null) {
    const [, text = ''] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization) ?? [];
    return { kind: 'token', text };
  }
  for (const pair of (request.header('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === COOKIE_NAME) {
      return { kind: 'session', text: pair.slice(at + 1).trim() };
    }
  }
  return null;
}

/** For Set-Cookie: signs the browser in for so long. */
export function sessionCookie(text: string, maxAgeSeconds: number): string {
  return `${COOKIE_NAME}=${text}; ${COOKIE_ATTRIBUTES}; Max-Age=${maxAgeSeconds}`;
}

/** For Set-Cookie: takes the cookie away. */
export const NO_SESSION_COOKIE = `${COOKIE_NAME}=; ${COOKIE_ATTRIBUTES}; Max-Age=0`;

/**
 * CrossSiteRequest for a change that a browser sends from another site, whatever the cookie's
 * attributes let through. A bearer token is no browser's own, so it needs no such care. What sends
 * neither header is no browser of this decade. Source:
 * https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html
 */
export function requireSameSite(request: Pick<HttpRequest, 'method' | 'header' | 'host'>): void {
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading || request.header('authorization') !== null) return;
  const site = request.header('sec-fetch-site');
  if (site === 'same-origin' || site === 'none') return;
  const origin = request.header('origin');
  const isOwnOrigin =
    origin !== null && /^https?:\/\//.test(origin) && origin.split('://')[1] === request.host;
  if ((site === null && origin === null) || (site === null && isOwnOrigin)) return;
  throw new StorageError('CrossSiteRequest');
}
