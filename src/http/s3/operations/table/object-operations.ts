// Operations on one object or one version of it. A part of the table in
// operations.ts and read through it only; operation.ts says what an entry is.
import type { OperationName } from '../../call/detect.ts';
import { DATE_CONDITIONS, NEW_OBJECT } from '../../headers/refused-headers.ts';
import { answerGetObjectAcl, answerPutObjectAcl } from '../bucket/acl.ts';
import { answerGetObjectAttributes } from '../object/attributes.ts';
import { answerDeleteObject } from '../object/delete.ts';
import { answerRead } from '../object/get-head.ts';
import {
  answerGetObjectLegalHold,
  answerGetObjectRetention,
  answerPutObjectLegalHold,
  answerPutObjectRetention,
  readObjectLegalHold,
  readObjectRetention,
} from '../object/object-lock.ts';
import {
  answerDeleteObjectTagging,
  answerGetObjectTagging,
  answerPutObjectTagging,
  readObjectTagging,
} from '../object/object-tagging.ts';
import { answerPostObject } from '../object/post-object.ts';
import { answerCopyObject, answerPutObject } from '../object/put-copy.ts';
import { answerRestoreObject } from '../object/restore.ts';
import { answerGetObjectTorrent } from '../object/torrent.ts';
import { answerUpdateObjectEncryption } from '../object/update-encryption.ts';
import type { Operation } from './operation.ts';

/** A HEAD is a GET whose body is not sent. */
const READ = {
  scope: 'version',
  action: 's3:GetObject',
  versionAction: 's3:GetObjectVersion',
  body: 'none',
  meter: 'B',
  rejects: [],
  handle: answerRead,
} as const satisfies Operation;

/** The entries of this family by operation. */
export const OBJECT_OPERATIONS = {
  GetObject: READ,
  HeadObject: READ,
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
  RestoreObject: {
    scope: 'version',
    action: 's3:RestoreObject',
    versionAction: 's3:RestoreObject',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerRestoreObject,
  },
  UpdateObjectEncryption: {
    scope: 'version',
    action: 's3:UpdateObjectEncryption',
    versionAction: 's3:UpdateObjectEncryption',
    body: 'document',
    meter: 'A',
    rejects: [],
    handle: answerUpdateObjectEncryption,
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
} as const satisfies Partial<Record<OperationName, Operation>>;
