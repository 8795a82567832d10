// From a call to an operation that may run: opens the bucket, the version or the
// upload that the operation works on, and decides with it whether the caller may.
// Nothing reaches a handler but through here. routes.ts calls it once for each
// request.
import { idOf } from '../../core/auth/acl.ts';
import { mayPolicyAllow } from '../../core/auth/decide.ts';
import type { ObjectAction } from '../../core/auth/policy/actions.ts';
import type { Core } from '../../core/core.ts';
import { type BucketHandle, openBucket } from '../../core/opened-bucket/bucket-handle.ts';
import { parseBucketName, parseObjectKey } from '../../core/parse-names.ts';
import { hasCode, StorageError } from '../../domain/errors.ts';
import type { BucketName, BucketRecord, ObjectKey } from '../../domain/nouns.ts';
import type { VersionChange } from '../../domain/object-facts.ts';
import { accessDenied, requireAllowed, requireScope, type Wanted } from '../access/decide-call.ts';
import {
  type AccountCall,
  changerOf,
  payerOf,
  type S3Call,
  type S3Response,
  type Target,
} from './call/call.ts';
import { openVersion, type VersionRequest } from './call/find-version.ts';
import { readUploadId } from './call/read-upload-id.ts';
import { parseVersionName } from './formats/version-name.ts';
import type { Operation } from './operations/table/operation.ts';
import { OPERATIONS } from './operations/table/operations.ts';

/** An operation that may run, and the bucket that it works on. */
export type Authorized = {
  readonly bucket: BucketHandle | null;
  handle(): S3Response | Promise<S3Response>;
};

/** Conditions of the request on a bucket that was opened; throws to refuse it. */
type Admit = (call: S3Call, record: BucketRecord) => void;

/**
 * Opens what an operation works on and decides whether the caller may.
 * AccessDenied, NoSuchBucket, InvalidBucketName, KeyTooLongError, and what
 * openVersion throws.
 */
export async function authorizeCall(
  core: Core,
  call: S3Call,
  target: Target,
  admit: Admit,
): Promise<Authorized> {
  const operation: Operation = OPERATIONS[call.operation];
  if (operation.scope === 'account') {
    const accountCall = requireAccount(call);
    requireScope(call, operation.action, null);
    return { bucket: null, handle: () => operation.handle(accountCall, core) };
  }
  const bucketName = parseBucketName(target.bucket ?? '');
  if (operation.scope === 'new-bucket') {
    const accountCall = requireAccount(call);
    requireScope(call, 's3:CreateBucket', bucketName);
    return { bucket: null, handle: () => operation.handle({ ...accountCall, bucketName }, core) };
  }
  const open = bucketOpener(core, call, bucketName, admit);
  const openFor = (request: Wanted) =>
    open((record) => requireAllowed(call.decide, record, request));
  if (operation.scope === 'bucket') {
    const bucket = await openFor({ action: operation.action, key: null });
    return { bucket, handle: () => operation.handle({ ...call, bucket }, core) };
  }
  if (operation.scope === 'prefix') {
    const prefix = target.key ?? '';
    const bucket = await openFor({ action: operation.action, key: null, prefix });
    return { bucket, handle: () => operation.handle({ ...call, bucket, prefix }, core) };
  }
  if (operation.scope === 'keys') {
    const bucket = await open((record) =>
      requireSomeKeys(call, record, [operation.action, operation.versionAction]),
    );
    return { bucket, handle: () => operation.handle({ ...call, bucket }, core) };
  }
  const key = parseObjectKey(target.key ?? '');
  if (operation.scope === 'upload') {
    const bucket = await openUpload(call, key, operation.action, open);
    return { bucket, handle: () => operation.handle({ ...call, bucket, key }, core) };
  }
  const versionId = parseVersionName(call.query.get('versionId'));
  const action = (versionId === null ? undefined : operation.versionAction) ?? operation.action;
  if (operation.scope === 'object') {
    const bucket = await openFor({ action, key });
    return { bucket, handle: () => operation.handle({ ...call, bucket, key }, core) };
  }
  return authorizeVersion(
    core,
    call,
    operation,
    { bucket: bucketName, key, versionId, action },
    { open, admit },
  );
}

/**
 * Opens the bucket of a call once `mayOpen` lets it, which runs again when the
 * record has changed since.
 */
type OpenBucket = (mayOpen: (record: BucketRecord) => void) => Promise<BucketHandle>;

function bucketOpener(core: Core, call: S3Call, bucketName: BucketName, admit: Admit): OpenBucket {
  return (mayOpen) =>
    openBucket(
      core,
      bucketName,
      (record) => {
        noteBucket(call, record);
        mayOpen(record);
        admit(call, record);
      },
      changerOf(call),
      call.principal.kind !== 'account',
    );
}

/** Before anything is decided: refusals are counted and logged too. */
function noteBucket({ request: { notes }, principal }: S3Call, record: BucketRecord): void {
  notes.bucket = record.name;
  notes.payer = payerOf(record, principal);
  notes.isLogged = record.settings.logging !== null;
}

/**
 * An operation on what a key stands for, or on one version: whether it may depends
 * on what is there.
 */
async function authorizeVersion(
  core: Core,
  call: S3Call,
  operation: Extract<Operation, { scope: 'version' }>,
  named: Pick<VersionRequest, 'bucket' | 'key' | 'versionId' | 'action'>,
  { open, admit }: { readonly open: OpenBucket; readonly admit: Admit },
): Promise<Authorized> {
  let change: VersionChange = {};
  if (operation.readChange !== undefined) {
    // A document is read for none who could never change any object.
    await open((record) => requireSomeKeys(call, record, [named.action]));
    change = await operation.readChange(call, core.ports.clock.nowMs());
  }
  const isStranger = call.principal.kind !== 'account';
  const mayBeStale = isLinkRead(call);
  const request = { ...named, mayBeStale, isStranger, change, changer: changerOf(call) };
  const opened = await openVersion(core, call.decide, request, (record) => {
    noteBucket(call, record);
    admit(call, record);
  });
  call.request.notes.objectBytes = opened.version.sizeBytes;
  const { storageClass } = opened.version;
  return {
    bucket: opened.bucket,
    async handle() {
      const response = await operation.handle({ ...call, ...opened, key: named.key, change }, core);
      // Requests are billed by the class of what they are about, also where the
      // response does not say it.
      return storageClass === 'STANDARD' ? response : { storageClass, ...response };
    },
  };
}

/**
 * A presigned URL that is read. Whoever signs the header himself reads after his
 * writes; a link is read by many.
 */
function isLinkRead({ isPresigned, operation }: S3Call): boolean {
  return isPresigned && (operation === 'GetObject' || operation === 'HeadObject');
}

function requireAccount(call: S3Call): AccountCall {
  if (call.principal.kind !== 'account') throw new StorageError('AccessDenied');
  return { ...call, account: call.principal.account };
}

/**
 * Refuses who could get nothing done with any key, before a document is read: a
 * policy may speak of some.
 */
function requireSomeKeys(
  call: S3Call,
  record: BucketRecord,
  actions: readonly ObjectAction[],
): void {
  const withoutPolicy = { ...record, access: { ...record.access, policyJson: null } };
  const isPossible = actions.some(
    (action) =>
      call.decide(withoutPolicy, { action, key: null }) === 'allowed' ||
      mayPolicyAllow(record, call.principal, action),
  );
  if (!isPossible) throw new StorageError('AccessDenied');
}

/**
 * Who began an upload may always list it and give it up, unless that is denied.
 * Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html#mpuAndPermissions
 */
async function openUpload(
  call: S3Call,
  key: ObjectKey,
  action: ObjectAction,
  open: OpenBucket,
): Promise<BucketHandle> {
  /** Null until the upload was read, after the bucket was opened. */
  let isInitiator: boolean | null = null;
  const require = (record: BucketRecord) => {
    const decision = call.decide(record, { action, key });
    if (decision === 'denied' || (decision === 'refused' && isInitiator === false)) {
      throw accessDenied(call.decide, record, { action, key });
    }
  };
  const bucket = await open(require);
  const isUnsure = call.decide(bucket.record(), { action, key }) === 'refused';
  isInitiator = isUnsure && (await beganUpload(call, bucket, key));
  require(bucket.record());
  return bucket;
}

async function beganUpload(call: S3Call, bucket: BucketHandle, key: ObjectKey): Promise<boolean> {
  try {
    const upload = await bucket.call('getUpload', { key, uploadId: readUploadId(call.query) });
    return (upload.initiatorId ?? bucket.record().ownerId) === idOf(call.principal);
  } catch (error) {
    if (hasCode(error, 'NoSuchUpload')) return false;
    throw error;
  }
}
