// Turns failures into HTTP: the only place where an ErrorCode meets a status.
// Called by the error renderers of all surfaces.
import { ERROR_MESSAGES, type ErrorCode, hasCode, StorageError } from '../../domain/errors.ts';

/**
 * HTTP status of each failure, the same on every surface. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html; StorageFull
 * is ours (RFC 4918 section 11.5), as are DomainAlreadyBound, DomainNotProven,
 * NoSuchHostingConfiguration, NoSuchWebhook and the codes of the JSON API, and
 * BucketChanged, NoSuchBlob, ObjectDamaged and StorageGrantNeeded never reach a
 * client: seen outside they are faults of ours. QuotaExceeded is Ceph's, with its
 * status: https://github.com/ceph/ceph/blob/main/src/rgw/rgw_common.cc
 * (ERR_QUOTA_EXCEEDED). SDKs repeat a 507, as every 5xx, and a quota does not pass
 * by waiting.
 */
export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = {
  AccessControlListNotSupported: 400,
  AccessDenied: 403,
  AccessKeyDisabled: 403,
  AccessKeyExpired: 403,
  AccessForbidden: 403,
  AccountNotEmpty: 409,
  AuthorizationHeaderMalformed: 400,
  AuthorizationQueryParametersError: 400,
  BadDigest: 400,
  BadRequest: 400,
  BucketAlreadyExists: 409,
  BucketAlreadyOwnedByYou: 409,
  BucketNotEmpty: 409,
  ContentTooLarge: 413,
  CrossSiteRequest: 403,
  ConditionalRequestConflict: 409,
  DomainAlreadyBound: 409,
  DomainNotProven: 403,
  EntityTooLarge: 400,
  EntityTooSmall: 400,
  ExpiredToken: 400,
  IdempotencyInProgress: 409,
  IdempotencyKeyReused: 422,
  IllegalLocationConstraintException: 400,
  IncompleteBody: 400,
  InsecureTransport: 403,
  InternalError: 500,
  InvalidAccessKeyId: 403,
  InvalidArgument: 400,
  InvalidBucketAclWithObjectOwnership: 400,
  InvalidBucketName: 400,
  InvalidBucketState: 409,
  InvalidCredentials: 401,
  InvalidDigest: 400,
  InvalidEncryptionAlgorithmError: 400,
  InvalidInput: 400,
  InvalidLocationConstraint: 400,
  InvalidObjectState: 403,
  InvalidPart: 400,
  InvalidPartOrder: 400,
  InvalidRange: 416,
  InvalidRequest: 400,
  InvalidRetentionPeriod: 400,
  InvalidStorageClass: 400,
  InvalidTag: 400,
  InvalidTargetBucketForLogging: 400,
  InvalidURI: 400,
  'KMS.DisabledException': 400,
  'KMS.NotFoundException': 400,
  KeyTooLongError: 400,
  InvalidPolicyDocument: 400,
  InvitationExpired: 410,
  InvitationUsed: 410,
  LoginTaken: 409,
  MalformedPOSTRequest: 400,
  MalformedPolicy: 400,
  MalformedXML: 400,
  MaxMessageLengthExceeded: 400,
  MaxPostPreDataLengthExceededError: 400,
  MetadataTooLarge: 400,
  MethodNotAllowed: 405,
  MissingContentLength: 411,
  MissingSecurityHeader: 400,
  NoSuchAccessKey: 404,
  NoSuchAccount: 404,
  NoSuchBucket: 404,
  NoSuchBucketPolicy: 404,
  NoSuchCap: 404,
  NoSuchCORSConfiguration: 404,
  NoSuchHostingConfiguration: 404,
  NoSuchKey: 404,
  NoSuchLifecycleConfiguration: 404,
  NoSuchObjectLockConfiguration: 404,
  NoSuchInvitation: 404,
  NoSuchMember: 404,
  NoSuchPasskey: 404,
  NoSuchResource: 404,
  NoSuchSession: 404,
  NoSuchInvoice: 404,
  NoSuchRateCard: 404,
  NoSuchToken: 404,
  NoSuchPublicAccessBlockConfiguration: 404,
  NoSuchTagSet: 404,
  NoSuchUpload: 404,
  NoSuchVersion: 404,
  NoSuchWebhook: 404,
  NoSuchWebsiteConfiguration: 404,
  NotImplemented: 501,
  ObjectLockConfigurationNotFoundError: 404,
  ObjectDamaged: 500,
  OwnershipControlsNotFoundError: 404,
  PreconditionFailed: 412,
  PreconditionRequired: 428,
  QuotaExceeded: 403,
  RecentProofRequired: 403,
  RequestTimeTooSkewed: 403,
  RequestTimeout: 400,
  ServerSideEncryptionConfigurationNotFoundError: 404,
  ServiceUnavailable: 503,
  SignatureDoesNotMatch: 403,
  SlowDown: 503,
  SpendingCapReached: 402,
  StorageFull: 507,
  TooManyRequests: 429,
  Unauthenticated: 401,
  UsageCapReached: 429,
  UnexpectedContent: 400,
  UnsupportedMediaType: 415,
  UnresolvableGrantByEmailAddress: 400,
  XAmzContentSHA256Mismatch: 400,
  XAmzContentChecksumMismatch: 400,
  BucketChanged: 500,
  NoSuchBlob: 500,
  StorageGrantNeeded: 500,
};

/**
 * Whether a failure is ours: it is logged, and clients hear nothing of it but
 * InternalError.
 */
export function isFault(failure: unknown): boolean {
  return !(failure instanceof StorageError) || ERROR_STATUS[failure.code] === 500;
}

/**
 * What the log says of the request. Whose bytes are lost, an operator must know by
 * name.
 */
export function faultFields(
  failure: unknown,
  request: { readonly method: string; readonly rawPath: string },
) {
  const { method, rawPath } = request;
  return hasCode(failure, 'ObjectDamaged') ? { method, path: rawPath } : { method };
}

/**
 * What clients hear of a failure. A fault of ours says nothing of itself but that
 * bytes are lost, as InternalError: clients try that a few times and give up. A 4xx
 * would blame the request, and after a 404 tools that mirror a bucket would delete
 * the good copy elsewhere.
 */
export function shownFailure(failure: unknown): StorageError {
  if (failure instanceof StorageError && !isFault(failure)) return failure;
  const detail = hasCode(failure, 'ObjectDamaged')
    ? ERROR_MESSAGES.ObjectDamaged
    : ERROR_MESSAGES.InternalError;
  return new StorageError('InternalError', { detail });
}
