// Failures as S3 clients read them. http/answer-request.ts renders with it what the S3
// surface and delivery throw, and logs faults of the service. Any other error than a
// StorageError is InternalError here: the client learns nothing but the request id.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
import type { StorageError } from '../../domain/errors.ts';
import { FailureWithHeaders } from '../failure-with-headers.ts';
import type { RequestNotes } from '../observe/request-notes.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { ERROR_STATUS, shownFailure } from '../semantics/error-status.ts';
import { failureHeaders, HEADER_FIELDS } from '../semantics/failure-headers.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { addCommonHeaders } from './call/call.ts';
import { plainDocument, textElement } from './formats/xml-write.ts';

/** A request as its error document names it. `resource` is the path as it came. */
export type NamedRequest = { readonly requestId: string; readonly resource: string };

/** A request that failed, and what the platform wants to know of the response. */
export type FailedRequest = NamedRequest & {
  readonly method: string;
  /** Where code and length of the document are noted. */
  readonly notes?: RequestNotes;
  readonly respond?: HttpRequest['respond'];
};

const encoder = new TextEncoder();

/** Elements of one failure besides code and message. */
function fieldElements(fields: Readonly<Record<string, string>>): string {
  let content = '';
  for (const name in fields)
    if (!HEADER_FIELDS.has(name)) content += textElement(name, fields[name] ?? '');
  return content;
}

/** What a document says of a failure. */
export type FailureFacts = Pick<StorageError, 'code' | 'message' | 'fields'>;

/**
 * The error document: no namespace, a message that is never empty, and the request
 * id of the header.
 */
export function errorDocument(error: FailureFacts, request: NamedRequest): Uint8Array {
  const resource = Object.hasOwn(error.fields, 'Resource')
    ? ''
    : textElement('Resource', request.resource);
  const text = plainDocument(
    'Error',
    textElement('Code', error.code) +
      textElement('Message', error.message) +
      fieldElements(error.fields) +
      resource +
      textElement('RequestId', request.requestId) +
      textElement('HostId', request.requestId),
  );
  return encoder.encode(text);
}

/** The head of a response to a failure, and the failure as clients hear of it. */
export type S3ErrorHead = {
  readonly shown: StorageError;
  readonly status: number;
  /** A new record, with the type of the error document. */
  readonly headers: HeaderRecord;
};

/** Status and headers of the response to a failure, with what failureHeaders adds. */
export function s3ErrorHead(error: unknown, requestId: string): S3ErrorHead {
  const shown = shownFailure(error instanceof FailureWithHeaders ? error.failure : error);
  const added = error instanceof FailureWithHeaders ? error.headers : {};
  const headers = addCommonHeaders({}, requestId);
  headers['content-type'] = 'application/xml';
  // Without a word caches may keep a 404, 405 or 501 as long as they guess. Source:
  // RFC 9111 section 4.2.2.
  headers['cache-control'] = 'no-store';
  Object.assign(headers, failureHeaders(shown), added);
  return { shown, status: ERROR_STATUS[shown.code], headers };
}

/** The whole response to a failure: its head, and the document unless it is for HEAD. */
export function renderS3Error(error: unknown, request: FailedRequest): Response {
  const { shown, status, headers } = s3ErrorHead(error, request.requestId);
  const { notes } = request;
  if (notes !== undefined) notes.errorCode = shown.code;
  if (request.method === 'HEAD') return makeResponse(request, status, headers, null);
  const document = errorDocument(shown, request);
  if (notes !== undefined) notes.bodyBytes = document.length;
  return makeResponse(request, status, headers, document);
}
