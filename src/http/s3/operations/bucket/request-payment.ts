// Who pays for requests: stored and given back, as tools expect. The owner pays
// here whatever it says; a requester who says that he would is never refused for
// it. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketRequestPayment.html

import type { Core } from '../../../../core/core.ts';
import { SETTING_MAX_BYTES } from '../../../../core/limits.ts';
import { setBucketSettings } from '../../../../core/opened-bucket/set-bucket-settings.ts';
import { type BucketCall, emptyResponse, type S3Response, xmlResponse } from '../../call/call.ts';
import { readDocument } from '../../call/read-document.ts';
import { readFields, required } from '../../formats/documents.ts';
import { malformed, readXml } from '../../formats/xml-read.ts';
import { s3Document, textElement } from '../../formats/xml-write.ts';

const ROOT = 'RequestPaymentConfiguration';

/**
 * Stores the payer that clients see; the owner is billed either way. Errors:
 * MalformedXML. Cost: one commit.
 */
export async function answerPutBucketRequestPayment(
  call: BucketCall,
  core: Core,
): Promise<S3Response> {
  const { Payer } = readFields(readXml(await readDocument(call, SETTING_MAX_BYTES), ROOT), {
    Payer: 'one',
  });
  const payer = required(Payer, 'Payer').trim();
  if (payer !== 'Requester' && payer !== 'BucketOwner')
    throw malformed('Payer must be Requester or BucketOwner.');
  await setBucketSettings(core, call.bucket, {
    requestPayer: payer === 'Requester' ? 'requester' : null,
  });
  return emptyResponse(200);
}

export function answerGetBucketRequestPayment(call: BucketCall): S3Response {
  const isRequester = call.bucket.record().settings.requestPayer === 'requester';
  return xmlResponse(
    s3Document(ROOT, textElement('Payer', isRequester ? 'Requester' : 'BucketOwner')),
  );
}
