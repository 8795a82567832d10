// The client of a connection: its peer or, behind proxies that the settings name,
// the client that they report. The only code of the Node platform that reads
// X-Forwarded-For and X-Forwarded-Proto; http-request.ts and the fast path call it.
// From any other peer these headers count for nothing.
//
// Only the X-Forwarded pair is read, not `Forwarded` (RFC 7239). A proxy that
// writes one kind passes the other on as the client sent it, so a server that reads
// both can be deceived.
import { BlockList, isIP, isIPv4, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { KnownProtocol, Tls } from '../../../http/request.ts';
import { HandedConnection } from './handed-connection.ts';

/** Who sent a request, as the surfaces and the log see it. */
export type Client = {
  /** Without a port, IPv4 in its own form; null when it is not known. */
  readonly remoteAddress: string | null;
  readonly isSecure: boolean;
  /**
   * Null over a plain connection, unless a trusted proxy says it: a proxy may be
   * unnamed.
   */
  readonly knownProtocol: KnownProtocol;
  /** Whether the peer is the client, for all we know: no trusted proxy is between. */
  readonly isPeer: boolean;
};

/** The other end of the connection itself. */
export type Peer = { readonly address: string | undefined; readonly isEncrypted: boolean };

const isTls = (socket: Duplex): boolean => socket instanceof TLSSocket;

/** Reads the other end of a connection. Cost: 10 ns. */
export function peerOf(socket: Duplex): Peer {
  const address =
    'remoteAddress' in socket ? (socket.remoteAddress as string | undefined) : undefined;
  const isEncrypted = socket instanceof HandedConnection ? socket.isEncrypted : isTls(socket);
  return { address, isEncrypted };
}

/**
 * `HttpRequest.tls` on Node: the TLS of the connection, unless it is a trusted
 * proxy's (`isPeer` false). Cost: 1 µs.
 */
export function tlsOf(socket: Duplex, isPeer: boolean): Tls | null {
  if (!isPeer || !(socket instanceof TLSSocket)) return null;
  const version = /^TLSv(\d(?:\.\d)?)$/.exec(socket.getProtocol() ?? '')?.[1];
  if (version === undefined) return null;
  return { version, cipher: socket.getCipher()?.name ?? null };
}

/**
 * Addresses of this machine itself. Source: RFC 1122 section 3.2.1.3, RFC 4291
 * section 2.5.3
 */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|::1)$/;
/** Headers that proxies add. Source: RFC 7239 section 4, RFC 9110 section 7.6.3 */
const PASSED_ON_HEADERS = [
  'x-forwarded-for',
  'x-forwarded-host',
  'x-real-ip',
  'forwarded',
  'via',
] as const;

/**
 * Whether both ends of the connection are this machine, and no header has a trace
 * of a proxy, named or not: `HttpRequest.isFromLoopback` on Node.
 */
export function isFromLoopback(socket: Duplex, header: (name: string) => string | null): boolean {
  if (!(socket instanceof Socket || socket instanceof HandedConnection)) return false;
  for (const end of [socket.remoteAddress, socket.localAddress])
    if (!LOOPBACK.test(plainAddress(end) ?? '')) return false;
  return PASSED_ON_HEADERS.every((name) => header(name) === null);
}

/** `header` gives a value by lower-case name, repeated ones joined by a comma. */
export type ReadClient = (peer: Peer, header: (name: string) => string | null) => Client;

/**
 * Most proxies of a chain. Each look-up costs 1 µs, so the sender must not choose
 * how many.
 */
const HOPS_MAX = 16;
const IPV4_IN_IPV6 = '::ffff:';
/** `1.2.3.4:5678` or `[::1]:5678`, as some load balancers write. */
const WITH_PORT = /^(?:\[([^\]]+)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/;

/**
 * The address, IPv4 in its own form also where it came over an IPv6 socket. Cost: 5
 * ns.
 */
export function plainAddress(address: string | undefined): string | null {
  if (address === undefined) return null;
  return address.startsWith(IPV4_IN_IPV6) && address.includes('.')
    ? address.slice(IPV4_IN_IPV6.length)
    : address;
}

/**
 * Whether an address, as `plainAddress` gives it, is a trusted proxy's. Cost: 1 µs.
 */
export type IsTrusted = (address: string) => boolean;

/**
 * `ranges` are addresses and CIDR ranges that config.ts has checked, empty for no
 * trusted proxy.
 */
export function createProxyTrust(ranges: readonly string[]): IsTrusted {
  if (ranges.length === 0) return () => false;
  const trusted = toBlockList(ranges);
  return (address) => trusted.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

/** Makes the reader; `ranges` as for `createProxyTrust`. */
export function createClientReader(ranges: readonly string[]): ReadClient {
  if (ranges.length === 0) {
    return ({ address, isEncrypted }) => directClient(plainAddress(address), isEncrypted);
  }
  const isTrusted = createProxyTrust(ranges);

  return ({ address, isEncrypted }, header) => {
    const peer = plainAddress(address);
    if (peer === null || !isTrusted(peer)) return directClient(peer, isEncrypted);
    const hops = listOf(header('x-forwarded-for'));
    const clientAt = indexOfClient(hops, isTrusted);
    const protocol = protocolAt(listOf(header('x-forwarded-proto')), hops.length, clientAt);
    const remoteAddress = hops.length === 0 ? peer : addressOf(hops[clientAt]);
    if (protocol === null) return { ...directClient(remoteAddress, isEncrypted), isPeer: false };
    const isSecure = protocol === 'https';
    return {
      remoteAddress,
      isSecure,
      knownProtocol: isSecure ? 'https' : protocol === 'http' ? 'http' : null,
      isPeer: false,
    };
  };
}

/** The client at the other end of the connection itself. */
function directClient(remoteAddress: string | null, isEncrypted: boolean): Client {
  const knownProtocol = isEncrypted ? 'https' : null;
  return { remoteAddress, isSecure: isEncrypted, knownProtocol, isPeer: true };
}

function toBlockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    const family = isIPv4(network) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(network, family);
    else list.addSubnet(network, Number(bits), family);
  }
  return list;
}

function listOf(value: string | null): string[] {
  return value === null ? [] : value.split(',').map((entry) => entry.trim());
}

/**
 * Index of the client in X-Forwarded-For. From the right, where the nearest proxy
 * wrote, it is the first address that is no trusted proxy, whatever stands further
 * left. If all are trusted it is the leftmost. -1, unknown: too many, or one is no
 * address.
 */
function indexOfClient(hops: readonly string[], isTrusted: IsTrusted): number {
  for (let at = hops.length - 1; at >= 0; at--) {
    if (hops.length - at > HOPS_MAX) return -1;
    const address = addressOf(hops[at]);
    if (address === null) return -1;
    if (at === 0 || !isTrusted(address)) return at;
  }
  return -1;
}

function addressOf(hop: string | undefined): string | null {
  if (hop === undefined) return null;
  const [, inBrackets, beforePort] = WITH_PORT.exec(hop) ?? [];
  const address = inBrackets ?? beforePort ?? hop;
  return isIP(address) === 0 ? null : plainAddress(address.toLowerCase());
}

/**
 * Scheme of the client's own hop, where each proxy has added one; else that of the
 * nearest.
 */
function protocolAt(
  protocols: readonly string[],
  hopCount: number,
  clientAt: number,
): string | null {
  const protocol =
    protocols.length === hopCount && clientAt >= 0 ? protocols[clientAt] : protocols.at(-1);
  return protocol === undefined || protocol === '' ? null : protocol.toLowerCase();
}
