// Headers of signed reads that stand ready in memory: made once for each object, caller and wish by
// the functions of the operation itself, and kept as long as the object and its bucket are what
// they are. fast-read.ts asks for each answer.

import type { Decide } from '../../../core/auth/decide.ts';
import { isWithinScope } from '../../../core/auth/key-scope.ts';
import type { Core } from '../../../core/core.ts';
import type { CurrentObject } from '../../../domain/current-object.ts';
import type { AccessKey, BucketRecord } from '../../../domain/nouns.ts';
import type { UsageOwner } from '../../../ports/metering.ts';
import type { DecideCall } from '../../access/decide-call.ts';
import { hotOperationTiming, SERVER_TIMING } from '../../observe/server-timing.ts';
import { NO_GRANT, withCors } from '../../semantics/cors.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import { payerOf, SERVER } from '../call/call.ts';
import { checksumHeaders } from '../headers/checksum-headers.ts';
import type { ReadFacts } from '../headers/request-headers.ts';
import { headersOfRead, notModified, signedHeaders } from '../operations/object/get-head.ts';
import { principalOf } from '../signature/authenticated.ts';

/** What of a request shapes the headers of its answer. */
export type Wish = {
  /** Whether the bucket has the host for itself. */
  readonly isOwnHost: boolean;
  readonly wantsChecksum: boolean;
  /** Parameters of the query that override headers, as they came. */
  readonly overrides: string;
};

/** Where a body comes from, as Server-Timing has it; `none`: there is no body. */
export type BodyFrom = 'memory' | 'index' | 'bucket' | 'none';

/** The records of one answer are always the same objects: keys for what is made of them. */
export type SignedHeaders = {
  readonly payer: UsageOwner;
  /** A 200. */
  whole(bodyFrom: BodyFrom): Readonly<HeaderRecord>;
  /** A 206 without the values of its range and, from the bucket, of its time. */
  part(bodyFrom: BodyFrom): Readonly<HeaderRecord>;
  notModified(bodyFrom: 'none'): Readonly<HeaderRecord>;
};

/** Wishes that are kept of one caller for one object; with more, all begin anew. */
const WISHES_MAX = 16;

/**
 * Null: the caller may not read it, or whether they may hangs on the request, or it takes more than
 * this. InvalidArgument and InvalidURI for overrides that are none. Cost: three look-ups for what
 * is known, else 5 µs.
 */
export type HotSignedHeaders = (
  current: CurrentObject,
  caller: AccessKey,
  wish: Wish,
) => SignedHeaders | null;

export function createHotSignedHeaders(
  core: Core,
  { decide, isServerTimingOn }: { readonly decide: Decide; readonly isServerTimingOn: boolean },
): HotSignedHeaders {
  const known = new WeakMap<CurrentObject, WeakMap<AccessKey, Map<string, SignedHeaders | null>>>();

  function prepare(
    { bucket, object }: CurrentObject,
    caller: AccessKey,
    wish: Wish,
  ): SignedHeaders | null {
    const { settings } = bucket;
    // What is sealed must be opened, what is capped asked for, what is logged or has a receipt
    // written down.
    if (object.encryption !== null || settings.isCapped === true) return null;
    if (settings.logging !== null || settings.receipts !== null) return null;
    const decision = createLastingDecide(decide, caller);
    const { key, checksum } = object;
    if (decision.decide(bucket, { action: 's3:GetObject', key, object }) !== 'allowed') return null;
    const call: ReadFacts = {
      decide: decision.decide,
      hasOwnOrigin: wish.isOwnHost,
      key,
      query: parseQuery(wish.overrides),
      version: object,
      bucket: { record: () => bucket },
    };
    const all = { range: null, lengthBytes: object.sizeBytes, checksum, headers: {} };
    const said = { customerKey: null, stored: signedHeaders(object) };
    const whole = headersOfRead(call, core, all, said);
    if (wish.wantsChecksum) Object.assign(whole, checksumHeaders(checksum, checksum?.type ?? null));
    const anyPart = {
      range: null,
      lengthBytes: 0,
      checksum: null,
      headers: { 'content-range': '' },
    };
    const part = { ...headersOfRead(call, core, anyPart, said), 'content-length': '' };
    if (decision.hungOnRequest()) return null;
    return {
      payer: payerOf(bucket, principalOf(caller)),
      whole: byBody(bucket, whole),
      part: byBody(bucket, part),
      notModified: byBody(bucket, notModified(said.stored).headers),
    };
  }

  function wishesOf(current: CurrentObject, caller: AccessKey): Map<string, SignedHeaders | null> {
    const ofCallers =
      known.get(current) ?? new WeakMap<AccessKey, Map<string, SignedHeaders | null>>();
    let ofWishes = ofCallers.get(caller);
    if (ofWishes === undefined) {
      ofWishes = new Map();
      known.set(current, ofCallers.set(caller, ofWishes));
    }
    return ofWishes;
  }

  /** What routes.ts adds to the headers of any answer, in its order. */
  function byBody({ settings }: BucketRecord, headers: Readonly<HeaderRecord>) {
    const made: { [From in BodyFrom]?: Readonly<HeaderRecord> } = {};
    const finish = (bodyFrom: BodyFrom): Readonly<HeaderRecord> => {
      const finished = settings.cors === null ? { ...headers } : { ...withCors(headers, NO_GRANT) };
      const timing =
        bodyFrom === 'bucket' ? '' : hotOperationTiming(bodyFrom === 'none' ? null : bodyFrom, 0);
      if (isServerTimingOn) finished[SERVER_TIMING] = timing;
      finished.server = SERVER;
      finished['x-amz-id-2'] = '';
      return finished;
    };
    return (bodyFrom: BodyFrom): Readonly<HeaderRecord> => {
      made[bodyFrom] ??= finish(bodyFrom);
      return made[bodyFrom];
    };
  }

  return (current, caller, wish) => {
    const ofWishes = wishesOf(current, caller);
    const name = `${wish.isOwnHost ? 'own' : ''} ${wish.wantsChecksum ? 'sum' : ''} ${wish.overrides}`;
    let headers = ofWishes.get(name);
    if (headers === undefined) {
      headers = prepare(current, caller, wish);
      if (ofWishes.size === WISHES_MAX) ofWishes.clear();
      ofWishes.set(name, headers);
    }
    return headers;
  };
}

/**
 * The decisions of a caller as access/decide-call.ts makes them, as far as they hold for every
 * request alike. Once a policy or the key's scope has looked at a request, what was decided means
 * nothing.
 */
function createLastingDecide(
  decide: Decide,
  caller: AccessKey,
): { readonly decide: DecideCall; hungOnRequest(): boolean } {
  const principal = principalOf(caller);
  const { scope = null } = caller;
  let hasHung = scope !== null && scope.sourceIps !== null;
  const values = () => {
    hasHung = true;
    return null;
  };
  return {
    decide(record, { action, key, object = null }) {
      const asked = { action, bucket: record.name, key, prefix: null, sourceIp: null };
      if (scope !== null && !isWithinScope(scope, asked)) return 'denied';
      return decide(record, { principal, action, key, object, values });
    },
    hungOnRequest: () => hasHung,
  };
}
