// Reads from the request line and the Host header what is asked for: a page of our
// own, the service, a bucket or an object. Works on the raw path, because keys hold
// `//`, `.`, `..`, `+` and everything else that URL parsers mend.
import { hostNameOf, isBindableHost } from '../core/hosting/host-names.ts';
import { LINK_PATHS, type LinkKind, parseLinkName } from '../domain/links/link-ids.ts';
import type { HostBinding } from '../ports/directory.ts';
import { encodeForXmlUrl } from './semantics/raw-path.ts';

/**
 * Where a request goes. Names are still percent-encoded; `rawKey` null means the
 * bucket itself.
 */
export type Address =
  | { readonly kind: 'system'; readonly path: string }
  | { readonly kind: 'service' }
  | LinkAddress
  | {
      readonly kind: 'bucket';
      readonly rawBucket: string;
      readonly rawKey: string | null;
      readonly isVirtualHost: boolean;
    }
  /**
   * A page of a website; `rawPath` '' is its root. `binding` null: the host is
   * `{bucket}.{website domain}`.
   */
  | {
      readonly kind: 'site';
      readonly rawBucket: string;
      readonly rawPath: string;
      readonly binding: HostBinding | null;
    };

/**
 * A share link or a drop link, `/-/s/{name}` or `/-/d/{name}/{path}`, or a file of
 * their pages, `/-/link-files/{name}`.
 */
export type LinkAddress = {
  readonly kind: 'link';
  readonly linkKind: LinkKind | 'file';
  /** `{id}` or `{id}~{label}`, if the sender meant a link at all. */
  readonly rawName: string;
  /** What follows the slash behind the name, still percent-encoded; null without one. */
  readonly rawPath: string | null;
  /** At a host that is bound to a bucket only the links of that bucket are there. */
  readonly binding: HostBinding | null;
};

/**
 * Domains whose sub-domains are buckets; lower case, without a port. Null turns one
 * off.
 */
export type Domains = {
  /** `{bucket}.{baseDomain}`: the S3 API and plain public reads. */
  readonly baseDomain: string | null;
  /**
   * `{bucket}.{websiteDomain}`: the bucket's website. It may be a sub-domain of the
   * other.
   */
  readonly websiteDomain: string | null;
  /** Hosts of the service, which no bucket can have; nor what is below them. */
  readonly ownHosts: readonly string[];
};

/** What a Host header says by itself. */
export type HostTarget =
  | { readonly kind: 'website' | 'bucket'; readonly rawBucket: string }
  /**
   * `bindableName`: the name under which it may be bound to a bucket; null for
   * hosts that never are.
   */
  | { readonly kind: 'other'; readonly bindableName: string | null };

/**
 * First path segment of everything that is not storage; no bucket name starts with
 * a hyphen.
 */
const SYSTEM_PREFIX = '/-/';

/** Never throws. Cost: 0.3 µs. */
export function readHost(
  host: string,
  { baseDomain, websiteDomain, ownHosts }: Domains,
): HostTarget {
  const name = hostNameOf(host);
  const site = websiteDomain === null ? null : bucketOfHost(name, websiteDomain);
  if (site !== null) return { kind: 'website', rawBucket: site };
  const bucket = baseDomain === null ? null : bucketOfHost(name, baseDomain);
  if (bucket !== null) return { kind: 'bucket', rawBucket: bucket };
  return { kind: 'other', bindableName: isBindableHost(name, ownHosts) ? name : null };
}

/** `binding`: what the host is bound to, if it is. Never throws. */
export function addressAt(
  rawPath: string,
  target: HostTarget,
  binding: HostBinding | null,
): Address {
  if (target.kind === 'website') {
    return { kind: 'site', rawBucket: target.rawBucket, rawPath: rawPath.slice(1), binding: null };
  }
  if (target.kind === 'bucket') {
    const rawKey = rawPath.length > 1 ? rawPath.slice(1) : null;
    return { kind: 'bucket', rawBucket: target.rawBucket, rawKey, isVirtualHost: true };
  }
  const link = rawPath.startsWith(SYSTEM_PREFIX) ? linkAddressAt(rawPath, binding) : null;
  if (link !== null) return link;
  if (binding !== null)
    return { kind: 'site', rawBucket: binding.bucket, rawPath: rawPath.slice(1), binding };
  if (rawPath.startsWith(SYSTEM_PREFIX))
    return { kind: 'system', path: rawPath.slice(SYSTEM_PREFIX.length - 1) };
  if (rawPath.length <= 1) return { kind: 'service' };
  const end = rawPath.indexOf('/', 1);
  const rawBucket = end === -1 ? rawPath.slice(1) : rawPath.slice(1, end);
  const rawKey = end === -1 || end === rawPath.length - 1 ? null : rawPath.slice(end + 1);
  return { kind: 'bucket', rawBucket, rawKey, isVirtualHost: false };
}

/** Style and scripts of the pages of links, at whatever host a link is. */
const LINK_FILES_PATH = '/-/link-files/';
const LINK_KINDS: readonly LinkKind[] = ['share', 'drop'];

/**
 * The link that a path below `/-/` names; null for other pages. At a bound host a
 * path that no link can have is a page of the site.
 */
function linkAddressAt(rawPath: string, binding: HostBinding | null): LinkAddress | null {
  if (rawPath.startsWith(LINK_FILES_PATH)) {
    const rawName = rawPath.slice(LINK_FILES_PATH.length);
    return { kind: 'link', linkKind: 'file', rawName, rawPath: null, binding };
  }
  const linkKind = LINK_KINDS.find((kind) => rawPath.startsWith(LINK_PATHS[kind]));
  if (linkKind === undefined) return null;
  const start = LINK_PATHS[linkKind].length;
  const slashAt = rawPath.indexOf('/', start);
  const rawName = slashAt === -1 ? rawPath.slice(start) : rawPath.slice(start, slashAt);
  if (binding !== null && parseLinkName(rawName) === null) return null;
  const path = slashAt === -1 ? null : rawPath.slice(slashAt + 1);
  return { kind: 'link', linkKind, rawName, rawPath: path, binding };
}

/**
 * An address for the S3 surface, both parts still percent-encoded. `rawKey` null
 * means the bucket, `bucket` null the service.
 */
export type S3Address = {
  readonly bucket: string | null;
  readonly rawKey: string | null;
  /**
   * Whether the host is the bucket's own, and with it the origin that a browser
   * sees.
   */
  readonly isVirtualHost: boolean;
};

/** At a bound host the key is below the prefix that the host shows. */
export function toS3Address(address: Exclude<Address, { kind: 'system' | 'link' }>): S3Address {
  if (address.kind === 'service') return { bucket: null, rawKey: null, isVirtualHost: false };
  if (address.kind === 'bucket') {
    const { rawBucket, rawKey, isVirtualHost } = address;
    return { bucket: rawBucket, rawKey, isVirtualHost };
  }
  const { rawBucket, rawPath, binding } = address;
  const rawKey = rawPath === '' ? null : encodeForXmlUrl(binding?.prefix ?? '') + rawPath;
  return { bucket: rawBucket, rawKey, isVirtualHost: true };
}

/** Hosts remembered by an address reader; strangers can make up any number. */
const HOSTS_MAX = 1024;
const HOST_MAX_LENGTH = 255;

/**
 * Makes the reader of addresses: at once, unless it must ask what the host is bound
 * to. `findHost` is the directory's; a promise rejects with what it rejects with.
 * Cost: 0.1 µs for a host seen before.
 */
export function createAddressReader(
  domains: Domains,
  findHost: (name: string) => HostBinding | null | Promise<HostBinding | null>,
): (rawPath: string, host: string) => Address | Promise<Address> {
  const known = new Map<string, HostTarget>();
  return (rawPath, host) => {
    let target = known.get(host);
    if (target === undefined) {
      target = readHost(host, domains);
      if (known.size === HOSTS_MAX) known.clear();
      if (host.length <= HOST_MAX_LENGTH) known.set(host, target);
    }
    if (target.kind !== 'other' || target.bindableName === null)
      return addressAt(rawPath, target, null);
    const parsedHost = target;
    const binding = findHost(target.bindableName);
    return binding instanceof Promise
      ? binding.then((late) => addressAt(rawPath, parsedHost, late))
      : addressAt(rawPath, parsedHost, binding);
  };
}

function bucketOfHost(name: string, domain: string): string | null {
  if (!name.endsWith(domain) || name.length <= domain.length + 1) return null;
  const dotAt = name.length - domain.length - 1;
  return name[dotAt] === '.' ? name.slice(0, dotAt) : null;
}

/**
 * Whether objects at the address share their origin with the console and with other
 * buckets: not at a site's host or at a host of the bucket's own.
 */
export const isSharedOrigin = (address: Address): boolean =>
  address.kind !== 'site' && !(address.kind === 'bucket' && address.isVirtualHost);
