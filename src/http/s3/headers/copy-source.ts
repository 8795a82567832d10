// The source of CopyObject and UploadPartCopy: reads x-amz-copy-source, opens the
// bucket, checks that the caller may read it, finds the version and decides the
// x-amz-copy-source-if-* conditions. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
import { isBucketName, parseBucketName, parseObjectKey } from '../../../core/parse-names.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketName, ObjectKey, VersionName } from '../../../domain/nouns.ts';
import { decodeFormText, decodePathSegment } from '../../semantics/raw-path.ts';
import { invalidArgument } from '../formats/invalid-argument.ts';
import { parseVersionName } from '../formats/version-name.ts';

export const COPY_SOURCE = 'x-amz-copy-source';
const VERSION_ID = /\?versionId=([^?&]*)$/;

/** What x-amz-copy-source names. */
export type CopySource = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly versionId: VersionName | null;
};

/**
 * Reads `bucket/key` or `/bucket/key`, percent-encoded, perhaps with `?versionId=`.
 * A `+` is a space and `%2B` a plus, as S3 reads it and s5cmd writes it
 * (https://github.com/aws/aws-cli/issues/614). A `?` that begins no version id
 * belongs to the key. InvalidArgument, KeyTooLongError, NotImplemented (access
 * points).
 */
export function parseCopySource(value: string): CopySource {
  const refused = (detail: string) => invalidArgument(COPY_SOURCE, value, detail);
  if (value.startsWith('arn:')) {
    throw new StorageError('NotImplemented', {
      detail: 'Access points as a copy source are not implemented.',
    });
  }
  const versionMatch = VERSION_ID.exec(value);
  const rawPath = versionMatch === null ? value : value.slice(0, versionMatch.index);
  let path: string;
  let rawVersion: string | null;
  try {
    path = decodeFormText(rawPath);
    rawVersion = versionMatch === null ? null : decodePathSegment(versionMatch[1] ?? '');
  } catch {
    throw refused('Invalid copy source encoding.');
  }
  const start = path.startsWith('/') ? 1 : 0;
  const slashAt = path.indexOf('/', start);
  if (slashAt === -1 || slashAt === path.length - 1)
    throw refused('Invalid copy source object key');
  const bucket = path.slice(start, slashAt);
  if (!isBucketName(bucket)) throw refused('Invalid copy source bucket name');
  return {
    bucket: parseBucketName(bucket),
    key: parseObjectKey(path.slice(slashAt + 1)),
    versionId: parseVersionName(rawVersion),
  };
}
