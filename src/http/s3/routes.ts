// The S3 surface: detect, authenticate, authorize, handle, in this order for every operation.
// app.ts calls it with the address of each request that is no page of our own, and renders what it
// throws (errors.ts).
//
// Deviations from S3, on purpose; what is not named here or in detect.ts as missing should answer
// as S3 does:
// - Creating a bucket that one has already is 200 and changes nothing; with other access 409
//   BucketAlreadyExists.
// - Access: ARCHITECTURE.md. AccessDenied names the rule to signed requests of the bucket's
//   account, BucketNotEmpty what is left; GetBucketPolicyStatus counts the bucket's ACL, and is no
//   404 without a policy; WRITE on a bucket deletes too; ACL headers of a write need no
//   s3:PutObjectAcl, but a Deny of it forbids them; strangers are told that a key does not exist
//   where a policy would let everyone read it; ACLs list groups first; a presigned URL of more than
//   a week is 403 AccessDenied (S3: 400).
// - s3:TlsVersion is known on Cloudflare; Node has a proxy in front for TLS, and the key is absent
//   there, as it is over plain HTTP.
// - Signature Version 2 is taken in URLs of GET, HEAD, PUT and DELETE, as boto3 and the AWS CLI
//   make them, and for forms; in headers it is 400 InvalidRequest. Such a URL lives as long as its
//   signer wished, as S3's do. It signs every sub-resource that there is (S3: those that it lists),
//   and the age of its signature, which it does not tell, counts as the greatest (s3:signatureAge).
//   QUAYSIDE_SIGNATURE_V2=off refuses all of it.
// - A presigned URL's checksum is verified (S3 ignores it), but for the checksum of nothing: see
//   presigned-headers.ts.
// - If-None-Match of a write takes an entity tag too, If-Match of a write `*` (S3: 501).
// - A checksum header that can be no checksum is 400 BadDigest (S3: InvalidRequest), as
//   ceph/s3-tests wants it. An unknown Expect is not looked at.
// - Checksums are S3's first five; MD5, SHA512 and the XXHASHes are 501 by name. Those of a form's
//   fields need no condition in its policy, as ceph/s3-tests wants it.
// - A PUT of an object needs no length: a body in HTTP's own chunks is taken (S3: 411).
//   GetObjectTorrent is 404 NoSuchKey.
// - partNumber behind the last part is 400 InvalidPart (S3: 416 InvalidPartNumber), as
//   ceph/s3-tests wants it.
// - GetObjectAttributes lists parts with and without checksums; CopyObject takes sources above 5
//   GiB, as no byte moves; a copy onto itself may add a checksum.
// - An empty continuation token begins a listing anew (S3: InvalidArgument); URL encoding writes a
//   space as %20, and line breaks and tabs in the Prefix of ListObjects as they are.
// - x-amz-delete-marker is sent where it is true, never as `false` (as S3 documents it; RadosGW
//   sends both).
// - Answers of a bucket with CORS rules have Vary also when the request had no Origin (S3: only
//   with one).
// - `?hosting` of a bucket is ours: its settings as a site, as JSON (docs/hosting.md).
// - Websites (delivery/site): a redirect within the host names the path alone (S3: the whole URL)
//   and keeps the query.
// - Objects have `x-content-type-options: nosniff`, and HTML and what else a browser may run has
//   `content-security-policy: sandbox`, unless the host is the bucket's own.
// - Encryption: a bucket has no default until one is put (S3: SSE-S3); a wrong SSE-C key is 400
//   InvalidRequest, as ceph/s3-tests wants it (S3: 403); SSE-C over http where confidential.ts
//   allows it; completing an SSE-C upload needs the key only where checksums came with it;
//   strangers may read public objects that a named key protects (S3: 400).
// - `?x-quayside-kms-keys` (GET, POST of the service) is ours: ops/named-keys.ts.
// - `?zip` (GET, HEAD of a bucket or a folder) is ours: ops/zip.ts; `?purge` (POST of a bucket)
//   too: ops/purge.ts.
// - A change with `x-quayside-fresh-by: 1` is answered with that header: the time when no tier
//   shows the past any more, outages aside.
// - DeleteObjects by somebody who may delete no key at all is 403 AccessDenied, and its list is not
//   read (S3: each key).
// - Tags and locks are written without a digest of their document or body where none is sent (S3:
//   InvalidRequest for some).
// - Lifecycle: transitions to GLACIER and DEEP_ARCHIVE are 501, for nothing is archived, so
//   RestoreObject is always InvalidObjectState; other transitions change what is shown and billed,
//   and move no bytes; x-amz-expiration is for signed reads of what the key stands for now.
//   `?lifecycle&dry-run` (GET of a bucket, the owner's) is ours: ops/bucket-lifecycle.ts.
// - An unfinished multipart upload without a new part for QUAYSIDE_STALE_UPLOAD_HOURS (24) is given
//   up, unless a rule of the bucket says when (S3 keeps and bills it until a rule does); 0 is S3's
//   way.
// - Notifications go to webhooks of the bucket's owner, whatever kind of ARN names them;
//   EventBridge is 501 (docs/notifications.md).
// - `receipt=1` and `x-quayside-receipt: 1` are ours, on any request: receipt-request.ts,
//   docs/billing.md.
// - A write beyond a quota of stored bytes or objects is 403 QuotaExceeded (docs/billing.md): S3
//   has no quotas, the code is Ceph's.
// - x-amz-id-2 and HostId repeat the request id; 405 has Allow, 416 Content-Range, 503 and a
//   reached cap (429, 402) Retry-After.
import type { Decide } from '../../core/auth/decide.ts';
import type { FindAccounts } from '../../core/auth/find-accounts.ts';
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import type { TakeReceipt } from '../../core/metering/take-receipt.ts';
import { parseBucketName } from '../../core/parse-names.ts';
import { createSemaphore } from '../../core/semaphore.ts';
import { StorageError } from '../../domain/errors.ts';
import type { BucketId, BucketRecord } from '../../domain/nouns.ts';
import type { UsageOwner } from '../../ports/metering.ts';
import type { Domains } from '../address.ts';
import type { HotCountsBySurface } from '../delivery/hot-counts.ts';
import type { UnsignedHeaders } from '../delivery/unsigned-headers.ts';
import type { RequestedOptions } from '../delivery/wishes.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import { FRESH_BY_HEADER, freshByAnswer } from '../fresh-by.ts';
import type { AnswerHotSigned, HttpRequest } from '../request.ts';
import { corsHeaders, withCors } from '../semantics/cors.ts';
import { hasImageParameters } from '../semantics/image-query.ts';
import { decodePathSegment, parseQuery, type Query } from '../semantics/raw-path.ts';
import { authorizeCall, type Target } from './authorize-call.ts';
import { payerOf, type S3Answer, type S3Call } from './call/call.ts';
import { isConfidential, type KeysOverHttp } from './call/confidential.ts';
import { detectOperation, type OperationName } from './call/detect.ts';
import { type CallBasics, makeCall, refuseHeaders } from './call/make-call.ts';
import { createHotSignedRead } from './fast-read/fast-read.ts';
import { auditCall, isAudited } from './features/audit.ts';
import { createCapCheck } from './features/caps.ts';
import { freeReceiptOfFailure, hasReceipt } from './headers/receipt-request.ts';
import { OPERATIONS } from './operations/table/operations.ts';
import { openPostedForm } from './post/post-request.ts';
import { answerPreflight } from './preflight.ts';
import { createRespond } from './respond.ts';
import { type AuthenticatorOptions, createAuthenticator } from './signature/authenticate.ts';
import type { Authenticated } from './signature/authenticated.ts';

/**
 * Where a request goes; both parts still percent-encoded. `rawKey` null means the bucket, `bucket`
 * null the service.
 */
export type S3Address = {
  readonly bucket: string | null;
  readonly rawKey: string | null;
  /** Whether the host is the bucket's own, and with it the origin that a browser sees. */
  readonly isVirtualHost: boolean;
};

/** What the surface needs besides core. */
export type S3Dependencies = Pick<AuthenticatorOptions, 'findAccessKey' | 'isSignatureV2On'> &
  Domains & {
    /** Answers unsigned reads: the public door with its tiers. */
    deliver(
      request: HttpRequest,
      rawBucket: string,
      rawKey: string,
      requestId: string,
      hasOwnOrigin: boolean,
      wish: RequestedOptions,
    ): Response | Promise<Response>;
    /** For those that it does not take. */
    readonly unsignedHeaders: UnsignedHeaders;
    /** The region that this service says it is in; requests may be signed for any. */
    readonly region: string;
    /** Whence encryption keys of clients are taken without TLS. */
    readonly customerKeysOverHttp: KeysOverHttp;
    readonly decide: Decide;
    readonly findAccounts: FindAccounts;
    /** Seconds after which a ZIP whose reader takes nothing no longer counts as under way. */
    readonly zipIdleSeconds: number;
    /** Whether answers tell where their time went. */
    readonly isServerTimingOn: boolean;
    /** Where the hot door counts what it answers. */
    readonly hotCounts: Pick<HotCountsBySurface, 's3'>;
    /** Absent: there are no caps. */
    readonly caps?: CapGuard;
    readonly takeReceipt: TakeReceipt;
  };

export type S3Surface = {
  /** The second door, for what stands ready in memory: fast-read.ts. */
  readonly answerHot: AnswerHotSigned;
  /**
   * Answers one request. Rejects with a StorageError, or with whatever broke; nothing was sent
   * then.
   */
  handle(request: HttpRequest, address: S3Address, requestId: string): Promise<Response>;
};

/** ZIP files under way at once: each holds up to 10 MB with the usual number of objects. */
const LONG_DOWNLOADS_MAX = 16;

/**
 * Makes the S3 surface of an app; it keeps the authenticator's signing keys, nothing of a request.
 */
export function createS3Surface(core: Core, deps: S3Dependencies): S3Surface {
  const { clock, meter } = core.ports;
  const {
    decide,
    findAccessKey,
    findAccounts,
    unsignedHeaders,
    region,
    isServerTimingOn,
    isSignatureV2On,
  } = deps;
  const nowMs = () => clock.nowMs();
  const { authenticate, signerOf } = createAuthenticator({
    ...deps,
    nowMs,
  });
  const respond = createRespond(meter, deps);
  const longDownloads = createSemaphore({
    max: LONG_DOWNLOADS_MAX,
    idleMs: deps.zipIdleSeconds * 1000,
    nowMs,
  });

  return {
    answerHot: createHotSignedRead(core, {
      signerOf,
      decide,
      isServerTimingOn,
      domains: deps,
      counts: deps.hotCounts.s3,
    }),

    async handle(request, address, requestId) {
      const query = parseQuery(request.rawQuery);
      const target = decodeAddress(address);
      if (request.method === 'OPTIONS') {
        request.notes.operation = 'Preflight';
        const { payer, ...allowed } = await answerPreflight(core, request, target);
        return respond({ request, requestId, payer, operation: null, isReceipted: false }, allowed);
      }
      try {
        return await answer(request, address, { target, query, requestId });
      } catch (error) {
        const cors = await corsHeadersOfFailure(core, request, target.bucket);
        const free = freeReceiptOfFailure(request, query);
        throw withFailureHeaders(error, cors === null ? free : { ...cors, ...free });
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
      findAccounts,
      unsignedHeaders,
      longDownloads,
    };
    const authenticated = await authenticate(request, signedPathOf(request, address));
    noteCaller(request, authenticated);
    if (name === 'PostObject') return answerForm(authenticated, basics, target);
    const call = makeCall(authenticated, { ...basics, form: null }, { decide, nowMs: nowMs() });
    refuseHeaders(call);
    const deliver = (ownersBucket: BucketId | null) => {
      const wish = wishOf(call, ownersBucket);
      return deps.deliver(
        request,
        address.bucket ?? '',
        address.rawKey ?? '',
        requestId,
        hasOwnOrigin,
        wish,
      );
    };
    return isDelivered(call) ? deliver(null) : run(call, target, deliver);
  }

  /** A form upload: the same as a PUT, once its fields are read. */
  async function answerForm(
    sent: Authenticated,
    basics: Omit<CallBasics, 'form'>,
    target: Target,
  ): Promise<Response> {
    const options = { findAccessKey, nowMs, isSignatureV2On };
    const form = await openPostedForm(
      basics.request,
      sent.body.source,
      target.bucket ?? '',
      options,
    );
    noteCaller(basics.request, form);
    try {
      const { headers, key, fields } = form;
      const call = makeCall(form, { ...basics, form: fields }, { decide, nowMs: nowMs(), headers });
      refuseHeaders(call);
      return await run(call, { bucket: target.bucket, key }, null);
    } finally {
      form.discard();
    }
  }

  /**
   * `deliverImage`: answers what the owner of a bucket asks of an image in it; null: it can be no
   * such call.
   */
  async function run(
    call: S3Call,
    target: Target,
    deliverImage: ((ownersBucket: BucketId) => Response | Promise<Response>) | null,
  ): Promise<Response> {
    const { request, requestId, operation: name } = call;
    request.notes.key = target.key;
    const { bucket, handle } = await authorizeCall(core, call, target);
    request.notes.foundMs = performance.now();
    if (deliverImage !== null && bucket !== null && isOwnersImage(call, bucket.record())) {
      return deliverImage(bucket.record().id);
    }
    const capped = bucket?.record().settings.isCapped === true ? bucket.record() : null;
    const check =
      capped === null || deps.caps === undefined
        ? null
        : createCapCheck(deps.caps, payerOf(capped, call.principal), OPERATIONS[name].meter);
    await check?.before(isUpload(name) ? (call.body.source.lengthBytes ?? 0) : 0);
    const given = isAudited(name)
      ? await auditCall(core, call, bucket?.record() ?? null, handle)
      : await handle();
    await check?.answer(given);
    check?.last(given);
    reportFreshBy(core, call, target, given);
    const record = bucket?.record() ?? null;
    const added = record === null ? null : corsHeaders(record.settings.cors, request);
    const isReceipted = hasReceipt(call, record);
    const answered = {
      request,
      requestId,
      payer: payerOfCall(call, record),
      operation: name,
      isReceipted,
    };
    return respond(
      answered,
      added === null ? given : { ...given, headers: withCors(given.headers, added) },
    );
  }
}

/**
 * What a browser's script needs to be shown a failure; S3 tells it too. Null without an Origin, so
 * that only those cost another read of the index, and whenever the rules can't be known: the
 * failure itself matters more.
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

/** Whether the body of the request is what is stored. */
const isUpload = (name: OperationName) =>
  name === 'PutObject' || name === 'UploadPart' || name === 'PostObject';

/** The owner of the bucket, or who asks about none in particular. */
function payerOfCall({ principal }: S3Call, record: BucketRecord | null): UsageOwner | null {
  if (record !== null) return payerOf(record, principal);
  if (principal.kind === 'anonymous') return null;
  return { accountId: principal.account.id, bucketId: null, accessKeyId: principal.accessKeyId };
}

/** To a change that asked for it: from then on no reader anywhere is shown the past. */
function reportFreshBy(
  core: Core,
  { request }: S3Call,
  { bucket }: Target,
  { headers }: S3Answer,
): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead || bucket === null || request.header(FRESH_BY_HEADER) === null) return;
  const freshBy = freshByAnswer(core, request, parseBucketName(bucket));
  if (freshBy !== null) headers[FRESH_BY_HEADER] = freshBy;
}

function noteCaller({ notes }: HttpRequest, { principal }: Authenticated): void {
  notes.accessKeyId = principal.kind === 'account' ? principal.accessKeyId : null;
  notes.requester = principal.kind === 'account' ? principal.account.id : null;
}

/**
 * The path of what is asked for with its bucket, whatever host named that: Signature Version 2
 * signs no host.
 */
function signedPathOf(
  { rawPath }: HttpRequest,
  { bucket, rawKey, isVirtualHost }: S3Address,
): string {
  return isVirtualHost ? `/${bucket ?? ''}/${rawKey ?? ''}` : rawPath;
}

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

/** What a read wants that delivery has not: unsigned-headers.ts keeps the owner's rules for it. */
const INDEX_READ_PARAMETERS = /^(?:versionId|partNumber|response-.*)$/;
const KEY_HEADER = 'x-amz-server-side-encryption-customer-algorithm';

/** Whether the request is an unsigned read that delivery answers. */
function isDelivered(call: S3Call): boolean {
  return call.principal.kind === 'anonymous' && isPlainObjectRead(call);
}

/**
 * Whether the owner of the bucket has signed what is asked of an image, the parameters included, as
 * Signature Version 4 does; so it may be of any size. Other accounts may be let in to read, not to
 * have things made and kept.
 */
function isOwnersImage(call: S3Call, { ownerId, settings }: BucketRecord): boolean {
  const { principal, request, isQuerySigned } = call;
  if (settings.hosting?.images == null || !hasImageParameters(request.rawQuery)) return false;
  if (principal.kind !== 'account' || principal.account.id !== ownerId) return false;
  return isQuerySigned && isPlainObjectRead(call);
}

function isPlainObjectRead({ operation, query, header }: S3Call): boolean {
  return (
    (operation === 'GetObject' || operation === 'HeadObject') &&
    !query.entries.some(([name]) => INDEX_READ_PARAMETERS.test(name)) &&
    header(KEY_HEADER) === null
  );
}

function wishOf({ header }: S3Call, ownersBucket: BucketId | null): RequestedOptions {
  return {
    ownersBucket,
    expectedOwner: header('x-amz-expected-bucket-owner'),
    checksumMode: header('x-amz-checksum-mode'),
  };
}
