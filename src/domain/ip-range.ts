// IP addresses and ranges, as policies and settings write them. Pure; used by
// policies, webhooks and limits.

/** `bytes`: 4 or 16; `prefixBits` of them count. */
export type IpRange = { readonly bytes: readonly number[]; readonly prefixBits: number };

/**
 * The bytes of an IPv4 or IPv6 address, null for anything else. An IPv4-mapped IPv6
 * address is an IPv4 address.
 */
export function parseIp(text: string): readonly number[] | null {
  if (!text.includes(':')) return parseIpv4(text);
  const bytes = parseIpv6(text.includes('%') ? text.slice(0, text.indexOf('%')) : text);
  if (bytes === null) return null;
  const isMapped =
    bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? bytes.slice(12) : bytes;
}

/** `10.0.0.0/8`, `2001:db8::/32` or one address; null for anything else. */
export function parseIpRange(text: string): IpRange | null {
  const slashAt = text.indexOf('/');
  const bytes = parseIp(slashAt === -1 ? text : text.slice(0, slashAt));
  if (bytes === null) return null;
  const bits = bytes.length * 8;
  if (slashAt === -1) return { bytes, prefixBits: bits };
  const suffix = text.slice(slashAt + 1);
  if (!/^\d{1,3}$/.test(suffix) || Number(suffix) > bits) return null;
  return { bytes, prefixBits: Number(suffix) };
}

/** Whether the address lies in the range; IPv4 and IPv6 never meet. */
export function isInRange(address: readonly number[], { bytes, prefixBits }: IpRange): boolean {
  if (address.length !== bytes.length) return false;
  for (let at = 0, left = prefixBits; left > 0; at++, left -= 8) {
    const mask = left >= 8 ? 0xff : (0xff << (8 - left)) & 0xff;
    if (((address[at] ?? 0) & mask) !== ((bytes[at] ?? 0) & mask)) return false;
  }
  return true;
}

/**
 * Bytes of an IPv6 address that name the network: whoever has one address there has
 * all of them. Source: RFC 6177 section 2
 */
const NETWORK_BYTES = 8;

/**
 * What limits count a client by: an IPv4 address, or an IPv6 network of 64 bits
 * (`2001:db8:0:0::/64`), however the address was written. `unknown` for null.
 */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  const bytes = parseIp(address);
  if (bytes === null) return address;
  if (bytes.length === 4) return bytes.join('.');
  const groups: string[] = [];
  for (let at = 0; at < NETWORK_BYTES; at += 2) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  }
  return `${groups.join(':')}::/64`;
}

function parseIpv4(text: string): readonly number[] | null {
  const parts = text.split('.');
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
  )
    return null;
  return parts.map(Number);
}

function parseIpv6(text: string): readonly number[] | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half, i) => groupsOf(half, i === halves.length - 1));
  if (head === undefined || head === null) return null;
  if (tail === undefined) return head.length === 16 ? head : null;
  if (tail === null || head.length + tail.length > 14) return null;
  return [...head, ...new Array<number>(16 - head.length - tail.length).fill(0), ...tail];
}

/** Bytes of `a:b:c`; the last group may be an IPv4 address. */
function groupsOf(text: string, isEnd: boolean): number[] | null {
  if (text === '') return [];
  const groups = text.split(':');
  const bytes: number[] = [];
  for (const [i, group] of groups.entries()) {
    const ipv4 = isEnd && i === groups.length - 1 && group.includes('.') ? parseIpv4(group) : null;
    if (ipv4 !== null) bytes.push(...ipv4);
    else if (/^[0-9a-fA-F]{1,4}$/.test(group))
      bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return null;
  }
  return bytes;
}
