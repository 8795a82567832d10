// What a plain read names: bucket, key, and the site at whose host it is. Called by
// answer-at-once.ts and s3/fast-read/fast-read.ts. Hot objects are named again and again, so
// it remembers: two look-ups in place of a dozen small functions.
import { parseBucketName, parseObjectKey } from '../../../core/parse-names.ts';
import { StorageError } from '../../../domain/errors.ts';
import { parseLinkName } from '../../../domain/links/link-ids.ts';
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import type { Directory, HostBinding } from '../../../ports/directory.ts';
import {
  addressAt,
  type Domains,
  type HostTarget,
  type LinkAddress,
  readHost,
} from '../../address.ts';
import { decodePathSegment } from '../../semantics/raw-path.ts';
import { prefixOf } from '../site/site-planner.ts';
import type { PlainRead } from './fast-path.ts';
import type { ResponseOwner } from './fast-response.ts';
import type { LinkPath } from './visit-link.ts';
import { likelyKeys, type SitePath } from './visit-site.ts';

/** An object as a request names it. */
export type ReadTarget = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  /** Set where the host is a site's: then the key says nothing yet. */
  readonly site: SitePath | null;
  /** Set at the address of a share link: then bucket and key say nothing yet. */
  readonly link: LinkPath | null;
  /** Whether the bucket has the host for itself. */
  readonly isOwnHost: boolean;
  /**
   * Whose a response to an unsigned read is: kept here, so that no read makes it
   * anew.
   */
  readonly owner: ResponseOwner;
};

/**
 * Targets remembered, at all hosts together: with the longest names, and with the
 * plans of pages, they take 8 MB.
 */
const TARGETS_MAX = 4096;
/** Longer paths are not remembered, characters. */
const PATH_MAX_LENGTH = 200;
/** Hosts remembered. */
const HOSTS_MAX = 1024;

/** A host with the objects that were named there. */
type KnownHost = {
  readonly name: string;
  readonly host: HostTarget;
  readonly binding: HostBinding | null;
  readonly targets: Map<string, ReadTarget | null>;
};

/**
 * Makes the reader. It gives null for what is no object, or no name at all, or at a
 * host that memory does not know: the full path finds out the same and says so.
 * `peekHost` is the directory's.
 */
export function createTargetReader(
  domains: Domains,
  peekHost: Directory['peekHost'],
): (read: PlainRead) => ReadTarget | null {
  const hosts = new Map<string, KnownHost>();
  // Hosts of no meaning of their own name the same objects: all use this.
  const commonTargets = new Map<string, ReadTarget | null>();
  let lastHost: KnownHost | null = null;
  let lastName = '';
  let count = 0;

  /** Strangers can name any number of things, so now and then all begins anew. */
  function forgetAllBut(host: KnownHost): void {
    hosts.clear();
    commonTargets.clear();
    host.targets.clear();
    hosts.set(host.name, host);
    count = 0;
  }

  function findHost(name: string): KnownHost | null {
    const known = name === lastName ? lastHost : (hosts.get(name) ?? null);
    const host = known?.host ?? readHost(name, domains);
    const isBindable = host.kind === 'other' && host.bindableName !== null;
    const binding = isBindable ? peekHost(host.bindableName) : null;
    if (binding === undefined) return null;

    let entry = known;
    if (entry === null || entry.binding !== binding) {
      const isCommon = host.kind === 'other' && binding === null;
      entry = { name, host, binding, targets: isCommon ? commonTargets : new Map() };
      if (hosts.size >= HOSTS_MAX) forgetAllBut(entry);
      hosts.set(name, entry);
    }
    lastName = name;
    lastHost = entry;
    return entry;
  }

  return (read) => {
    const host = findHost(read.host);
    if (host === null) return null;
    const { targets } = host;
    const known = targets.get(read.rawPath);
    if (known !== undefined) return known;

    const target = parseTarget(read.rawPath, host);
    if (read.rawPath.length <= PATH_MAX_LENGTH) {
      if (count === TARGETS_MAX) forgetAllBut(host);
      count += 1;
      targets.set(read.rawPath, target);
    }
    return target;
  };
}

/** The target of a share link, whose bucket and key are found with it. */
function linkTarget({ linkKind, rawName, rawPath, binding }: LinkAddress): ReadTarget | null {
  const name = linkKind === 'share' ? parseLinkName(rawName) : null;
  if (name === null) return null;
  try {
    const path = decodePathSegment(rawPath ?? '');
    const bucket = '' as BucketName;
    const owner: ResponseOwner = { bucket, surface: 'links', accessKeyId: null };
    const link: LinkPath = { name, path, binding, cached: null };
    return { bucket, key: '' as ObjectKey, site: null, link, isOwnHost: false, owner };
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}

function parseTarget(rawPath: string, { name, host, binding }: KnownHost): ReadTarget | null {
  const address = addressAt(rawPath, host, binding);
  if (address.kind === 'link') return linkTarget(address);
  if (address.kind !== 'site' && address.kind !== 'bucket') return null;
  const rawKey = address.kind === 'site' ? address.rawPath : address.rawKey;
  if (rawKey === null) return null;

  try {
    const bucket = parseBucketName(decodePathSegment(address.rawBucket));
    const path = decodePathSegment(rawKey);
    if (address.kind === 'bucket') {
      const owner: ResponseOwner = { bucket, surface: 'delivery', accessKeyId: null };
      const isOwnHost = address.isVirtualHost;
      return { bucket, key: parseObjectKey(path), site: null, link: null, isOwnHost, owner };
    }
    const keys = likelyKeys(prefixOf(address.binding), path).map(parseObjectKey);
    const [key] = keys;
    if (key === undefined) return null;
    const site = { bucket, binding: address.binding, path, host: name, keys, plan: null };
    const owner: ResponseOwner = { bucket, surface: 'website', accessKeyId: null };
    return { bucket, key, site, link: null, isOwnHost: true, owner };
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}
