// One request to the S3 surface as its operations see it, and the response that
// they give: plain data and look-ups, no framework type. routes.ts has a call made
// of what authentication found, once for each request. respond.ts makes the
// Response, so that headers stay a plain object.
import type { Decide } from '../../../core/auth/decide.ts';
import type { FindAccounts } from '../../../core/auth/find-accounts.ts';
import type { OpenedBody } from '../../../core/objects/read-object.ts';
import type { BucketHandle, Changer } from '../../../core/opened-bucket/bucket-handle.ts';
import type { Semaphore } from '../../../domain/concurrency/semaphore.ts';
import type { EventOrigin } from '../../../domain/notifications.ts';
import type {
  Account,
  BucketName,
  BucketRecord,
  ObjectKey,
  ObjectVersion,
  Principal,
} from '../../../domain/nouns.ts';
import type { Tags, VersionChange } from '../../../domain/object-facts.ts';
import type { AlsoRead, UsageOwner } from '../../../ports/metering.ts';
import { createDecideCall, type DecideCall } from '../../access/decide-call.ts';
import type { UnsignedHeaders } from '../../delivery/unsigned-headers.ts';
import { noteChange } from '../../fresh-by.ts';
import type { HttpRequest } from '../../request.ts';
import type { Query } from '../../semantics/raw-path.ts';
import { withQueryHeaders } from '../headers/presigned-headers.ts';
import { readTaggingHeader } from '../headers/tagging-header.ts';
import type { Authenticated } from '../signature/authenticated.ts';
import type { DecodedBody } from '../signature/payload.ts';
import { QUERY_HEADERS_V2 } from '../signature/signed-url-v2.ts';
import type { OperationName } from './detect.ts';

/**
 * An address decoded; its names are checked once the caller is known. Null: names
 * none.
 */
export type Target = { readonly bucket: string | null; readonly key: string | null };

/** A request to any operation. */
export type S3Call = {
  readonly operation: OperationName;
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly principal: Principal;
  readonly isPresigned: boolean;
  /**
   * Whether the signature covers all of the query, as one of Version 4 does.
   * Whoever has a URL of Version 2 may add parameters to it.
   */
  readonly isQuerySigned: boolean;
  /** The region that this service says it is in. */
  readonly region: string;
  /**
   * Whether a client's encryption key may come this way: over TLS, or by the
   * operator's leave.
   */
  readonly isConfidential: boolean;
  /** Whether the address has an origin of its own, apart from the console's. */
  readonly hasOwnOrigin: boolean;
  readonly query: Query;
  /**
   * A header by lower-case name; of a presigned URL also the `x-amz-` headers that
   * stand in its query.
   */
  header(name: string): string | null;
  headerNames(): Iterable<string>;
  readonly body: DecodedBody;
  /**
   * Decides what the caller may do. authorize-call.ts calls it for every operation;
   * operations on several objects call it again.
   */
  readonly decide: DecideCall;
  readonly findAccounts: FindAccounts;
  /**
   * Headers of an object for strangers, and whether they may have it at all: the
   * owner's rules of hosting.
   */
  readonly unsignedHeaders: UnsignedHeaders;
  /** Semaphore of responses that hold memory for as long as their reader takes. */
  readonly longDownloads: Semaphore;
  /**
   * The fields of a form upload by lower-case name; null for every other request.
   */
  readonly form: ReadonlyMap<string, string> | null;
};

/** What looks headers up: the request, a presigned URL or a form. */
type Headers = Pick<S3Call, 'header' | 'headerNames'>;

/** Facts of a call that are known before anybody looks at its headers. */
export type CallBasics = Omit<
  S3Call,
  'principal' | 'body' | 'isPresigned' | 'isQuerySigned' | 'decide' | keyof Headers
>;

/**
 * The call of a request that was authenticated. `headers`: in place of the
 * request's own, those of a form. Cost: some closures; nothing is read.
 */
export function makeCall(
  { principal, body, isPresigned, signatureVersion, signedAtMs }: Authenticated,
  basics: CallBasics,
  {
    decide,
    nowMs,
    headers,
  }: { readonly decide: Decide; readonly nowMs: number; readonly headers?: Headers },
): S3Call {
  const { request, query, form } = basics;
  const further = signatureVersion === 'AWS' ? QUERY_HEADERS_V2 : [];
  const source =
    headers ?? (isPresigned ? withQueryHeaders(request, query.entries, further) : request);
  const header = (name: string) => source.header(name);
  // Read once: a policy may need the tags for each of many keys.
  let requestTags: Tags | null | undefined;
  const authType = form !== null ? 'POST' : isPresigned ? 'REST-QUERY-STRING' : 'REST-HEADER';
  return {
    ...basics,
    principal,
    body,
    isPresigned,
    isQuerySigned: signatureVersion === 'AWS4-HMAC-SHA256' && form === null,
    header,
    headerNames: () => source.headerNames(),
    decide: createDecideCall(decide, {
      ...basics,
      principal,
      header,
      nowMs,
      authType: principal.kind === 'account' ? authType : null,
      signatureVersion,
      signedAtMs,
      requestTags: () => {
        if (requestTags === undefined) requestTags = tagsOfHeader(header);
        return requestTags;
      },
    }),
  };
}

/** The requested tags; null for a malformed header, which its operation refuses. */
function tagsOfHeader(header: Headers['header']): Tags | null {
  try {
    return header('x-amz-tagging') === null ? null : readTaggingHeader(header);
  } catch {
    return null;
  }
}

/**
 * Where clients may send encryption keys from over plain http: this machine,
 * everywhere, or nowhere.
 */
export type KeysOverHttp = 'loopback' | 'always' | 'never';

/**
 * Whether a request may carry a client's encryption key, which everybody on its way
 * can read without TLS. S3 itself takes none over http. Loopback is what the
 * connection says: a Host header is the client's word, and any proxy hands it on.
 */
export function isConfidential(
  request: Pick<HttpRequest, 'isSecure' | 'isFromLoopback'>,
  overHttp: KeysOverHttp,
): boolean {
  if (request.isSecure || overHttp === 'always') return true;
  return overHttp === 'loopback' && request.isFromLoopback?.() === true;
}

/** Who makes the changes of a call. */
export function changerOf(call: S3Call): Changer {
  return {
    originOf: () => toEventOrigin(call),
    note: (bucket, change) => noteChange(call.request, bucket, change),
  };
}

function toEventOrigin({ operation, principal, request, requestId, region }: S3Call): EventOrigin {
  return {
    operation,
    principalId: principal.kind === 'account' ? principal.account.id : 'Anonymous',
    sourceIp: request.remoteAddress ?? '',
    requestId,
    region,
  };
}

/** The payer of a request to a bucket: its owner, whoever the caller is. */
export function payerOf(record: BucketRecord, principal: Principal): UsageOwner {
  const accessKeyId = principal.kind === 'account' ? principal.accessKeyId : null;
  return { accountId: record.ownerId, bucketId: record.id, accessKeyId };
}

/** The owner of the bucket, or the caller of an operation on none. Null: nobody. */
export function payerOfCall({ principal }: S3Call, record: BucketRecord | null): UsageOwner | null {
  if (record !== null) return payerOf(record, principal);
  if (principal.kind === 'anonymous') return null;
  return { accountId: principal.account.id, bucketId: null, accessKeyId: principal.accessKeyId };
}

/** A request of an account, to nothing it owns yet. */
export type AccountCall = S3Call & { readonly account: Account };
/** A request for a bucket that may not exist. */
export type NewBucketCall = AccountCall & { readonly bucketName: BucketName };
/** A request to a bucket that was opened and authorised. */
export type BucketCall = S3Call & { readonly bucket: BucketHandle };
/**
 * A request to all keys of such a bucket that begin with a text; '' is all of them.
 */
export type PrefixCall = BucketCall & { readonly prefix: string };
/** A request to a key of such a bucket; the object may not exist. */
export type ObjectCall = BucketCall & { readonly key: ObjectKey };
/**
 * A request to a version that was found, and that the caller may read or change so.
 */
export type VersionCall = ObjectCall & {
  readonly version: ObjectVersion;
  /** Changes that its document makes. */
  readonly change: VersionChange;
};

/**
 * The response of an operation, before it is a Response. `headers` is its own, and
 * has a Content-Length where `body` is a stream; `tier` says where a body came
 * from, for the meter.
 */
export type S3Response = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null;
  readonly tier?: OpenedBody['tier'];
  /** Objects that are read for it, where it has a receipt. */
  readonly alsoRead?: readonly AlsoRead[];
  /**
   * Storage class that the request is billed by, where the headers do not say it.
   */
  readonly storageClass?: string;
  /** The version that a write of an object has made current. */
  readonly written?: ObjectVersion;
  /** Whether the response waits for its receipt; absent: no. */
  readonly isReceipted?: boolean;
};

/** Server header of this surface. */
export const SERVER = 'Quayside';

/**
 * Adds the headers of every response. There is no second server to name, so the
 * extended id is the request's too.
 */
export function addCommonHeaders(
  headers: Record<string, string>,
  requestId: string,
): Record<string, string> {
  headers.server = SERVER;
  headers['x-amz-id-2'] = requestId;
  headers['x-amz-request-id'] = requestId;
  return headers;
}

/** 200 with an XML document. */
export function xmlResponse(
  document: string,
  headers: Readonly<Record<string, string>> = {},
): S3Response {
  return {
    status: 200,
    headers: { ...headers, 'content-type': 'application/xml' },
    body: document,
  };
}

/**
 * 200 or 204 without a body. A 204 never has a Content-Length. Source: RFC 9110
 * section 8.6.
 */
export function emptyResponse(
  status: 200 | 204,
  headers: Readonly<Record<string, string>> = {},
): S3Response {
  return {
    status,
    headers: status === 204 ? headers : { ...headers, 'content-length': '0' },
    body: null,
  };
}
