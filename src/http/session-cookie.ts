// The cookies of a browser that signed in, by name. The JSON API sets and reads
// them; the console's page looks whether there is one.

/**
 * Over TLS and on the browser's own machine: Secure, for this host alone. Source:
 * RFC 6265bis section 4.1.3.2
 */
export const SECURE_COOKIE_NAME = '__Host-quayside';
/** Over plain http in a private network, and nowhere else. */
export const PRIVATE_HTTP_COOKIE_NAME = 'quayside-http';

/** The value of the first cookie of that name in a Cookie header; null: there is none. */
export function readCookie(header: string | null, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return null;
}

/** Whether a browser shows that it signed in; the session may be over all the same. */
export function hasSessionCookie(header: string | null): boolean {
  return [SECURE_COOKIE_NAME, PRIVATE_HTTP_COOKIE_NAME].some(
    (name) => readCookie(header, name) !== null,
  );
}
