// The S3 surface: detect, authenticate, authorize, handle, in this order for every operation. app.ts calls it with the
// address of each request that is no page of our own, and renders what it throws (errors.ts).
//
// Deviations from S3, on purpose; what is not named here or in detect.ts as missing should answer as S3 does:
// - Objects have no ACL of their own: they are as public as their bucket. An x-amz-acl that would not be in force is
//   501. Policies: see core/buckets/public-policy.ts.
// - Creating a bucket that one has already is 200 and changes nothing (S3: 409 outside us-east-1).
// - A presigned URL's checksum is verified (S3 ignores it), but for the checksum of nothing: see presigned-headers.ts.
// - If-None-Match of a write takes an entity tag too, If-Match of a write `*` (S3: 501).
// - partNumber behind the last part is 400 InvalidPart (S3: 416 InvalidPartNumber), as ceph/s3-tests wants it.
// - GetObjectAttributes lists parts with and without checksums; CopyObject takes sources above 5 GiB, as no byte moves;
//   a copy onto itself may add a checksum.
// - An empty continuation token begins a listing anew (S3: InvalidArgument); URL encoding writes a space as %20.
// - x-amz-delete-marker is sent where it is true, never as `false` (as S3 documents it; RadosGW sends both).
// - Answers of a bucket with CORS rules have Vary also when the request had no Origin (S3: only with one).
// - Websites (delivery/site): a redirect within the host names the path alone (S3: the whole URL) and keeps the query.
// - HTML and what else a browser may run has `content-security-policy: sandbox`, unless the host is the bucket's own.
// - `?zip` (GET, HEAD of a bucket or a folder) is ours: ops/zip.ts.
// - x-amz-id-2 and HostId repeat the request id; 405 has Allow, 416 Content-Range, 503 Retry-After.
import { type Access, authorize as requireAccess } from '../../core/auth/authorize.ts';
import { type BucketHandle, openBucket } from '../../core/buckets/bucket-handle.ts';
import type { Core } from '../../core/core.ts';
import { createLeases } from '../../core/leases.ts';
import { parseBucketName, parseObjectKey } from '../../core/names.ts';
import type { ObjectKey } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { MeterEvent } from '../../ports/system.ts';
import { S3_READ_HEADERS } from '../delivery/deciding-headers.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import { operationTiming, SERVER_TIMING } from '../observe/server-timing.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { corsHeaders, withCors } from '../semantics/cors.ts';
import { decodePathSegment, parseQuery, type Query } from '../semantics/raw-path.ts';
import { type Authenticated, type AuthenticatorOptions, createAuthenticator } from './authenticate.ts';
import { type AccountCall, addCommonHeaders, type S3Answer, type S3Call } from './call.ts';
import { isConfidential, type KeysOverHttp } from './confidential.ts';
import { detectOperation, type OperationName } from './detect.ts';
import { requireExpectedOwner } from './expected-owner.ts';
import { OPERATIONS, type Operation } from './operations.ts';
import { openPostedForm } from './post/post-request.ts';
import { answerPreflight } from './preflight.ts';
import { withQueryHeaders } from './presigned-headers.ts';

/** Where a request goes; both parts still percent-encoded. `rawKey` null means the bucket, `bucket` null the service. */
export type S3Address = {
  readonly bucket: string | null;
  readonly rawKey: string | null;
  /** Whether the host is the bucket's own, and with it the origin that a browser sees. */
  readonly isVirtualHost: boolean;
};

/** What the surface needs besides core. */
export type S3Dependencies = Pick<AuthenticatorOptions, 'findAccessKey'> & {
  /** Answers unsigned reads: the public door with its tiers. */
  deliver(
    request: HttpRequest,
    rawBucket: string,
    rawKey: string,
    requestId: string,
    hasOwnOrigin: boolean,
  ): Response | Promise<Response>;
  /** The region that this service says it is in; requests may be signed for any. */
  readonly region: string;
  /** Whence encryption keys of clients are taken without TLS. */
  readonly customerKeysOverHttp: KeysOverHttp;
  /** Seconds after which a ZIP whose reader takes nothing no longer counts as under way. */
  readonly zipIdleSeconds: number;
  /** Whether answers tell where their time went. */
  readonly isServerTimingOn: boolean;
};

export type S3Surface = {
  /** Answers one request. Rejects with a StorageError, or with whatever broke; nothing was sent then. */
  handle(request: HttpRequest, address: S3Address, requestId: string): Promise<Response>;
};

const encoder = new TextEncoder();

/** ZIP files under way at once: each holds up to 10 MB with the usual number of objects. */
const LONG_DOWNLOADS_MAX = 16;

/** Makes the S3 surface of an app; it keeps the authenticator's signing keys, nothing of a request. */
export function createS3Surface(core: Core, deps: S3Dependencies): S3Surface {
  const { clock, meter } = core.ports;
  const { findAccessKey, region, isServerTimingOn } = deps;
  const nowMs = () => clock.nowMs();
  const authenticate = createAuthenticator({ findAccessKey, region, nowMs });
  const longDownloads = createLeases({ max: LONG_DOWNLOADS_MAX, idleMs: deps.zipIdleSeconds * 1000, nowMs });

  return {
    async handle(request, address, requestId) {
      const query = parseQuery(request.rawQuery);
      const target = decodeAddress(address);
      if (request.method === 'OPTIONS') {
        request.notes.operation = 'Preflight';
        const { bucketId, ...allowed } = await answerPreflight(core, request, target);
        return respond({ request, requestId, bucketId, operationClass: 'free' }, allowed);
      }
      try {
        return await answer(request, address, { target, query, requestId });
      } catch (error) {
        throw withFailureHeaders(error, await corsHeadersOfFailure(core, request, target.bucket));
      }
    },
  };

  async function answer(
    request: HttpRequest,
    address: S3Address,
    { target, query, requestId }: { target: Target; query: Query; requestId: string },
  ): Promise<Response> {
    const { notes } = request;
    const name = detect(request, target, query);
    notes.operation = name;
    const { isVirtualHost: hasOwnOrigin } = address;
    const basics = {
      operation: name,
      request,
      requestId,
      query,
      region,
      isConfidential: isConfidential(request, deps.customerKeysOverHttp),
      hasOwnOrigin,
      longDownloads,
    };
    const authenticated = await authenticate(request);
    noteCaller(request, authenticated);
    if (name === 'PostObject') return answerForm(authenticated, basics, target);
    const call = makeCall(authenticated, { ...basics, form: null });
    refuseHeaders(call);
    if (isDelivered(call)) {
      return deps.deliver(request, address.bucket ?? '', address.rawKey ?? '', requestId, hasOwnOrigin);
    }
    return run(call, target);
  }

  /** A form upload: the same as a PUT, once its fields are read. */
  async function answerForm(sent: Authenticated, basics: Omit<CallBasics, 'form'>, target: Target): Promise<Response> {
    const options = { findAccessKey, nowMs: () => clock.nowMs() };
    const form = await openPostedForm(basics.request, sent.body.source, target.bucket ?? '', options);
    noteCaller(basics.request, form);
    try {
      const { headers, key, fields } = form;
      const call: S3Call = { ...makeCall(form, { ...basics, form: fields }), ...headers };
      refuseHeaders(call);
      return await run(call, { bucket: target.bucket, key });
    } finally {
      form.discard();
    }
  }

  async function run(call: S3Call, target: Target): Promise<Response> {
    const { request, requestId, operation: name } = call;
    const { bucket, handle } = await authorize(core, call, target);
    request.notes.bucket = bucket?.record().name ?? null;
    request.notes.foundMs = performance.now();
    const given = await handle();
    const record = bucket?.record() ?? null;
    const added = record === null ? null : corsHeaders(record.settings.cors, request);
    const answered = { request, requestId, bucketId: record?.id ?? null, operationClass: OPERATIONS[name].meter };
    return respond(answered, added === null ? given : { ...given, headers: withCors(given.headers, added) });
  }

  type Answered = Pick<MeterEvent, 'bucketId' | 'operationClass'> & { request: HttpRequest; requestId: string };

  /** Meters an answer and makes a Response of it. */
  function respond({ request, requestId, bucketId, operationClass }: Answered, given: S3Answer): Response {
    const { status, headers, body, tier = 'none' } = given;
    const sent = request.method === 'HEAD' ? null : typeof body === 'string' ? encoder.encode(body) : body;
    const bytesOut = sent instanceof Uint8Array ? sent.length : sent === null ? 0 : Number(headers['content-length']);
    meter.count({ bucketId, operationClass, bytesOut, tier: tier === 'index' ? 'memory' : tier });
    request.notes.bodyBytes = bytesOut;
    request.notes.bodyTier = given.tier ?? null;
    if (isServerTimingOn) headers[SERVER_TIMING] = operationTiming(request.notes, performance.now());
    return makeResponse(request, status, addCommonHeaders(headers, requestId), sent);
  }
}

/**
 * What a browser's script needs to be shown a failure; S3 tells it too. Null without an Origin, so that only those cost
 * another read of the index, and whenever the rules can't be known: the failure itself matters more.
 */
async function corsHeadersOfFailure(core: Core, request: HttpRequest, bucket: string | null) {
  if (request.header('origin') === null || bucket === null) return null;
  try {
    const name = parseBucketName(bucket);
    const record = await core.ports.metadataIndex.call(name, 'getBucket', { name });
    return record === null ? null : corsHeaders(record.settings.cors, request);
  } catch {
    return null;
  }
}

function noteCaller({ notes }: HttpRequest, { principal }: Authenticated): void {
  notes.accessKeyId = principal.kind === 'account' ? principal.accessKeyId : null;
}

/** The address decoded; names are checked once it is known who asks. */
type Target = { readonly bucket: string | null; readonly key: string | null };

/** InvalidURI, before anything else: what decodes to no text can't be signed either. */
function decodeAddress({ bucket, rawKey }: S3Address): Target {
  return {
    bucket: bucket === null ? null : decodePathSegment(bucket),
    key: rawKey === null ? null : decodePathSegment(rawKey),
  };
}

function detect(request: HttpRequest, { bucket, key }: Target, query: Query): OperationName {
  const { method } = request;
  const detected = detectOperation({
    method,
    hasBucket: bucket !== null,
    hasKey: key !== null,
    query,
    header: (name) => request.header(name),
  });
  if (typeof detected === 'string') return detected;
  const { code, detail, fields } = detected;
  throw new StorageError(code, { detail, fields });
}

type CallBasics = Omit<S3Call, 'principal' | 'body' | 'isPresigned' | 'header' | 'headerNames'>;

function makeCall({ principal, body, isPresigned }: Authenticated, basics: CallBasics): S3Call {
  const { request, query } = basics;
  const headers = isPresigned ? withQueryHeaders(request, query.entries) : request;
  return {
    ...basics,
    principal,
    body,
    isPresigned,
    header: (name) => headers.header(name),
    headerNames: () => headers.headerNames(),
  };
}

/** NotImplemented for a header that asks for what we do not do. */
function refuseHeaders(call: S3Call): void {
  const { rejects }: Operation = OPERATIONS[call.operation];
  for (const name of rejects) {
    if (call.header(name) === null) continue;
    throw new StorageError('NotImplemented', {
      detail: `The header ${name} implies functionality that is not implemented.`,
      fields: { Header: name },
    });
  }
}

/** Parameters of a read that delivery does not know. */
const SIGNED_READ_PARAMETERS = /^(?:versionId|partNumber|response-.*)$/;

/** Whether the request is a plain unsigned read, which is delivery's. */
function isDelivered(call: S3Call): boolean {
  return (
    call.principal.kind === 'anonymous' &&
    (call.operation === 'GetObject' || call.operation === 'HeadObject') &&
    !call.query.entries.some(([name]) => SIGNED_READ_PARAMETERS.test(name)) &&
    S3_READ_HEADERS.every((name) => call.header(name) === null)
  );
}

/** An operation that may run, and the bucket whose answer it is. */
type Authorized = { readonly bucket: BucketHandle | null; handle(): S3Answer | Promise<S3Answer> };

/** Opens what the operation works on. AccessDenied, NoSuchBucket, InvalidBucketName, KeyTooLongError. */
async function authorize(core: Core, call: S3Call, target: Target): Promise<Authorized> {
  const operation: Operation = OPERATIONS[call.operation];
  if (operation.scope === 'account') {
    const accountCall = requireAccount(call);
    return { bucket: null, handle: () => operation.handle(accountCall, core) };
  }
  const bucketName = parseBucketName(target.bucket ?? '');
  if (operation.scope === 'new-bucket') {
    const accountCall = requireAccount(call);
    return { bucket: null, handle: () => operation.handle({ ...accountCall, bucketName }, core) };
  }
  const open = (access: Access, key: ObjectKey | null): Promise<BucketHandle> =>
    openBucket(core, bucketName, (record) => {
      requireAccess(call.principal, record, access, key);
      requireExpectedOwner(call.header('x-amz-expected-bucket-owner'), record);
    });
  if (operation.scope === 'bucket') {
    const bucket = await open(operation.access, null);
    return { bucket, handle: () => operation.handle({ ...call, bucket }, core) };
  }
  if (operation.scope === 'prefix') {
    const bucket = await open(operation.access, null);
    return { bucket, handle: () => operation.handle({ ...call, bucket, prefix: target.key ?? '' }, core) };
  }
  const key = parseObjectKey(target.key ?? '');
  const bucket = await open(operation.access, key);
  return { bucket, handle: () => operation.handle({ ...call, bucket, key }, core) };
}

function requireAccount(call: S3Call): AccountCall {
  if (call.principal.kind !== 'account') throw new StorageError('AccessDenied');
  return { ...call, account: call.principal.account };
}
