// Public reads, the whole policy on one page: pointer from the nearest tier, conditions and range from the pointer
// alone, then the body. Called for unsigned GET and HEAD of an object. It never asks the index when a tier knows,
// never opens a body that is not sent, and takes headers from the pointer only, so that no cached body can bring old ones.
// Header names are lower case everywhere (semantics/object-headers.ts), or one would come twice.
import type { Core } from '../../core/core.ts';
import { parseBucketName, parseObjectKey } from '../../core/names.ts';
import { openBody } from '../../core/objects/read-object.ts';
import type { BucketGate, BucketName, ObjectKey, Pointer } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { HotLookup } from '../../ports/hot-metadata.ts';
import { isPublicObject, toGate, toPointer } from '../../ports/pointer.ts';
import type { HttpRequest } from '../request.ts';
import { evaluateRead, isIfRangeSatisfied } from '../semantics/conditional.ts';
import { objectHeaders } from '../semantics/object-headers.ts';
import { contentRange, parseRange } from '../semantics/range.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { type BodyOrigin, createCacheStatus, type PointerTier } from './cache-status.ts';

export type DeliverySettings = {
  /** Cache-Control of public objects that have none of their own. */
  readonly defaultCacheControl: string;
};

export type Deliver = (
  request: HttpRequest,
  rawBucket: string,
  rawKey: string,
  requestId: string,
) => Response | Promise<Response>;

type Found = {
  readonly gate: BucketGate | null;
  readonly pointer: Pointer | null;
  readonly tier: PointerTier;
};

/** Makes the public door. Errors: NoSuchBucket, NoSuchKey, AccessDenied, PreconditionFailed, InvalidRange, InvalidURI. */
export function createDelivery(core: Core, settings: DeliverySettings): Deliver {
  const { hotMetadata, meter, tiers } = core.ports;
  const cacheStatus = createCacheStatus(tiers);
  const preparedHeaders = new WeakMap<Pointer, Readonly<Record<string, string>>>();

  function headersOf(pointer: Pointer): Readonly<Record<string, string>> {
    const known = preparedHeaders.get(pointer);
    if (known !== undefined) return known;
    const headers = { 'cache-control': settings.defaultCacheControl, ...objectHeaders(pointer) };
    preparedHeaders.set(pointer, headers);
    return headers;
  }

  function answer(request: HttpRequest, found: Found, requestId: string, key: ObjectKey): Response | Promise<Response> {
    const pointer = requirePublic(found, key);
    const common = { ...headersOf(pointer), 'x-amz-request-id': requestId };
    const fromPointer = { ...common, 'cache-status': cacheStatus(found.tier, 'none') };

    const outcome = evaluateRead(readConditions(request), pointer);
    if (outcome === 'not-modified') return new Response(null, { status: 304, headers: withoutContent(fromPointer) });
    if (outcome === 'precondition-failed') throw new StorageError('PreconditionFailed');

    const { sizeBytes } = pointer;
    const rangeHeader = request.header('range');
    const isRangeWanted = rangeHeader !== null && isIfRangeSatisfied(request.header('if-range'), pointer);
    const range = isRangeWanted ? parseRange(rangeHeader, sizeBytes) : 'whole';
    if (range === 'unsatisfiable') {
      throw new StorageError('InvalidRange', {
        fields: { RangeRequested: rangeHeader ?? '', ActualObjectSize: `${sizeBytes}` },
      });
    }
    const offsetBytes = range === 'whole' ? 0 : range.startByte;
    const lengthBytes = range === 'whole' ? sizeBytes : range.endByteInclusive - range.startByte + 1;
    const status = range === 'whole' ? 200 : 206;
    const sized: Record<string, string> =
      range === 'whole'
        ? { ...common, 'content-length': `${lengthBytes}` }
        : { ...common, 'content-length': `${lengthBytes}`, 'content-range': contentRange(range, sizeBytes) };

    const respond = (body: Uint8Array | ReadableStream<Uint8Array> | null, origin: BodyOrigin): Response => {
      sized['cache-status'] = cacheStatus(found.tier, origin);
      meter.count({
        bucketId: found.gate?.bucketId ?? null,
        operationClass: 'B',
        bytesOut: body === null ? 0 : lengthBytes,
        tier: origin === 'index' || origin === 'none' ? 'memory' : origin,
      });
      return new Response(body as ConstructorParameters<typeof Response>[0], { status, headers: sized });
    };

    if (request.method === 'HEAD') return respond(null, 'none');
    const opened = openBody(core, pointer, { offsetBytes, lengthBytes });
    return opened instanceof Promise
      ? opened.then(({ body, tier }) => respond(body, tier))
      : respond(opened.body, opened.tier);
  }

  async function askIndex(bucket: BucketName, key: ObjectKey, hot: HotLookup): Promise<Found> {
    const ticket = hotMetadata.ticket();
    const resolved = await core.ports.metadataIndex.call(bucket, 'resolve', { name: bucket, key });
    const gate = resolved.bucket === null ? null : toGate(resolved.bucket);
    const pointer = resolved.object === null ? null : toPointer(resolved.object);
    hotMetadata.fill(bucket, key, { gate, pointer }, ticket);
    return { gate, pointer, tier: hot.gate === null || hot.pointer === null ? 'index' : hot.pointer.tier };
  }

  return (request, rawBucket, rawKey, requestId) => {
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const key = parseObjectKey(decodePathSegment(rawKey));
    const proceed = (hot: HotLookup): Response | Promise<Response> => {
      if (hot.gate !== null && (hot.gate.value === null || hot.pointer !== null)) {
        const tier = hot.gate.tier === 'kv' || hot.pointer?.tier === 'kv' ? 'kv' : 'memory';
        const found: Found = { gate: hot.gate.value, pointer: hot.pointer?.value ?? null, tier };
        return answer(request, found, requestId, key);
      }
      return askIndex(bucket, key, hot).then((found) => answer(request, found, requestId, key));
    };
    const hot = hotMetadata.get(bucket, key);
    return hot instanceof Promise ? hot.then(proceed) : proceed(hot);
  };
}

/** The pointer, if everyone may read it. A stranger learns of a missing key only where every key is public anyway. */
function requirePublic(found: Found, key: ObjectKey): Pointer {
  if (found.gate === null) throw new StorageError('NoSuchBucket');
  if (!isPublicObject(found.gate.access, key)) throw new StorageError('AccessDenied');
  if (found.pointer === null) throw new StorageError('NoSuchKey', { fields: { Key: key } });
  return found.pointer;
}

function readConditions(request: HttpRequest) {
  return {
    ifMatch: request.header('if-match'),
    ifNoneMatch: request.header('if-none-match'),
    ifModifiedSince: request.header('if-modified-since'),
    ifUnmodifiedSince: request.header('if-unmodified-since'),
  };
}

/** A 304 carries what a cache updates, not what describes a body. Source: RFC 9110 section 15.4.5. */
function withoutContent(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { 'content-type': _type, 'content-encoding': _encoding, ...rest } = headers;
  return rest;
}
