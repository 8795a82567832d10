import { describe, expect, it } from 'vitest';
import { bucketLogLine } from '../../../src/http/observe/bucket-log-line.ts';
import { logOperation } from '../../../src/http/observe/log-operation.ts';
import { newRequestNotes, type RequestNotes } from '../../../src/http/observe/request-notes.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { OPERATION_NAMES } from '../../../src/http/s3/call/detect.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

/** The fields of a line behind owner and bucket, by their order in S3's documents. */
function fieldsOf(
  notes: Partial<RequestNotes>,
  request: Partial<HttpRequest>,
  target = '/b/k',
  headers = {},
): string[] {
  const full = {
    ...makeRequest({ target, headers }),
    ...request,
    notes: { ...newRequestNotes(), ...notes },
  };
  const line = bucketLogLine({
    request: full,
    requestId: 'ID',
    timeMs: Date.UTC(2026, 10, 1, 2, 3, 4),
    status: 200,
  });
  return line.match(/\[[^\]]*\]|"[^"]*"|\S+/g) ?? [];
}

describe('a line of a bucket’s access log', () => {
  it('has the fields of S3', () => {
    const fields = fieldsOf(
      {
        operation: 'GetObject',
        key: 'a b',
        requester: 'alice',
        accessKeyId: 'AK',
        bodyBytes: 100,
        objectBytes: 5000,
      },
      {
        remoteAddress: '192.0.2.7',
        host: 'h.example',
        tls: () => ({ version: '1.3', cipher: 'TLS_AES_128_GCM_SHA256' }),
      },
      '/b/a%20b?versionId=v1',
      { authorization: 'AWS4', 'user-agent': 'curl/8 "x"', referer: 'https://a.example/' },
    );
    expect(fields.slice(0, 11)).toEqual([
      '[01/Nov/2026:02:03:04 +0000]',
      '192.0.2.7',
      'alice',
      'ID',
      'REST.GET.OBJECT',
      'a%20b',
      '"GET /b/a%20b?versionId=v1 HTTP/1.1"',
      '200',
      '-',
      '100',
      '5000',
    ]);
    expect(fields.slice(13)).toEqual([
      '"https://a.example/"',
      '"curl/8 %22x%22"',
      'v1',
      'ID',
      'SigV4',
      'TLS_AES_128_GCM_SHA256',
      'AuthHeader',
      'h.example',
      'TLSv1.3',
      '-',
      '-',
    ]);
  });

  it.each([
    ['/b/a?X-Amz-Signature=x', 'SigV4', 'QueryString'],
    ['/b/a?AWSAccessKeyId=x&Signature=y&Expires=1', 'SigV2', 'QueryString'],
    ['/b/a?prefix=X-Amz-Signature', 'SigV4', 'AuthHeader'],
  ])('tells how %s was signed', (target, version, kind) => {
    const fields = fieldsOf({ accessKeyId: 'K' }, { method: 'GET' }, target);
    expect([fields[17], fields[19]]).toEqual([version, kind]);
    expect(fields[6]).not.toMatch(/=[xy]/);
  });

  it('has a dash for what there is not, and nothing that could be another field', () => {
    const fields = fieldsOf(
      { operation: 'ListObjectsV2' },
      { method: 'GET' },
      '/b?x=%zz&versionId=v%201%0A',
    );
    expect(fields).toHaveLength(24);
    expect(fields[4]).toBe('REST.GET.BUCKET');
    expect([fields[1], fields[2], fields[5], fields[9], fields[10]]).toEqual([
      '-',
      '-',
      '-',
      '-',
      '-',
    ]);
    expect(fields[15]).toBe('v%201%0A');
    expect(fields.slice(17)).toEqual(['-', '-', '-', '-', '-', '-', '-']);
  });
});

describe('the name of an operation in such a log', () => {
  it.each([
    ['GET', 'GetObject', 'REST.GET.OBJECT'],
    ['HEAD', 'HeadObject', 'REST.HEAD.OBJECT'],
    ['PUT', 'PutObject', 'REST.PUT.OBJECT'],
    ['POST', 'PostObject', 'REST.POST.OBJECT'],
    ['DELETE', 'DeleteObject', 'REST.DELETE.OBJECT'],
    ['POST', 'DeleteObjects', 'REST.POST.MULTI_OBJECT_DELETE'],
    ['PUT', 'CopyObject', 'REST.COPY.OBJECT'],
    ['POST', 'CreateMultipartUpload', 'REST.POST.UPLOADS'],
    ['PUT', 'UploadPart', 'REST.PUT.PART'],
    ['PUT', 'UploadPartCopy', 'REST.COPY.PART'],
    ['POST', 'CompleteMultipartUpload', 'REST.POST.UPLOAD'],
    ['DELETE', 'AbortMultipartUpload', 'REST.DELETE.UPLOAD'],
    ['GET', 'ListParts', 'REST.GET.UPLOAD'],
    ['GET', 'ListMultipartUploads', 'REST.GET.UPLOADS'],
    ['GET', 'ListObjects', 'REST.GET.BUCKET'],
    ['GET', 'ListObjectVersions', 'REST.GET.BUCKETVERSIONS'],
    ['HEAD', 'HeadBucket', 'REST.HEAD.BUCKET'],
    ['DELETE', 'DeleteBucket', 'REST.DELETE.BUCKET'],
    ['GET', 'GetBucketAcl', 'REST.GET.ACL'],
    ['PUT', 'PutObjectAcl', 'REST.PUT.ACL'],
    ['GET', 'GetBucketPolicy', 'REST.GET.BUCKETPOLICY'],
    ['GET', 'GetBucketPolicyStatus', 'REST.GET.POLICY_STATUS'],
    ['GET', 'GetBucketLogging', 'REST.GET.LOGGING_STATUS'],
    ['GET', 'GetBucketVersioning', 'REST.GET.VERSIONING'],
    ['GET', 'GetBucketLocation', 'REST.GET.LOCATION'],
    ['GET', 'GetBucketTagging', 'REST.GET.TAGGING'],
    ['GET', 'GetObjectTagging', 'REST.GET.OBJECT_TAGGING'],
    ['GET', 'GetObjectAttributes', 'REST.GET.OBJECT_ATTRIBUTES'],
    ['GET', 'GetPublicAccessBlock', 'REST.GET.PUBLIC_ACCESS_BLOCK'],
    ['GET', 'GetBucketOwnershipControls', 'REST.GET.OWNERSHIP_CONTROLS'],
    ['GET', 'GetBucketRequestPayment', 'REST.GET.REQUEST_PAYMENT'],
    ['GET', 'GetObjectLockConfiguration', 'REST.GET.OBJECT_LOCK_CONFIGURATION'],
    ['PUT', 'PutObjectRetention', 'REST.PUT.OBJECT_LOCK_RETENTION'],
    ['PUT', 'PutBucketLifecycleConfiguration', 'REST.PUT.LIFECYCLE'],
    ['DELETE', 'DeleteBucketLifecycle', 'REST.DELETE.LIFECYCLE'],
    ['GET', 'GetBucketNotificationConfiguration', 'REST.GET.NOTIFICATION'],
    ['GET', 'GetBucketWebsite', 'REST.GET.WEBSITE'],
    ['GET', 'GetBucketCors', 'REST.GET.CORS'],
    ['POST', 'RestoreObject', 'REST.POST.RESTORE'],
    ['OPTIONS', 'Preflight', 'REST.OPTIONS.PREFLIGHT'],
  ])('is for %s %s %s', (method, operation, name) => {
    expect(logOperation('s3', method, operation)).toBe(name);
  });

  it('tells the visitors of a site apart', () => {
    expect(logOperation('website', 'HEAD', 'HeadObject')).toBe('WEBSITE.HEAD.OBJECT');
    expect(logOperation('delivery', 'GET', 'GetObject')).toBe('REST.GET.OBJECT');
  });

  it('has three parts, whatever the operation', () => {
    for (const operation of OPERATION_NAMES) {
      expect(logOperation('s3', 'GET', operation), operation).toMatch(/^REST\.[A-Z]+\.[A-Z_0-9]+$/);
    }
  });
});
