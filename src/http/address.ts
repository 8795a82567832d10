// Reads from the request line and the Host header what is asked for: a page of our own, the service, a bucket or an
// object. Works on the raw path, because keys hold `//`, `.`, `..`, `+` and everything else that URL parsers mend.

/** Where a request goes. Names are still percent-encoded; `rawKey` null means the bucket itself. */
export type Address =
  | { readonly kind: 'system'; readonly path: string }
  | { readonly kind: 'service' }
  | {
      readonly kind: 'bucket';
      readonly rawBucket: string;
      readonly rawKey: string | null;
      readonly isVirtualHost: boolean;
    }
  /** A page of a website; `rawKey` '' is its root. */
  | { readonly kind: 'website'; readonly rawBucket: string; readonly rawKey: string };

/** Domains whose sub-domains are buckets; lower case, without a port. Null turns one off. */
export type Domains = {
  /** `{bucket}.{baseDomain}`: the S3 API and plain public reads. */
  readonly baseDomain: string | null;
  /** `{bucket}.{websiteDomain}`: the bucket's website. It may be a sub-domain of the other. */
  readonly websiteDomain: string | null;
};

/** First path segment of everything that is not storage; no bucket name starts with a hyphen. */
const SYSTEM_PREFIX = '/-/';

/** Never throws. */
export function parseAddress(rawPath: string, host: string, { baseDomain, websiteDomain }: Domains): Address {
  const site = websiteDomain === null ? null : bucketOfHost(host, websiteDomain);
  if (site !== null) return { kind: 'website', rawBucket: site, rawKey: rawPath.slice(1) };
  const virtualBucket = baseDomain === null ? null : bucketOfHost(host, baseDomain);
  if (virtualBucket !== null) {
    const rawKey = rawPath.length > 1 ? rawPath.slice(1) : null;
    return { kind: 'bucket', rawBucket: virtualBucket, rawKey, isVirtualHost: true };
  }
  if (rawPath.startsWith(SYSTEM_PREFIX)) return { kind: 'system', path: rawPath.slice(SYSTEM_PREFIX.length - 1) };
  if (rawPath.length <= 1) return { kind: 'service' };
  const end = rawPath.indexOf('/', 1);
  const rawBucket = end === -1 ? rawPath.slice(1) : rawPath.slice(1, end);
  const rawKey = end === -1 || end === rawPath.length - 1 ? null : rawPath.slice(end + 1);
  return { kind: 'bucket', rawBucket, rawKey, isVirtualHost: false };
}

function bucketOfHost(host: string, baseDomain: string): string | null {
  const portAt = host.lastIndexOf(':');
  const name = (portAt > host.lastIndexOf(']') ? host.slice(0, portAt) : host).toLowerCase();
  if (!name.endsWith(baseDomain) || name.length <= baseDomain.length + 1) return null;
  const dotAt = name.length - baseDomain.length - 1;
  return name[dotAt] === '.' ? name.slice(0, dotAt) : null;
}
