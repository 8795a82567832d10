// The website configuration of a bucket: put, get, delete. What it does to visitors
// is delivery/site/deliver-site.ts.

import type { Core } from '../../../../core/core.ts';
import { WEBSITE_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { StorageError } from '../../../../domain/errors.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import {
  readWebsiteConfiguration,
  writeWebsiteConfiguration,
} from '../../formats/website-document.ts';

/**
 * Replaces it. Errors: MalformedXML, InvalidArgument, InvalidRequest,
 * MaxMessageLengthExceeded. Cost: one commit.
 */
export async function answerPutBucketWebsite(call: BucketCall, core: Core): Promise<S3Response> {
  const website = readWebsiteConfiguration(await readDocument(call, WEBSITE_MAX_BYTES));
  await setBucketSettings(core, call.bucket, { website });
  return emptyResponse(200);
}

/** Shows the website configuration. Errors: NoSuchWebsiteConfiguration. */
export function answerGetBucketWebsite(call: BucketCall): S3Response {
  const { settings, name } = call.bucket.record();
  if (settings.website === null) {
    throw new StorageError('NoSuchWebsiteConfiguration', { fields: { BucketName: name } });
  }
  return xmlResponse(writeWebsiteConfiguration(settings.website));
}

/** Deleting what is not there is no error. Cost: one commit. */
export async function answerDeleteBucketWebsite(call: BucketCall, core: Core): Promise<S3Response> {
  await setBucketSettings(core, call.bucket, { website: null });
  return emptyResponse(204);
}
