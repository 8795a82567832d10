// Which request targets and hosts mean themselves to every parser on the way, so that nobody needs to parse a URL. Asked
// by both ways to the hot door: the lane, of raw bytes, and node:http's, of what node:http made of them.

/** The target's bytes that mean themselves: no `?`, `#`, `\`, nor what URL parsers encode. `%` is looked at apart. */
export const PLAIN_TARGET_BYTE = /[!$&-;=@A-Z[\]_a-z~]/;
/** Host names that @hono/node-server takes as they are, without a URL parser. */
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
const PLAIN_TARGET = new RegExp(`^/(?:${PLAIN_TARGET_BYTE.source}|%)*$`);

export function isPlainHost(host: string): boolean {
  return PLAIN_HOST.test(host);
}

/** An origin-form target of such bytes, without a query. */
export function isPlainTarget(target: string): boolean {
  return PLAIN_TARGET.test(target);
}

/** Where the target has what @hono/node-server shows a URL parser, which answers 400 for a host that is none (`1.2.3.4.5`). */
export function isParsable(host: string, target: string): boolean {
  const isParsed = target.includes('%') || target.includes('/.');
  return !isParsed || URL.canParse(`http://${host}${target}`);
}
