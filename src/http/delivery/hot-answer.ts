// The second door of delivery: answers a plain public read in one synchronous call, from memory alone, or not at all.
// The hot lane of the Node home asks it before node:http ever sees the request; what it leaves, and every error, is
// deliver.ts's. It decides with the same pieces as deliver.ts and must never answer otherwise.
import type { Core } from '../../core/core.ts';
import { parseBucketName, parseObjectKey } from '../../core/names.ts';
import { bodyInMemory } from '../../core/objects/read-object.ts';
import { StorageError } from '../../ports/errors.ts';
import { isPublicObject } from '../../ports/pointer.ts';
import { parseAddress } from '../address.ts';
import type { AnswerHot, HotReply, PlainRead } from '../request.ts';
import { evaluateRead } from '../semantics/conditional.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { countRead } from './count-read.ts';
import type { PreparedHeaders } from './prepared-headers.ts';

/**
 * Headers of a request that can change what delivery answers, besides Host and If-None-Match, which a PlainRead has: a
 * request with one of these is no PlainRead. app.ts and deliver.ts read no others; test/http/delivery proves it.
 */
export const DECIDING_HEADERS = [
  'authorization',
  'if-match',
  'if-modified-since',
  'if-range',
  'if-unmodified-since',
  'range',
] as const;

/** `memoryHit`: the Cache-Status of an answer from memory. Cost: 1 µs, no I/O, no promise. Never throws. */
export function createHotAnswer(
  core: Core,
  options: { readonly baseDomain: string | null; readonly prepared: PreparedHeaders; readonly memoryHit: string },
): AnswerHot {
  const { hotMetadata, meter } = core.ports;
  const { baseDomain, prepared, memoryHit } = options;

  function decide(read: PlainRead): HotReply | null {
    const address = parseAddress(read.rawPath, read.host, baseDomain);
    if (address.kind !== 'bucket' || address.rawKey === null) return null;
    const bucket = parseBucketName(decodePathSegment(address.rawBucket));
    const key = parseObjectKey(decodePathSegment(address.rawKey));
    const hot = hotMetadata.get(bucket, key);
    if (hot instanceof Promise || hot.gate?.tier !== 'memory' || hot.pointer?.tier !== 'memory') return null;
    const gate = hot.gate.value;
    const pointer = hot.pointer.value;
    if (gate === null || pointer === null || !isPublicObject(gate.access, key)) return null;

    const conditions = { ifMatch: null, ifNoneMatch: read.ifNoneMatch, ifModifiedSince: null, ifUnmodifiedSince: null };
    if (evaluateRead(conditions, pointer) === 'not-modified') {
      return { status: 304, headers: prepared.notModified(pointer, memoryHit), body: null };
    }
    const headers = prepared.whole(pointer, memoryHit);
    if (read.isHead) {
      countRead(meter, gate, 0, 'none');
      return { status: 200, headers, body: null };
    }
    const found = bodyInMemory(core, pointer);
    if (found === null) return null;
    countRead(meter, gate, pointer.sizeBytes, found.tier);
    return { status: 200, headers, body: found.body };
  }

  return (read) => {
    try {
      return decide(read);
    } catch (error) {
      // A name that is none: the other door finds the same and says so.
      if (error instanceof StorageError) return null;
      throw error;
    }
  };
}
