// The tags of a bucket: put, get, delete. They are for the owner's own accounts;
// nothing here acts on them. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html and its
// siblings

import type { Core } from '../../../../core/core.ts';
import { BUCKET_MAX_TAGS, SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readTagging, writeTagging } from '../../formats/tagging-document.ts';

/**
 * Replaces all tags. Errors: MalformedXML, InvalidTag, InvalidRequest (no digest:
 * S3 wants one here), BadDigest. Cost: one commit.
 */
export async function answerPutBucketTagging(call: BucketCall, core: Core): Promise<S3Response> {
  const tags = readTagging(await readDocument(call, SETTING_MAX_BYTES, true), BUCKET_MAX_TAGS);
  await setBucketSettings(core, call.bucket, { tags });
  return emptyResponse(200);
}

/** Shows the tags of the bucket. Errors: NoSuchTagSet. */
export function answerGetBucketTagging(call: BucketCall): S3Response {
  const { settings, name } = call.bucket.record();
  if (settings.tags === null)
    throw new StorageError('NoSuchTagSet', { fields: { BucketName: name } });
  return xmlResponse(writeTagging(settings.tags));
}

/** Deleting what is not there is no error. Cost: one commit. */
export async function answerDeleteBucketTagging(call: BucketCall, core: Core): Promise<S3Response> {
  await setBucketSettings(core, call.bucket, { tags: null });
  return emptyResponse(204);
}
