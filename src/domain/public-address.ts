// Which addresses a webhook may be sent to: those of the public internet alone, so
// that nobody can make the server call itself, its neighbours or a cloud's metadata
// service. Checked when a webhook is made, for what stands in its URL, and by the
// sender, for what its name resolves to (adapters/node/services/webhook-sender.ts).
// Pure.
import { type IpRange, isInRange, parseIp, parseIpRange } from './ip-range.ts';

/**
 * What is not public though it looks so. Sources:
 * https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry; 168.63.129.16 is
 * Azure's metadata and health service.
 */
const RESERVED_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];
/**
 * Within global unicast: Teredo and what stands beside it, documentation, 6to4,
 * which carries IPv4 addresses.
 */
const RESERVED_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
/**
 * The only part of IPv6 that is given out for the internet: NAT64, mapped and local
 * addresses are outside.
 */
const GLOBAL_V6 = ['2000::/3'];

const toRanges = (texts: readonly string[]): readonly IpRange[] =>
  texts.flatMap((text) => parseIpRange(text) ?? []);
const RESERVED = toRanges([...RESERVED_V4, ...RESERVED_V6]);
const GLOBAL = toRanges([...GLOBAL_V6, '0.0.0.0/0']);

/**
 * Whether a text is an address of the public internet; anything else, and no
 * address at all, is not.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseIp(text);
  if (address === null) return false;
  return (
    GLOBAL.some((range) => isInRange(address, range)) &&
    !RESERVED.some((range) => isInRange(address, range))
  );
}

/**
 * Names that never mean a host of the internet. Source: RFC 6761, RFC 6762, RFC
 * 8375, ICANN's `internal`.
 */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa|lan|intranet|corp|private)$/;

/**
 * Whether a host of a URL (`hostname`) may be public: an address that is, or a name
 * with a dot that is not local.
 */
export function mayBePublicHost(hostname: string): boolean {
  if (hostname.startsWith('[')) return isPublicAddress(hostname.slice(1, -1));
  if (/^[\d.]+$/.test(hostname)) return isPublicAddress(hostname);
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name.includes('.') && !LOCAL_NAME.test(name);
}
