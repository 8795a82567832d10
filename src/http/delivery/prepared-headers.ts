// The headers of public answers, made once per pointer and kept with it: when the memory tier drops the pointer, they
// go too. Both doors of delivery, deliver.ts and hot-answer.ts, take theirs from here, so that they can't disagree.
import type { Pointer } from '../../ports/domain.ts';
import { type HeaderRecord, objectHeaders } from '../semantics/object-headers.ts';

export type PreparedHeaders = {
  /** What every answer with that object says of it, Cache-Control included. Not to be changed. */
  common(pointer: Pointer): Readonly<HeaderRecord>;
  /** A 200 of the whole object. The record of a memory hit is always the same object: a key for what is made of it. */
  whole(pointer: Pointer, cacheStatus: string): Readonly<HeaderRecord>;
  /** A 304. As `whole`. */
  notModified(pointer: Pointer, cacheStatus: string): Readonly<HeaderRecord>;
};

type Prepared = {
  readonly common: Readonly<HeaderRecord>;
  /** The records of a memory hit, once there was one. */
  whole: Readonly<HeaderRecord> | null;
  notModified: Readonly<HeaderRecord> | null;
};

/** `memoryHit` is the Cache-Status whose records are kept. Cost: 30 ns for a known pointer, else about 1 µs. */
export function createPreparedHeaders(settings: { defaultCacheControl: string; memoryHit: string }): PreparedHeaders {
  const { defaultCacheControl, memoryHit } = settings;
  const known = new WeakMap<Pointer, Prepared>();

  function of(pointer: Pointer): Prepared {
    let prepared = known.get(pointer);
    if (prepared === undefined) {
      const common = { 'cache-control': defaultCacheControl, ...objectHeaders(pointer) };
      prepared = { common, whole: null, notModified: null };
      known.set(pointer, prepared);
    }
    return prepared;
  }

  return {
    common: (pointer) => of(pointer).common,
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
  };
}

function wholeHeaders(common: Readonly<HeaderRecord>, pointer: Pointer, cacheStatus: string): HeaderRecord {
  return { ...common, 'content-length': `${pointer.sizeBytes}`, 'cache-status': cacheStatus };
}

/** A 304 carries what a cache updates, not what describes a body. Source: RFC 9110 section 15.4.5. */
function notModifiedHeaders(common: Readonly<HeaderRecord>, cacheStatus: string): HeaderRecord {
  const { 'content-type': _type, 'content-encoding': _encoding, ...rest } = common;
  return { ...rest, 'cache-status': cacheStatus };
}
