// The second door of delivery: answers a plain public read in one synchronous call, from memory or
// not at all; small ranges that the bucket has at hand in two, so that the home may read them when
// it sends them. The hot lane of the Node home asks it before node:http ever sees the request; what
// it leaves, and every error, is deliver.ts's. It decides with the same pieces as deliver.ts and
// must never answer otherwise.

import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { bodyNow } from '../../core/objects/read-object.ts';
import type { BucketName, BucketReadPolicy, Pointer } from '../../domain/nouns.ts';
import { everyoneMayRead } from '../../domain/pointer.ts';
import type { BorrowedBuffer } from '../../ports/blob-store.ts';
import type { Domains } from '../address.ts';
import { finishLater } from '../finish-later.ts';
import { atHandTiming } from '../observe/server-timing.ts';
import type { AnswerHot, HotReply, PlainRead } from '../request.ts';
import { evaluateRead, NO_CONDITIONS } from '../semantics/conditional.ts';
import { NO_GRANT, withCors } from '../semantics/cors.ts';
import { bytesOf, parseRange } from '../semantics/range.ts';
import { countRead } from './count-read.ts';
import type { HeaderProfiles } from './header-profile.ts';
import type { HotCountsBySurface } from './hot-counts.ts';
import { createHotTargetReader } from './hot-place.ts';
import type { PreparedFor } from './prepared-headers.ts';
import { createHotVisit, type HotPage } from './site/hot-visit.ts';
import type { SiteRulesReader } from './site/site-rules.ts';
import type { Variants } from './variants.ts';

type PublicSurface = Exclude<HotReply['surface'], 's3'>;

/** What both doors share. `memoryHit`: the Cache-Status of an answer from memory. */
export type HotAnswerOptions = {
  readonly counts: HotCountsBySurface;
  readonly domains: Domains;
  readonly preparedFor: PreparedFor;
  readonly profiles: HeaderProfiles;
  readonly rules: SiteRulesReader;
  readonly variants: Variants;
  readonly memoryHit: string;
  readonly isServerTimingOn: boolean;
  /** Null: there are no caps. */
  readonly caps: CapGuard | null;
};

/** An object that everyone may read, and how its answers are dressed. */
type HotFound = HotPage & { readonly bucket: BucketName };

/** Cost: 1 µs; no waiting, no promise. Never throws. */
export function createHotAnswer(core: Core, options: HotAnswerOptions): AnswerHot {
  const { directory, hotMetadata, meter } = core.ports;
  const { caps, domains, isServerTimingOn, memoryHit, preparedFor, profiles, variants } = options;

  const placeOf = createHotTargetReader(domains, directory.peekHost);
  const visit = createHotVisit({ hotMetadata, profiles, rules: options.rules });
  const varying = new WeakMap<HotReply['headers'], HotReply['headers']>();

  /**
   * Whether no cap is in the way. The other door says which, and asks anew where memory does not
   * know.
   */
  const isCapped = (readPolicy: BucketReadPolicy): boolean =>
    caps !== null && readPolicy.settings.isCapped === true;
  const mayServe = (readPolicy: BucketReadPolicy, bytesOut: number): boolean =>
    caps === null || readPolicy.settings.isCapped !== true || caps.mayServe(readPolicy, bytesOut);

  /**
   * With Vary where the bucket has CORS rules: a record of its own, kept with the one that it is
   * made of.
   */
  function headersIn(
    readPolicy: BucketReadPolicy,
    headers: HotReply['headers'],
  ): HotReply['headers'] {
    if (readPolicy.settings.cors === null) return headers;
    let made = varying.get(headers);
    if (made === undefined) {
      made = withCors(headers, NO_GRANT);
      varying.set(headers, made);
    }
    return made;
  }

  return (read, askProtocol) => {
    const place = placeOf(read);
    if (place === null) return null;
    if (place.site !== null) {
      const page = visit(place.site, read, askProtocol);
      return page === null ? null : answer(read, { ...page, bucket: place.bucket }, 'website');
    }
    const { bucket, key, isOwnHost } = place;
    const known = hotMetadata.peek(bucket, key);
    if (known === null) return null;
    const { readPolicy, pointer } = known;
    // Where the policy must be asked, the other door asks it: there is no whole request here.
    if (
      readPolicy === null ||
      pointer === null ||
      everyoneMayRead(readPolicy.access, key, pointer) !== 'yes'
    )
      return null;
    const profile = profiles.plain(readPolicy.settings.hosting, isOwnHost);
    return answer(read, { readPolicy, pointer, profile, bucket }, 'delivery');
  };

  /** The object is there, and everyone may read it. */
  function answer(read: PlainRead, hot: HotFound, surface: PublicSurface): HotReply | null {
    const { readPolicy, pointer, profile, bucket } = hot;
    // A log line and a receipt are the other door's to write.
    const { logging, receipts } = readPolicy.settings;
    if (pointer.encryption !== null || logging != null || receipts === 'everyone') return null;
    const counts = options.counts[surface];
    const prepared = preparedFor(profile);
    if (
      profile.rules !== null &&
      prepared.isGuarded(pointer) &&
      !profile.rules.allowsReferer(read.header('referer'), read.host)
    ) {
      return null;
    }
    const isNegotiated = prepared.isNegotiated(pointer);
    const acceptEncoding = isNegotiated ? read.header('accept-encoding') : null;
    // A range is one of the stored bytes; variants.ts says why.
    const variant =
      isNegotiated && read.range === null ? variants.peek(pointer, acceptEncoding) : null;
    if (variant === 'unknown') return null;
    if (read.ifNoneMatch !== null) {
      const known = isNegotiated
        ? variants.knownTag(pointer, read.ifNoneMatch, acceptEncoding)
        : null;
      const tag = known ?? matchingTag(variant ?? pointer, pointer, read.ifNoneMatch);
      // Headers stand ready for the tag of the object and of what would be sent.
      if (tag !== null && tag !== pointer.etag && tag !== variant?.etag) return null;
      if (tag !== null) {
        if (read.isHead) counts.headNotModified += 1;
        else counts.getNotModified += 1;
        const own = prepared.notModified(pointer, memoryHit);
        const headers =
          variant === null || tag === pointer.etag ? own : variants.notModifiedOf(own, variant);
        return wholeReply(hot, surface, 304, headersIn(readPolicy, headers), null);
      }
    }
    if (read.isHead) {
      if (!mayServe(readPolicy, 0)) return null;
      const own = prepared.whole(pointer, memoryHit);
      const headers = headersIn(
        readPolicy,
        variant === null ? own : variants.headersOf(own, variant),
      );
      counts.headWhole += 1;
      countRead(meter, readPolicy, 0, 'none', pointer.storageClass);
      return wholeReply(hot, surface, 200, headers, null);
    }
    if (variant !== null) {
      if (!mayServe(readPolicy, variant.bytes.length)) return null;
      const headers = headersIn(
        readPolicy,
        variants.headersOf(prepared.whole(pointer, memoryHit), variant),
      );
      counts.getWhole += 1;
      countRead(meter, readPolicy, variant.bytes.length, 'memory', pointer.storageClass);
      return wholeReply(hot, surface, 200, headers, variant.bytes);
    }
    const range = parseRange(read.range, pointer.sizeBytes);
    if (range === 'unsatisfiable') return null;
    const slice = bytesOf(range, pointer.sizeBytes);
    const { lengthBytes } = slice;
    // Where there is a cap nothing is read later: it must be asked before.
    const found = bodyNow(core, pointer, slice, range !== 'whole' && !isCapped(readPolicy));
    if (found === null || !mayServe(readPolicy, lengthBytes)) return null;
    const { body, tier, lend } = found;
    if (range === 'whole') {
      counts.getWhole += 1;
      countRead(meter, readPolicy, lengthBytes, tier, pointer.storageClass);
      const headers = headersIn(readPolicy, prepared.whole(pointer, memoryHit));
      return wholeReply(hot, surface, 200, headers, body);
    }
    const isRead = tier === 'bucket';
    const headers = headersIn(
      readPolicy,
      prepared.partOfAny(pointer, isRead ? 'bucket' : 'memory'),
    );
    const replyWith = (borrowed: BorrowedBuffer | null): HotReply => {
      if (isRead) counts.getPartRead += 1;
      else counts.getPart += 1;
      countRead(meter, readPolicy, lengthBytes, tier, pointer.storageClass);
      const timing = isRead && isServerTimingOn ? atHandTiming(borrowed?.tookMs ?? 0) : '';
      const part = { range, sizeBytes: pointer.sizeBytes, serverTiming: timing };
      return {
        status: 206,
        headers,
        part,
        body,
        borrowed,
        finish: null,
        bucket,
        surface,
        accessKeyId: null,
      };
    };
    if (lend === null) return replyWith(null);
    const finish = finishLater(lend, replyWith);
    return {
      status: 206,
      headers,
      part: null,
      body,
      borrowed: null,
      finish,
      bucket,
      surface,
      accessKeyId: null,
    };
  }
}

/** Anything but a range: nothing of it differs from request to request, and its bytes stay. */
function wholeReply(
  { bucket }: HotFound,
  surface: PublicSurface,
  status: 200 | 304,
  headers: HotReply['headers'],
  body: Uint8Array | null,
): HotReply {
  return {
    status,
    headers,
    part: null,
    body,
    borrowed: null,
    finish: null,
    bucket,
    surface,
    accessKeyId: null,
  };
}

/** The tag of what would be sent, if the condition names it. */
function matchingTag(
  sent: { readonly etag: string },
  { lastModifiedMs }: Pointer,
  ifNoneMatch: string,
): string | null {
  const outcome = evaluateRead(
    { ...NO_CONDITIONS, ifNoneMatch },
    { etag: sent.etag, lastModifiedMs },
  );
  return outcome === 'not-modified' ? sent.etag : null;
}
