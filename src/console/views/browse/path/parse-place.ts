// Reads what is typed or pasted into the path field: `s3://bucket/key`, a URL, an ARN,
// or `bucket/key`. Plain text in, a place or null out.
export type TypedPlace = { readonly bucket: string; readonly key: string };

/** Longest text that is read, characters: a key has 1,024 bytes, each may be %XX. */
const TEXT_MAX = 4096;
const ARN = 'arn:aws:s3:::';

export type Hosts = {
  /** `localhost:9000`: the host of this console. */
  readonly own: string;
  /** What addresses of the console begin with. */
  readonly base: string;
  /** `{bucket}.` before it names a bucket; null: buckets have no hosts. */
  readonly baseDomain: string | null;
};

/** The place that a text names; null: it names none. */
export function parsePlace(typed: string, hosts: Hosts): TypedPlace | null {
  const text = typed.trim().slice(0, TEXT_MAX);
  if (text.startsWith('s3://')) return placeIn(text.slice('s3://'.length));
  if (text.startsWith(ARN)) return placeIn(text.slice(ARN.length));
  if (text.startsWith('https://') || text.startsWith('http://')) return placeOfUrl(text, hosts);
  return placeIn(text.startsWith('/') ? text.slice(1) : text);
}

function placeIn(text: string): TypedPlace | null {
  const slash = text.indexOf('/');
  const bucket = slash === -1 ? text : text.slice(0, slash);
  if (bucket === '' || /[\s:]/.test(bucket)) return null;
  return { bucket, key: slash === -1 ? '' : text.slice(slash + 1) };
}

function placeOfUrl(text: string, { own, base, baseDomain }: Hosts): TypedPlace | null {
  const url = URL.parse(text);
  if (url === null) return null;
  const path = decode(url.pathname);
  if (url.host === own && url.pathname.startsWith(`${base}/b/`)) {
    const named = url.searchParams.get('prefix') ?? url.searchParams.get('key');
    const place = placeIn(path.slice(`${base}/b/`.length));
    return place === null || named === null ? place : { ...place, key: named };
  }
  const end = baseDomain === null ? null : `.${baseDomain}`;
  if (end !== null && url.hostname.endsWith(end)) {
    return { bucket: url.hostname.slice(0, -end.length), key: path.slice(1) };
  }
  // AWS and its likes: the bucket stands first in the host, or first in the path.
  const hosted = /^(?<bucket>[a-z0-9][a-z0-9.-]{1,62})\.s3[.-]/.exec(url.hostname);
  if (hosted?.groups?.bucket !== undefined) {
    return { bucket: hosted.groups.bucket, key: path.slice(1) };
  }
  return placeIn(path.slice(1));
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
