// The fast path through a share link: a link that nothing of a visitor matters to is
// as public as an object, so its file is answered from memory in the same steps.
// Called by answer-at-once.ts. Pages, ZIPs, limits, passwords and whatever memory
// does not know take the full path.
import type { Core } from '../../../core/core.ts';
import type { ShareCounter } from '../../../core/links/share/share-counts.ts';
import type { LinkEntry, LinkName } from '../../../domain/links/link-ids.ts';
import { isPlainShare, stateByTime } from '../../../domain/links/share-links.ts';
import type { BucketReadPolicy, Pointer } from '../../../domain/nouns.ts';
import type { HotShare } from '../../../ports/caches/hot-shares.ts';
import type { HostBinding } from '../../../ports/directory.ts';
import { type NamedObject, namedObject } from '../../links/share/named-object.ts';
import type { ShareProfiles } from '../../links/share/share-headers.ts';
import { type CountryOf, visitorOf } from '../../links/share/share-visitor.ts';
import { isPreviewName } from '../../links/wants-page.ts';
import { bytesOf, parseRange } from '../../semantics/range.ts';
import type { HeaderProfile } from '../header-profile.ts';
import type { PlainRead } from './fast-path.ts';
import type { FastResponse, ResponseOwner } from './fast-response.ts';

/** The address of a share link; read-target.ts keeps one for each. */
export type LinkPath = {
  readonly name: LinkName;
  /** Decoded, behind the name and its slash. */
  readonly path: string;
  readonly binding: HostBinding | null;
  /** What was found out of the link; it holds as long as the link is that object. */
  cached: CachedLink | null;
};

type CachedLink = {
  readonly share: HotShare;
  readonly entry: LinkEntry;
  readonly object: NamedObject | null;
  readonly profile: HeaderProfile;
  readonly owner: ResponseOwner;
};

export type LinkVisitParts = {
  readonly counter: ShareCounter;
  /** Shared with the full path, so that headers are made once. */
  readonly profiles: ShareProfiles;
  readonly countryOf: CountryOf;
};

export type LinkVisit = {
  readonly readPolicy: BucketReadPolicy;
  readonly pointer: Pointer;
  readonly profile: HeaderProfile;
  readonly owner: ResponseOwner;
  /** Counts the response for the owner of the link. */
  readonly count: (response: FastResponse) => void;
};

/** Makes it. Cost of a visit: four look-ups in memory. It never throws. */
export function createLinkVisit(
  { ports }: Core,
  { counter, profiles, countryOf }: LinkVisitParts,
): (path: LinkPath, read: PlainRead) => LinkVisit | null {
  const { clock, directory, hotMetadata, hotShares } = ports;
  const isProgram = createIsProgram();

  /** What does not change while the link is the same. */
  function cachedOf(path: LinkPath, share: HotShare): CachedLink | null {
    if (path.cached?.share === share) return path.cached;
    const entry = directory.peekLink(path.name.id) ?? null;
    if (entry === null) return null;
    const { link } = share;
    const object = isServedHere(path, share) ? objectOf(share, path.path) : null;
    const use = link.page.mode === 'view' ? 'shown' : 'taken';
    const profile = profiles.of(link, object?.fileName ?? '', use);
    const bucket = entry.bucket.name;
    const owner: ResponseOwner = { bucket, surface: 'links', accessKeyId: null };
    path.cached = { share, entry, object, profile, owner };
    return path.cached;
  }

  return (path, read) => {
    const share = hotShares.peek(path.name) ?? null;
    const cached = share === null ? null : cachedOf(path, share);
    if (share === null || cached === null || cached.object === null) return null;
    const { entry, object, profile, owner } = cached;
    if (path.binding !== null && path.binding.bucketId !== entry.bucket.id) return null;
    if (share.label !== null && share.label.revokedAtMs !== null) return null;
    if (stateByTime(share.link, clock.nowMs()) !== null || !isProgram(read)) return null;

    const known = hotMetadata.peek(entry.bucket.name, object.key, true);
    if (known === null) return null;
    const { readPolicy, pointer } = known;
    if (readPolicy === null || pointer === null) return null;
    if (readPolicy.bucketId !== entry.bucket.id) return null;
    const count = (response: FastResponse): void => {
      if (read.isHead || response.status === 304) return;
      const counts = countsOf(read, pointer, response);
      // A download in many ranges is one visit.
      const visitor = counts.started === 0 ? null : visitorOf(read, countryOf);
      counter.count(entry, path.name.labelId, counts, visitor);
    };
    return { readPolicy, pointer, profile, owner, count };
  };
}

/** What leaves from memory is whole in itself; of a range, its ends say what it is. */
function countsOf({ range }: PlainRead, { sizeBytes }: Pointer, { body }: FastResponse) {
  const parsedRange = parseRange(range, sizeBytes);
  const part = bytesOf(parsedRange === 'unsatisfiable' ? 'whole' : parsedRange, sizeBytes);
  return {
    started: part.offsetBytes === 0 ? 1 : 0,
    completed: part.offsetBytes + part.lengthBytes === sizeBytes ? 1 : 0,
    bytes: body instanceof Uint8Array ? body.length : part.lengthBytes,
  };
}

/** Whether the link and the path are of the kind that memory can answer. */
function isServedHere({ path }: LinkPath, { link }: HotShare): boolean {
  const { target } = link;
  if (!isPlainShare(link) || link.cutsRunning) return false;
  if (target.kind === 'object') return target.versionId === null;
  return path !== '' && !path.endsWith('/');
}

function objectOf({ link }: HotShare, path: string): NamedObject | null {
  try {
    return namedObject({ link }, path);
  } catch {
    return null;
  }
}

/** Names of programs that are remembered: strangers can make up any number. */
const AGENTS_MAX = 512;
/** Longer names are looked at each time, characters. */
const AGENT_MAX_LENGTH = 200;

/** Makes what says whether a program asks that takes anything: people and previews get pages. */
function createIsProgram(): (read: PlainRead) => boolean {
  const known = new Map<string, boolean>();
  return (read) => {
    const accept = read.header('accept');
    if (accept !== null && accept !== '*/*') return false;
    const agent = read.header('user-agent');
    if (agent === null) return true;
    const remembered = known.get(agent);
    if (remembered !== undefined) return remembered;
    const isProgram = !isPreviewName(agent);
    if (known.size >= AGENTS_MAX) known.clear();
    if (agent.length <= AGENT_MAX_LENGTH) known.set(agent, isProgram);
    return isProgram;
  };
}
