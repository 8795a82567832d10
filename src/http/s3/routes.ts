// The S3 surface: detect, authenticate, authorize, handle, in this order for every
// operation. app.ts calls it with the address of each request that is no page of
// the service, and renders errors that it throws (errors.ts). Deviations from S3
// are listed in deviations.md.
import type { Decide } from '../../core/auth/decide.ts';
import type { FindAccounts } from '../../core/auth/find-accounts.ts';
import type { TakeReceipt } from '../../core/billing/receipts/take-receipt.ts';
import type { CapGuard } from '../../core/caps/cap-guard.ts';
import type { Core } from '../../core/core.ts';
import { createSemaphore } from '../../domain/concurrency/semaphore.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Domains, S3Address } from '../address.ts';
import type { AnswerSignedAtOnce } from '../delivery/fast-path/fast-path.ts';
import type { FastPathCountsBySurface } from '../delivery/fast-path/fast-path-counts.ts';
import type { UnsignedHeaders } from '../delivery/unsigned-headers.ts';
import { withFailureHeaders } from '../failure-with-headers.ts';
import type { HttpRequest } from '../request.ts';
import { decodePathSegment, parseQuery, type Query } from '../semantics/raw-path.ts';
import { authorizeCall } from './authorize-call.ts';
import {
  type CallBasics,
  isConfidential,
  type KeysOverHttp,
  makeCall,
  payerOfCall,
  type S3Call,
  type Target,
} from './call/call.ts';
import { detectOperation, type OperationName } from './call/detect.ts';
import { type Deliver, deliverCall, isDelivered, isOwnersImage } from './delivered-reads.ts';
import { createFastRead } from './fast-read/fast-read.ts';
import { createAudit } from './features/audit.ts';
import { createCaps } from './features/caps.ts';
import { createCors } from './features/cors.ts';
import { EXPECTED_OWNER } from './features/expected-owner.ts';
import { createExpiration } from './features/expiration.ts';
import { createFeatureList, type FeatureList } from './features/feature-list.ts';
import { createFreshBy } from './features/fresh-by.ts';
import { RECEIPTS } from './features/receipts.ts';
import { REFUSED_HEADERS } from './features/refused-headers.ts';
import { createUploadLimits } from './features/upload-limits.ts';
import { openPostedForm } from './post/post-request.ts';
import { answerPreflight } from './preflight.ts';
import { createRespond } from './respond.ts';
import { type AuthenticatorOptions, createAuthenticator } from './signature/authenticate.ts';
import type { Authenticated } from './signature/authenticated.ts';

/** Dependencies of the surface besides core. */
export type S3Dependencies = Pick<AuthenticatorOptions, 'findAccessKey' | 'isSignatureV2On'> &
  Domains & {
    /** Answers unsigned reads from the tiers of delivery. */
    readonly deliver: Deliver;
    /** Headers of the unsigned reads that it does not take. */
    readonly unsignedHeaders: UnsignedHeaders;
    /**
     * The region that this service says it is in; requests may be signed for any.
     */
    readonly region: string;
    /** From which connections encryption keys of clients are taken without TLS. */
    readonly customerKeysOverHttp: KeysOverHttp;
    readonly decide: Decide;
    readonly findAccounts: FindAccounts;
    /**
     * Seconds after which a ZIP whose reader takes nothing no longer counts as
     * under way.
     */
    readonly zipIdleSeconds: number;
    /** Whether responses say where their time went. */
    readonly isServerTimingOn: boolean;
    /** Counts of the fast path. */
    readonly fastPathCounts: Pick<FastPathCountsBySurface, 's3'>;
    /** Absent: there are no caps. */
    readonly caps?: CapGuard;
    readonly takeReceipt: TakeReceipt;
  };

export type S3Surface = {
  /**
   * The fast path of signed reads, for objects that stand ready in memory:
   * fast-read.ts.
   */
  readonly answerSignedAtOnce: AnswerSignedAtOnce;
  /**
   * Answers one request. Rejects with a StorageError, or with whatever broke;
   * nothing was sent then.
   */
  handle(request: HttpRequest, address: S3Address, requestId: string): Promise<Response>;
};

/** A request as it came in: its address decoded and its query parsed. */
type Incoming = {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly address: S3Address;
  readonly target: Target;
  readonly query: Query;
};

/** Operations that delivery may serve: delivered-reads.ts decides. */
const OBJECT_READS: ReadonlySet<OperationName> = new Set(['GetObject', 'HeadObject']);

/**
 * ZIP files under way at once: each holds up to 10 MB with the usual number of
 * objects.
 */
const LONG_DOWNLOADS_MAX = 16;

/**
 * Makes the S3 surface of an app; it keeps the authenticator's signing keys,
 * nothing of a request.
 */
export function createS3Surface(core: Core, deps: S3Dependencies): S3Surface {
  const { clock, meter } = core.ports;
  const { decide, findAccounts, unsignedHeaders, region, customerKeysOverHttp } = deps;
  const nowMs = () => clock.nowMs();
  const authenticatorOptions = { ...deps, nowMs };
  const { authenticate, signerOf } = createAuthenticator(authenticatorOptions);
  const respond = createRespond(meter, deps);
  const features = listFeatures(core, deps.caps);
  const longDownloads = createSemaphore({
    max: LONG_DOWNLOADS_MAX,
    idleMs: deps.zipIdleSeconds * 1000,
    nowMs,
  });
  const shared = { region, findAccounts, unsignedHeaders, longDownloads, customerKeysOverHttp };

  async function answer(incoming: Incoming): Promise<Response> {
    const { request, address, target } = incoming;
    const operation = detect(incoming);
    const basics = basicsOf(incoming, operation, shared);
    const authenticated = await authenticate(request, signedPathOf(request.rawPath, address));
    noteCaller(request, authenticated);
    if (operation === 'PostObject') return answerForm(authenticated, basics, target);

    const sent = makeCall(authenticated, { ...basics, form: null }, { decide, nowMs: nowMs() });
    const call = features.screen(sent);
    if (!OBJECT_READS.has(operation)) return run(call, target, null);
    return isDelivered(call)
      ? deliverCall(deps.deliver, call, address, null)
      : run(call, target, address);
  }

  /** A form upload: a PUT, once its fields are read. */
  async function answerForm(
    sent: Authenticated,
    basics: Omit<CallBasics, 'form'>,
    target: Target,
  ): Promise<Response> {
    const { request } = basics;
    const bucket = target.bucket ?? '';
    const form = await openPostedForm(request, sent.body.source, bucket, authenticatorOptions);
    noteCaller(request, form);
    try {
      const { headers, key, fields } = form;
      const call = makeCall(form, { ...basics, form: fields }, { decide, nowMs: nowMs(), headers });
      features.screen(call);
      return await run(call, { bucket: target.bucket, key }, null);
    } finally {
      form.discard();
    }
  }

  /**
   * Authorizes and handles a call. `address` null: it can be no read that delivery
   * serves.
   */
  async function run(call: S3Call, target: Target, address: S3Address | null): Promise<Response> {
    const { request, requestId, operation } = call;
    request.notes.key = target.key;
    const { bucket, handle } = await authorizeCall(core, call, target, features.admit);
    request.notes.foundMs = performance.now();
    const record = bucket?.record() ?? null;
    if (address !== null && record !== null && isOwnersImage(call, record)) {
      return deliverCall(deps.deliver, call, address, record.id);
    }

    const authorized = { call, target, bucket, record };
    const response = await features.wrap(authorized, handle)();
    const finished = features.finish(authorized, response);
    const payer = payerOfCall(call, bucket?.record() ?? null);
    return respond({ request, requestId, payer, operation }, finished);
  }

  async function preflight({ request, requestId, target }: Incoming): Promise<Response> {
    request.notes.operation = 'Preflight';
    const { payer, ...allowed } = await answerPreflight(core, request, target);
    return respond({ request, requestId, payer, operation: null }, allowed);
  }

  return {
    answerSignedAtOnce: createFastRead(core, {
      signerOf,
      decide,
      isServerTimingOn: deps.isServerTimingOn,
      domains: deps,
      counts: deps.fastPathCounts.s3,
    }),

    async handle(request, address, requestId) {
      const query = parseQuery(request.rawQuery);
      const target = decodeAddress(address);
      const incoming = { request, requestId, address, target, query };
      if (request.method === 'OPTIONS') return preflight(incoming);
      try {
        return await answer(incoming);
      } catch (error) {
        throw withFailureHeaders(error, await features.failureHeaders(incoming));
      }
    },
  };
}

/** The one ordered list of features. The first is the outermost. */
function listFeatures(core: Core, caps: CapGuard | undefined): FeatureList {
  return createFeatureList([
    REFUSED_HEADERS,
    EXPECTED_OWNER,
    // Caps refuse before an entry of the audit log is begun.
    createCaps(caps),
    createAudit(core),
    createExpiration(core),
    createFreshBy(core),
    createCors(core),
    RECEIPTS,
    // A use is taken once nothing else refuses.
    createUploadLimits(core),
  ]);
}

/** Facts that calls of one surface have in common. */
type SharedFacts = Pick<
  CallBasics,
  'region' | 'findAccounts' | 'unsignedHeaders' | 'longDownloads'
> & { readonly customerKeysOverHttp: KeysOverHttp };

/** Facts of a call that are known before its headers are looked at. */
function basicsOf(
  { request, requestId, address, query }: Incoming,
  operation: OperationName,
  { region, findAccounts, unsignedHeaders, longDownloads, customerKeysOverHttp }: SharedFacts,
): Omit<CallBasics, 'form'> {
  return {
    operation,
    request,
    requestId,
    query,
    region,
    isConfidential: isConfidential(request, customerKeysOverHttp),
    hasOwnOrigin: address.isVirtualHost,
    findAccounts,
    unsignedHeaders,
    longDownloads,
  };
}

/**
 * The operation of a request. NotImplemented, MethodNotAllowed, InvalidArgument.
 */
function detect({ request, target, query }: Incoming): OperationName {
  const operation = detectOperation({
    method: request.method,
    hasBucket: target.bucket !== null,
    hasKey: target.key !== null,
    query,
    header: (name) => request.header(name),
  });
  if (typeof operation !== 'string') {
    const { code, detail, fields } = operation;
    throw new StorageError(code, { detail, fields });
  }
  request.notes.operation = operation;
  return operation;
}

/**
 * The target of an address. InvalidURI, before anything else: what decodes to no
 * text can't be signed either.
 */
function decodeAddress({ bucket, rawKey }: S3Address): Target {
  return {
    bucket: bucket === null ? null : decodePathSegment(bucket),
    key: rawKey === null ? null : decodePathSegment(rawKey),
  };
}

/**
 * The path with its bucket, whatever host named that: Signature Version 2 signs no
 * host.
 */
function signedPathOf(rawPath: string, { bucket, rawKey, isVirtualHost }: S3Address): string {
  return isVirtualHost ? `/${bucket ?? ''}/${rawKey ?? ''}` : rawPath;
}

function noteCaller({ notes }: HttpRequest, { principal }: Authenticated): void {
  notes.accessKeyId = principal.kind === 'account' ? principal.accessKeyId : null;
  notes.requester = principal.kind === 'account' ? principal.account.id : null;
}
