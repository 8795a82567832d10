// Operations on what a bucket is set to do: versions, lock, lifecycle, encryption,
// websites, CORS, logs, tags. A part of the table in operations.ts and read through
// it only; operation.ts says what an entry is.
import type { OperationName } from '../../call/detect.ts';
import {
  answerDeleteBucketCors,
  answerGetBucketCors,
  answerPutBucketCors,
} from '../bucket/bucket-cors.ts';
import {
  answerDeleteBucketEncryption,
  answerGetBucketEncryption,
  answerPutBucketEncryption,
} from '../bucket/bucket-encryption.ts';
import {
  answerDeleteBucketHosting,
  answerGetBucketHosting,
  answerPutBucketHosting,
} from '../bucket/bucket-hosting.ts';
import {
  answerDeleteBucketLifecycle,
  answerDryRunBucketLifecycle,
  answerGetBucketLifecycle,
  answerPutBucketLifecycle,
} from '../bucket/bucket-lifecycle.ts';
import { answerGetBucketLogging, answerPutBucketLogging } from '../bucket/bucket-logging.ts';
import {
  answerGetBucketNotification,
  answerPutBucketNotification,
} from '../bucket/bucket-notification.ts';
import {
  answerDeleteBucketTagging,
  answerGetBucketTagging,
  answerPutBucketTagging,
} from '../bucket/bucket-tagging.ts';
import {
  answerDeleteBucketWebsite,
  answerGetBucketWebsite,
  answerPutBucketWebsite,
} from '../bucket/bucket-website.ts';
import {
  answerGetBucketRequestPayment,
  answerPutBucketRequestPayment,
} from '../bucket/request-payment.ts';
import {
  answerGetObjectLockConfiguration,
  answerPutObjectLockConfiguration,
} from '../object/object-lock.ts';
import { answerGetBucketVersioning, answerPutBucketVersioning } from '../object/versions.ts';
import type { Operation } from './operation.ts';

/** The entries of this family by operation. */
export const SETTING_OPERATIONS = {
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
  GetBucketNotificationConfiguration: {
    scope: 'bucket',
    action: 's3:GetBucketNotification',
    body: 'none',
    meter: 'B',
    rejects: [],
    handle: answerGetBucketNotification,
  },
  PutBucketNotificationConfiguration: {
    scope: 'bucket',
    action: 's3:PutBucketNotification',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerPutBucketNotification,
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
} as const satisfies Partial<Record<OperationName, Operation>>;
