import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  detectOperation,
  OPERATION_NAMES,
  type Refusal,
} from '../../../../src/http/s3/call/detect.ts';
import { parseQuery } from '../../../../src/http/semantics/raw-path.ts';
import { modelOperations } from '../kit/sdk-model.ts';

type Level = 'service' | 'bucket' | 'object';

function detect(line: string, headers: Record<string, string> = {}) {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query = ''] = target.split('?');
  const level: Level = path === '/' ? 'service' : path === '/b' ? 'bucket' : 'object';
  return detectOperation({
    method,
    hasBucket: level !== 'service',
    hasKey: level === 'object',
    query: parseQuery(query),
    header: (name) => headers[name] ?? null,
  });
}

const COPY = { 'x-amz-copy-source': '/b/k' };

describe('the operations that we have', () => {
  const table: [string, string, Record<string, string>?][] = [
    ['GET /', 'ListBuckets'],
    ['GET /?prefix=a&max-buckets=2', 'ListBuckets'],
    ['GET /?x-quayside-kms-keys', 'ListKmsKeys'],
    ['POST /?x-quayside-kms-keys', 'PutKmsKey'],
    ['PUT /b', 'CreateBucket'],
    ['GET /b?encryption', 'GetBucketEncryption'],
    ['PUT /b?encryption', 'PutBucketEncryption'],
    ['DELETE /b?encryption', 'DeleteBucketEncryption'],
    ['HEAD /b', 'HeadBucket'],
    ['DELETE /b', 'DeleteBucket'],
    ['GET /b?location', 'GetBucketLocation'],
    ['GET /b?versioning', 'GetBucketVersioning'],
    ['PUT /b?versioning', 'PutBucketVersioning'],
    ['GET /b?versions', 'ListObjectVersions'],
    ['GET /b?acl', 'GetBucketAcl'],
    ['PUT /b?acl', 'PutBucketAcl'],
    ['GET /b?policy', 'GetBucketPolicy'],
    ['PUT /b?policy=', 'PutBucketPolicy'],
    ['DELETE /b?policy', 'DeleteBucketPolicy'],
    ['GET /b?policyStatus', 'GetBucketPolicyStatus'],
    ['GET /b?publicAccessBlock', 'GetPublicAccessBlock'],
    ['PUT /b?publicAccessBlock', 'PutPublicAccessBlock'],
    ['DELETE /b?publicAccessBlock', 'DeletePublicAccessBlock'],
    ['GET /b?ownershipControls', 'GetBucketOwnershipControls'],
    ['PUT /b?ownershipControls', 'PutBucketOwnershipControls'],
    ['DELETE /b?ownershipControls', 'DeleteBucketOwnershipControls'],
    ['GET /b?cors', 'GetBucketCors'],
    ['PUT /b?cors', 'PutBucketCors'],
    ['DELETE /b?cors', 'DeleteBucketCors'],
    ['GET /b?requestPayment', 'GetBucketRequestPayment'],
    ['PUT /b?requestPayment', 'PutBucketRequestPayment'],
    ['POST /b/k?restore', 'RestoreObject'],
    ['GET /b?logging', 'GetBucketLogging'],
    ['PUT /b?logging', 'PutBucketLogging'],
    ['GET /b?notification', 'GetBucketNotificationConfiguration'],
    ['PUT /b?notification', 'PutBucketNotificationConfiguration'],
    ['GET /b?website', 'GetBucketWebsite'],
    ['PUT /b?website', 'PutBucketWebsite'],
    ['DELETE /b?website', 'DeleteBucketWebsite'],
    ['GET /b?tagging', 'GetBucketTagging'],
    ['PUT /b?tagging', 'PutBucketTagging'],
    ['DELETE /b?tagging', 'DeleteBucketTagging'],
    ['GET /b?object-lock', 'GetObjectLockConfiguration'],
    ['PUT /b?object-lock', 'PutObjectLockConfiguration'],
    ['GET /b?lifecycle', 'GetBucketLifecycleConfiguration'],
    ['GET /b?lifecycle&dry-run&at=2030-01-01T00:00:00Z', 'DryRunBucketLifecycle'],
    ['PUT /b?lifecycle', 'PutBucketLifecycleConfiguration'],
    ['DELETE /b?lifecycle', 'DeleteBucketLifecycle'],
    ['GET /b?hosting', 'GetBucketHosting'],
    ['PUT /b?hosting', 'PutBucketHosting'],
    ['DELETE /b?hosting', 'DeleteBucketHosting'],
    ['POST /b?purge', 'PurgeBucket'],
    ['GET /b', 'ListObjects'],
    ['GET /b?prefix=acl&delimiter=/&marker=policy', 'ListObjects'],
    ['GET /b?list-type=2&prefix=x', 'ListObjectsV2'],
    ['GET /b?zip', 'DownloadZip'],
    ['HEAD /b/folder/?zip=name', 'DownloadZip'],
    ['POST /b?delete', 'DeleteObjects'],
    ['POST /b', 'PostObject'],
    ['GET /b?uploads', 'ListMultipartUploads'],
    ['GET /b/k', 'GetObject'],
    ['GET /b/k?versionId=null&partNumber=3&response-expires=x', 'GetObject'],
    ['HEAD /b/k', 'HeadObject'],
    ['GET /b/k?attributes', 'GetObjectAttributes'],
    ['GET /b/k?torrent', 'GetObjectTorrent'],
    ['GET /b/k?acl', 'GetObjectAcl'],
    ['GET /b/k?retention', 'GetObjectRetention'],
    ['PUT /b/k?retention&versionId=null', 'PutObjectRetention'],
    ['GET /b/k?legal-hold', 'GetObjectLegalHold'],
    ['PUT /b/k?legal-hold', 'PutObjectLegalHold'],
    ['PUT /b/k?acl', 'PutObjectAcl'],
    ['GET /b/k?tagging', 'GetObjectTagging'],
    ['PUT /b/k?tagging&versionId=null', 'PutObjectTagging'],
    ['DELETE /b/k?tagging', 'DeleteObjectTagging'],
    ['PUT /b/k?encryption&versionId=null', 'UpdateObjectEncryption'],
    ['PUT /b/k', 'PutObject'],
    ['PUT /b/k?x-id=PutObject', 'PutObject'],
    ['PUT /b/k', 'CopyObject', COPY],
    ['DELETE /b/k', 'DeleteObject'],
    ['DELETE /b/k?versionId=null', 'DeleteObject'],
    ['POST /b/k?uploads', 'CreateMultipartUpload'],
    ['PUT /b/k?partNumber=1&uploadId=u', 'UploadPart'],
    ['PUT /b/k?partNumber=1&uploadId=u', 'UploadPartCopy', COPY],
    ['GET /b/k?uploadId=u', 'ListParts'],
    ['POST /b/k?uploadId=u', 'CompleteMultipartUpload'],
    ['DELETE /b/k?uploadId=u', 'AbortMultipartUpload'],
  ];
  it.each(table)('%s is %s', (line, name, headers = {}) => {
    expect(detect(line, headers)).toBe(name);
  });

  it('are all in that table', () => {
    expect(new Set(table.map(([, name]) => name))).toEqual(new Set(OPERATION_NAMES));
  });
});

describe("the SDK's model of S3", () => {
  const operations = modelOperations();

  it('has more than a hundred operations', () => {
    expect(operations.length).toBeGreaterThan(100);
  });

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'has an operation that we tell by its request: %s',
    (name, operation) => {
      const query = { ...operation.query };
      if (name === 'ListDirectoryBuckets') query['x-id'] = name;
      if (['UploadPart', 'UploadPartCopy'].includes(name))
        Object.assign(query, { partNumber: '1' });
      const needsUpload =
        /^(?:UploadPart|UploadPartCopy|ListParts|CompleteMultipartUpload|AbortMultipartUpload)$/;
      if (needsUpload.test(name)) Object.assign(query, { uploadId: 'u' });
      const found = detectOperation({
        method: operation.method,
        hasBucket: operation.level !== 'service',
        hasKey: operation.level === 'object',
        query: parseQuery(new URLSearchParams(query).toString()),
        header: (header) =>
          header === 'x-amz-copy-source' && name.includes('Copy') ? '/b/k' : null,
      });
      if (OPERATION_NAMES.some((known) => known === name)) return expect(found).toBe(name);
      const refusal = found as Refusal;
      expect(refusal.code).toBe('NotImplemented');
      const subresource = Object.keys(query)[0];
      if (subresource !== undefined && subresource !== 'x-id')
        expect(refusal.detail).toContain(subresource);
      // Get and List of one configuration differ by an id only, and both are missing.
      const kin = name.replace(/^ListBucket(\w+)Configurations$/, 'GetBucket$1Configuration');
      if (name !== 'ListObjectAnnotations') expect(refusal.detail).toContain(kin);
    },
  );
});

describe('what is refused', () => {
  it.each([
    ['PUT /b?replication', 'PutBucketReplication', 'replication'],
    ['POST /b/k?select&select-type=2', 'SelectObjectContent', 'select'],
    ['GET /?x-id=ListDirectoryBuckets', 'ListDirectoryBuckets', 'ListDirectoryBuckets'],
  ])('%s: not implemented, named %s', (line, name, resourceType) => {
    const refusal = detect(line) as Refusal;
    expect(refusal.code).toBe('NotImplemented');
    expect(refusal.detail).toContain(name);
    expect(refusal.fields.ResourceType).toBe(resourceType);
  });

  it.each([
    ['POST /', 'SERVICE', 'GET, OPTIONS'],
    ['HEAD /', 'SERVICE', 'GET, OPTIONS'],
    ['PATCH /b', 'BUCKET', 'GET, HEAD, PUT, DELETE, POST, OPTIONS'],
    ['POST /b/k', 'OBJECT', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['constructor /b/k', 'OBJECT', 'GET, HEAD, PUT, DELETE, OPTIONS'],
    ['DELETE /b?acl', 'ACL', 'GET, PUT'],
    ['HEAD /b/k?tagging', 'TAGGING', 'GET, PUT, DELETE'],
    ['GET /b?delete', 'DELETE', 'POST'],
  ])('%s: method not allowed', (line, resourceType, allow) => {
    expect(detect(line)).toMatchObject({
      code: 'MethodNotAllowed',
      fields: { ResourceType: resourceType, Allow: allow },
    });
  });

  it.each([
    'GET /b?acl&policy',
    'GET /b/k?uploadId=u&uploads',
    'GET /b?list-type=3',
    'GET /b?list-type',
    'PUT /b/k?partNumber=1',
    'PUT /b/k?uploadId=u',
  ])('%s: invalid argument', (line) => {
    expect(detect(line)).toMatchObject({ code: 'InvalidArgument' });
  });

  it('is not a sub-resource that is named twice', () => {
    expect(detect('GET /b?acl&acl=1')).toBe('GetBucketAcl');
  });

  it('is no name of Object.prototype among the parameters', () => {
    expect(detect('GET /b?constructor&__proto__=1&toString')).toBe('ListObjects');
  });
});

it('detection names or refuses anything, and never throws', () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('acl', 'uploadId', 'partNumber', 'list-type', 'versions'),
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom('GET', 'PUT', 'POST', 'DELETE', 'HEAD')),
      fc.array(fc.tuple(name, fc.string()), { maxLength: 4 }),
      fc.constantFrom<Level>('service', 'bucket', 'object'),
      (method, entries, level) => {
        const found = detectOperation({
          method,
          hasBucket: level !== 'service',
          hasKey: level === 'object',
          query: {
            entries,
            get: (wanted) => entries.find(([key]) => key === wanted)?.[1] ?? null,
            has: (wanted) => entries.some(([key]) => key === wanted),
          },
          header: () => null,
        });
        if (typeof found !== 'string') expect(found.detail).not.toBe('');
      },
    ),
  );
});
