// Operations of multipart uploads. A part of the table in operations.ts and read
// through it only; operation.ts says what an entry is.
import type { OperationName } from '../../call/detect.ts';
import { DATE_CONDITIONS, NEW_OBJECT } from '../../headers/refused-headers.ts';
import {
  answerAbortMultipartUpload,
  answerCompleteMultipartUpload,
  answerCreateMultipartUpload,
  answerUploadPart,
  answerUploadPartCopy,
} from '../object/multipart.ts';
import { answerListParts } from '../object/multipart-list.ts';
import type { Operation } from './operation.ts';

/** The entries of this family by operation. */
export const UPLOAD_OPERATIONS = {
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
} as const satisfies Partial<Record<OperationName, Operation>>;
