// The headers of public responses, made once per pointer and profile and kept with
// both: when the memory tier drops the pointer, or the settings change, they go
// too. The full path and the fast path take theirs from here, so that they can't
// disagree.
import type { Pointer } from '../../domain/nouns.ts';
import { HIT_TIMING, SERVER_TIMING } from '../observe/server-timing.ts';
import { isolateFromOrigin } from '../semantics/active-content.ts';
import { isCompressible } from '../semantics/compressible.ts';
import { withCharset } from '../semantics/content-type.ts';
import { type HeaderRecord, objectHeaders } from '../semantics/object-headers.ts';
import { contentRange, type HttpRange, lengthOf } from '../semantics/range.ts';
import { addVary, applyProfile, type HeaderProfile, PLAIN_PROFILES } from './header-profile.ts';

export type PreparedHeaders = {
  /**
   * A 200 of the whole object. The record of a memory hit is always the same
   * object: a key for what is made of it.
   */
  whole(pointer: Pointer, cacheStatus: string): Readonly<HeaderRecord>;
  /**
   * A 200 of the whole object from the bucket, without the value of its time. Always
   * the same object.
   */
  wholeRead(pointer: Pointer): Readonly<HeaderRecord>;
  /** A 304. As `whole`. */
  notModified(pointer: Pointer, cacheStatus: string): Readonly<HeaderRecord>;
  /** A 206. Never kept: there are too many ranges. */
  part(pointer: Pointer, cacheStatus: string, range: HttpRange): Readonly<HeaderRecord>;
  /**
   * A 206 without the values of its range and, from the bucket, of its time. As
   * `whole`, always the same object for a body out of memory, and for one from the
   * bucket.
   */
  partOfAny(pointer: Pointer, tier: 'memory' | 'bucket'): Readonly<HeaderRecord>;
  /**
   * Whether the Referer decides who gets the object; never in buckets without
   * hosting settings.
   */
  isGuarded(pointer: Pointer): boolean;
  /**
   * Whether the object may go out compressed, so that Accept-Encoding decides:
   * variants.ts.
   */
  isNegotiated(pointer: Pointer): boolean;
};

/** The prepared headers of a profile. Cost: at most a look-up. */
export type PreparedFor = (profile: HeaderProfile) => PreparedHeaders;

/**
 * `memoryHit` is the Cache-Status whose records are kept, `memoryMiss` that of a
 * body from the bucket; `compressionMaxBytes`: of the largest object with variants.
 */
type PreparedSettings = {
  readonly defaultCacheControl: string;
  readonly memoryHit: string;
  readonly memoryMiss: string;
  readonly compressionMaxBytes: number;
  readonly isServerTimingOn: boolean;
};

type Prepared = {
  /** What every response with that object says of it. */
  readonly common: Readonly<HeaderRecord>;
  readonly isGuarded: boolean;
  readonly isNegotiated: boolean;
  /** The records of a memory hit, once there was one. */
  whole: Readonly<HeaderRecord> | null;
  notModified: Readonly<HeaderRecord> | null;
  part: Readonly<HeaderRecord> | null;
  /** And of what comes from the bucket. */
  wholeRead: Readonly<HeaderRecord> | null;
  partRead: Readonly<HeaderRecord> | null;
};

const ANY_RANGE = { 'content-length': '', 'content-range': '' };
const ANY_TIMING = { [SERVER_TIMING]: '' };

/** Makes the memo of all profiles. */
export function createPreparedFor(settings: PreparedSettings): PreparedFor {
  const own = createPreparedHeaders(settings, PLAIN_PROFILES.own);
  const shared = createPreparedHeaders(settings, PLAIN_PROFILES.shared);
  const known = new WeakMap<HeaderProfile, PreparedHeaders>();
  return (profile) => {
    if (profile === PLAIN_PROFILES.shared) return shared;
    if (profile === PLAIN_PROFILES.own) return own;
    let prepared = known.get(profile);
    if (prepared === undefined) {
      prepared = createPreparedHeaders(settings, profile);
      known.set(profile, prepared);
    }
    return prepared;
  };
}

/** Cost of a response: 30 ns for a known pointer, else about 1 µs. */
function createPreparedHeaders(
  settings: PreparedSettings,
  profile: HeaderProfile,
): PreparedHeaders {
  const { memoryHit, memoryMiss, isServerTimingOn } = settings;
  const { rules } = profile;
  const namesOfNotModified = updatedNames(profile);
  const known = new WeakMap<Pointer, Prepared>();

  function of(pointer: Pointer): Prepared {
    let prepared = known.get(pointer);
    if (prepared === undefined) {
      prepared = prepare(pointer, settings, profile);
      known.set(pointer, prepared);
    }
    return prepared;
  }

  /**
   * What a response out of memory says of its time; deliver.ts adds it to the
   * others.
   */
  function timed(headers: HeaderRecord, cacheStatus: string): HeaderRecord {
    if (isServerTimingOn && cacheStatus === memoryHit) headers[SERVER_TIMING] = HIT_TIMING;
    return headers;
  }

  function partHeaders(
    common: Readonly<HeaderRecord>,
    cacheStatus: string,
    ofRange: typeof ANY_RANGE,
  ): HeaderRecord {
    return timed({ ...common, ...ofRange, 'cache-status': cacheStatus }, cacheStatus);
  }

  return {
    whole(pointer, cacheStatus) {
      const prepared = of(pointer);
      if (cacheStatus !== memoryHit) return wholeHeaders(prepared.common, pointer, cacheStatus);
      prepared.whole ??= timed(wholeHeaders(prepared.common, pointer, cacheStatus), cacheStatus);
      return prepared.whole;
    },
    wholeRead(pointer) {
      const prepared = of(pointer);
      prepared.wholeRead ??= {
        ...wholeHeaders(prepared.common, pointer, memoryMiss),
        ...(isServerTimingOn ? ANY_TIMING : {}),
      };
      return prepared.wholeRead;
    },
    notModified(pointer, cacheStatus) {
      const prepared = of(pointer);
      if (cacheStatus !== memoryHit)
        return notModifiedHeaders(prepared.common, namesOfNotModified, cacheStatus);
      prepared.notModified ??= timed(
        notModifiedHeaders(prepared.common, namesOfNotModified, cacheStatus),
        cacheStatus,
      );
      return prepared.notModified;
    },
    part: (pointer, cacheStatus, range) =>
      partHeaders(of(pointer).common, cacheStatus, {
        'content-length': `${lengthOf(range)}`,
        'content-range': contentRange(range, pointer.sizeBytes),
      }),
    partOfAny(pointer, tier) {
      const prepared = of(pointer);
      if (tier === 'memory') {
        prepared.part ??= partHeaders(prepared.common, memoryHit, ANY_RANGE);
        return prepared.part;
      }
      prepared.partRead ??= {
        ...partHeaders(prepared.common, memoryMiss, ANY_RANGE),
        ...(isServerTimingOn ? ANY_TIMING : {}),
      };
      return prepared.partRead;
    },
    isGuarded: (pointer) => rules !== null && of(pointer).isGuarded,
    isNegotiated: (pointer) => of(pointer).isNegotiated,
  };
}

/** What is worked out once for a pointer and a profile. */
function prepare(
  pointer: Pointer,
  { defaultCacheControl, compressionMaxBytes }: PreparedSettings,
  profile: HeaderProfile,
): Prepared {
  const { isSharedOrigin, isSite, rules } = profile;
  const own = objectHeaders(pointer);
  const contentType = own['content-type'] ?? '';
  if (isSharedOrigin) isolateFromOrigin(own);
  if (isSite) own['content-type'] = withCharset(contentType);
  const isGuarded = rules?.isProtected(pointer.key, contentType) ?? false;
  const common = withCacheControl(
    own,
    () => rules?.cacheControlOf(pointer.key) ?? defaultCacheControl,
  );
  applyProfile(common, profile);
  if (isGuarded) addVary(common, ['Referer']);
  // What is encrypted at rest is kept nowhere else in the clear.
  const mayCompress = pointer.encryption === null && (rules?.isCompressed ?? true);
  const isNegotiated =
    mayCompress && isCompressible(common, pointer.sizeBytes, compressionMaxBytes);
  if (isNegotiated) addVary(common, ['Accept-Encoding']);
  const none = { whole: null, notModified: null, part: null, wholeRead: null, partRead: null };
  return { common, isGuarded, isNegotiated, ...none };
}

function wholeHeaders(
  common: Readonly<HeaderRecord>,
  pointer: Pointer,
  cacheStatus: string,
): HeaderRecord {
  return { ...common, 'content-length': `${pointer.sizeBytes}`, 'cache-status': cacheStatus };
}

/**
 * The default, unless the object says something: max-age would undo Expires.
 * Source: RFC 9111 section 5.3.
 */
function withCacheControl(own: HeaderRecord, defaultOf: () => string): HeaderRecord {
  if (own['cache-control'] !== undefined || own.expires !== undefined) return own;
  return { 'cache-control': defaultOf(), ...own };
}

/**
 * What a cache updates by a 304, as S3 sends it too. Source: RFC 9110 section
 * 15.4.5.
 */
const NOT_MODIFIED_HEADERS = ['cache-control', 'etag', 'expires', 'last-modified', 'vary'] as const;

/**
 * The names above, and what the site itself says of its responses: the ETag stays
 * the same when `_headers` or the preset changes, so a reader that asks whether its
 * copy is still right would keep the old policy with it for ever. Nothing else of
 * the object. Source: RFC 9111 section 4.3.4; nginx's add_header is on a 304 too.
 */
function updatedNames({ changes }: HeaderProfile): readonly string[] {
  return [...new Set([...NOT_MODIFIED_HEADERS, ...changes.added.map(([name]) => name)])];
}

function notModifiedHeaders(
  common: Readonly<HeaderRecord>,
  names: readonly string[],
  cacheStatus: string,
): HeaderRecord {
  const headers: HeaderRecord = {};
  for (const name of names) {
    const value = common[name];
    if (value !== undefined) headers[name] = value;
  }
  headers['cache-status'] = cacheStatus;
  return headers;
}
