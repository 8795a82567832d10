// The one list of failures. Codes are S3's published names where S3 has one; the
// few of our own never reach a client. The HTTP status of each code is
// http/semantics/error-status.ts. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html

/**
 * Default message of each code; a thrower gives a better one in `detail` where it
 * knows more.
 */
export const ERROR_MESSAGES = {
  AccessControlListNotSupported: 'The bucket does not allow ACLs',
  AccessDenied: 'Access Denied',
  AccessKeyDisabled: 'The access key, or its account, is disabled.',
  AccessKeyExpired: 'The access key has expired.',
  AccessForbidden: 'CORSResponse: This CORS request is not allowed.',
  AccountNotEmpty: 'The account still has buckets.',
  AuthorizationHeaderMalformed: 'The authorization header is malformed.',
  AuthorizationQueryParametersError: 'Error parsing the query-string authentication parameters.',
  BadDigest: 'The digest you specified did not match the body that was received.',
  BadRequest: 'Bad Request',
  BucketAlreadyExists: 'The requested bucket name is not available. Choose another name.',
  BucketAlreadyOwnedByYou: 'The bucket that you tried to create already exists, and you own it.',
  BucketNotEmpty: 'The bucket you tried to delete is not empty.',
  ContentTooLarge: 'The body of the request is too large.',
  CrossSiteRequest: 'A browser sent this request from another site.',
  ConditionalRequestConflict:
    'A conflicting operation happened during this conditional request. Try again.',
  DomainAlreadyBound: 'The domain is bound to another bucket.',
  DomainNotProven: 'Nothing in DNS shows that the domain is yours.',
  EntityTooLarge: 'Your proposed upload exceeds the maximum allowed object size.',
  EntityTooSmall: 'Your proposed upload is smaller than the minimum allowed object size.',
  ExpiredToken: 'The request has expired.',
  IdempotencyInProgress: 'A request with this Idempotency-Key is still under way.',
  IdempotencyKeyReused: 'This Idempotency-Key was used for another request.',
  IllegalLocationConstraintException: 'The location constraint is incompatible with this region.',
  IncompleteBody: 'You did not provide the number of bytes specified by the Content-Length header.',
  InsecureTransport:
    'Sign-in is refused over plain http, where whoever is on the way could read the secret. ' +
    'Open the service by https, at localhost, or by its private IP address.',
  InternalError: 'We encountered an internal error. Please try again.',
  InvalidAccessKeyId: 'The access key id you provided does not exist in our records.',
  InvalidArgument: 'Invalid Argument',
  InvalidBucketState: 'The request is not valid for the current state of the bucket.',
  InvalidBucketAclWithObjectOwnership:
    "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting",
  InvalidBucketName: 'The specified bucket is not valid.',
  InvalidEncryptionAlgorithmError:
    'The encryption request you specified is not valid. Supported value: AES256.',
  InvalidCredentials: 'The name or the secret is wrong.',
  InvalidDigest: 'The Content-MD5 or checksum you specified is not valid.',
  InvalidInput: 'The request has fields that cannot be used.',
  InvalidLocationConstraint: 'The specified location constraint is not valid.',
  InvalidObjectState: "Restore is not allowed for the object's current storage class",
  InvalidPart:
    'One or more of the specified parts could not be found, or its entity tag did not match.',
  InvalidPartOrder: 'The list of parts was not in ascending order.',
  InvalidRange: 'The requested range is not satisfiable',
  InvalidRequest: 'Invalid Request',
  InvalidRetentionPeriod: 'The retention period must be a positive integer value.',
  InvalidStorageClass: 'The storage class you specified is not valid.',
  InvalidTag: 'The tag provided was not a valid tag.',
  InvalidTargetBucketForLogging: 'The target bucket for logging does not exist or cannot be used.',
  InvalidURI: 'The specified URI could not be parsed.',
  'KMS.DisabledException': 'The encryption key is disabled.',
  'KMS.NotFoundException': 'The encryption key does not exist.',
  KeyTooLongError: 'Your key is too long.',
  InvalidPolicyDocument:
    'The content of the form does not meet the conditions specified in the policy document.',
  InvitationExpired: 'The invitation has expired.',
  InvitationUsed: 'Somebody has accepted the invitation already.',
  LoginTaken: 'Another member signs in with this name.',
  MalformedPOSTRequest: 'The body of your POST request is not well-formed multipart/form-data.',
  MalformedPolicy: 'The policy is not in the valid form.',
  MalformedXML:
    'The XML you provided was not well-formed or did not validate against our published schema.',
  MaxPostPreDataLengthExceededError:
    'Your POST request fields preceding the upload file were too large.',
  MaxMessageLengthExceeded: 'Your request was too large.',
  MetadataTooLarge: 'Your metadata headers exceed the maximum allowed metadata size.',
  MethodNotAllowed: 'The specified method is not allowed against this resource.',
  MissingContentLength: 'You must provide the Content-Length HTTP header.',
  MissingSecurityHeader: 'Your request is missing a required header.',
  NoSuchAccessKey: 'There is no such access key.',
  NoSuchAccount: 'There is no such account.',
  NoSuchBucket: 'The specified bucket does not exist',
  NoSuchBucketPolicy: 'The bucket policy does not exist',
  NoSuchCap: 'The cap does not exist.',
  NoSuchCORSConfiguration: 'The CORS configuration does not exist',
  NoSuchHostingConfiguration: 'The bucket has no hosting settings.',
  NoSuchKey: 'The specified key does not exist.',
  NoSuchLifecycleConfiguration: 'The lifecycle configuration does not exist',
  NoSuchObjectLockConfiguration: 'The specified object does not have a ObjectLock configuration',
  NoSuchTagSet: 'The TagSet does not exist',
  NoSuchVersion: 'The specified version does not exist.',
  NoSuchInvitation: 'There is no such invitation.',
  NoSuchMember: 'There is no such member.',
  NoSuchPasskey: 'There is no such passkey.',
  NoSuchResource: 'There is nothing at this address.',
  NoSuchSession: 'There is no such session.',
  NoSuchInvoice: 'There is no such invoice.',
  NoSuchRateCard: 'There is no such rate card.',
  NoSuchToken: 'There is no such token.',
  NoSuchPublicAccessBlockConfiguration: 'The public access block configuration was not found',
  NoSuchUpload: 'The specified upload does not exist. It may have been aborted or completed.',
  NoSuchWebhook: 'The webhook does not exist.',
  NoSuchWebsiteConfiguration: 'The specified bucket does not have a website configuration',
  NotImplemented: 'A header or query you provided implies functionality that is not implemented.',
  ObjectLockConfigurationNotFoundError: 'Object Lock configuration does not exist for this bucket',
  /** Ours: clients hear it as InternalError, with this message. */
  ObjectDamaged:
    'The stored bytes of this object are missing or damaged. ' +
    'Repeating the request will not help: tell the operator of this service.',
  OwnershipControlsNotFoundError: 'The bucket ownership controls were not found',
  PreconditionFailed: 'At least one of the preconditions you specified did not hold.',
  PreconditionRequired: 'Send If-Match with the ETag of what you change.',
  QuotaExceeded: 'The quota leaves no room for this.',
  RecentProofRequired:
    'This changes credentials. ' +
    'Prove who you are (POST /sessions/current/proof), then repeat the request.',
  RequestTimeTooSkewed: 'The difference between the request time and the server time is too large.',
  RequestTimeout:
    'Your socket connection to the server was not read from or written to ' +
    'within the timeout period.',
  ServerSideEncryptionConfigurationNotFoundError:
    'The server side encryption configuration was not found',
  ServiceUnavailable: 'The service cannot answer this request now.',
  SignatureDoesNotMatch:
    'The request signature we calculated does not match the signature you provided.',
  SlowDown: 'Please reduce your request rate.',
  SpendingCapReached: 'A spending cap is reached.',
  StorageFull: 'There is no room left to store this.',
  TooManyRequests: 'Too many requests. Try again later.',
  Unauthenticated: 'Sign in, or send a bearer token.',
  UsageCapReached: 'A usage cap is reached.',
  UnexpectedContent: 'This request does not support content.',
  UnsupportedMediaType: 'The body must be application/json.',
  UnresolvableGrantByEmailAddress:
    'The email address you provided does not match any account on record.',
  XAmzContentSHA256Mismatch: 'The x-amz-content-sha256 header does not match what was computed.',
  XAmzContentChecksumMismatch: 'The checksum header does not match what was computed.',
  /**
   * Ours: the caller decided on a bucket record that is no longer true. Resolved by
   * core/opened-bucket/bucket-handle.ts.
   */
  BucketChanged: 'The bucket changed meanwhile.',
  /**
   * Ours: the bucket needs more of its account's quota. Resolved by
   * core/opened-bucket/bucket-handle.ts.
   */
  StorageGrantNeeded: 'The bucket needs more of the quota of its account.',
  /**
   * Ours: a blob of a copy was condemned meanwhile. Resolved by reading the source
   * again.
   */
  NoSuchBlob: 'The bytes to copy are gone.',
} as const;

export type ErrorCode = keyof typeof ERROR_MESSAGES;

/**
 * A failure that ends a request. `fields` go into the rendered error as elements of
 * their own (S3: BucketName, Key, …).
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  readonly code: ErrorCode;
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    options: { detail?: string; cause?: unknown; fields?: Readonly<Record<string, string>> } = {},
  ) {
    super(
      options.detail ?? ERROR_MESSAGES[code],
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.code = code;
    this.fields = options.fields ?? {};
  }
}

/** Whether a failure is ours, and that one. */
export function hasCode(error: unknown, code: ErrorCode): error is StorageError {
  return error instanceof StorageError && error.code === code;
}
