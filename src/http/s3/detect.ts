// Which S3 operation a request is, from its method, its level (service, bucket, object) and the sub-resource in its
// query. Pure; routes.ts calls it first, and refuses what it can't name. The table holds all of S3, not only what we
// have, so that everything missing is refused by name instead of being taken for something else.
// Source: the request model of @aws-sdk/client-s3 3.1169 (test/http/s3/detect.test.ts compares the two).
import type { ErrorCode } from '../../ports/errors.ts';
import type { Query } from '../semantics/raw-path.ts';

/** The operations that we have. operations.ts must have an entry for each. */
export const OPERATION_NAMES = [
  'ListBuckets',
  'CreateBucket',
  'HeadBucket',
  'DeleteBucket',
  'GetBucketLocation',
  'GetBucketVersioning',
  'GetBucketAcl',
  'PutBucketAcl',
  'GetBucketPolicy',
  'PutBucketPolicy',
  'DeleteBucketPolicy',
  'ListObjects',
  'ListObjectsV2',
  'DeleteObjects',
  'ListMultipartUploads',
  'GetObject',
  'HeadObject',
  'GetObjectAttributes',
  'GetObjectAcl',
  'PutObject',
  'CopyObject',
  'DeleteObject',
  'CreateMultipartUpload',
  'UploadPart',
  'UploadPartCopy',
  'ListParts',
  'CompleteMultipartUpload',
  'AbortMultipartUpload',
] as const;
export type OperationName = (typeof OPERATION_NAMES)[number];

const SUPPORTED: ReadonlySet<string> = new Set(OPERATION_NAMES);

/** What detectOperation looks at. */
export type DetectInput = {
  readonly method: string;
  readonly hasBucket: boolean;
  readonly hasKey: boolean;
  readonly query: Query;
  header(name: string): string | null;
};

/** Why a request is no operation of ours; becomes a StorageError. */
export type Refusal = {
  readonly code: Extract<ErrorCode, 'NotImplemented' | 'MethodNotAllowed' | 'InvalidArgument'>;
  readonly detail: string;
  readonly fields: Readonly<Record<string, string>>;
};

type Methods = Readonly<Record<string, string>>;

/** Operations on a bucket by sub-resource, then method. */
const BUCKET_SUBRESOURCES: Readonly<Record<string, Methods>> = {
  abac: { GET: 'GetBucketAbac', PUT: 'PutBucketAbac' },
  accelerate: { GET: 'GetBucketAccelerateConfiguration', PUT: 'PutBucketAccelerateConfiguration' },
  acl: { GET: 'GetBucketAcl', PUT: 'PutBucketAcl' },
  analytics: configuration('Analytics'),
  cors: { GET: 'GetBucketCors', PUT: 'PutBucketCors', DELETE: 'DeleteBucketCors' },
  delete: { POST: 'DeleteObjects' },
  encryption: { GET: 'GetBucketEncryption', PUT: 'PutBucketEncryption', DELETE: 'DeleteBucketEncryption' },
  'intelligent-tiering': configuration('IntelligentTiering'),
  inventory: configuration('Inventory'),
  lifecycle: {
    GET: 'GetBucketLifecycleConfiguration',
    PUT: 'PutBucketLifecycleConfiguration',
    DELETE: 'DeleteBucketLifecycle',
  },
  location: { GET: 'GetBucketLocation' },
  logging: { GET: 'GetBucketLogging', PUT: 'PutBucketLogging' },
  metadataAnnotationTable: { PUT: 'UpdateBucketMetadataAnnotationTableConfiguration' },
  metadataConfiguration: {
    GET: 'GetBucketMetadataConfiguration',
    POST: 'CreateBucketMetadataConfiguration',
    DELETE: 'DeleteBucketMetadataConfiguration',
  },
  metadataInventoryTable: { PUT: 'UpdateBucketMetadataInventoryTableConfiguration' },
  metadataJournalTable: { PUT: 'UpdateBucketMetadataJournalTableConfiguration' },
  metadataTable: {
    GET: 'GetBucketMetadataTableConfiguration',
    POST: 'CreateBucketMetadataTableConfiguration',
    DELETE: 'DeleteBucketMetadataTableConfiguration',
  },
  metrics: configuration('Metrics'),
  notification: { GET: 'GetBucketNotificationConfiguration', PUT: 'PutBucketNotificationConfiguration' },
  'object-lock': { GET: 'GetObjectLockConfiguration', PUT: 'PutObjectLockConfiguration' },
  ownershipControls: {
    GET: 'GetBucketOwnershipControls',
    PUT: 'PutBucketOwnershipControls',
    DELETE: 'DeleteBucketOwnershipControls',
  },
  policy: { GET: 'GetBucketPolicy', PUT: 'PutBucketPolicy', DELETE: 'DeleteBucketPolicy' },
  policyStatus: { GET: 'GetBucketPolicyStatus' },
  publicAccessBlock: {
    GET: 'GetPublicAccessBlock',
    PUT: 'PutPublicAccessBlock',
    DELETE: 'DeletePublicAccessBlock',
  },
  replication: { GET: 'GetBucketReplication', PUT: 'PutBucketReplication', DELETE: 'DeleteBucketReplication' },
  requestPayment: { GET: 'GetBucketRequestPayment', PUT: 'PutBucketRequestPayment' },
  session: { GET: 'CreateSession' },
  tagging: { GET: 'GetBucketTagging', PUT: 'PutBucketTagging', DELETE: 'DeleteBucketTagging' },
  uploads: { GET: 'ListMultipartUploads' },
  versioning: { GET: 'GetBucketVersioning', PUT: 'PutBucketVersioning' },
  versions: { GET: 'ListObjectVersions' },
  website: { GET: 'GetBucketWebsite', PUT: 'PutBucketWebsite', DELETE: 'DeleteBucketWebsite' },
};

/** Operations on an object by sub-resource, then method. */
const OBJECT_SUBRESOURCES: Readonly<Record<string, Methods>> = {
  acl: { GET: 'GetObjectAcl', PUT: 'PutObjectAcl' },
  annotation: { GET: 'GetObjectAnnotation', PUT: 'PutObjectAnnotation', DELETE: 'DeleteObjectAnnotation' },
  attributes: { GET: 'GetObjectAttributes' },
  encryption: { PUT: 'UpdateObjectEncryption' },
  'legal-hold': { GET: 'GetObjectLegalHold', PUT: 'PutObjectLegalHold' },
  renameObject: { PUT: 'RenameObject' },
  restore: { POST: 'RestoreObject' },
  retention: { GET: 'GetObjectRetention', PUT: 'PutObjectRetention' },
  select: { POST: 'SelectObjectContent' },
  tagging: { GET: 'GetObjectTagging', PUT: 'PutObjectTagging', DELETE: 'DeleteObjectTagging' },
  torrent: { GET: 'GetObjectTorrent' },
  uploads: { POST: 'CreateMultipartUpload' },
  uploadId: {
    GET: 'ListParts',
    PUT: 'UploadPart',
    POST: 'CompleteMultipartUpload',
    DELETE: 'AbortMultipartUpload',
  },
};

/** `OPTIONS` is the preflight of CORS, which S3 has no operation name for; so is a form's POST. */
const PLAIN: Readonly<Record<'service' | 'bucket' | 'object', Methods>> = {
  service: { GET: 'ListBuckets', OPTIONS: 'CORS preflight' },
  bucket: {
    GET: 'ListObjects',
    HEAD: 'HeadBucket',
    PUT: 'CreateBucket',
    DELETE: 'DeleteBucket',
    POST: 'PostObject',
    OPTIONS: 'CORS preflight',
  },
  object: {
    GET: 'GetObject',
    HEAD: 'HeadObject',
    PUT: 'PutObject',
    DELETE: 'DeleteObject',
    OPTIONS: 'CORS preflight',
  },
};

function configuration(kind: string): Methods {
  return {
    GET: `GetBucket${kind}Configuration`,
    PUT: `PutBucket${kind}Configuration`,
    DELETE: `DeleteBucket${kind}Configuration`,
  };
}

const SUBRESOURCES = {
  service: {},
  bucket: BUCKET_SUBRESOURCES,
  object: OBJECT_SUBRESOURCES,
} as const satisfies Record<string, Readonly<Record<string, Methods>>>;

/** Names the operation, or says why there is none. Cost: one look-up per parameter of the query. */
export function detectOperation(input: DetectInput): OperationName | Refusal {
  const level = input.hasKey ? 'object' : input.hasBucket ? 'bucket' : 'service';
  const table: Readonly<Record<string, Methods>> = SUBRESOURCES[level];
  let subresource: string | null = null;
  for (const [name] of input.query.entries) {
    if (!Object.hasOwn(table, name) || name === subresource) continue;
    if (subresource !== null) {
      return invalidArgument(`Conflicting query string parameters: ${subresource}, ${name}`, {
        ArgumentName: 'ResourceType',
        ArgumentValue: subresource,
      });
    }
    subresource = name;
  }
  const methods = (subresource === null ? PLAIN[level] : table[subresource]) ?? {};
  const found = Object.hasOwn(methods, input.method) ? methods[input.method] : undefined;
  if (found === undefined) return methodNotAllowed(input.method, subresource ?? level, Object.keys(methods));
  const name = refine(found, input);
  if (typeof name !== 'string') return name;
  return isSupported(name) ? name : notImplemented(name, subresource, input.method);
}

/** Tells apart what shares method and sub-resource: by another parameter, or by the header of a copy. */
function refine(name: string, input: DetectInput): string | Refusal {
  const isCopy = input.header('x-amz-copy-source') !== null;
  switch (name) {
    case 'ListBuckets':
      return input.query.get('x-id') === 'ListDirectoryBuckets' ? 'ListDirectoryBuckets' : name;
    case 'ListObjects': {
      const listType = input.query.get('list-type');
      if (listType === null) return name;
      return listType === '2'
        ? 'ListObjectsV2'
        : invalidArgument('Invalid List Type', { ArgumentName: 'list-type', ArgumentValue: listType });
    }
    case 'PutObject': {
      const partNumber = input.query.get('partNumber');
      if (partNumber !== null) {
        return invalidArgument('This operation does not accept partNumber without uploadId', {
          ArgumentName: 'partNumber',
          ArgumentValue: partNumber,
        });
      }
      return isCopy ? 'CopyObject' : name;
    }
    case 'UploadPart':
      if (input.query.get('partNumber') === null) {
        return invalidArgument('This operation does not accept uploadId without partNumber', {
          ArgumentName: 'uploadId',
          ArgumentValue: input.query.get('uploadId') ?? '',
        });
      }
      return isCopy ? 'UploadPartCopy' : name;
    default:
      return name;
  }
}

function isSupported(name: string): name is OperationName {
  return SUPPORTED.has(name);
}

function invalidArgument(detail: string, fields: Readonly<Record<string, string>>): Refusal {
  return { code: 'InvalidArgument', detail, fields };
}

function methodNotAllowed(method: string, resourceType: string, allowed: readonly string[]): Refusal {
  return {
    code: 'MethodNotAllowed',
    detail: 'The specified method is not allowed against this resource.',
    fields: { Method: method.slice(0, 32), ResourceType: resourceType.toUpperCase(), Allow: allowed.join(', ') },
  };
}

function notImplemented(name: string, subresource: string | null, method: string): Refusal {
  const what = subresource === null ? name : `${name} (sub-resource ${subresource})`;
  return {
    code: 'NotImplemented',
    detail: `${what} is not implemented.`,
    fields: { Method: method, ResourceType: subresource ?? name },
  };
}
