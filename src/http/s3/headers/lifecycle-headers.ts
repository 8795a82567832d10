// What the rules of a bucket will do, in the headers of writes and reads: the end
// of an object, of an unfinished upload. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html
// (x-amz-expiration),
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html
// (x-amz-abort-date)
import type { Core } from '../../../core/core.ts';
import { abortionOf, expirationOf } from '../../../core/lifecycle/expiration-of.ts';
import type { ObjectVersion } from '../../../domain/nouns.ts';
import type { Upload } from '../../../ports/index-calls/upload-calls.ts';
import { formatHttpDate } from '../../semantics/http-date.ts';
import type { BucketRights } from './request-headers.ts';

const dayMsOf = ({ settings }: Core) => settings.lifecycleDaySeconds * 1000;

/** x-amz-expiration of a current version. */
export function expirationHeaders(
  { bucket }: Pick<BucketRights, 'bucket'>,
  core: Core,
  version: ObjectVersion,
): Record<string, string> {
  const end = expirationOf(bucket.record().settings.lifecycle, version, dayMsOf(core));
  if (end === null) return {};
  const ruleId = encodeURIComponent(end.ruleId);
  return { 'x-amz-expiration': `expiry-date="${formatHttpDate(end.atMs)}", rule-id="${ruleId}"` };
}

/** x-amz-abort-date and x-amz-abort-rule-id of an upload. */
export function abortionHeaders(
  { bucket }: Pick<BucketRights, 'bucket'>,
  core: Core,
  upload: Upload,
): Record<string, string> {
  const end = abortionOf(bucket.record().settings.lifecycle, upload, dayMsOf(core));
  if (end === null) return {};
  return {
    'x-amz-abort-date': formatHttpDate(end.atMs),
    'x-amz-abort-rule-id': encodeURIComponent(end.ruleId),
  };
}
