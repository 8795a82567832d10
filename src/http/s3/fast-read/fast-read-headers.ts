// Headers of signed reads that stand ready in memory: made once for each object,
// caller and set of options by the functions of the operation itself, and cached
// while object and bucket stay the same. fast-read.ts looks them up for each
// response.

import type { Decide } from '../../../core/auth/decide.ts';
import { isWithinScope } from '../../../core/auth/key-scope.ts';
import type { Core } from '../../../core/core.ts';
import type { CurrentObject } from '../../../domain/current-object.ts';
import type { AccessKey, BucketRecord } from '../../../domain/nouns.ts';
import type { UsageOwner } from '../../../ports/metering.ts';
import type { DecideCall } from '../../access/decide-call.ts';
import { fastPathOperationTiming, SERVER_TIMING } from '../../observe/server-timing.ts';
import { NO_GRANT, withCors } from '../../semantics/cors.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import { parseQuery } from '../../semantics/raw-path.ts';
import { payerOf, SERVER } from '../call/call.ts';
import { checksumHeaders } from '../headers/checksum-headers.ts';
import type { ReadFacts } from '../headers/request-headers.ts';
import { headersOfRead, notModified, signedHeaders } from '../operations/object/get-head.ts';
import { principalOf } from '../signature/authenticated.ts';

/** Options of a request that change the headers of its response. */
export type RequestedReadOptions = {
  /** Whether the bucket has the host for itself. */
  readonly isOwnHost: boolean;
  readonly hasChecksum: boolean;
  /** Parameters of the query that override headers, as they came. */
  readonly overrides: string;
};

/** Source of a body, as Server-Timing names it; `none`: there is no body. */
export type BodyFrom = 'memory' | 'index' | 'bucket' | 'none';

/**
 * The records of one response are always the same objects: keys of what is made
 * from them.
 */
export type SignedHeaders = {
  readonly payer: UsageOwner;
  /** A 200. */
  whole(bodyFrom: BodyFrom): Readonly<HeaderRecord>;
  /** A 206 without the values of its range and, from the bucket, of its time. */
  part(bodyFrom: BodyFrom): Readonly<HeaderRecord>;
  notModified(bodyFrom: 'none'): Readonly<HeaderRecord>;
};

/** Entries of one caller for one object; with more, all begin anew. */
const OPTIONS_MAX = 16;

/**
 * Looks up or makes the headers of one read. Null: the caller may not read it, the
 * decision depends on the request, or the read takes more than this.
 * InvalidArgument and InvalidURI for malformed overrides. Cost: three look-ups of
 * an entry, else 5 µs.
 */
export type FastReadHeaders = (
  current: CurrentObject,
  caller: AccessKey,
  options: RequestedReadOptions,
) => SignedHeaders | null;

export function createFastReadHeaders(
  core: Core,
  { decide, isServerTimingOn }: { readonly decide: Decide; readonly isServerTimingOn: boolean },
): FastReadHeaders {
  const known = new WeakMap<CurrentObject, WeakMap<AccessKey, Map<string, SignedHeaders | null>>>();

  function prepare(
    { bucket, object }: CurrentObject,
    caller: AccessKey,
    options: RequestedReadOptions,
  ): SignedHeaders | null {
    const { settings } = bucket;
    // Encrypted objects must be opened, caps checked, and logs and receipts
    // written.
    if (object.encryption !== null || settings.isCapped === true) return null;
    if (settings.logging !== null || settings.receipts !== null) return null;
    const decision = createLastingDecide(decide, caller);
    const { key, checksum } = object;
    if (decision.decide(bucket, { action: 's3:GetObject', key, object }) !== 'allowed') return null;
    const call: ReadFacts = {
      decide: decision.decide,
      hasOwnOrigin: options.isOwnHost,
      key,
      query: parseQuery(options.overrides),
      version: object,
      bucket: { record: () => bucket },
    };
    const all = { range: null, lengthBytes: object.sizeBytes, checksum, headers: {} };
    const readHeaders = { customerKey: null, stored: signedHeaders(object) };
    const whole = headersOfRead(call, core, all, readHeaders);
    if (options.hasChecksum)
      Object.assign(whole, checksumHeaders(checksum, checksum?.type ?? null));
    const anyPart = {
      range: null,
      lengthBytes: 0,
      checksum: null,
      headers: { 'content-range': '' },
    };
    const part = { ...headersOfRead(call, core, anyPart, readHeaders), 'content-length': '' };
    if (decision.dependedOnRequest()) return null;
    return {
      payer: payerOf(bucket, principalOf(caller)),
      whole: byBody(bucket, whole),
      part: byBody(bucket, part),
      notModified: byBody(bucket, notModified(readHeaders.stored).headers),
    };
  }

  function variantsOf(
    current: CurrentObject,
    caller: AccessKey,
  ): Map<string, SignedHeaders | null> {
    const ofCallers =
      known.get(current) ?? new WeakMap<AccessKey, Map<string, SignedHeaders | null>>();
    let variants = ofCallers.get(caller);
    if (variants === undefined) {
      variants = new Map();
      known.set(current, ofCallers.set(caller, variants));
    }
    return variants;
  }

  /**
   * Adds the headers that every response of the surface has, in the order of
   * respond.ts.
   */
  function byBody({ settings }: BucketRecord, headers: Readonly<HeaderRecord>) {
    const made: { [From in BodyFrom]?: Readonly<HeaderRecord> } = {};
    const finish = (bodyFrom: BodyFrom): Readonly<HeaderRecord> => {
      const finished = settings.cors === null ? { ...headers } : { ...withCors(headers, NO_GRANT) };
      const timing =
        bodyFrom === 'bucket'
          ? ''
          : fastPathOperationTiming(bodyFrom === 'none' ? null : bodyFrom, 0);
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

  return (current, caller, options) => {
    const variants = variantsOf(current, caller);
    const host = options.isOwnHost ? 'own' : '';
    const checksum = options.hasChecksum ? 'sum' : '';
    const name = `${host} ${checksum} ${options.overrides}`;
    let headers = variants.get(name);
    if (headers === undefined) {
      headers = prepare(current, caller, options);
      if (variants.size === OPTIONS_MAX) variants.clear();
      variants.set(name, headers);
    }
    return headers;
  };
}

/**
 * The decisions of a caller as access/decide-call.ts makes them, as far as they
 * hold for every request alike. Once a policy or the key's scope has looked at a
 * request, a decision must not be cached.
 */
function createLastingDecide(
  decide: Decide,
  caller: AccessKey,
): { readonly decide: DecideCall; dependedOnRequest(): boolean } {
  const principal = principalOf(caller);
  const { scope = null } = caller;
  let dependsOnRequest = scope !== null && scope.sourceIps !== null;
  const values = () => {
    dependsOnRequest = true;
    return null;
  };
  return {
    decide(record, { action, key, object = null }) {
      const access = { action, bucket: record.name, key, prefix: null, sourceIp: null };
      if (scope !== null && !isWithinScope(scope, access)) return 'denied';
      return decide(record, { principal, action, key, object, values });
    },
    dependedOnRequest: () => dependsOnRequest,
  };
}
