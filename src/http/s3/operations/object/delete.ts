// DeleteObject and DeleteObjects: a key, which in a bucket with versions is only
// hidden by a delete marker, or one version for good. A key that does not exist is
// deleted all the same, but for a condition: that is 404 then. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html and
// API_DeleteObjects.html
import { idOf } from '../../../../core/auth/acl.ts';
import type { Core } from '../../../../core/core.ts';
import { DELETE_MAX_BYTES } from '../../../../core/limits.ts';
import { type DeleteTarget, deleteObjects } from '../../../../core/objects/delete-objects.ts';
import { openBucket } from '../../../../core/opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../../../../core/parse-names.ts';
import { createYielder } from '../../../../core/yield-to-event-loop.ts';
import { StorageError } from '../../../../domain/errors.ts';
import type { BucketRecord, DeleteCondition, ObjectKey } from '../../../../domain/nouns.ts';
import type { DeletedObject } from '../../../../ports/metadata-index.ts';
import { accessDenied, type Wanted } from '../../../access/decide-call.ts';
import { parseWriteCondition } from '../../../semantics/conditional.ts';
import { ERROR_STATUS } from '../../../semantics/error-status.ts';
import { parseHttpDate } from '../../../semantics/http-date.ts';
import {
  type BucketCall,
  changerOf,
  emptyResponse,
  type ObjectCall,
  type S3Response,
  xmlResponse,
} from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { type KeyToDelete, readDelete } from '../../formats/documents.ts';
import { errorElements } from '../../formats/error-elements.ts';
import { invalidArgument } from '../../formats/invalid-argument.ts';
import { parseVersionName, versionNameOf } from '../../formats/version-name.ts';
import { element, s3Document, textElement } from '../../formats/xml-write.ts';
import { bypassesGovernance } from '../../headers/object-lock-headers.ts';

/**
 * Deletes a key or one of its versions. Errors: PreconditionFailed, NoSuchKey and
 * NoSuchVersion (a condition on what is not there), AccessDenied (locked),
 * InvalidArgument. Cost: one commit.
 */
export async function answerDeleteObject(call: ObjectCall, core: Core): Promise<S3Response> {
  const versionId = parseVersionName(call.query.get('versionId'));
  const [deleted] = await deleteObjects(
    core,
    call.bucket,
    [{ key: call.key, versionId, condition: readCondition(call) }],
    await deleteOptions(call, [call.key]),
  );
  const refusal = deleted === undefined ? null : refusalOf(deleted);
  if (refusal !== null) throw refusal;
  const marker = deleted?.marker ?? null;
  const name = versionId ?? (marker === null ? null : versionNameOf(marker));
  return emptyResponse(204, {
    ...(marker === null ? {} : { 'x-amz-delete-marker': 'true' }),
    ...(name === null ? {} : { 'x-amz-version-id': name }),
  });
}

function readCondition({ header }: ObjectCall): DeleteCondition | null {
  const ifMatch = parseWriteCondition(header('if-match'), null)?.ifMatch ?? null;
  const date = header('x-amz-if-match-last-modified-time');
  const size = header('x-amz-if-match-size');
  if (ifMatch === null && date === null && size === null) return null;
  return {
    ifMatch,
    ifLastModifiedSeconds: date === null ? null : readSeconds(date),
    ifSizeBytes: size === null ? null : readSize(size),
  };
}

function readSeconds(text: string): number {
  const atMs = parseHttpDate(text) ?? Date.parse(text);
  if (Number.isNaN(atMs)) throw invalidArgument('LastModifiedTime', text, 'The time is not valid.');
  return Math.floor(atMs / 1000);
}

function readSize(text: string): number {
  if (!/^\d{1,15}$/.test(text))
    throw invalidArgument('Size', text, 'The size is not a number of bytes.');
  return Number(text);
}

/** The markers are the caller's. */
async function deleteOptions(
  call: BucketCall,
  keys: readonly ObjectKey[],
): Promise<Parameters<typeof deleteObjects>[3]> {
  const callerId = idOf(call.principal);
  const ownerId = callerId === call.bucket.record().ownerId ? null : callerId;
  return { bypassGovernance: await bypassesGovernance(call, keys), ownerId };
}

function refusalOf({ key, refusal }: DeletedObject): StorageError | null {
  if (refusal === null) return null;
  if (refusal !== 'AccessDenied') return new StorageError(refusal, { fields: { Key: key } });
  return new StorageError(refusal, {
    detail: 'Access Denied because object protected by object lock.',
  });
}

/**
 * One line of the request: what to delete, or why it can't be honoured. A line
 * fails alone.
 */
type Line =
  | { readonly requested: KeyToDelete; readonly target: DeleteTarget; readonly error: null }
  | { readonly requested: KeyToDelete; readonly target: null; readonly error: StorageError };

/**
 * Deletes up to 1,000 keys and versions and reports on each, in the order of the
 * request. SlowDown for keys that the policy would take too long to decide on.
 * Errors of the whole: MalformedXML, MaxMessageLengthExceeded, those of
 * readDocument; SlowDown where the policy changes meanwhile to one that takes too
 * long. Cost: one commit.
 */
export async function answerDeleteObjects(call: BucketCall, core: Core): Promise<S3Response> {
  const { isQuiet, objects } = readDelete(await readDocument(call, DELETE_MAX_BYTES, true));
  const decidedOn = call.bucket.record();
  const lines = await checkLines(call, decidedOn, objects);
  const targets = lines.flatMap(({ target }) => (target === null ? [] : [target]));
  const deleted = targets.length === 0 ? [] : await deleteAllowed(call, core, targets, decidedOn);
  let at = 0;
  let rows = '';
  for (const line of lines)
    rows += renderLine(line, line.target === null ? undefined : deleted[at++], isQuiet);
  return xmlResponse(s3Document('DeleteResult', rows));
}

async function checkLines(
  call: BucketCall,
  record: BucketRecord,
  objects: readonly KeyToDelete[],
): Promise<Line[]> {
  const lines: Line[] = [];
  const rest = createYielder();
  for (const requested of objects) {
    lines.push(checkRight(call, record, checkLine(requested)));
    await rest();
  }
  return lines;
}

function checkLine(requested: KeyToDelete): Line {
  try {
    const { etag, lastModified, size } = requested;
    const condition: DeleteCondition | null =
      etag === null && lastModified === null && size === null
        ? null
        : {
            ifMatch: etag,
            ifLastModifiedSeconds: lastModified === null ? null : readSeconds(lastModified),
            ifSizeBytes: size === null ? null : readSize(size),
          };
    const versionId = requested.versionId === '' ? null : parseVersionName(requested.versionId);
    return {
      requested,
      target: { key: parseObjectKey(requested.key), versionId, condition },
      error: null,
    };
  } catch (error) {
    return { requested, target: null, error: asClientError(error) };
  }
}

/** Decides on the key of one line. */
function checkRight(call: BucketCall, record: BucketRecord, line: Line): Line {
  const refusal = line.target === null ? null : deleteRefusal(call, record, line.target);
  return refusal === null ? line : { requested: line.requested, target: null, error: refusal };
}

/**
 * Why the caller may not delete it, SlowDown where the request's effort is spent;
 * null: they may.
 */
function deleteRefusal(
  { decide }: BucketCall,
  record: BucketRecord,
  { key, versionId }: DeleteTarget,
): StorageError | null {
  const deletion: Wanted = {
    action: versionId == null ? 's3:DeleteObject' : 's3:DeleteObjectVersion',
    key,
  };
  return decide(record, deletion) === 'allowed' ? null : accessDenied(decide, record, deletion);
}

/**
 * Deletes what the caller was found to be allowed. Should the bucket change
 * meanwhile, all must be allowed still.
 */
async function deleteAllowed(
  call: BucketCall,
  core: Core,
  targets: readonly DeleteTarget[],
  decidedOn: BucketRecord,
): Promise<readonly DeletedObject[]> {
  const requireAll = (record: BucketRecord) => {
    if (record.id === decidedOn.id && record.revision === decidedOn.revision) return;
    for (const target of targets) {
      const refusal = deleteRefusal(call, record, target);
      if (refusal !== null) throw refusal;
    }
  };
  const keys = targets.map(({ key }) => key);
  const options = await deleteOptions(call, keys);
  const bucket = await openBucket(core, call.bucket.record().name, requireAll, changerOf(call));
  return deleteObjects(core, bucket, targets, options);
}

/**
 * The error of one line. A fault of the service ends the request: deleting is safe
 * to repeat.
 */
function asClientError(error: unknown): StorageError {
  if (error instanceof StorageError && ERROR_STATUS[error.code] < 500) return error;
  throw error;
}

function renderLine(line: Line, deleted: DeletedObject | undefined, isQuiet: boolean): string {
  const { requested } = line;
  const named =
    textElement('Key', requested.key) +
    (requested.versionId ? textElement('VersionId', requested.versionId) : '');
  const error = line.error ?? (deleted === undefined ? null : refusalOf(deleted));
  if (error !== null) return element('Error', named + errorElements(error));
  if (isQuiet) return '';
  const marker = deleted?.marker ?? null;
  const ofMarker =
    marker === null
      ? ''
      : textElement('DeleteMarker', true) +
        textElement('DeleteMarkerVersionId', versionNameOf(marker));
  return element('Deleted', named + ofMarker);
}
