// Public reads: the whole policy on this page, in numbered steps. Called by app.ts
// for unsigned GET and HEAD of an object, by s3/routes.ts for reads like them, by
// sites for their pages. It asks no index when a tier knows, opens no body that is
// not sent or digested, and takes headers from the pointer only. What a bucket may have besides
// hangs in features/all-features.ts. The fast path takes the same steps without
// waiting: fast-path/answer-at-once.ts.
import type { Core } from '../../core/core.ts';
import { findCurrent } from '../../core/objects/find-current.ts';
import { openBody } from '../../core/objects/read-object.ts';
import { parseBucketName, parseObjectKey } from '../../core/parse-names.ts';
import { StorageError } from '../../domain/errors.ts';
import type { MetadataLookup } from '../../ports/caches/hot-metadata.ts';
import { dropBody } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { evaluateRead, readConditions } from '../semantics/conditional.ts';
import { corsHeaders } from '../semantics/cors.ts';
import { isDigestOfBytes } from '../semantics/digest-fields.ts';
import { decodePathSegment } from '../semantics/raw-path.ts';
import { digestsOfSmallBody } from '../small-body-digests.ts';
import { noteFound } from './count-read.ts';
import { admitAll, type FeaturesOf, findRefusal } from './features/read-feature.ts';
import type { HeaderProfiles } from './header-profile.ts';
import type {
  ObjectRead,
  ReadInvitation,
  ReadRequest,
  RequestedOptions,
  SentBody,
  SentRange,
  TakenPlace,
} from './object-read.ts';
import type { ObjectResponses } from './object-responses.ts';
import { isAtHand, planUse, readSentRange, validatorsOf } from './plan-read.ts';
import type { PreparedFor } from './prepared-headers.ts';
import type { PublicReader } from './public-reader.ts';
import type { Choice } from './representation.ts';

/** A response, at once where nothing must be waited for. */
type ResponseSoon = Response | Promise<Response>;
type Cors = ObjectRead['cors'];
type TakePlace = NonNullable<ReadInvitation['take']>;

export type DeliverParts = {
  readonly reader: PublicReader;
  readonly featuresOf: FeaturesOf;
  readonly profiles: HeaderProfiles;
  readonly preparedFor: PreparedFor;
  readonly responses: ObjectResponses;
};

/**
 * Answers for an object. Errors: those of features, NoSuchKey, AccessDenied,
 * InvalidRange, …
 */
export type Deliver = (
  request: HttpRequest,
  rawBucket: string,
  rawKey: string,
  requestId: string,
  /**
   * Whether the console is at another origin; without it active content is
   * sandboxed.
   */
  hasOwnOrigin?: boolean,
  options?: RequestedOptions | null,
) => Response | Promise<Response>;

/** Answers for what was found of a key already, from step 2 on. */
export type DeliverFound = (
  readRequest: ReadRequest,
  found: MetadataLookup,
) => Response | Promise<Response>;

export function createDeliver(
  core: Core,
  parts: DeliverParts,
): { readonly deliver: Deliver; readonly deliverFound: DeliverFound } {
  const { reader, featuresOf, profiles, preparedFor, responses } = parts;

  // 1. Bucket read policy and pointer come from the nearest tier that knows them.
  const deliver: Deliver = (request, rawBucket, rawKey, requestId, own = false, options = null) => {
    request.notes.surface = 'delivery';
    request.notes.operation = request.method === 'HEAD' ? 'HeadObject' : 'GetObject';
    const bucket = parseBucketName(decodePathSegment(rawBucket));
    const key = parseObjectKey(decodePathSegment(rawKey));
    const readRequest = { request, requestId, key, hasOwnOrigin: own, profile: null, options };
    const found = findCurrent(core, bucket, key);
    const proceed = (known: MetadataLookup) => {
      noteFound(request.notes, { bucket, key }, known);
      return deliverFound(readRequest, known);
    };
    return soon(found, proceed);
  };

  function deliverFound(readRequest: ReadRequest, found: MetadataLookup): ResponseSoon {
    const cors =
      found.readPolicy && corsHeaders(found.readPolicy.settings.cors, readRequest.request);
    const fail = (error: unknown): never => responses.fail(error, found, cors);
    try {
      const response = deliverAllowed(readRequest, found, cors);
      return response instanceof Promise ? response.catch(fail) : response;
    } catch (error) {
      return fail(error);
    }
  }

  function deliverAllowed(readRequest: ReadRequest, found: MetadataLookup, cors: Cors) {
    // 2. The reader may have the object: everyone may, or this one by policy or
    //    signature.
    const readable = reader.require(readRequest, found);

    // 3. Features of the bucket refuse, each for its own reason.
    const features = featuresOf(readable.readPolicy);
    const { hosting } = readable.readPolicy.settings;
    const profile = readRequest.profile ?? profiles.plain(hosting, readRequest.hasOwnOrigin);
    const prepared = preparedFor(profile);
    const read = { ...readable, readRequest, found, features, profile, prepared, cors };
    for (const refuse of features.refuse) refuse(read);

    // 4. The first feature that chooses a representation says what is sent; else
    //    the object is.
    for (const choose of features.choose) {
      const choice = choose(read);
      if (choice instanceof Promise) return choice.then((late) => deliverChoice(read, late));
      if (choice !== null) return deliverChoice(read, choice);
    }
    return deliverChoice(read, null);
  }

  function deliverChoice(read: ObjectRead, choice: Choice | null): ResponseSoon {
    // 5. Conditions are decided from pointer or representation alone: 304 and 412
    //    leave here.
    const validators = validatorsOf(read.pointer, choice);
    const { request } = read.readRequest;
    const outcome = evaluateRead(readConditions(request.header), validators);
    if (outcome === 'not-modified') return responses.notModified(read, choice);
    if (outcome === 'precondition-failed') throw new StorageError('PreconditionFailed');

    // 6. So is the range: 416 leaves here.
    const sent = readSentRange(read, choice, validators);

    // 7. Features admit the use before anything is opened for it, and so does a link
    //    that counts.
    const take = takeOf(read);
    if (take !== null) return openInPlace(core, { read, sent, take, send });
    if (read.features.admit.length === 0) return open(read, sent);
    const use = planUse(read, sent, isAtHand(core, read, sent));
    return admitAll(read, use).then(() => open(read, sent));
  }

  function open(read: ObjectRead, sent: SentRange): ResponseSoon {
    // 8. The body is opened: a representation stands ready, stored bytes come from
    //    their tiers. A small one is read before, for a digest that only they tell.
    return soon(withDigests(core, read, sent), (digested) =>
      soon(openSent(core, read, digested), (opened) => send(read, digested, opened)),
    );
  }

  function send(read: ObjectRead, sent: SentRange, opened: SentBody): ResponseSoon {
    // 9. It is admitted once more, in the tick in which it is counted and sent:
    //    while the body was opened, others may have used what was granted.
    if (read.features.refusalNow.length === 0) return responses.withBody(read, sent, opened);
    const use = planUse(read, sent, opened.tier !== 'bucket');
    if (findRefusal(read, use) === null) return responses.withBody(read, sent, opened);
    const letGo = (error: unknown): never => dropBody(opened.body, error);
    return admitAll(read, use).then(() => {
      const refusal = findRefusal(read, use);
      return refusal === null ? responses.withBody(read, sent, opened) : letGo(refusal);
    }, letGo);
  }

  return { deliver, deliverFound };
}

/** Goes on with a value at once, or when it is there. */
function soon<Value, Result>(
  value: Value | Promise<Value>,
  proceed: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}

/** Adds the digests that only the bytes of a small body tell. */
function withDigests(
  core: Core,
  read: ObjectRead,
  sent: SentRange,
): SentRange | Promise<SentRange> {
  const { request } = read.readRequest;
  if (sent.representation !== null || !isDigestOfBytes(request, read.pointer)) return sent;
  const isWhole = sent.range === 'whole' && request.method === 'GET';
  return digestsOfSmallBody(core, request, read.pointer, isWhole).then((headers) => ({
    ...sent,
    added: { ...sent.added, ...headers },
  }));
}

/** Opens and sends what a link counts: in the place that it gives, or not at all. */
async function openInPlace(core: Core, { read, sent, take, send }: Placed): Promise<Response> {
  if (read.features.admit.length > 0)
    await admitAll(read, planUse(read, sent, isAtHand(core, read, sent)));
  const place: TakenPlace = await take(read, sent);
  try {
    const digested = await withDigests(core, read, sent);
    const opened = await openSent(core, read, digested);
    return await send(read, digested, { ...opened, body: place.watch(opened.body) });
  } catch (error) {
    place.release();
    throw error;
  }
}

type Placed = {
  readonly read: ObjectRead;
  readonly sent: SentRange;
  readonly take: TakePlace;
  readonly send: (read: ObjectRead, sent: SentRange, opened: SentBody) => ResponseSoon;
};

/** How the link that lets a reader in counts what is sent; null: it does not. */
const takeOf = ({ readRequest: { request, invitation } }: ObjectRead) =>
  request.method === 'HEAD' ? null : (invitation?.take ?? null);

function openSent(core: Core, read: ObjectRead, sent: SentRange): SentBody | Promise<SentBody> {
  const { representation, origin, offsetBytes, lengthBytes } = sent;
  if (read.readRequest.request.method === 'HEAD') return { body: null, tier: 'none' };
  if (representation === null) return openBody(core, read.pointer, { offsetBytes, lengthBytes });

  const body = representation.bytes.subarray(offsetBytes, offsetBytes + lengthBytes);
  return { body, tier: origin };
}
