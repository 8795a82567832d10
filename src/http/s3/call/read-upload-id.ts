// The upload that a request of a multipart upload names.
import { StorageError } from '../../../domain/errors.ts';
import type { UploadId } from '../../../domain/nouns.ts';
import type { Query } from '../../semantics/raw-path.ts';

/** Longest id, characters: room beyond any that this service gives. */
const UPLOAD_ID_MAX_LENGTH = 256;

/** The uploadId of the query. NoSuchUpload for what can't be one. */
export function readUploadId(query: Query): UploadId {
  const text = query.get('uploadId') ?? '';
  if (text === '' || text.length > UPLOAD_ID_MAX_LENGTH) throw new StorageError('NoSuchUpload');
  return text as UploadId;
}
