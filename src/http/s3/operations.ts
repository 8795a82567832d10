// Everything the S3 surface can do, one entry per operation: who may call it, what body it takes, how it is metered,
// which headers it refuses and who answers it. routes.ts runs it; a missing operation does not compile.
import type { BucketAction, ObjectAction } from '../../core/auth/actions.ts';
import type { Core } from '../../core/core.ts';
import type { VersionChange } from '../../ports/metadata-index.ts';
import type { MeterEvent } from '../../ports/system.ts';
import type {
  AccountCall,
  BucketCall,
  NewBucketCall,
  ObjectCall,
  PrefixCall,
  S3Answer,
  S3Call,
  VersionCall,
} from './call.ts';
import type { OperationName } from './detect.ts';
import { answerGetBucketAcl, answerGetObjectAcl, answerPutBucketAcl, answerPutObjectAcl } from './ops/acl.ts';
import { answerGetObjectAttributes } from './ops/attributes.ts';
import {
  answerCreateBucket,
  answerDeleteBucket,
  answerGetBucketLocation,
  answerHeadBucket,
  answerListBuckets,
} from './ops/bucket.ts';
import { answerDeleteBucketCors, answerGetBucketCors, answerPutBucketCors } from './ops/bucket-cors.ts';
import {
  answerDeleteBucketEncryption,
  answerGetBucketEncryption,
  answerPutBucketEncryption,
} from './ops/bucket-encryption.ts';
import { answerDeleteBucketHosting, answerGetBucketHosting, answerPutBucketHosting } from './ops/bucket-hosting.ts';
import {
  answerDeleteBucketLifecycle,
  answerDryRunBucketLifecycle,
  answerGetBucketLifecycle,
  answerPutBucketLifecycle,
} from './ops/bucket-lifecycle.ts';
import { answerGetBucketLogging, answerPutBucketLogging } from './ops/bucket-logging.ts';
import {
  answerDeleteBucketPolicy,
  answerGetBucketPolicy,
  answerGetBucketPolicyStatus,
  answerPutBucketPolicy,
} from './ops/bucket-policy.ts';
import { answerDeleteBucketTagging, answerGetBucketTagging, answerPutBucketTagging } from './ops/bucket-tagging.ts';
import { answerDeleteBucketWebsite, answerGetBucketWebsite, answerPutBucketWebsite } from './ops/bucket-website.ts';
import { answerDeleteObject, answerDeleteObjects } from './ops/delete.ts';
import { answerRead } from './ops/get-head.ts';
import { answerListObjects, answerListObjectsV2 } from './ops/list.ts';
import {
  answerAbortMultipartUpload,
  answerCompleteMultipartUpload,
  answerCreateMultipartUpload,
  answerUploadPart,
  answerUploadPartCopy,
} from './ops/multipart.ts';
import { answerListMultipartUploads, answerListParts } from './ops/multipart-list.ts';
import { answerListNamedKeys, answerPutNamedKey } from './ops/named-keys.ts';
import {
  answerGetObjectLegalHold,
  answerGetObjectLockConfiguration,
  answerGetObjectRetention,
  answerPutObjectLegalHold,
  answerPutObjectLockConfiguration,
  answerPutObjectRetention,
  readObjectLegalHold,
  readObjectRetention,
} from './ops/object-lock.ts';
import {
  answerDeleteObjectTagging,
  answerGetObjectTagging,
  answerPutObjectTagging,
  readObjectTagging,
} from './ops/object-tagging.ts';
import { answerPostObject } from './ops/post-object.ts';
import {
  answerDeleteBucketOwnershipControls,
  answerDeletePublicAccessBlock,
  answerGetBucketOwnershipControls,
  answerGetPublicAccessBlock,
  answerPutBucketOwnershipControls,
  answerPutPublicAccessBlock,
} from './ops/public-access.ts';
import { answerPurge } from './ops/purge.ts';
import { answerCopyObject, answerPutObject } from './ops/put-copy.ts';
import { answerGetBucketRequestPayment, answerPutBucketRequestPayment } from './ops/request-payment.ts';
import { answerGetObjectTorrent } from './ops/torrent.ts';
import { answerGetBucketVersioning, answerListObjectVersions, answerPutBucketVersioning } from './ops/versions.ts';
import { answerDownloadZip } from './ops/zip.ts';
import { DATE_CONDITIONS, NEW_OBJECT } from './refused-headers.ts';

type Handle<Call> = (call: Call, core: Core) => S3Answer | Promise<S3Answer>;

/** The right that an operation needs; `versionAction` when it names a version. */
type NeedsObject = { readonly action: ObjectAction; readonly versionAction?: ObjectAction };

/**
 * `scope` says what is opened before `handle` runs, and so what the right is decided on. `object`: on the key, whether or
 * not there is an object. `version`: on the version that is found. `upload`: on the key, but who began the upload always
 * may. `keys`: the request lists the keys, each of which `handle` decides on. An account's own operations need no right.
 */
type Scope =
  | { readonly scope: 'account'; readonly handle: Handle<AccountCall> }
  | { readonly scope: 'new-bucket'; readonly handle: Handle<NewBucketCall> }
  | { readonly scope: 'bucket'; readonly action: BucketAction; readonly handle: Handle<BucketCall> }
  | { readonly scope: 'prefix'; readonly action: BucketAction; readonly handle: Handle<PrefixCall> }
  | { readonly scope: 'keys'; readonly action: ObjectAction; readonly handle: Handle<BucketCall> }
  | ({ readonly scope: 'object'; readonly handle: Handle<ObjectCall> } & NeedsObject)
  | ({
      readonly scope: 'version';
      readonly handle: Handle<VersionCall>;
      /** Reads from the body what the request sets and a policy may go by. */
      readonly readChange?: (call: S3Call, nowMs: number) => Promise<VersionChange>;
    } & Required<NeedsObject>)
  | { readonly scope: 'upload'; readonly action: ObjectAction; readonly handle: Handle<ObjectCall> };

export type Operation = Scope & {
  /** `document`: a small body read whole (XML, a policy); `stream`: an object's bytes; `none`: a body is not looked at. */
  readonly body: 'none' | 'document' | 'stream';
  /** Class of the request. Source: the classes of R2 (https://developers.cloudflare.com/r2/pricing/#class-a-operations). */
  readonly meter: MeterEvent['operationClass'];
  /** Headers that mean something we do not do: 501 NotImplemented, so that no wish is dropped without a word. */
  readonly rejects: readonly string[];
};

export const OPERATIONS = {
  ListBuckets: { scope: 'account', body: 'none', meter: 'A', rejects: [], handle: answerListBuckets },
  ListNamedKeys: { scope: 'account', body: 'none', meter: 'free', rejects: [], handle: answerListNamedKeys },
  PutNamedKey: { scope: 'account', body: 'document', meter: 'free', rejects: [], handle: answerPutNamedKey },
  CreateBucket: {
    scope: 'new-bucket',
    body: 'document',
    meter: 'A',
    rejects: ['x-amz-bucket-namespace'],
    handle: answerCreateBucket,
  },
  HeadBucket: {
    scope: 'bucket',
    action: 's3:ListBucket',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerHeadBucket,
  },
  DeleteBucket: {
    scope: 'bucket',
    action: 's3:DeleteBucket',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucket,
  },
  GetBucketLocation: {
    scope: 'bucket',
    action: 's3:GetBucketLocation',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketLocation,
  },
  GetBucketVersioning: {
    scope: 'bucket',
    action: 's3:GetBucketVersioning',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketVersioning,
  },
  PutBucketVersioning: {
    scope: 'bucket',
    action: 's3:PutBucketVersioning',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketVersioning,
  },
  GetBucketAcl: {
    scope: 'bucket',
    action: 's3:GetBucketAcl',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketAcl,
  },
  PutBucketAcl: {
    scope: 'bucket',
    action: 's3:PutBucketAcl',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketAcl,
  },
  GetBucketPolicy: {
    scope: 'bucket',
    action: 's3:GetBucketPolicy',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketPolicy,
  },
  PutBucketPolicy: {
    scope: 'bucket',
    action: 's3:PutBucketPolicy',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketPolicy,
  },
  DeleteBucketPolicy: {
    scope: 'bucket',
    action: 's3:DeleteBucketPolicy',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketPolicy,
  },
  GetBucketPolicyStatus: {
    scope: 'bucket',
    action: 's3:GetBucketPolicyStatus',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketPolicyStatus,
  },
  GetPublicAccessBlock: {
    scope: 'bucket',
    action: 's3:GetBucketPublicAccessBlock',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetPublicAccessBlock,
  },
  PutPublicAccessBlock: {
    scope: 'bucket',
    action: 's3:PutBucketPublicAccessBlock',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutPublicAccessBlock,
  },
  DeletePublicAccessBlock: {
    scope: 'bucket',
    action: 's3:PutBucketPublicAccessBlock',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeletePublicAccessBlock,
  },
  GetBucketOwnershipControls: {
    scope: 'bucket',
    action: 's3:GetBucketOwnershipControls',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketOwnershipControls,
  },
  PutBucketOwnershipControls: {
    scope: 'bucket',
    action: 's3:PutBucketOwnershipControls',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketOwnershipControls,
  },
  DeleteBucketOwnershipControls: {
    scope: 'bucket',
    action: 's3:PutBucketOwnershipControls',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketOwnershipControls,
  },
  GetBucketCors: {
    scope: 'bucket',
    action: 's3:GetBucketCORS',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketCors,
  },
  PutBucketCors: {
    scope: 'bucket',
    action: 's3:PutBucketCORS',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketCors,
  },
  DeleteBucketCors: {
    scope: 'bucket',
    action: 's3:PutBucketCORS',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketCors,
  },
  GetBucketEncryption: {
    scope: 'bucket',
    action: 's3:GetEncryptionConfiguration',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketEncryption,
  },
  PutBucketEncryption: {
    scope: 'bucket',
    action: 's3:PutEncryptionConfiguration',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketEncryption,
  },
  DeleteBucketEncryption: {
    scope: 'bucket',
    action: 's3:PutEncryptionConfiguration',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketEncryption,
  },
  GetBucketRequestPayment: {
    scope: 'bucket',
    action: 's3:GetBucketRequestPayment',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketRequestPayment,
  },
  PutBucketRequestPayment: {
    scope: 'bucket',
    action: 's3:PutBucketRequestPayment',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketRequestPayment,
  },
  GetBucketLogging: {
    scope: 'bucket',
    action: 's3:GetBucketLogging',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketLogging,
  },
  PutBucketLogging: {
    scope: 'bucket',
    action: 's3:PutBucketLogging',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketLogging,
  },
  GetBucketWebsite: {
    scope: 'bucket',
    action: 's3:GetBucketWebsite',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketWebsite,
  },
  PutBucketWebsite: {
    scope: 'bucket',
    action: 's3:PutBucketWebsite',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketWebsite,
  },
  DeleteBucketWebsite: {
    scope: 'bucket',
    action: 's3:DeleteBucketWebsite',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketWebsite,
  },
  GetBucketTagging: {
    scope: 'bucket',
    action: 's3:GetBucketTagging',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketTagging,
  },
  PutBucketTagging: {
    scope: 'bucket',
    action: 's3:PutBucketTagging',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketTagging,
  },
  DeleteBucketTagging: {
    scope: 'bucket',
    action: 's3:PutBucketTagging',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketTagging,
  },
  GetObjectLockConfiguration: {
    scope: 'bucket',
    action: 's3:GetBucketObjectLockConfiguration',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectLockConfiguration,
  },
  PutObjectLockConfiguration: {
    scope: 'bucket',
    action: 's3:PutBucketObjectLockConfiguration',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectLockConfiguration,
  },
  GetBucketLifecycleConfiguration: {
    scope: 'bucket',
    action: 's3:GetLifecycleConfiguration',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketLifecycle,
  },
  PutBucketLifecycleConfiguration: {
    scope: 'bucket',
    action: 's3:PutLifecycleConfiguration',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketLifecycle,
  },
  DeleteBucketLifecycle: {
    scope: 'bucket',
    action: 's3:PutLifecycleConfiguration',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketLifecycle,
  },
  DryRunBucketLifecycle: {
    scope: 'bucket',
    action: 's3:GetLifecycleConfiguration',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerDryRunBucketLifecycle,
  },
  GetBucketHosting: {
    scope: 'bucket',
    action: 's3:GetBucketWebsite',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketHosting,
  },
  PutBucketHosting: {
    scope: 'bucket',
    action: 's3:PutBucketWebsite',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketHosting,
  },
  DeleteBucketHosting: {
    scope: 'bucket',
    action: 's3:DeleteBucketWebsite',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketHosting,
  },
  ListObjects: {
    scope: 'bucket',
    action: 's3:ListBucket',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListObjects,
  },
  ListObjectsV2: {
    scope: 'bucket',
    action: 's3:ListBucket',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListObjectsV2,
  },
  ListObjectVersions: {
    scope: 'bucket',
    action: 's3:ListBucketVersions',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListObjectVersions,
  },
  DownloadZip: {
    scope: 'prefix',
    action: 's3:ListBucket',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerDownloadZip,
  },
  PurgeBucket: {
    scope: 'bucket',
    action: 's3:PutBucketWebsite',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPurge,
  },
  DeleteObjects: {
    scope: 'keys',
    action: 's3:DeleteObject',
    body: 'document',
    meter: 'free',
    rejects: [],
    handle: answerDeleteObjects,
  },
  ListMultipartUploads: {
    scope: 'bucket',
    action: 's3:ListBucketMultipartUploads',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListMultipartUploads,
  },
  GetObject: {
    scope: 'version',
    action: 's3:GetObject',
    versionAction: 's3:GetObjectVersion',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerRead,
  },
  HeadObject: {
    scope: 'version',
    action: 's3:GetObject',
    versionAction: 's3:GetObjectVersion',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerRead,
  },
  GetObjectAttributes: {
    scope: 'version',
    action: 's3:GetObjectAttributes',
    versionAction: 's3:GetObjectVersionAttributes',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectAttributes,
  },
  GetObjectTorrent: {
    scope: 'version',
    action: 's3:GetObjectTorrent',
    versionAction: 's3:GetObjectVersionTorrent',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectTorrent,
  },
  GetObjectAcl: {
    scope: 'version',
    action: 's3:GetObjectAcl',
    versionAction: 's3:GetObjectVersionAcl',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectAcl,
  },
  PutObjectAcl: {
    scope: 'version',
    action: 's3:PutObjectAcl',
    versionAction: 's3:PutObjectVersionAcl',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectAcl,
  },
  GetObjectRetention: {
    scope: 'version',
    action: 's3:GetObjectRetention',
    versionAction: 's3:GetObjectRetention',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectRetention,
  },
  PutObjectRetention: {
    scope: 'version',
    action: 's3:PutObjectRetention',
    versionAction: 's3:PutObjectRetention',
    body: 'document',
    meter: 'A',
    rejects: [],
    readChange: readObjectRetention,
    handle: answerPutObjectRetention,
  },
  GetObjectLegalHold: {
    scope: 'version',
    action: 's3:GetObjectLegalHold',
    versionAction: 's3:GetObjectLegalHold',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectLegalHold,
  },
  PutObjectLegalHold: {
    scope: 'version',
    action: 's3:PutObjectLegalHold',
    versionAction: 's3:PutObjectLegalHold',
    body: 'document',
    meter: 'A',
    rejects: [],
    readChange: readObjectLegalHold,
    handle: answerPutObjectLegalHold,
  },
  GetObjectTagging: {
    scope: 'version',
    action: 's3:GetObjectTagging',
    versionAction: 's3:GetObjectVersionTagging',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectTagging,
  },
  PutObjectTagging: {
    scope: 'version',
    action: 's3:PutObjectTagging',
    versionAction: 's3:PutObjectVersionTagging',
    readChange: readObjectTagging,
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectTagging,
  },
  DeleteObjectTagging: {
    scope: 'version',
    action: 's3:DeleteObjectTagging',
    versionAction: 's3:DeleteObjectVersionTagging',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteObjectTagging,
  },
  PutObject: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'stream',
    meter: 'A',
    rejects: [...NEW_OBJECT, 'x-amz-write-offset-bytes'],
    handle: answerPutObject,
  },
  PostObject: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'stream',
    meter: 'A',
    rejects: NEW_OBJECT,
    handle: answerPostObject,
  },
  CopyObject: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'none',
    meter: 'A',
    rejects: NEW_OBJECT,
    handle: answerCopyObject,
  },
  DeleteObject: {
    scope: 'object',
    action: 's3:DeleteObject',
    versionAction: 's3:DeleteObjectVersion',
    body: 'none',
    meter: 'free',
    rejects: [...DATE_CONDITIONS, 'if-none-match'],
    handle: answerDeleteObject,
  },
  CreateMultipartUpload: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'none',
    meter: 'A',
    rejects: NEW_OBJECT,
    handle: answerCreateMultipartUpload,
  },
  UploadPart: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'stream',
    meter: 'A',
    rejects: ['if-match', 'if-none-match'],
    handle: answerUploadPart,
  },
  UploadPartCopy: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'none',
    meter: 'A',
    rejects: ['if-match', 'if-none-match'],
    handle: answerUploadPartCopy,
  },
  ListParts: {
    scope: 'upload',
    action: 's3:ListMultipartUploadParts',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListParts,
  },
  CompleteMultipartUpload: {
    scope: 'object',
    action: 's3:PutObject',
    body: 'document',
    meter: 'A',
    rejects: [...DATE_CONDITIONS],
    handle: answerCompleteMultipartUpload,
  },
  AbortMultipartUpload: {
    scope: 'upload',
    action: 's3:AbortMultipartUpload',
    body: 'none',
    meter: 'free',
    rejects: ['x-amz-if-match-initiated-time'],
    handle: answerAbortMultipartUpload,
  },
} as const satisfies Record<OperationName, Operation>;
