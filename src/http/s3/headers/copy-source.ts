// The source of CopyObject and UploadPartCopy: reads x-amz-copy-source, opens the bucket, checks
// that the caller may read it, finds the version and decides the x-amz-copy-source-if-* conditions.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
import type { Core } from '../../../core/core.ts';
import { isBucketName, parseBucketName, parseObjectKey } from '../../../core/parse-names.ts';
import { StorageError } from '../../../domain/errors.ts';
import type {
  BucketName,
  BucketRecord,
  ObjectKey,
  ObjectVersion,
  VersionName,
} from '../../../domain/nouns.ts';
import { evaluateRead } from '../../semantics/conditional.ts';
import { decodeFormText, decodePathSegment } from '../../semantics/raw-path.ts';
import type { ObjectCall } from '../call.ts';
import { openVersion, preconditionFailed, readConditions } from '../find-version.ts';
import { invalidArgument } from '../formats/paging.ts';
import { parseVersionName, versionNameOf } from '../formats/version-name.ts';
import { requireExpectedOwner } from './expected-owner.ts';

const HEADER = 'x-amz-copy-source';
const VERSION_ID = /\?versionId=([^?&]*)$/;

/** What x-amz-copy-source names. */
export type CopySource = {
  readonly bucket: BucketName;
  readonly key: ObjectKey;
  readonly versionId: VersionName | null;
};

/**
 * Reads `bucket/key` or `/bucket/key`, percent-encoded, perhaps with `?versionId=`. A `+` is a
 * space and `%2B` a plus, as S3 reads it and s5cmd writes it
 * (https://github.com/aws/aws-cli/issues/614). A `?` that begins no version id belongs to the key.
 * InvalidArgument, KeyTooLongError, NotImplemented (access points).
 */
export function parseCopySource(value: string): CopySource {
  const refused = (detail: string) => invalidArgument(HEADER, value, detail);
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

/** The source as the caller may read it. */
export type OpenedSource = CopySource & {
  readonly version: ObjectVersion;
  readonly record: BucketRecord;
};

/** x-amz-copy-source-version-id, where the source's bucket keeps versions or one was named. */
export function sourceVersionHeaders({
  record,
  version,
  versionId,
}: OpenedSource): Record<string, string> {
  const isShown = versionId !== null || record.settings.versioning !== null;
  return isShown ? { 'x-amz-copy-source-version-id': versionNameOf(version) } : {};
}

/**
 * Finds the source version. Errors: those of parseCopySource, NoSuchBucket, NoSuchKey, AccessDenied
 * and PreconditionFailed, which here stands for a 304 too. Cost: two index reads (bucket and
 * object).
 */
export async function openCopySource(call: ObjectCall, core: Core): Promise<OpenedSource> {
  const source = parseCopySource(call.header(HEADER) ?? '');
  const action = source.versionId === null ? 's3:GetObject' : 's3:GetObjectVersion';
  const { bucket, version } = await openVersion(
    core,
    call.decide,
    { ...source, action },
    (record) => requireExpectedOwner(call.header('x-amz-source-expected-bucket-owner'), record),
  );
  const conditions = readConditions(call.header, 'x-amz-copy-source-');
  const outcome = evaluateRead(conditions, version);
  if (outcome === 'precondition-failed') {
    throw preconditionFailed(
      `x-amz-copy-source-${conditions.ifMatch === null ? 'If-Unmodified-Since' : 'If-Match'}`,
    );
  }
  if (outcome === 'not-modified') {
    throw preconditionFailed(
      `x-amz-copy-source-${conditions.ifNoneMatch === null ? 'If-Modified-Since' : 'If-None-Match'}`,
    );
  }
  return { ...source, version, record: bucket.record() };
}
