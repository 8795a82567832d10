// Operations on who may use a bucket: ACL, policy, ownership, block of public
// access. A part of the table in operations.ts and read through it only;
// operation.ts says what an entry is.
import type { OperationName } from '../../call/detect.ts';
import { answerGetBucketAcl, answerPutBucketAcl } from '../bucket/acl.ts';
import {
  answerDeleteBucketPolicy,
  answerGetBucketPolicy,
  answerGetBucketPolicyStatus,
  answerPutBucketPolicy,
} from '../bucket/bucket-policy.ts';
import {
  answerDeleteBucketOwnershipControls,
  answerDeletePublicAccessBlock,
  answerGetBucketOwnershipControls,
  answerGetPublicAccessBlock,
  answerPutBucketOwnershipControls,
  answerPutPublicAccessBlock,
} from '../bucket/public-access.ts';
import type { Operation } from './operation.ts';

/** The entries of this family by operation. */
export const ACCESS_OPERATIONS = {
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
} as const satisfies Partial<Record<OperationName, Operation>>;
