// OPTIONS: the preflight of a browser before it sends a request of a script. Nobody
// signs it, and it is answered from the bucket's rules alone: whether there is such
// an object, or who may read it, is not looked at. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html
import type { Core } from '../../core/core.ts';
import { parseBucketName } from '../../core/parse-names.ts';
import { type ErrorCode, StorageError } from '../../domain/errors.ts';
import type { UsageOwner } from '../../ports/metering.ts';
import type { HttpRequest } from '../request.ts';
import {
  findCorsGrant,
  grantHeaders,
  isCorsMethod,
  parseRequestedHeaders,
} from '../semantics/cors.ts';
import type { S3Response } from './call/call.ts';

/** S3's own texts, its spelling too: people look for them. */
const NOT_ALLOWED =
  'CORSResponse: This CORS request is not allowed. This is usually because the evalution ' +
  'of Origin, ' +
  'request method / Access-Control-Request-Method or Access-Control-Request-Headers are ' +
  "not whitelisted by the resource's CORS spec.";

/**
 * Answers it. Errors: BadRequest (no Origin, no method or one that no rule can
 * allow), AccessForbidden, InvalidBucketName. `bucket` null is the service, which
 * has no rules. Cost: one index read.
 */
export async function answerPreflight(
  core: Core,
  request: HttpRequest,
  target: { readonly bucket: string | null; readonly key: string | null },
): Promise<S3Response & { readonly payer: UsageOwner }> {
  const origin = request.header('origin');
  if (origin === null) throw badRequest('Insufficient information. Origin request header needed.');
  const method = request.header('access-control-request-method');
  if (method === null || !isCorsMethod(method)) {
    throw badRequest(`Invalid Access-Control-Request-Method: ${method?.slice(0, 32) ?? 'null'}`);
  }
  const forbidden = (detail: string) =>
    refusal('AccessForbidden', detail, {
      Method: method,
      ResourceType: target.key === null ? 'BUCKET' : 'OBJECT',
    });
  if (target.bucket === null) throw forbidden('CORSResponse: CORS is not enabled for this bucket.');
  const name = parseBucketName(target.bucket);
  const record = await core.ports.metadataIndex.call(name, 'getBucket', { name, mayBeStale: true });
  if (record === null) throw forbidden('CORSResponse: Bucket not found');
  request.notes.bucket = record.name;
  request.notes.isLogged = record.settings.logging !== null;
  request.notes.key = target.key;
  const { cors } = record.settings;
  if (cors === null) throw forbidden('CORSResponse: CORS is not enabled for this bucket.');
  const requestedHeaders = parseRequestedHeaders(request.header('access-control-request-headers'));
  const grant = findCorsGrant(cors, { origin, method, requestedHeaders });
  if (grant === null) throw forbidden(NOT_ALLOWED);
  const headers = { ...grantHeaders(grant, requestedHeaders), 'content-length': '0' };
  return {
    status: 200,
    headers,
    body: null,
    payer: { accountId: record.ownerId, bucketId: record.id, accessKeyId: null },
  };
}

function refusal(
  code: ErrorCode,
  detail: string,
  fields: Readonly<Record<string, string>>,
): StorageError {
  return new StorageError(code, { detail, fields });
}

function badRequest(detail: string): StorageError {
  return refusal('BadRequest', detail, {});
}
