// PostObject: the upload of a browser's form. post/ has made a PUT of it; here is
// the response that the form requests. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html
import type { Core } from '../../../../core/core.ts';
import type { ObjectVersion } from '../../../../domain/nouns.ts';
import { type ObjectCall, type S3Response, xmlResponse } from '../../call/call.ts';
import { etagElement, plainDocument, textElement } from '../../formats/xml-write.ts';
import { successRedirect } from '../../post/success-redirect.ts';
import { storeObject } from './put-copy.ts';

/**
 * 204, or what `success_action_status` or `success_action_redirect` says. Errors
 * and cost: those of PutObject.
 */
export async function answerPostObject(call: ObjectCall, core: Core): Promise<S3Response> {
  const { version, headers: stored } = await storeObject(call, core);
  const response = answerForm(call, version, stored);
  return { ...response, storageClass: version.storageClass, written: version };
}

function answerForm(
  call: ObjectCall,
  version: ObjectVersion,
  stored: Readonly<Record<string, string>>,
): S3Response {
  const fields = call.form ?? new Map<string, string>();
  const location = locationOf(call);
  const headers = { ...stored, location };
  const requestedUrl = fields.get('success_action_redirect') ?? fields.get('redirect');
  const bucket = call.bucket.record().name;
  const redirect = successRedirect(requestedUrl, { bucket, key: call.key, etag: version.etag });
  if (redirect !== null) {
    return {
      status: 303,
      headers: { ...headers, location: redirect, 'content-length': '0' },
      body: null,
    };
  }
  const status = fields.get('success_action_status');
  if (status === '200')
    return { status: 200, headers: { ...headers, 'content-length': '0' }, body: null };
  if (status !== '201') return { status: 204, headers, body: null };
  const document = plainDocument(
    'PostResponse',
    textElement('Location', location) +
      textElement('Bucket', bucket) +
      textElement('Key', call.key) +
      etagElement(version.etag),
  );
  return { ...xmlResponse(document, headers), status: 201 };
}

function locationOf({ request, bucket, key, hasOwnOrigin }: ObjectCall): string {
  const path = hasOwnOrigin ? '' : `/${bucket.record().name}`;
  return `${request.isSecure ? 'https' : 'http'}://${request.host}${path}/${encodePath(key)}`;
}

const encodePath = (key: string): string => key.split('/').map(encodeURIComponent).join('/');
