// Everything the S3 surface can do, one entry per operation: who may call it, what body it takes, how it is metered,
// which headers it refuses and who answers it. routes.ts runs it; a missing operation does not compile.
import type { Access } from '../../core/auth/authorize.ts';
import type { Core } from '../../core/core.ts';
import type { MeterEvent } from '../../ports/system.ts';
import type { AccountCall, BucketCall, NewBucketCall, ObjectCall, PrefixCall, S3Answer } from './call.ts';
import type { OperationName } from './detect.ts';
import { answerGetObjectAttributes } from './ops/attributes.ts';
import {
  answerCreateBucket,
  answerDeleteBucket,
  answerGetBucketLocation,
  answerHeadBucket,
  answerListBuckets,
} from './ops/bucket.ts';
import {
  answerDeleteBucketPolicy,
  answerGetBucketAcl,
  answerGetBucketPolicy,
  answerGetObjectAcl,
  answerPutBucketAcl,
  answerPutBucketPolicy,
} from './ops/bucket-access.ts';
import { answerDeleteBucketCors, answerGetBucketCors, answerPutBucketCors } from './ops/bucket-cors.ts';
import {
  answerDeleteBucketEncryption,
  answerGetBucketEncryption,
  answerPutBucketEncryption,
} from './ops/bucket-encryption.ts';
import { answerDeleteBucketHosting, answerGetBucketHosting, answerPutBucketHosting } from './ops/bucket-hosting.ts';
import {
  answerDeleteBucketLifecycle,
  answerGetBucketLifecycle,
  answerPutBucketLifecycle,
} from './ops/bucket-lifecycle.ts';
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
} from './ops/object-lock.ts';
import { answerDeleteObjectTagging, answerGetObjectTagging, answerPutObjectTagging } from './ops/object-tagging.ts';
import { answerPostObject } from './ops/post-object.ts';
import { answerCopyObject, answerPutObject } from './ops/put-copy.ts';
import { answerGetBucketVersioning, answerListObjectVersions, answerPutBucketVersioning } from './ops/versions.ts';
import { answerDownloadZip } from './ops/zip.ts';
import { DATE_CONDITIONS, GRANTS, NEW_OBJECT } from './refused-headers.ts';

type Handle<Call> = (call: Call, core: Core) => S3Answer | Promise<S3Answer>;

/** `scope` says what is opened before `handle` runs; an account's own operations ask for no bucket's permission. */
type Scope =
  | { readonly scope: 'account'; readonly handle: Handle<AccountCall> }
  | { readonly scope: 'new-bucket'; readonly handle: Handle<NewBucketCall> }
  | { readonly scope: 'bucket'; readonly access: Access; readonly handle: Handle<BucketCall> }
  | { readonly scope: 'prefix'; readonly access: Access; readonly handle: Handle<PrefixCall> }
  | { readonly scope: 'object'; readonly access: Access; readonly handle: Handle<ObjectCall> };

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
    rejects: [...GRANTS, 'x-amz-object-ownership', 'x-amz-bucket-namespace'],
    handle: answerCreateBucket,
  },
  HeadBucket: { scope: 'bucket', access: 'list', body: 'none', meter: 'B', rejects: [], handle: answerHeadBucket },
  DeleteBucket: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucket,
  },
  GetBucketLocation: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketLocation,
  },
  GetBucketVersioning: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketVersioning,
  },
  PutBucketVersioning: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketVersioning,
  },
  GetBucketAcl: { scope: 'bucket', access: 'owner', body: 'none', meter: 'B', rejects: [], handle: answerGetBucketAcl },
  PutBucketAcl: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: GRANTS,
    handle: answerPutBucketAcl,
  },
  GetBucketPolicy: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketPolicy,
  },
  PutBucketPolicy: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketPolicy,
  },
  DeleteBucketPolicy: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketPolicy,
  },
  GetBucketCors: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketCors,
  },
  PutBucketCors: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketCors,
  },
  DeleteBucketCors: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketCors,
  },
  GetBucketEncryption: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketEncryption,
  },
  PutBucketEncryption: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketEncryption,
  },
  DeleteBucketEncryption: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketEncryption,
  },
  GetBucketWebsite: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketWebsite,
  },
  PutBucketWebsite: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketWebsite,
  },
  DeleteBucketWebsite: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketWebsite,
  },
  GetBucketTagging: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketTagging,
  },
  PutBucketTagging: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketTagging,
  },
  DeleteBucketTagging: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketTagging,
  },
  GetObjectLockConfiguration: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectLockConfiguration,
  },
  PutObjectLockConfiguration: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectLockConfiguration,
  },
  GetBucketLifecycleConfiguration: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketLifecycle,
  },
  PutBucketLifecycleConfiguration: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketLifecycle,
  },
  DeleteBucketLifecycle: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketLifecycle,
  },
  GetBucketHosting: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketHosting,
  },
  PutBucketHosting: {
    scope: 'bucket',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketHosting,
  },
  DeleteBucketHosting: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteBucketHosting,
  },
  ListObjects: { scope: 'bucket', access: 'list', body: 'none', meter: 'A', rejects: [], handle: answerListObjects },
  ListObjectsV2: {
    scope: 'bucket',
    access: 'list',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListObjectsV2,
  },
  ListObjectVersions: {
    scope: 'bucket',
    access: 'list',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListObjectVersions,
  },
  DownloadZip: {
    scope: 'prefix',
    access: 'list',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerDownloadZip,
  },
  DeleteObjects: {
    scope: 'bucket',
    access: 'write',
    body: 'document',
    meter: 'free',
    rejects: [],
    handle: answerDeleteObjects,
  },
  ListMultipartUploads: {
    scope: 'bucket',
    access: 'owner',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListMultipartUploads,
  },
  GetObject: {
    scope: 'object',
    access: 'read-object',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerRead,
  },
  HeadObject: {
    scope: 'object',
    access: 'read-object',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerRead,
  },
  GetObjectAttributes: {
    scope: 'object',
    access: 'read-object',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectAttributes,
  },
  GetObjectAcl: { scope: 'object', access: 'owner', body: 'none', meter: 'B', rejects: [], handle: answerGetObjectAcl },
  GetObjectRetention: {
    scope: 'object',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectRetention,
  },
  PutObjectRetention: {
    scope: 'object',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectRetention,
  },
  GetObjectLegalHold: {
    scope: 'object',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectLegalHold,
  },
  PutObjectLegalHold: {
    scope: 'object',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectLegalHold,
  },
  GetObjectTagging: {
    scope: 'object',
    access: 'owner',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetObjectTagging,
  },
  PutObjectTagging: {
    scope: 'object',
    access: 'owner',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutObjectTagging,
  },
  DeleteObjectTagging: {
    scope: 'object',
    access: 'owner',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerDeleteObjectTagging,
  },
  PutObject: {
    scope: 'object',
    access: 'write',
    body: 'stream',
    meter: 'A',
    rejects: [...NEW_OBJECT, 'x-amz-write-offset-bytes'],
    handle: answerPutObject,
  },
  PostObject: {
    scope: 'object',
    access: 'write',
    body: 'stream',
    meter: 'A',
    rejects: NEW_OBJECT,
    handle: answerPostObject,
  },
  CopyObject: {
    scope: 'object',
    access: 'write',
    body: 'none',
    meter: 'A',
    rejects: NEW_OBJECT,
    handle: answerCopyObject,
  },
  DeleteObject: {
    scope: 'object',
    access: 'write',
    body: 'none',
    meter: 'free',
    rejects: [...DATE_CONDITIONS, 'if-none-match'],
    handle: answerDeleteObject,
  },
  CreateMultipartUpload: {
    scope: 'object',
    access: 'write',
    body: 'none',
    meter: 'A',
    rejects: NEW_OBJECT,
    handle: answerCreateMultipartUpload,
  },
  UploadPart: {
    scope: 'object',
    access: 'write',
    body: 'stream',
    meter: 'A',
    rejects: ['if-match', 'if-none-match'],
    handle: answerUploadPart,
  },
  UploadPartCopy: {
    scope: 'object',
    access: 'write',
    body: 'none',
    meter: 'A',
    rejects: ['if-match', 'if-none-match'],
    handle: answerUploadPartCopy,
  },
  ListParts: {
    scope: 'object',
    access: 'write',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListParts,
  },
  CompleteMultipartUpload: {
    scope: 'object',
    access: 'write',
    body: 'document',
    meter: 'A',
    rejects: [...DATE_CONDITIONS],
    handle: answerCompleteMultipartUpload,
  },
  AbortMultipartUpload: {
    scope: 'object',
    access: 'write',
    body: 'none',
    meter: 'free',
    rejects: ['x-amz-if-match-initiated-time'],
    handle: answerAbortMultipartUpload,
  },
} as const satisfies Record<OperationName, Operation>;
