// Cause and way out of each error that S3 clients meet. docs-html.ts shows them at
// the address that `type` of a problem names; scripts/errors-page.ts writes
// docs/errors.md from them.
import type { ErrorCode } from '../domain/errors.ts';

/** Why a request failed, and what its sender can do. */
export type ErrorHelp = readonly [cause: string, wayOut: string];

export const S3_ERROR_HELP = {
  AccessControlListNotSupported: [
    'The object ownership of the bucket is BucketOwnerEnforced, which turns ACLs off.',
    'Leave the ACL out, or open the bucket by a policy.',
  ],
  AccessDenied: [
    'The caller has no right to this: policy, ACL, scope of the key or block of public access.',
    'Sign with a key of the bucket owner: the message then names what denies.',
  ],
  AccessForbidden: [
    'No CORS rule of the bucket allows this origin, method or header.',
    'Add a rule with PutBucketCors.',
  ],
  AuthorizationHeaderMalformed: [
    'The header Authorization is no signature of Version 4 that can be read.',
    'Let an SDK sign; check that no proxy changes the header.',
  ],
  AuthorizationQueryParametersError: [
    'A presigned URL lacks a parameter, or has one that cannot be used.',
    'Presign it anew; X-Amz-Expires is 1 to 604800 seconds.',
  ],
  BadDigest: [
    'The bytes that came have another MD5 or checksum than the request says.',
    'Send it again; if it comes back, look for a proxy that changes bodies.',
  ],
  BadRequest: [
    'A preflight lacks Origin or Access-Control-Request-Method.',
    'Send both headers; browsers do.',
  ],
  BucketAlreadyExists: ['Another account has a bucket of this name.', 'Choose another name.'],
  BucketAlreadyOwnedByYou: ['You have a bucket of this name.', 'Use it; nothing needs to be made.'],
  BucketNotEmpty: [
    'The bucket has objects, older versions or unfinished uploads.',
    'Delete them first, older versions and delete markers included.',
  ],
  ConditionalRequestConflict: [
    'Another request changed the same thing at the same moment.',
    'Repeat the request.',
  ],
  EntityTooLarge: [
    'The object, part or form is larger than S3 or the policy of the form allows.',
    'Use a multipart upload, or allow more in the policy.',
  ],
  EntityTooSmall: [
    'A part but the last has less than 5 MiB, or a form less than its policy wants.',
    'Send larger parts.',
  ],
  ExpiredToken: [
    'Reserved: the service gives out no temporary credentials, so none expires.',
    'Sign with an access key.',
  ],
  IllegalLocationConstraintException: [
    'The location constraint names another region than the one of the service.',
    'Leave it out, or use the region that GetBucketLocation names.',
  ],
  IncompleteBody: [
    'The connection ended before the body did, or the body has another length than announced.',
    'Send it again; nothing was stored.',
  ],
  InternalError: [
    'The service failed, or stored bytes are damaged; the message tells these two apart.',
    'Repeat the request; if that does not help, give the request id to the operator.',
  ],
  InvalidAccessKeyId: [
    'There is no such access key, or it has expired or is disabled.',
    'Check the key id and the endpoint; make a new key if it has expired.',
  ],
  InvalidArgument: [
    'A header or query parameter has a value that cannot be used.',
    'Read the message: it names the argument.',
  ],
  InvalidBucketAclWithObjectOwnership: [
    'The bucket has ACLs that BucketOwnerEnforced would turn off.',
    'Set the ACL to private first.',
  ],
  InvalidBucketName: [
    'The name breaks the rules of bucket names.',
    'Use 3 to 63 lower-case letters, digits, dots and hyphens.',
  ],
  InvalidBucketState: [
    'Another setting of the bucket forbids this one, such as object lock without versioning.',
    'Change the other setting first; the message names it.',
  ],
  InvalidDigest: [
    'Content-MD5 or a checksum header is no digest of that algorithm in base64.',
    'Send 16 bytes of MD5 in base64, or leave the header out.',
  ],
  InvalidEncryptionAlgorithmError: [
    'The encryption header names an algorithm that is not known.',
    'Use AES256 or aws:kms.',
  ],
  InvalidLocationConstraint: [
    'The location constraint has characters that no region has.',
    'Leave it out.',
  ],
  InvalidObjectState: [
    'The object is in no archive, so there is nothing to restore.',
    'Read it: every storage class can be read at once.',
  ],
  InvalidPart: [
    'A part of the list was never uploaded, or its ETag is another one.',
    'Compare with ListParts and upload what is missing.',
  ],
  InvalidPartOrder: ['The parts are not in ascending order.', 'Sort the list by part number.'],
  InvalidPolicyDocument: [
    'The form does not meet its own policy.',
    'Add the field that the message names to the policy, or leave it out of the form.',
  ],
  InvalidRange: ['The range begins behind the end of the object.', 'Ask for its size by HEAD.'],
  InvalidRequest: [
    'Headers or fields contradict each other, or something that they need is missing.',
    'Read the message: it says which.',
  ],
  InvalidRetentionPeriod: [
    'The retention has no days or years, or not a positive number of them.',
    'Send a positive whole number.',
  ],
  InvalidStorageClass: ['The storage class is not known.', "Use one of S3's classes."],
  InvalidTag: [
    'A tag is too long, has characters that S3 does not allow, or comes twice.',
    'Use keys of up to 128 and values of up to 256 characters, each key once.',
  ],
  InvalidTargetBucketForLogging: [
    'The bucket for the logs is missing, is not yours or refuses them.',
    'Name a bucket of yours that lets the service write.',
  ],
  InvalidURI: [
    'The key is empty, or its percent-encoding is no UTF-8.',
    'Encode the key as UTF-8, then percent-encode it.',
  ],
  'KMS.DisabledException': ['The KMS key is disabled.', 'Enable it, or name another key.'],
  'KMS.NotFoundException': [
    'There is no such KMS key, or your account may not use it.',
    'Ask the operator for the id of a key.',
  ],
  KeyTooLongError: ['The key has more than 1,024 bytes of UTF-8.', 'Use a shorter key.'],
  MalformedPOSTRequest: [
    'The body is no multipart/form-data, or it ends early.',
    'Let the browser or a library build the form.',
  ],
  MalformedPolicy: [
    'The bucket policy is no JSON of the right form, or names what cannot be enforced.',
    'Read the message: it names the statement.',
  ],
  MalformedXML: [
    'The XML is not well-formed, or has elements that S3 does not know there.',
    'Compare the body with the page of the operation in the S3 reference.',
  ],
  MaxMessageLengthExceeded: [
    'The body of a setting or a list is too long.',
    'Send it in several requests.',
  ],
  MaxPostPreDataLengthExceededError: [
    'The fields of the form before its file are too long.',
    'Shorten the fields; the file must be the last one.',
  ],
  MetadataTooLarge: [
    'The x-amz-meta- headers are longer than S3 allows together.',
    'Keep less than 2 KB of metadata.',
  ],
  MethodNotAllowed: [
    'This method does not exist here, or the version is a delete marker.',
    'Use a method of the header Allow.',
  ],
  MissingContentLength: [
    'The upload has no Content-Length and is not chunked as S3 wants it.',
    'Send Content-Length or x-amz-decoded-content-length.',
  ],
  MissingSecurityHeader: [
    'A header that the operation needs is missing.',
    'Send the header that MissingHeaderName names.',
  ],
  NoSuchBucket: [
    'There is no bucket of this name.',
    'Check the name and the endpoint, or create it.',
  ],
  NoSuchBucketPolicy: ['The bucket has no policy.', 'Take it for empty, or put one.'],
  NoSuchCORSConfiguration: ['The bucket has no CORS rules.', 'Take it for empty, or put some.'],
  NoSuchHostingConfiguration: [
    'The bucket has no hosting settings.',
    'Put some with PUT /{bucket}?hosting.',
  ],
  NoSuchKey: [
    'There is no object under this key; keys are compared byte by byte.',
    'List the bucket with the start of the key.',
  ],
  NoSuchLifecycleConfiguration: [
    'The bucket has no lifecycle rules.',
    'Take it for empty, or put some.',
  ],
  NoSuchObjectLockConfiguration: [
    'The object has no retention or legal hold.',
    'Take it for unprotected, or put one.',
  ],
  NoSuchPublicAccessBlockConfiguration: [
    'The bucket has no block of public access.',
    'Take all four switches for off, or put one.',
  ],
  NoSuchTagSet: ['The bucket has no tags.', 'Take it for empty, or put some.'],
  NoSuchUpload: [
    'The multipart upload was completed, aborted or given up, or never begun.',
    'Begin a new one; CompleteMultipartUpload may be repeated for seven days.',
  ],
  NoSuchVersion: ['The object has no version of this id.', 'Use an id of ListObjectVersions.'],
  NoSuchWebsiteConfiguration: [
    'The bucket has no website configuration.',
    'Put one with PutBucketWebsite.',
  ],
  NotImplemented: [
    'The request needs a part of S3 that the service does not have; the message names it.',
    'Read docs/s3-compatibility.md for what there is instead.',
  ],
  ObjectLockConfigurationNotFoundError: [
    'Object lock is off in this bucket.',
    'Turn it on with PutObjectLockConfiguration.',
  ],
  OwnershipControlsNotFoundError: [
    'The bucket has no ownership controls.',
    'Take it for ObjectWriter, or put some.',
  ],
  PreconditionFailed: [
    'If-Match, If-None-Match or a condition on the date does not hold.',
    'Read the object again and decide anew.',
  ],
  RequestTimeTooSkewed: [
    'The clocks of client and server differ by more than 15 minutes.',
    'Set the clock of the client; the response has the time of the server.',
  ],
  RequestTimeout: [
    'The body came too slowly, or the upload took longer than its bytes are kept.',
    'Send it again, large objects as a multipart upload.',
  ],
  ServerSideEncryptionConfigurationNotFoundError: [
    'The bucket has no default encryption.',
    'Take it for none, or put one.',
  ],
  ServiceUnavailable: [
    'A part of the service does not answer, or a secret of its configuration is missing.',
    'Wait and repeat; the operator finds the cause at /-/ready and in the log.',
  ],
  SignatureDoesNotMatch: [
    'The client signed another text than the server read, or with another secret.',
    'Check the secret key; then look for a proxy that changes Host, path or headers.',
  ],
  SlowDown: [
    'Too much of one kind is under way for this account, bucket or address.',
    'Wait and repeat, with fewer requests at once.',
  ],
  StorageFull: [
    'The disk of the server has no room but its reserve.',
    'Delete objects, or let the operator make room; reads go on.',
  ],
  UnexpectedContent: [
    'The request has a body where there may be none.',
    'Send either the header or the body, not both.',
  ],
  UnresolvableGrantByEmailAddress: [
    'No account has the address of the grant.',
    'Name the account by its id.',
  ],
  XAmzContentChecksumMismatch: [
    'Reserved: a wrong checksum is answered BadDigest.',
    'Send the body again.',
  ],
  XAmzContentSHA256Mismatch: [
    'The body has another SHA-256 than x-amz-content-sha256 says.',
    'Sign the bytes that are sent, or use UNSIGNED-PAYLOAD over TLS.',
  ],
} as const satisfies Partial<Record<ErrorCode, ErrorHelp>>;
