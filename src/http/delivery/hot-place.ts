// What a plain read names, for the hot answer: address and decoded names. Pure, with a memo.
import { parseBucketName, parseObjectKey } from '../../core/parse-names.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import type { Directory, HostBinding } from '../../ports/directory.ts';
import { addressAt, type Domains, type HostPlace, readHost } from '../address.ts';
import type { PlainRead } from '../request.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { type HotSite, likelyKeys } from './site/hot-visit.ts';
import { prefixOf } from './site/site-planner.ts';

/** An object as a request names it. */
export type HotTarget = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  /** Set where the host is a site's: then bucket and key say nothing yet. */
  readonly site: HotSite | null;
  /** Whether the bucket has the host for itself. */
  readonly isOwnHost: boolean;
};

/**
 * Names remembered, at all hosts together: with the longest names, and with the plans of pages,
 * they take 8 MB.
 */
const PLACES_MAX = 4096;
const NAME_MAX_LENGTH = 200;
const HOSTS_MAX = 1024;

/** A host with the objects that were named there. */
type KnownHost = {
  readonly name: string;
  readonly place: HostPlace;
  readonly binding: HostBinding | null;
  readonly objects: Map<string, HotTarget | null>;
};

/**
 * Makes the reader; it gives null for what is no object, or no name at all, or at a host that
 * memory does not know: the other door finds the same and says so. Hot objects are named again and
 * again, so it remembers: two look-ups in place of a dozen small functions. `peekHost` is the
 * directory's: what it does not know the other door asks.
 */
export function createHotTargetReader(
  domains: Domains,
  peekHost: Directory['peekHost'],
): (read: PlainRead) => HotTarget | null {
  const hosts = new Map<string, KnownHost>();
  // Hosts of no meaning of their own name the same objects: all share this.
  const shared = new Map<string, HotTarget | null>();
  let last: KnownHost | null = null;
  let lastHost = '';
  let count = 0;

  /** Strangers can name any number of things, so now and then all begins anew. */
  function forgetAllBut(host: KnownHost): void {
    hosts.clear();
    shared.clear();
    host.objects.clear();
    hosts.set(host.name, host);
    count = 0;
  }

  function hostOf(host: string): KnownHost | null {
    const known = host === lastHost ? last : (hosts.get(host) ?? null);
    const place = known?.place ?? readHost(host, domains);
    const asked =
      place.kind === 'other' && place.bindableName !== null ? peekHost(place.bindableName) : null;
    if (asked === undefined) return null;
    let entry = known;
    if (entry === null || entry.binding !== asked) {
      const isShared = place.kind === 'other' && asked === null;
      entry = { name: host, place, binding: asked, objects: isShared ? shared : new Map() };
      if (hosts.size >= HOSTS_MAX) forgetAllBut(entry);
      hosts.set(host, entry);
    }
    lastHost = host;
    last = entry;
    return entry;
  }

  return (read) => {
    const host = hostOf(read.host);
    if (host === null) return null;
    const { objects } = host;
    const remembered = objects.get(read.rawPath);
    if (remembered !== undefined) return remembered;
    const place = readPlace(read.rawPath, host);
    if (read.rawPath.length <= NAME_MAX_LENGTH) {
      if (count === PLACES_MAX) forgetAllBut(host);
      count += 1;
      objects.set(read.rawPath, place);
    }
    return place;
  };
}

function readPlace(rawPath: string, host: KnownHost): HotTarget | null {
  const address = addressAt(rawPath, host.place, host.binding);
  const isSite = address.kind === 'site';
  const rawKey = isSite ? address.rawPath : address.kind === 'bucket' ? address.rawKey : null;
  if ((!isSite && address.kind !== 'bucket') || rawKey === null) return null;
  try {
    const bucket = parseBucketName(decodePathSegment(address.rawBucket));
    const path = decodePathSegment(rawKey);
    if (!isSite)
      return { bucket, key: parseObjectKey(path), site: null, isOwnHost: address.isVirtualHost };
    const { binding } = address;
    const keys = likelyKeys(prefixOf(binding), path).map(parseObjectKey);
    const [key] = keys;
    if (key === undefined) return null;
    return {
      bucket,
      key,
      site: { bucket, binding, path, host: host.name, keys, plan: null },
      isOwnHost: true,
    };
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}
