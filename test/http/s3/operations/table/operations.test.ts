import { describe, expect, it } from 'vitest';
import { OPERATION_NAMES } from '../../../../../src/http/s3/call/detect.ts';
import { IGNORED_HEADERS } from '../../../../../src/http/s3/headers/refused-headers.ts';
import type { Operation } from '../../../../../src/http/s3/operations/table/operation.ts';
import { OPERATIONS } from '../../../../../src/http/s3/operations/table/operations.ts';
import { modelOperations } from '../../kit/sdk-model.ts';
import { createTestSurface } from '../../kit/surface.ts';

/** Headers that are read: by authentication, a feature, or the handler of the operation. */
const READ_ALWAYS = [
  'x-amz-expected-bucket-owner',
  'x-amz-sdk-checksum-algorithm',
  'content-md5',
  'content-length',
];
const CHECKSUMS = /^x-amz-checksum-(?:crc32|crc32c|crc64nvme|sha1|sha256|sha512|md5|xxhash\w+)$/;
const ACL = [
  'x-amz-acl',
  'x-amz-grant-full-control',
  'x-amz-grant-read',
  'x-amz-grant-read-acp',
  'x-amz-grant-write',
  'x-amz-grant-write-acp',
];
const ATTRIBUTES = [
  ...ACL,
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
  'x-amz-meta-*',
  'x-amz-storage-class',
  'x-amz-website-redirect-location',
];
const LOCK = ['mode', 'retain-until-date', 'legal-hold'].map((name) => `x-amz-object-lock-${name}`);
const BYPASS = 'x-amz-bypass-governance-retention';
const READ_CONDITIONS = ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'];
const COPY_SOURCE = [
  'x-amz-copy-source',
  'x-amz-source-expected-bucket-owner',
  ...READ_CONDITIONS.map((name) => `x-amz-copy-source-${name}`),
];
const customerKey = (prefix = '') =>
  ['algorithm', 'key', 'key-md5'].map(
    (name) => `x-amz-${prefix}server-side-encryption-customer-${name}`,
  );
const READ_ENCRYPTION = customerKey();
const COPY_ENCRYPTION = customerKey('copy-source-');
const ENCRYPTION = [
  'x-amz-server-side-encryption',
  'x-amz-server-side-encryption-aws-kms-key-id',
  'x-amz-server-side-encryption-context',
  'x-amz-server-side-encryption-bucket-key-enabled',
  ...customerKey(),
];
const READ: Readonly<Record<string, readonly string[]>> = {
  CreateBucket: [...ACL, 'x-amz-object-ownership', 'x-amz-bucket-object-lock-enabled'],
  PutBucketAcl: ACL,
  PutBucketNotificationConfiguration: ['x-amz-skip-destination-validation'],
  PutObjectAcl: ACL,
  GetObject: [...READ_ENCRYPTION, ...READ_CONDITIONS, 'range', 'x-amz-checksum-mode'],
  HeadObject: [...READ_ENCRYPTION, ...READ_CONDITIONS, 'range', 'x-amz-checksum-mode'],
  GetObjectAttributes: [
    ...READ_ENCRYPTION,
    'x-amz-object-attributes',
    'x-amz-max-parts',
    'x-amz-part-number-marker',
  ],
  PutObject: [...ENCRYPTION, ...ATTRIBUTES, ...LOCK, 'x-amz-tagging', 'if-match', 'if-none-match'],
  UploadPart: READ_ENCRYPTION,
  ListParts: READ_ENCRYPTION,
  CopyObject: [
    ...ENCRYPTION,
    ...COPY_ENCRYPTION,
    ...ATTRIBUTES,
    ...LOCK,
    ...COPY_SOURCE,
    'if-match',
    'if-none-match',
    'x-amz-checksum-algorithm',
    'x-amz-metadata-directive',
    'x-amz-tagging',
    'x-amz-tagging-directive',
  ],
  CreateMultipartUpload: [
    ...ENCRYPTION,
    ...ATTRIBUTES,
    ...LOCK,
    'x-amz-tagging',
    'x-amz-checksum-algorithm',
    'x-amz-checksum-type',
  ],
  UploadPartCopy: [
    ...READ_ENCRYPTION,
    ...COPY_ENCRYPTION,
    ...COPY_SOURCE,
    'x-amz-copy-source-range',
  ],
  PutBucketLifecycleConfiguration: ['x-amz-transition-default-minimum-object-size'],
  PutObjectRetention: [BYPASS],
  DeleteObjects: [BYPASS],
  DeleteObject: [BYPASS, 'if-match', 'x-amz-if-match-last-modified-time', 'x-amz-if-match-size'],
  CompleteMultipartUpload: [
    ...READ_ENCRYPTION,
    'if-match',
    'if-none-match',
    'x-amz-checksum-type',
    'x-amz-mp-object-size',
  ],
};

describe('every header that S3 knows', () => {
  const ours = modelOperations().filter(({ name }) =>
    OPERATION_NAMES.some((known) => known === name),
  );

  it('is looked up for all our operations', () => {
    // The SDK knows nothing of the operations that S3 has not, nor of browser forms.
    const own = OPERATION_NAMES.filter((name) =>
      /Hosting$|^DryRun|^DownloadZip$|^PostObject$|^PurgeBucket$|KmsKeys?$/.test(name),
    );
    expect(ours).toHaveLength(OPERATION_NAMES.length - own.length);
  });

  it.each(ours.map(({ name, headers }) => [name, headers] as const))(
    'of %s is read, refused or harmless',
    (name, headers) => {
      const { rejects }: Operation = OPERATIONS[name as keyof typeof OPERATIONS];
      const known = [...READ_ALWAYS, ...(READ[name] ?? []), ...rejects, ...IGNORED_HEADERS];
      expect(
        headers.filter((header) => !known.includes(header) && !CHECKSUMS.test(header)),
      ).toEqual([]);
      // A header can't be both read and refused.
      expect(rejects.filter((header) => READ[name]?.includes(header))).toEqual([]);
    },
  );
});

describe('refused headers', () => {
  const cases = Object.entries(OPERATIONS).flatMap(([name, operation]: [string, Operation]) =>
    // A form's headers are its fields: test/wire/s3/uploads/post-object.test.ts.
    name === 'PostObject' ? [] : operation.rejects.map((header) => [name, header] as const),
  );
  const LINES: Readonly<
    Record<string, { method: string; path: string; query?: Record<string, string> }>
  > = {
    CreateBucket: { method: 'PUT', path: '/new-bucket' },
    GetObject: { method: 'GET', path: '/b/k' },
    HeadObject: { method: 'HEAD', path: '/b/k' },
    GetObjectAttributes: { method: 'GET', path: '/b/k', query: { attributes: '' } },
    PutObject: { method: 'PUT', path: '/b/k' },
    CopyObject: { method: 'PUT', path: '/b/k' },
    DeleteObject: { method: 'DELETE', path: '/b/k' },
    CreateMultipartUpload: { method: 'POST', path: '/b/k', query: { uploads: '' } },
    UploadPart: { method: 'PUT', path: '/b/k', query: { uploadId: 'u', partNumber: '1' } },
    UploadPartCopy: { method: 'PUT', path: '/b/k', query: { uploadId: 'u', partNumber: '1' } },
    ListParts: { method: 'GET', path: '/b/k', query: { uploadId: 'u' } },
    CompleteMultipartUpload: { method: 'POST', path: '/b/k', query: { uploadId: 'u' } },
    AbortMultipartUpload: { method: 'DELETE', path: '/b/k', query: { uploadId: 'u' } },
    DownloadZip: { method: 'GET', path: '/b', query: { zip: '' } },
  };
  const surface = createTestSurface();

  it.each(cases)('%s answers %s with 501 and its name', async (name, header) => {
    const line = LINES[name];
    if (line === undefined) throw new Error(`no request line for ${name}`);
    const copy = name.includes('Copy') ? { 'x-amz-copy-source': '/b/k' } : {};
    const reply = await surface.send({ ...line, headers: { ...copy, [header]: 'x' } });
    expect(reply.status).toBe(501);
    if (line.method !== 'HEAD') expect(reply.text).toContain(`<Header>${header}</Header>`);
  });
});
