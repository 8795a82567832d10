// The headers of public answers, made once per pointer and kept with it: when the memory tier drops the pointer, they
// go too. Both doors of delivery, deliver.ts and hot-answer.ts, take theirs from here, so that they can't disagree.
import type { Pointer } from '../../ports/domain.ts';
import { isActiveContent, SANDBOX, SANDBOX_HEADER } from '../semantics/active-content.ts';
import { type HeaderRecord, objectHeaders } from '../semantics/object-headers.ts';
import { type ByteRange, contentRange } from '../semantics/range.ts';

export type PreparedHeaders = {
  /** A 200 of the whole object. The record of a memory hit is always the same object: a key for what is made of it. */
  whole(pointer: Pointer, cacheStatus: string): Readonly<HeaderRecord>;
  /** A 304. As `whole`. */
  notModified(pointer: Pointer, cacheStatus: string): Readonly<HeaderRecord>;
  /** A 206. Never kept: there are too many ranges. */
  part(pointer: Pointer, cacheStatus: string, range: ByteRange): Readonly<HeaderRecord>;
};

/** For addresses with an origin of their own, and for those that share one with the console. */
export type PreparedByOrigin = { readonly own: PreparedHeaders; readonly shared: PreparedHeaders };

type Prepared = {
  /** What every answer with that object says of it. */
  readonly common: Readonly<HeaderRecord>;
  /** The records of a memory hit, once there was one. */
  whole: Readonly<HeaderRecord> | null;
  notModified: Readonly<HeaderRecord> | null;
};

/**
 * `memoryHit` is the Cache-Status whose records are kept; `isSandboxed`: for addresses that share their origin with the
 * console (semantics/active-content.ts). Cost: 30 ns for a known pointer, else about 1 µs.
 */
export function createPreparedHeaders(settings: {
  defaultCacheControl: string;
  memoryHit: string;
  isSandboxed: boolean;
}): PreparedHeaders {
  const { defaultCacheControl, memoryHit, isSandboxed } = settings;
  const known = new WeakMap<Pointer, Prepared>();

  function of(pointer: Pointer): Prepared {
    let prepared = known.get(pointer);
    if (prepared === undefined) {
      const own = objectHeaders(pointer);
      if (isSandboxed && isActiveContent(own['content-type'] ?? '')) own[SANDBOX_HEADER] = SANDBOX;
      const common = withCacheControl(own, defaultCacheControl);
      prepared = { common, whole: null, notModified: null };
      known.set(pointer, prepared);
    }
    return prepared;
  }

  return {
    whole(pointer, cacheStatus) {
      const prepared = of(pointer);
      if (cacheStatus !== memoryHit) return wholeHeaders(prepared.common, pointer, cacheStatus);
      prepared.whole ??= wholeHeaders(prepared.common, pointer, cacheStatus);
      return prepared.whole;
    },
    notModified(pointer, cacheStatus) {
      const prepared = of(pointer);
      if (cacheStatus !== memoryHit) return notModifiedHeaders(prepared.common, cacheStatus);
      prepared.notModified ??= notModifiedHeaders(prepared.common, cacheStatus);
      return prepared.notModified;
    },
    part: (pointer, cacheStatus, range) => ({
      ...of(pointer).common,
      'content-length': `${range.endByteInclusive - range.startByte + 1}`,
      'content-range': contentRange(range, pointer.sizeBytes),
      'cache-status': cacheStatus,
    }),
  };
}

function wholeHeaders(common: Readonly<HeaderRecord>, pointer: Pointer, cacheStatus: string): HeaderRecord {
  return { ...common, 'content-length': `${pointer.sizeBytes}`, 'cache-status': cacheStatus };
}

/** The default, unless the owner said something: max-age would undo Expires. Source: RFC 9111 section 5.3. */
function withCacheControl(own: Readonly<HeaderRecord>, defaultCacheControl: string): Readonly<HeaderRecord> {
  if (own['cache-control'] !== undefined || own.expires !== undefined) return own;
  return { 'cache-control': defaultCacheControl, ...own };
}

/** What a cache updates by a 304, as S3 sends it too; nothing else of the object. Source: RFC 9110 section 15.4.5. */
const NOT_MODIFIED_HEADERS = ['cache-control', 'etag', 'expires', 'last-modified'] as const;

function notModifiedHeaders(common: Readonly<HeaderRecord>, cacheStatus: string): HeaderRecord {
  const headers: HeaderRecord = {};
  for (const name of NOT_MODIFIED_HEADERS) {
    const value = common[name];
    if (value !== undefined) headers[name] = value;
  }
  headers['cache-status'] = cacheStatus;
  return headers;
}
