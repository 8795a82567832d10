// DeleteObject and DeleteObjects. A key that does not exist is deleted all the same; buckets have no versions yet, so
// the only version id is `null`.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html and API_DeleteObjects.html
import type { Core } from '../../../core/core.ts';
import { XML_MAX_BYTES } from '../../../core/limits.ts';
import { parseObjectKey } from '../../../core/names.ts';
import { deleteObjects } from '../../../core/objects/delete-objects.ts';
import type { ObjectKey } from '../../../ports/domain.ts';
import { StorageError } from '../../../ports/errors.ts';
import { parseWriteCondition } from '../../semantics/conditional.ts';
import { ERROR_STATUS } from '../../semantics/error-status.ts';
import { type BucketCall, emptyAnswer, type ObjectCall, type S3Answer, xmlAnswer } from '../call.ts';
import { type KeyToDelete, readDelete } from '../documents.ts';
import { errorElements } from '../errors.ts';
import { NULL_VERSION, requireVersionId, versionHeaders } from '../find-version.ts';
import { readDocument } from '../read-document.ts';
import { element, s3Document, textElement } from '../xml-write.ts';

/** Errors: PreconditionFailed, NoSuchKey (If-Match on a missing key), InvalidArgument. Cost: one commit. */
export async function answerDeleteObject(call: ObjectCall, core: Core): Promise<S3Answer> {
  const versionId = call.query.get('versionId');
  requireVersionId(versionId, NULL_VERSION);
  const condition = parseWriteCondition(call.header('if-match'), null);
  await deleteObjects(core, call.bucket, [call.key], condition);
  return emptyAnswer(204, versionHeaders(versionId));
}

/** One line of the request: the key to delete, or why it can't be honoured. A line fails alone. */
type Line =
  | { readonly asked: KeyToDelete; readonly key: ObjectKey; readonly error: null }
  | { readonly asked: KeyToDelete; readonly key: null; readonly error: StorageError };

/**
 * Deletes up to 1,000 keys and reports on each, in the order of the request. Errors of the whole: MalformedXML,
 * MaxMessageLengthExceeded, those of readDocument. Cost: one commit, and one more for each line with an ETag.
 */
export async function answerDeleteObjects(call: BucketCall, core: Core): Promise<S3Answer> {
  const { isQuiet, objects } = readDelete(await readDocument(call, XML_MAX_BYTES, true));
  const lines = objects.map(checkLine);
  const unconditional = lines.flatMap(({ asked, key }) => (key === null || asked.etag !== null ? [] : [key]));
  if (unconditional.length > 0) await deleteObjects(core, call.bucket, unconditional, null);
  let rows = '';
  for (const line of lines) {
    const { asked, key } = line;
    const error = key === null || asked.etag === null ? line.error : await deleteIfMatch(call, core, key, asked.etag);
    rows += renderLine(asked, error, isQuiet);
  }
  return xmlAnswer(s3Document('DeleteResult', rows));
}

function checkLine(asked: KeyToDelete): Line {
  try {
    if (asked.notImplemented !== null) {
      throw new StorageError('NotImplemented', { detail: `The element ${asked.notImplemented} is not implemented.` });
    }
    if (asked.versionId !== '') requireVersionId(asked.versionId, NULL_VERSION);
    return { asked, key: parseObjectKey(asked.key), error: null };
  } catch (error) {
    return { asked, key: null, error: asClientError(error) };
  }
}

/** The refusal, or null once the object is gone. */
async function deleteIfMatch(call: BucketCall, core: Core, key: ObjectKey, etag: string): Promise<StorageError | null> {
  try {
    await deleteObjects(core, call.bucket, [key], { ifMatch: etag, ifNoneMatch: null });
    return null;
  } catch (error) {
    return asClientError(error);
  }
}

/** What one line may fail with. A fault of ours ends the request; deleting is safe to repeat. */
function asClientError(error: unknown): StorageError {
  if (error instanceof StorageError && ERROR_STATUS[error.code] < 500) return error;
  if (error instanceof StorageError && error.code === 'NotImplemented') return error;
  throw error;
}

function renderLine(asked: KeyToDelete, error: StorageError | null, isQuiet: boolean): string {
  const named = textElement('Key', asked.key) + (asked.versionId ? textElement('VersionId', asked.versionId) : '');
  if (error !== null) return element('Error', named + errorElements(error));
  return isQuiet ? '' : element('Deleted', named);
}
