// Which request targets and hosts mean themselves to every parser on the way, so
// that nobody needs to parse a URL. Called by recognise.ts for raw bytes and by
// behind-node-http.ts for what node:http made of them. Pure.

/**
 * The target's bytes that mean themselves: no `?`, `#`, `\`, nor what URL parsers
 * encode. `%` is looked at apart.
 */
export const PLAIN_TARGET_BYTE = /[!$&-;=@A-Z[\]_a-z~]/;
/** Host names that @hono/node-server takes as they are, without a URL parser. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
/**
 * A path, and a query if there is one, of nothing but PLAIN_TARGET_BYTE and `%`.
 */
const PLAIN_TARGET = /^\/[!$%&-;=@A-Z[\]_a-z~]*(?:\?[!$%&-;=@A-Z[\]_a-z~]+)?$/;

export function isPlainHost(host: string): boolean {
  return PLAIN_HOST.test(host);
}

/**
 * Whether a target is origin-form and plain; its query, if it has one, is not
 * empty.
 */
export function isPlainTarget(target: string): boolean {
  return PLAIN_TARGET.test(target);
}

/**
 * Whether @hono/node-server shows a target to a URL parser, which answers 400 where
 * the host is none.
 */
export function needsUrlParser(target: string): boolean {
  return target.includes('%') || target.includes('/.');
}

/**
 * Whether a plain host is one to URL parsers too (`1.2.3.4.5` is not). What they
 * make of a path or a query never fails.
 */
export function isUrlHost(host: string): boolean {
  return URL.canParse(`http://${host}/`);
}
