// Reads the XML of answers: a parsed document for what is in it, and `expectError` for S3's error
// document, which is examined to the letter: no namespace, a message, the request id of the header.
import { XMLParser } from 'fast-xml-parser';
import { expect } from 'vitest';
import type { Reply } from './http.ts';

const REPEATED = new Set([
  'ListAllMyBucketsResult.Buckets.Bucket',
  'ListBucketResult.Contents',
  'ListBucketResult.CommonPrefixes',
  'ListMultipartUploadsResult.Upload',
  'ListMultipartUploadsResult.CommonPrefixes',
  'ListPartsResult.Part',
  'GetObjectAttributesResponse.ObjectParts.Part',
  'DeleteResult.Deleted',
  'DeleteResult.Error',
]);

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  htmlEntities: true,
  ignoreDeclaration: true,
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  isArray: (_, path) => REPEATED.has(String(path)),
});

/** A node of a parsed document. Values are text; repeated elements are arrays. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer is what the tests are about
export type XmlNode = any;

/** The root element's content; fails when the root has another name. */
export function xmlRoot(text: string, root: string): XmlNode {
  expect(text).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>/i);
  const parsed: XmlNode = parser.parse(text);
  expect(Object.keys(parsed)).toEqual([root]);
  return parsed[root] === '' ? {} : parsed[root];
}

export const S3_NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/';

/** Expects S3's error document with that status and code; returns its elements. */
export function expectError(reply: Reply, status: number, code: string): XmlNode {
  expect({ status: reply.status, body: reply.text }, `wanted ${status} ${code}`).toMatchObject({
    status,
  });
  expect(reply.headers['content-type']).toMatch(/^application\/xml/);
  const error = xmlRoot(reply.text, 'Error');
  expect(error.Code, reply.text).toBe(code);
  expect(error.Message).toMatch(/\S/);
  expect(error['@xmlns']).toBeUndefined();
  expect(error.RequestId).toMatch(/\S/);
  expect(error.RequestId).toBe(reply.headers['x-amz-request-id']?.split(', ')[0]);
  return error;
}

/** Expects the SDK call to fail with that status and error name; returns the exception. */
export async function expectFailure(
  call: Promise<unknown>,
  status: number,
  name: string,
): Promise<XmlNode> {
  const outcome: XmlNode = await call.then(
    (value) => ({ unexpected: value }),
    (error: unknown) => error,
  );
  expect(
    { status: outcome.$metadata?.httpStatusCode, name: outcome.name },
    String(outcome),
  ).toEqual({ status, name });
  return outcome;
}
