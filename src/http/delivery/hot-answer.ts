// The second door of delivery: answers a plain public read in one synchronous call, from memory alone, or not at all.
// The hot lane of the Node home asks it before node:http ever sees the request; what it leaves, and every error, is
// deliver.ts's. It decides with the same pieces as deliver.ts and must never answer otherwise.
import type { Core } from '../../core/core.ts';
import { bodyInMemory } from '../../core/objects/read-object.ts';
import type { BucketGate } from '../../ports/domain.ts';
import { isPublicObject } from '../../ports/pointer.ts';
import type { Domains } from '../address.ts';
import type { AnswerHot, HotReply, PlainRead } from '../request.ts';
import { evaluateRead } from '../semantics/conditional.ts';
import { NO_GRANT, withCors } from '../semantics/cors.ts';
import { countRead } from './count-read.ts';
import { createHotPlaceReader } from './hot-place.ts';
import type { PreparedByOrigin } from './prepared-headers.ts';
import { isPlainPage } from './site/page.ts';

const NO_CONDITIONS = { ifMatch: null, ifNoneMatch: null, ifModifiedSince: null, ifUnmodifiedSince: null };

/** Answers given since the start, by kind; the numbers grow in place. */
export type HotCounts = { getWhole: number; getNotModified: number; headWhole: number; headNotModified: number };
/** By what the other door would count them as. */
export type HotCountsBySurface = { readonly delivery: HotCounts; readonly website: HotCounts };

export function newHotCounts(): HotCountsBySurface {
  const zero = { getWhole: 0, getNotModified: 0, headWhole: 0, headNotModified: 0 };
  return { delivery: { ...zero }, website: { ...zero } };
}

/** `memoryHit`: the Cache-Status of an answer from memory. Cost: 1 µs, no I/O, no promise. Never throws. */
export function createHotAnswer(
  core: Core,
  options: {
    readonly domains: Domains;
    readonly prepared: PreparedByOrigin;
    readonly memoryHit: string;
    readonly counts: HotCountsBySurface;
  },
): AnswerHot {
  const { directory, hotMetadata, meter } = core.ports;
  const { domains, memoryHit } = options;

  const placeOf = createHotPlaceReader(domains, directory.findHost);
  const varying = new WeakMap<HotReply['headers'], HotReply['headers']>();

  /** With Vary where the bucket has CORS rules: a record of its own, kept with the one that it is made of. */
  function headersIn(gate: BucketGate, headers: HotReply['headers']): HotReply['headers'] {
    if (gate.settings.cors === null) return headers;
    let made = varying.get(headers);
    if (made === undefined) {
      made = withCors(headers, NO_GRANT);
      varying.set(headers, made);
    }
    return made;
  }

  function decide(read: PlainRead): HotReply | null {
    const place = placeOf(read);
    if (place === null) return null;
    const { bucket, key, page } = place;
    const prepared = place.isOwnHost ? options.prepared.own : options.prepared.shared;
    const known = hotMetadata.peek(bucket, key);
    if (known === null) return null;
    const { gate, pointer } = known;
    if (gate === null || pointer === null || !isPublicObject(gate.access, key)) return null;
    const { website, hosting } = gate.settings;
    if (page !== null && (hosting !== null || !isPlainPage(website, page, pointer))) return null;
    const isPage = page !== null;
    const counts = isPage ? options.counts.website : options.counts.delivery;

    if (
      read.ifNoneMatch !== null &&
      evaluateRead({ ...NO_CONDITIONS, ifNoneMatch: read.ifNoneMatch }, pointer) === 'not-modified'
    ) {
      if (read.isHead) counts.headNotModified += 1;
      else counts.getNotModified += 1;
      const headers = headersIn(gate, prepared.notModified(pointer, memoryHit));
      return { status: 304, headers, body: null, bucket, isPage };
    }
    const headers = headersIn(gate, prepared.whole(pointer, memoryHit));
    if (read.isHead) {
      counts.headWhole += 1;
      countRead(meter, gate, 0, 'none', null);
      return { status: 200, headers, body: null, bucket, isPage };
    }
    const found = bodyInMemory(core, pointer);
    if (found === null) return null;
    counts.getWhole += 1;
    countRead(meter, gate, pointer.sizeBytes, found.tier, null);
    return { status: 200, headers, body: found.body, bucket, isPage };
  }

  return decide;
}
