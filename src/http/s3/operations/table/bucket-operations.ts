// Operations on buckets as wholes: their life, what lies in them, and many keys at
// once; with those of an account. A part of the table in operations.ts and read
// through it only; operation.ts says what an entry is.
import type { OperationName } from '../../call/detect.ts';
import {
  answerCreateBucket,
  answerDeleteBucket,
  answerGetBucketLocation,
  answerHeadBucket,
  answerListBuckets,
} from '../bucket/bucket.ts';
import { answerListKmsKeys, answerPutKmsKey } from '../bucket/kms-keys.ts';
import { answerPurge } from '../bucket/purge.ts';
import { answerDeleteObjects } from '../object/delete.ts';
import { answerListObjects, answerListObjectsV2 } from '../object/list.ts';
import { answerListMultipartUploads } from '../object/multipart-list.ts';
import { answerListObjectVersions } from '../object/versions.ts';
import { answerDownloadZip } from '../object/zip.ts';
import type { Operation } from './operation.ts';

/** The entries of this family by operation. */
export const BUCKET_OPERATIONS = {
  ListBuckets: {
    scope: 'account',
    action: 's3:ListAllMyBuckets',
    body: 'none',
    meter: 'A',
    rejects: [],
    handle: answerListBuckets,
  },
  ListKmsKeys: {
    scope: 'account',
    action: 'kms:ListKeys',
    body: 'none',
    meter: 'free',
    rejects: [],
    handle: answerListKmsKeys,
  },
  PutKmsKey: {
    scope: 'account',
    action: 'kms:CreateKey',
    body: 'document',
    meter: 'free',
    rejects: [],
    handle: answerPutKmsKey,
  },
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
    versionAction: 's3:DeleteObjectVersion',
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
} as const satisfies Partial<Record<OperationName, Operation>>;
