// The source of CopyObject and UploadPartCopy: opens its bucket, checks that the
// caller may read it, finds the version and decides the x-amz-copy-source-if-*
// conditions. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
import type { Core } from '../../../core/core.ts';
import type { BucketRecord, ObjectVersion } from '../../../domain/nouns.ts';
import { evaluateRead, readConditions } from '../../semantics/conditional.ts';
import { versionNameOf } from '../formats/version-name.ts';
import { COPY_SOURCE, type CopySource, parseCopySource } from '../headers/copy-source.ts';
import { requireExpectedOwner } from '../headers/expected-owner.ts';
import type { ObjectCall } from './call.ts';
import { openVersion, preconditionFailed } from './find-version.ts';

/** The source as the caller may read it. */
export type OpenedSource = CopySource & {
  readonly version: ObjectVersion;
  readonly record: BucketRecord;
};

/**
 * x-amz-copy-source-version-id, where the source's bucket keeps versions or one was
 * named.
 */
export function sourceVersionHeaders({
  record,
  version,
  versionId,
}: OpenedSource): Record<string, string> {
  const isShown = versionId !== null || record.settings.versioning !== null;
  return isShown ? { 'x-amz-copy-source-version-id': versionNameOf(version) } : {};
}

/**
 * Finds the source version. Errors: those of parseCopySource, NoSuchBucket,
 * NoSuchKey, AccessDenied and PreconditionFailed, which here stands for a 304 too.
 * Cost: two index reads (bucket and object).
 */
export async function openCopySource(call: ObjectCall, core: Core): Promise<OpenedSource> {
  const source = parseCopySource(call.header(COPY_SOURCE) ?? '');
  const action = source.versionId === null ? 's3:GetObject' : 's3:GetObjectVersion';
  const { bucket, version } = await openVersion(
    core,
    call.decide,
    { ...source, action },
    (record) => requireExpectedOwner(call.header('x-amz-source-expected-bucket-owner'), record),
  );
  const conditions = readConditions((name) => call.header(`x-amz-copy-source-${name}`));
  const outcome = evaluateRead(conditions, version);
  if (outcome === 'precondition-failed') {
    const failed = conditions.ifMatch === null ? 'If-Unmodified-Since' : 'If-Match';
    throw preconditionFailed(`x-amz-copy-source-${failed}`);
  }
  if (outcome === 'not-modified') {
    const failed = conditions.ifNoneMatch === null ? 'If-Modified-Since' : 'If-None-Match';
    throw preconditionFailed(`x-amz-copy-source-${failed}`);
  }
  return { ...source, version, record: bucket.record() };
}
