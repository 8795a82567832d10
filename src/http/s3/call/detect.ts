// Which S3 operation a request is, from its method, its level (service, bucket,
// object) and the sub-resource in its query. Pure; routes.ts calls it first, and
// refuses what it can't name. subresources.ts holds all of S3, so that everything
// missing is refused by name instead of being taken for something else.
import type { ErrorCode } from '../../../domain/errors.ts';
import type { Query } from '../../semantics/raw-path.ts';
import { type Methods, PLAIN, SUBRESOURCES } from './subresources.ts';

/** The operations of this service. operations.ts must have an entry for each. */
export const OPERATION_NAMES = [
  'ListBuckets',
  'ListKmsKeys',
  'PutKmsKey',
  'CreateBucket',
  'HeadBucket',
  'DeleteBucket',
  'GetBucketLocation',
  'GetBucketVersioning',
  'PutBucketVersioning',
  'GetBucketAcl',
  'PutBucketAcl',
  'GetBucketPolicy',
  'PutBucketPolicy',
  'DeleteBucketPolicy',
  'GetBucketPolicyStatus',
  'GetPublicAccessBlock',
  'PutPublicAccessBlock',
  'DeletePublicAccessBlock',
  'GetBucketOwnershipControls',
  'PutBucketOwnershipControls',
  'DeleteBucketOwnershipControls',
  'GetBucketCors',
  'PutBucketCors',
  'DeleteBucketCors',
  'GetBucketEncryption',
  'PutBucketEncryption',
  'DeleteBucketEncryption',
  'GetBucketRequestPayment',
  'PutBucketRequestPayment',
  'GetBucketLogging',
  'PutBucketLogging',
  'GetBucketNotificationConfiguration',
  'PutBucketNotificationConfiguration',
  'GetBucketWebsite',
  'PutBucketWebsite',
  'DeleteBucketWebsite',
  'GetBucketTagging',
  'PutBucketTagging',
  'DeleteBucketTagging',
  'GetObjectLockConfiguration',
  'PutObjectLockConfiguration',
  'GetBucketLifecycleConfiguration',
  'PutBucketLifecycleConfiguration',
  'DeleteBucketLifecycle',
  'DryRunBucketLifecycle',
  'GetBucketHosting',
  'PutBucketHosting',
  'DeleteBucketHosting',
  'PurgeBucket',
  'ListObjects',
  'ListObjectsV2',
  'ListObjectVersions',
  'DownloadZip',
  'DeleteObjects',
  'ListMultipartUploads',
  'GetObject',
  'HeadObject',
  'GetObjectAttributes',
  'GetObjectTorrent',
  'RestoreObject',
  'GetObjectAcl',
  'PutObjectAcl',
  'GetObjectRetention',
  'PutObjectRetention',
  'GetObjectLegalHold',
  'PutObjectLegalHold',
  'GetObjectTagging',
  'PutObjectTagging',
  'DeleteObjectTagging',
  'UpdateObjectEncryption',
  'PutObject',
  'PostObject',
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

/** Parts of a request that name its operation. */
export type DetectInput = {
  readonly method: string;
  readonly hasBucket: boolean;
  readonly hasKey: boolean;
  readonly query: Query;
  header(name: string): string | null;
};

/** Why a request is none of these operations; becomes a StorageError. */
export type Refusal = {
  readonly code: Extract<ErrorCode, 'NotImplemented' | 'MethodNotAllowed' | 'InvalidArgument'>;
  readonly detail: string;
  readonly fields: Readonly<Record<string, string>>;
};

/**
 * Names the operation, or says why there is none. Cost: one look-up per parameter
 * of the query.
 */
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
  const candidate = Object.hasOwn(methods, input.method) ? methods[input.method] : undefined;
  if (candidate === undefined)
    return methodNotAllowed(input.method, subresource ?? level, Object.keys(methods));
  const name = refine(candidate, input);
  if (typeof name !== 'string') return name;
  return isSupported(name) ? name : notImplemented(name, subresource, input.method);
}

/**
 * Distinguishes operations that share method and sub-resource: by another
 * parameter, or by the header of a copy.
 */
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
        : invalidArgument('Invalid List Type', {
            ArgumentName: 'list-type',
            ArgumentValue: listType,
          });
    }
    case 'GetBucketLifecycleConfiguration':
      return input.query.has('dry-run') ? 'DryRunBucketLifecycle' : name;
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

function methodNotAllowed(
  method: string,
  resourceType: string,
  allowed: readonly string[],
): Refusal {
  return {
    code: 'MethodNotAllowed',
    detail: 'The specified method is not allowed against this resource.',
    fields: {
      Method: method.slice(0, 32),
      ResourceType: resourceType.toUpperCase(),
      Allow: allowed.join(', '),
    },
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
