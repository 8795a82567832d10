// What a plain read names, for the hot answer: address, decoded names, and for a website the page. Pure, with a memo.
import { parseBucketName, parseObjectKey } from '../../core/names.ts';
import type { BucketName, ObjectKey } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { type Domains, parseAddress } from '../address.ts';
import type { PlainRead } from '../request.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { pageKey, USUAL_INDEX } from './site/page.ts';

/** An object as a request names it. */
export type HotPlace = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  /** The page that was asked for, decoded; null where it is no website. */
  readonly page: string | null;
  /** Whether the bucket has the host for itself. */
  readonly isOwnHost: boolean;
};

/** Names remembered. With the longest one they take 2 MB together. */
const PLACES_MAX = 4096;
const NAME_MAX_LENGTH = 200;

/**
 * Makes the reader; it gives null for what is no object, or no name at all: the other door finds the same and says so.
 * Hot objects are named again and again, so it remembers: one look-up in place of a dozen small functions.
 */
export function createHotPlaceReader(domains: Domains): (read: PlainRead) => HotPlace | null {
  const known = new Map<string, HotPlace | null>();
  const isHostRead = domains.baseDomain !== null || domains.websiteDomain !== null;
  return (read) => {
    // The path begins with a slash and no host has one.
    const name = isHostRead ? read.host + read.rawPath : read.rawPath;
    const remembered = known.get(name);
    if (remembered !== undefined) return remembered;
    const place = readPlace(read, domains);
    if (name.length <= NAME_MAX_LENGTH) {
      if (known.size === PLACES_MAX) known.clear();
      known.set(name, place);
    }
    return place;
  };
}

function readPlace({ rawPath, host }: PlainRead, domains: Domains): HotPlace | null {
  const address = parseAddress(rawPath, host, domains);
  const isSite = address.kind === 'website';
  if ((!isSite && address.kind !== 'bucket') || address.rawKey === null) return null;
  try {
    const bucket = parseBucketName(decodePathSegment(address.rawBucket));
    const asked = decodePathSegment(address.rawKey);
    const key = parseObjectKey(isSite ? pageKey(asked, USUAL_INDEX) : asked);
    return { bucket, key, page: isSite ? asked : null, isOwnHost: isSite || address.isVirtualHost };
  } catch (error) {
    if (error instanceof StorageError) return null;
    throw error;
  }
}
